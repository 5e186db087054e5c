#include "src/dropin/engine/engine.h"

#include <algorithm>
#include <exception>

#include "src/base/log.h"
#include "src/dropin/engine/failure.h"
#include "src/dropin/engine/measure.h"
#include "src/dropin/statistics.h"

namespace fastgemm::dropin {

namespace {

constexpr std::int64_t kSplitMultiple = 256;  // the longer side of most tiles

// Runs something that may fail on a device's thread.
template <class Body>
class TryJob final : public Job {
 public:
  explicit TryJob(Body body) : body_(std::move(body)) {}
  void run() noexcept override {
    try {
      body_();
      succeeded = true;
    } catch (const std::exception& failure) {
      try {
        error = failure.what();
      } catch (const std::exception&) {
        error.clear();
      }
    }
  }
  bool succeeded = false;
  std::string error;

 private:
  Body body_;
};

std::string device_name(int ordinal) { return "device " + std::to_string(ordinal); }

}  // namespace

// One device's share of a product.
class Engine::Part final : public Job {
 public:
  Part(Member& taker, const HostGemm& share) : member(&taker), product(share) { result.unwritten.reserve(1); }
  void run() noexcept override { member->device.multiply(product, &result); }

  Member* member;
  HostGemm product;
  ShareResult result;
};

HostGemm part_of(const HostGemm& gemm, const Rect& rect) {
  HostGemm part = gemm;
  part.m = rect.rows;
  part.n = rect.columns;
  part.a += gemm.transa == 'T' ? rect.row * gemm.lda : rect.row;
  part.b += gemm.transb == 'T' ? rect.column : rect.column * gemm.ldb;
  part.c += rect.row + rect.column * gemm.ldc;
  return part;
}

std::vector<Rect> split_among(const HostGemm& gemm, int parts) {
  const bool columns = gemm.n >= gemm.m;
  const std::int64_t extent = columns ? gemm.n : gemm.m;
  const std::int64_t units = (extent + kSplitMultiple - 1) / kSplitMultiple;
  const std::int64_t count = std::clamp<std::int64_t>(parts, 1, std::max<std::int64_t>(1, units));
  std::vector<Rect> rects;
  for (std::int64_t index = 0; index < count; ++index) {
    const std::int64_t begin = units * index / count * kSplitMultiple;
    const std::int64_t end = std::min(extent, units * (index + 1) / count * kSplitMultiple);
    rects.push_back(columns ? Rect{0, begin, gemm.m, end - begin} : Rect{begin, 0, end - begin, gemm.n});
  }
  return rects;
}

std::unique_ptr<Engine> Engine::start(GpuRuntime& runtime, CopyPool& pool, const EngineOptions& options,
                                      std::string* error) {
  std::unique_ptr<Engine> engine(new Engine(runtime, pool, options));
  if (!engine->open_devices(error) || !engine->calibrate(error)) return nullptr;
  return engine;
}

void Engine::wait_for(const Job& job) {
  while (!job.done()) {
    if (!pool_.help()) spin_pause();
  }
}

bool Engine::open_devices(std::string* error) {
  int count = 0;
  if (const cudaError_t counted = runtime_.count_devices(&count); counted != cudaSuccess || count == 0) {
    *error = counted == cudaSuccess ? "there is no GPU" : cuda_error_text("cudaGetDeviceCount", counted);
    return false;
  }
  std::vector<int> ordinals = options_.devices;
  for (int ordinal = 0; options_.devices.empty() && ordinal < count; ++ordinal) ordinals.push_back(ordinal);
  for (const int ordinal : ordinals) {
    if (ordinal < 0 || ordinal >= count) continue;
    auto member = std::make_unique<Member>(runtime_, pool_, ordinal, options_.device);
    TryJob opening([&] { member->device.open(); });
    if (!member->thread.start()) {
      *error = "no thread can be made";
      continue;
    }
    member->thread.post(opening);
    wait_for(opening);
    if (opening.succeeded) {
      members_.push_back(std::move(member));
    } else {
      *error = device_name(ordinal) + ": " + opening.error;
      log_line(LogLevel::kInfo, "drop-in: " + *error);
    }
  }
  usable_ = static_cast<int>(members_.size());
  if (members_.empty() && error->empty()) *error = "FASTGEMM_DEVICES names no GPU of this machine";
  return !members_.empty();
}

// The first device's figures stand for all: a machine's GPUs are of a kind as a rule, and share its memory.
bool Engine::calibrate(std::string* error) {
  const int devices = static_cast<int>(members_.size());
  const int spare_cpus = std::max(options_.cpus - 1 - devices, options_.cpus > 1 ? 1 : 0);
  Member& first = *members_.front();
  GpuDescription description;
  if (const cudaError_t described = runtime_.describe_device(first.device.ordinal(), &description);
      described != cudaSuccess) {
    *error = cuda_error_text("reading the device's attributes", described);
    return false;
  }
  const CalibrationKey key = {description.id, options_.cpus, options_.math};
  const auto known = [&] { return load_calibration(options_.cache, key, &calibration_); };
  if (!known()) {
    const CalibrationTurn turn(options_.cache, key);
    TryJob measuring([&] { calibration_ = measure_device(first.device, pool_, spare_cpus, description.sm_count); });
    if (!known()) {  // nor has another process measured meanwhile
      first.thread.post(measuring);
      wait_for(measuring);
      if (!measuring.succeeded) {
        *error = device_name(first.device.ordinal()) + ": " + measuring.error;
        return false;
      }
      store_calibration(options_.cache, key, calibration_);
    }
  }
  const int threads = std::min(calibration_.copy_threads * devices, spare_cpus);
  pool_.grow(threads);
  pool_.use(threads);
  return true;
}

// As many devices as the product keeps busy, those with the shortest queues.
std::vector<Engine::Member*> Engine::choose(const HostGemm& gemm) {
  std::vector<Member*> chosen;
  const std::size_t turn = turn_++;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    Member* const member = members_[(turn + index) % members_.size()].get();
    if (!member->bad) chosen.push_back(member);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Member* x, const Member* y) { return x->thread.jobs() < y->thread.jobs(); });
  const auto wanted = static_cast<std::size_t>(std::clamp(2.0 * volume(gemm) / options_.split_flops, 1.0, 1e6));
  if (chosen.size() > wanted) chosen.resize(wanted);
  return chosen;
}

