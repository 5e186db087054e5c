// The devices of the drop-in together: which of them compute what, and what happens where one fails.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "src/dropin/engine/break_even.h"
#include "src/dropin/engine/copy_pool.h"
#include "src/dropin/engine/device.h"
#include "src/dropin/engine/device_thread.h"
#include "src/dropin/offload.h"

namespace fastgemm::dropin {

struct EngineOptions {
  DeviceOptions device;
  std::vector<int> devices;    // to use, in this order; empty: all
  double min_speedup = 1.25;   // over the host, for a product to be offloaded
  double split_flops = 20e9;   // the least that a further device is given
  int cpus = 1;
  std::string cache;           // folder of calibrations; empty: none is kept
  std::string math;            // of products, as a calibration names it
};

class Engine {
 public:
  // Null, and why, where no device can be used. `runtime` and `pool` outlive the engine.
  static std::unique_ptr<Engine> start(GpuRuntime& runtime, CopyPool& pool, const EngineOptions& options,
                                       std::string* error);

  // Against a host of so many FLOP/s (0, not known, is faster than any GPU).
  bool worth(const HostGemm& gemm, double host_flops_per_s) const {
    return usable_.load(std::memory_order_relaxed) > 0 && host_flops_per_s > 0 &&
           2.0 * volume(gemm) > options_.min_speedup * host_flops_per_s * gpu_seconds(gemm, calibration_);
  }

  OffloadResult multiply(const HostGemm& gemm, const HostBlas& host) noexcept;

  // Are all matrices (m, n, k > 0) where the host BLAS can read them? True also where that cannot be found out.
  bool host_can_read(const HostGemm& gemm) noexcept;

  int usable_devices() const { return usable_; }
  bool idle() const { return calls_ == 0; }
  const Calibration& calibration() const { return calibration_; }

 private:
  struct Member {
    Member(GpuRuntime& runtime, CopyPool& pool, int ordinal, const DeviceOptions& options)
        : device(runtime, pool, ordinal, options) {}
    Device device;
    std::atomic<bool> bad{false};
    DeviceThread thread;  // ends before the device goes
  };
  class Part;

  Engine(GpuRuntime& runtime, CopyPool& pool, const EngineOptions& options)
      : runtime_(runtime), pool_(pool), options_(options) {}

  bool open_devices(std::string* error);
  bool calibrate(std::string* error);
  void wait_for(const Job& job);
  std::vector<Member*> choose(const HostGemm& gemm);
  bool compute(std::vector<std::unique_ptr<Part>>& parts, const HostBlas& host);
  void move_to_owner(std::unique_ptr<Part>* part);
  void give_up(Member& member, const std::string& error);

  GpuRuntime& runtime_;
  CopyPool& pool_;
  const EngineOptions options_;
  Calibration calibration_;
  std::atomic<int> usable_{0};
  std::atomic<int> calls_{0};
  std::atomic<unsigned> turn_{0};
  std::vector<std::unique_ptr<Member>> members_;
};

// The product that computes `rect` of gemm's C.
HostGemm part_of(const HostGemm& gemm, const Rect& rect);

// Cuts C into at most `parts` pieces of whole tiles along its longer side.
std::vector<Rect> split_among(const HostGemm& gemm, int parts);

}  // namespace fastgemm::dropin
