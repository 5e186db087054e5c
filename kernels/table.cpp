// The kernel table: one line per family.
#include <utility>

#include "kernels/contract.h"
#include "kernels/families.h"

namespace fastgemm {

const std::vector<const KernelEntry*>& kernel_table() {
  // Never destroyed: a handle may be made or closed in a program's last exit handler.
  static const auto* const table = [] {
    std::vector<const KernelEntry*> rows;
    for (const auto family : kFamilies) {
      for (const KernelEntry& row : family()) rows.push_back(&row);
    }
    return new std::vector<const KernelEntry*>(std::move(rows));
  }();
  return *table;
}

}  // namespace fastgemm
