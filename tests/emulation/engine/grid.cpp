#include "tests/emulation/engine/grid.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/emulation/engine/block.h"
#include "tests/emulation/engine/inter_block.h"

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
  if (shape.cluster < 1 || shape.blocks % shape.cluster != 0) return false;
  std::int64_t allowed = kSharedBytesByDefault;
  const auto found = allowed_shared_bytes().find(kernel);
  if (found != allowed_shared_bytes().end() && found->second > allowed) allowed = found->second;
  return shape.shared_bytes >= 0 && shape.shared_bytes <= allowed;
}

// The blocks of a launch: some are resident and take turns, the others wait for one of these to end. Those of a cluster
// are one Block.
class Grid {
 public:
  Grid(const GridShape& shape, const std::function<void()>& body)
      : body_(body), random_(options().seed), waiting_(static_cast<std::size_t>(shape.blocks / shape.cluster)) {
    std::iota(waiting_.begin(), waiting_.end(), std::int64_t{0});
    random_.shuffle(waiting_.begin(), waiting_.end());
    static thread_local FiberStacks stacks;
    const auto slots = std::min<std::size_t>(static_cast<std::size_t>(options().resident_blocks), waiting_.size());
    for (std::size_t slot = 0; slot < slots; ++slot) {
      blocks_.push_back(
          std::make_unique<Block>(options(), shape, slot, stacks));
      resident_.push_back(blocks_.back().get());
    }
  }

  // To the end, or to the first violation.
  void run() {
    for (Block* block : resident_) begin_next(*block);
    try {
      while (!resident_.empty()) {
        Block& block = next_block();
        block.run_thread();
        if (block.finished()) replace(block);
      }
    } catch (const Violation&) {
      for (Block* block : resident_) block->end();
      throw;
    }
  }

 private:
  void begin_next(Block& block) {
    block.begin(waiting_.front(), body_);
    waiting_.pop_front();
  }

  void replace(Block& block) {
    block.end();
    if (!waiting_.empty()) return begin_next(block);
    resident_.erase(std::find(resident_.begin(), resident_.end(), &block));
    last_ = 0;
  }

  // One that can go on; where none can, copies land first.
  Block& next_block() {
    if (resident_.size() > 1 && options().schedule == Schedule::kRandom && random_.below(32) == 0) {
      last_ = random_.below(resident_.size());
    }
    for (;;) {
      for (std::size_t step = 0; step < resident_.size(); ++step) {
        const std::size_t at = (last_ + step) % resident_.size();
        if (!resident_[at]->can_run()) continue;
        last_ = at;
        return *resident_[at];
      }
      land_copy();
    }
  }

  void land_copy() {
    const std::size_t first = random_.below(resident_.size());
    for (std::size_t step = 0; step < resident_.size(); ++step) {
      Block& block = *resident_[(first + step) % resident_.size()];
      if (block.copies_in_flight()) return block.land_copy();
    }
    std::string text;
    for (const Block* block : resident_) text += (text.empty() ? "" : "\n") + block->deadlock_text();
    throw Violation(Fault::kDeadlock, text);
  }

  const std::function<void()>& body_;
  Random random_;
  std::deque<std::int64_t> waiting_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> resident_;
  std::size_t last_ = 0;
};

}  // namespace

LaunchRecord& launch_record() {
  static LaunchRecord record;
  return record;
}

cudaError_t run_grid(const void* kernel, const GridShape& shape, const std::function<void()>& body) {
  if (running != nullptr) throw Violation(Fault::kLaunch, "a kernel launched from a kernel");
  if (!launchable(kernel, shape)) return cudaErrorInvalidValue;
  if (shape.threads % kWarpSize != 0) throw Violation(Fault::kLaunch, "the block's last warp is not full");
  if (shape.cluster * shape.threads > kMaxThreads) {
    throw Violation(Fault::kLaunch, "more threads in a cluster than the emulation keeps");
  }
  ++launch_record().count;
  launch_record().last = shape;
  global_memory().start_launch();
  inter_block_words().start_launch();
  Grid(shape, body).run();
  return cudaSuccess;
}

cudaError_t allow_shared_bytes(const void* kernel, std::int64_t shared_bytes) {
  if (shared_bytes < 0 || shared_bytes > kSharedBytesAtMost) return cudaErrorInvalidValue;
  allowed_shared_bytes()[kernel] = shared_bytes;
  return cudaSuccess;
}

}  // namespace fastgemm::emulation
