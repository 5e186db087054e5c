// The kernel table: one line per family.
#include "kernels/contract.h"
#include "kernels/families.h"

namespace fastgemm {

const std::vector<const KernelEntry*>& kernel_table() {
  // Never destroyed: a handle may be made or closed in a program's last exit handler.
  static const auto* const table = [] {
    auto* rows = new std::vector<const KernelEntry*>;
    for (const auto family : kFamilies) {
      for (const KernelEntry& row : family()) rows->push_back(&row);
    }
    return rows;
  }();
  return *table;
}

}  // namespace fastgemm
