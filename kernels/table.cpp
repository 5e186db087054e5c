// The kernel table: one line per family.
#include "kernels/contract.h"
#include "kernels/families.h"

namespace fastgemm {

const std::vector<const KernelEntry*>& kernel_table() {
  static const std::vector<const KernelEntry*> table = [] {
    std::vector<const KernelEntry*> rows;
    for (const auto family : kFamilies) {
      for (const KernelEntry& row : family()) rows.push_back(&row);
    }
    return rows;
  }();
  return table;
}

}  // namespace fastgemm
