#include "tests/emulation/engine/grid.h"

#include <map>
#include <numeric>
#include <vector>

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

constexpr std::int64_t kSharedBytesByDefault = 48 * 1024;
constexpr std::int64_t kSharedBytesAtMost = 227 * 1024;  // compute capability 9.0, the most of any

std::map<const void*, std::int64_t>& allowed_shared_bytes() {
  static std::map<const void*, std::int64_t> allowed;
  return allowed;
}

bool launchable(const void* kernel, const GridShape& shape) {
  if (shape.blocks < 1 || shape.blocks > 0x7fffffff) return false;
  if (shape.threads < 1 || shape.threads > kMaxThreads) return false;
  std::int64_t allowed = kSharedBytesByDefault;
  const auto found = allowed_shared_bytes().find(kernel);
  if (found != allowed_shared_bytes().end() && found->second > allowed) allowed = found->second;
  return shape.shared_bytes >= 0 && shape.shared_bytes <= allowed;
}

}  // namespace

LaunchRecord& launch_record() {
  static LaunchRecord record;
  return record;
}

cudaError_t run_grid(const void* kernel, const GridShape& shape, const std::function<void()>& body) {
  if (running != nullptr) throw Violation(Fault::kLaunch, "a kernel launched from a kernel");
  if (!launchable(kernel, shape)) return cudaErrorInvalidValue;
  if (shape.threads % kWarpSize != 0) throw Violation(Fault::kLaunch, "the block's last warp is not full");
  ++launch_record().count;
  launch_record().last = shape;
  global_memory().start_launch();
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.blocks));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Random(options().seed).shuffle(order.begin(), order.end());
  Block block(options(), shape.threads, shape.shared_bytes, shape.blocks);
  for (const std::int64_t index : order) block.run(index, body);
  return cudaSuccess;
}

cudaError_t allow_shared_bytes(const void* kernel, std::int64_t shared_bytes) {
  if (shared_bytes < 0 || shared_bytes > kSharedBytesAtMost) return cudaErrorInvalidValue;
  allowed_shared_bytes()[kernel] = shared_bytes;
  return cudaSuccess;
}

}  // namespace fastgemm::emulation
