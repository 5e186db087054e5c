// What every host BLAS name does: decide, then offload or forward.
#pragma once

#include "src/dropin/route.h"

namespace fastgemm::dropin {

// `return_address` tells the caller, and so the BLAS to forward to.
void interpose(EntryIndex entry, const void* return_address, const FortranArguments& arguments);
void interpose(EntryIndex entry, const void* return_address, const CblasArguments& arguments);

}  // namespace fastgemm::dropin
