// Plans of problems seen before, so that a repeated call does not rank the table again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "kernels/contract.h"
#include "src/dispatch/select.h"

namespace fastgemm {

// One a handle: device and available rows must be the same in every call. A row's supports() may look at nothing that
// is not part of the key: types, operations, mode, activation, sizes, leading dimensions, strides, alignments, and
// which of the pointers and scalars are there, zero or in device memory.
class PlanCache {
 public:
  // select(), or its answer of an earlier call. Safe from several threads.
  std::shared_ptr<const Plan> find_or_select(const GemmProblem& problem, const DeviceInfo& device,
                                             std::span<const KernelEntry* const> available,
                                             const SelectOptions& options);
  std::size_t size() const;

 private:
  static constexpr std::size_t kMaxPlans = 4096;  // then the cache starts anew
  using Key = std::array<std::int64_t, 24>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  static Key make_key(const GemmProblem& problem, const SelectOptions& options);

  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<const Plan>, Hash> plans_;
};

}  // namespace fastgemm
