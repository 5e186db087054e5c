// Builds the key of a problem and looks it up.
#include "src/dispatch/plan_cache.h"

#include "kernels/alignment.h"
#include "src/dispatch/fallback_rules.h"

namespace fastgemm {

namespace {

// Which kind of scalar: in device memory, a host zero, or another host value.
std::int64_t scalar_kind(const Scalar& scalar) {
  if (scalar.device != nullptr) return 2;
  return scalar.value == 0.0f ? 0 : 1;
}

// Small features side by side in one word, a byte each.
std::int64_t pack_features(const GemmProblem& p) {
  const std::int64_t features[] = {
      static_cast<std::int64_t>(p.type_ab) + 4 * static_cast<std::int64_t>(p.type_cd),
      static_cast<std::int64_t>(p.op_a) + 4 * static_cast<std::int64_t>(p.op_b),
      static_cast<std::int64_t>(p.math_mode) + 8 * static_cast<std::int64_t>(p.activation),
      scalar_kind(p.alpha) + 4 * scalar_kind(p.beta),
      operand_alignment(p.a, p.type_ab, p.batch_count),
      operand_alignment(p.b, p.type_ab, p.batch_count),
      operand_alignment(p.c, p.type_cd, p.batch_count),
      operand_alignment({p.d.data, p.d.pointers, p.d.ld, p.d.batch_stride}, p.type_cd, p.batch_count),
  };
  std::uint64_t word = 0;
  for (const std::int64_t feature : features) word = word << 8 | static_cast<std::uint64_t>(feature);
  return static_cast<std::int64_t>(word);
}

std::int64_t pack_presence(const GemmProblem& p) {
  const bool present[] = {p.a.pointers != nullptr, p.b.pointers != nullptr, p.c.pointers != nullptr,
                          p.d.pointers != nullptr, p.bias != nullptr,       is_in_place(p),
                          p.c.data != nullptr};
  std::int64_t word = 0;
  for (const bool flag : present) word = word << 1 | (flag ? 1 : 0);
  return word;
}

}  // namespace

PlanCache::Key PlanCache::make_key(const GemmProblem& p, const SelectOptions& options) {
  return {pack_features(p),
          pack_presence(p),
          p.m,
          p.n,
          p.k,
          p.batch_count,
          p.a.ld,
          p.b.ld,
          p.c.ld,
          p.d.ld,
          p.a.batch_stride,
          p.b.batch_stride,
          p.c.batch_stride,
          p.d.batch_stride,
          p.bias_stride,
          options.sm_count,
          static_cast<std::int64_t>(options.workspace_bytes),
          options.flag_count,
          options.fallback_available ? 1 : 0,
          static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(options.forced)),
          options.forced_splits,
          options.force_fallback ? 1 : 0};
}

// FNV-1a over 64-bit words, with a shift so that high bits reach the low ones.
std::size_t PlanCache::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::int64_t word : key) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

std::shared_ptr<const Plan> PlanCache::find_or_select(const GemmProblem& problem, const DeviceInfo& device,
                                                      std::span<const KernelEntry* const> available,
                                                      const SelectOptions& options) {
  const Key key = make_key(problem, options);
  const std::lock_guard lock(mutex_);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.emplace(key, std::make_shared<const Plan>(select(problem, device, available, options))).first->second;
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return plans_.size();
}

}  // namespace fastgemm
