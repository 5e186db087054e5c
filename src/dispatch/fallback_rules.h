// Which problems the cuBLAS fallback takes and how much workspace it likes, without knowing cuBLAS.
#pragma once

#include <cstddef>

#include "kernels/contract.h"

namespace fastgemm {

// Why the fallback cannot take `problem`; null when it can.
const char* fallback_refusal(const GemmProblem& problem);

// Pointer arrays: cuBLAS trusts that every address is aligned like the leading dimensions, and faults where one is not
// (13.1: misaligned address in cublasGemmBatchedEx, FP16 and TF32). Nobody on the host knows the addresses.
bool fallback_trusts_addresses(const GemmProblem& problem);

bool has_epilogue(const GemmProblem& problem);  // bias or activation

// True when D is the memory of C, with the same ld and stride.
bool is_in_place(const GemmProblem& problem);

// True when the product must go through FP32 workspace so that D is rounded once: FP16 D with bias or activation.
bool fallback_needs_product_buffer(const GemmProblem& problem);

// Workspace with which the fallback works in one piece.
std::size_t fallback_workspace_bytes(const GemmProblem& problem);

}  // namespace fastgemm