OffloadResult Engine::multiply(const HostGemm& gemm, const HostBlas& host) noexcept {
  if (gemm.m == 0 || gemm.n == 0) return OffloadResult::kDone;
  // beta * C is all that is left then, and no work for a GPU.
  if (gemm.k == 0 || gemm.alpha == 0.0f) return OffloadResult::kDeclined;
  std::vector<std::unique_ptr<Part>> parts;
  ++calls_;
  bool all_offloaded = false;
  try {
    const std::vector<Member*> takers = choose(gemm);
    if (!takers.empty()) {
      const std::vector<Rect> rects = split_among(gemm, static_cast<int>(takers.size()));
      for (std::size_t index = 0; index < rects.size(); ++index) {
        parts.push_back(std::make_unique<Part>(*takers[index], part_of(gemm, rects[index])));
      }
    }
  } catch (const std::exception&) {
    parts.clear();  // out of memory: nothing has begun
  }
  if (!parts.empty()) all_offloaded = compute(parts, host);
  --calls_;
  if (parts.empty()) return OffloadResult::kDeclined;
  return all_offloaded ? OffloadResult::kDone : OffloadResult::kRetreated;
}

bool Engine::host_can_read(const HostGemm& gemm) noexcept {
  bool readable = true;
  ++calls_;
  for (const auto& member : members_) {
    if (member->bad) continue;
    TryJob asking([&] { readable = member->device.host_can_read(gemm); });
    member->thread.post(asking);
    wait_for(asking);
    break;
  }
  --calls_;
  return readable;
}

bool Engine::compute(std::vector<std::unique_ptr<Part>>& parts, const HostBlas& host) {
  {
    const CopyPool::Busy awake(pool_);
    for (const auto& part : parts) part->member->thread.post(*part);
    for (const auto& part : parts) wait_for(*part);
    for (auto& part : parts) {
      if (part->result.lies_on >= 0) move_to_owner(&part);
    }
  }
  bool all_offloaded = true;
  for (const auto& part : parts) {
    const ShareResult& result = part->result;
    if (result.failed) give_up(*part->member, result.error);
    if (result.no_room) log_line(LogLevel::kInfo, "drop-in: " + result.error);
    if (!result.unwritten.empty() && !result.host_can_finish) {
      log_line(LogLevel::kError, "drop-in: a matrix lies in device memory, where the host BLAS has to fail");
    }
    for (const Rect& rect : result.unwritten) {
      all_offloaded = false;
      host.sgemm(part_of(part->product, rect));
    }
    if (statistics_wanted()) {
      statistics().bytes_to_device += static_cast<std::uint64_t>(result.bytes_in);
      statistics().bytes_to_host += static_cast<std::uint64_t>(result.bytes_out);
    }
  }
  return all_offloaded;
}

// A product with a matrix in the memory of one device is for that device, if it is among ours.
void Engine::move_to_owner(std::unique_ptr<Part>* part) {
  const int owner = (*part)->result.lies_on;
  for (const auto& member : members_) {
    if (member->device.ordinal() != owner || member->bad) continue;
    try {
      auto moved = std::make_unique<Part>(*member, (*part)->product);
      member->thread.post(*moved);
      wait_for(*moved);
      *part = std::move(moved);
      return;
    } catch (const std::bad_alloc&) {
      break;
    }
  }
  (*part)->result.unwritten.push_back({0, 0, (*part)->product.m, (*part)->product.n});
}

void Engine::give_up(Member& member, const std::string& error) {
  if (member.bad.exchange(true)) return;
  --usable_;
  log_line(LogLevel::kError, "drop-in: " + device_name(member.device.ordinal()) + " is not used any more: " + error);
}

}  // namespace fastgemm::dropin
