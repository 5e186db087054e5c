#include "src/cli/library_path.h"

#include <dlfcn.h>

#include "fastgemm/fastgemm.h"

namespace fastgemm::cli {

std::string library_path() {
  Dl_info where{};
  return dladdr(reinterpret_cast<void*>(&fg_get_version), &where) != 0 && where.dli_fname != nullptr ? where.dli_fname
                                                                                                     : "";
}

}  // namespace fastgemm::cli
