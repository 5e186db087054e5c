// Is a product faster on the GPU? A few multiplications on calibrated rates: no lock, no call.
#pragma once

#include <array>
#include <atomic>

#include "src/dropin/engine/calibration.h"
#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

// Fewer multiply-adds than this never pay for a GPU: 128 x 128 x 128, 26 us on one CPU core.
inline constexpr double kSmallestVolume = 128.0 * 128.0 * 128.0;

inline double volume(const HostGemm& gemm) {
  return static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
}

// Seconds with the operands in pageable memory. Copies and product are taken one after the other although they overlap:
// so a product that is close to break-even stays on the host.
double gpu_seconds(const HostGemm& gemm, const Calibration& calibration);

// How fast each host BLAS multiplies, by its address, since several objects may stand for one library.
class HostRates {
 public:
  // FLOP/s; 0: not known yet. Without a lock.
  double find(const HostBlas& host) const;
  // The same by the name of its library; takes longer.
  double find_by_name(const std::string& name) const;
  // Notes a rate; the first one of a host stays. What does not fit any more is not kept, and costs a product its GPU.
  void note(const HostBlas& host, double flops_per_s);

 private:
  static constexpr std::size_t kCapacity = 512;  // a power of two; programs have tens of call sites
  static constexpr std::size_t kProbes = 8;
  struct Entry {
    std::atomic<const HostBlas*> host{nullptr};
    std::atomic<double> flops_per_s{0};
  };
  static std::size_t slot(const HostBlas& host, std::size_t probe);
  std::array<Entry, kCapacity> entries_;
};

// Times products of 256, 512 and 1024 on the host, larger ones only while they take little time; the best rate.
double measure_host(const HostBlas& host);

}  // namespace fastgemm::dropin
