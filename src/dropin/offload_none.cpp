// The drop-in without an offload engine: everything is forwarded.
#include "src/dropin/offload.h"

namespace fastgemm::dropin {

bool worth_offloading(const HostGemm&, const HostBlas&) noexcept { return false; }
OffloadResult offload_sgemm(const HostGemm&, const HostBlas&) noexcept { return OffloadResult::kDeclined; }

}  // namespace fastgemm::dropin
