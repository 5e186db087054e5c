// Whether the host BLAS names act or only forward.
#pragma once

#include <string_view>

namespace fastgemm::dropin {

enum class Role {
  kOff,
  kWithoutBlas,  // merely linked: act only for callers that have no other BLAS
  kOn,
  kVerify,  // as kOn, and the host BLAS computes everything a second time
};

// Of this process, from FASTGEMM_DROPIN, LD_PRELOAD and /etc/ld.so.preload. Read once.
Role role();

// Does a list as LD_PRELOAD holds it, file names between blanks and colons, name the library that was loaded as `file`?
// The dynamic linker keeps a preloaded library under the last part that the list has, so that part decides.
bool names_library(std::string_view list, std::string_view file);

}  // namespace fastgemm::dropin
