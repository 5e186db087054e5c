// Which cases to run: systematic ones for a kernel, and seeded random ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"
#include "src/cli/verify_case.h"

namespace fastgemm::cli {

struct KernelInfo {
  std::string name;
  DataType type = DataType::kFloat32;
  TileShape tile;
  int stages = 1;
  bool available = false;  // on the handle's GPU
  fg_math_mode_t math = FG_MATH_DEFAULT;  // in which it may be chosen
  std::int64_t least_k = 0;               // it declines shorter products: cases are so much longer
  int max_parts = 1;                      // into which k may be cut, up to 30: NAME/PARTS forces that
};

// Reads type, tile, stages and mode off a kernel's name, family_type_MxNxK_sStages. False when the name has no tile.
bool parse_kernel_name(const std::string& name, KernelInfo* info);

// Every kernel of the library; with a null handle none is available. Forgets a forced kernel.
std::vector<KernelInfo> list_kernels(fg_handle_t handle);

// The fallback as two more rows, one a type, forced by the name "cublas".
std::vector<KernelInfo> fallback_rows();

enum class PlanSize {
  kQuick,    // sizes around the tile x ops in all spellings; ld, offsets and scalars take turns
  kThorough  // sizes around the tile in m, n and k x ops x ld x offsets, all combined
};

// Sizes around the tile, ops, leading dimensions, pointer offsets, alpha, beta, scalar modes.
std::vector<Case> shape_cases(const KernelInfo& kernel, PlanSize size);
// Every other entry: strided and pointer batches, 64-bit forms, the descriptor form with bias, activation, separate D.
std::vector<Case> entry_cases(const KernelInfo& kernel);
// Both.
std::vector<Case> kernel_cases(const KernelInfo& kernel, PlanSize size);

// One random case: any entry, half of them forced to one of `kernels` (those of them that are available).
Case random_case(std::mt19937_64* random, const std::vector<KernelInfo>& kernels);

}  // namespace fastgemm::cli
