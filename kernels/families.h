// The kernel families of this build. Each is a function that returns its rows.
#pragma once

#include <initializer_list>
#include <span>

#include "kernels/contract.h"

namespace fastgemm {

using Family = std::span<const KernelEntry> (*)();

std::span<const KernelEntry> sgemm_ffma_f32_sm75();  // kernels/sgemm_ffma, register-staged
std::span<const KernelEntry> sgemm_ffma_f32_sm80();  // kernels/sgemm_ffma, cp.async
std::span<const KernelEntry> sgemm_ffma_small_f32_sm80();  // the same in small tiles
std::span<const KernelEntry> sgemm_hopper_f32_sm90();  // kernels/sgemm_hopper, bulk tensor copies
std::span<const KernelEntry> sgemm_sliced_f32_sm90();  // kernels/sgemm_sliced, bulk tensor copies, small tiles
std::span<const KernelEntry> sgemm_tensor_f32_sm90();  // kernels/sgemm_tensor, FP16 or BF16 parts on wgmma
std::span<const KernelEntry> sgemm_tensor_mma_f32_sm80();  // kernels/sgemm_tensor_mma, FP16 parts on mma.sync
std::span<const KernelEntry> hgemm_mma_f16_sm75();   // kernels/hgemm_mma, m16n8k8, register-staged
std::span<const KernelEntry> hgemm_mma_f16_sm80();   // kernels/hgemm_mma, m16n8k16, cp.async
std::span<const KernelEntry> hgemm_sliced_f16_sm90();  // kernels/hgemm_sliced, bulk tensor copies, small tiles
std::span<const KernelEntry> hgemm_wgmma_f16_sm90();  // kernels/hgemm_wgmma, bulk tensor copies and wgmma
std::span<const KernelEntry> gemv_f32();  // kernels/gemv, a side of at most 8
std::span<const KernelEntry> gemv_f16();

inline constexpr std::initializer_list<Family> kFamilies = {  // empty where no architecture is built
#ifdef FASTGEMM_HAS_SGEMM_HOPPER
    sgemm_hopper_f32_sm90,
#endif
#ifdef FASTGEMM_HAS_SGEMM_SLICED
    sgemm_sliced_f32_sm90,
#endif
#ifdef FASTGEMM_HAS_SGEMM_TENSOR
    sgemm_tensor_f32_sm90,
#endif
#ifdef FASTGEMM_HAS_SGEMM_TENSOR_MMA
    sgemm_tensor_mma_f32_sm80,
#endif
#ifdef FASTGEMM_HAS_SGEMM_FFMA_SM80
    sgemm_ffma_f32_sm80,
#endif
#ifdef FASTGEMM_HAS_SGEMM_FFMA_SMALL_SM80
    sgemm_ffma_small_f32_sm80,
#endif
#ifdef FASTGEMM_HAS_SGEMM_FFMA_SM75
    sgemm_ffma_f32_sm75,
#endif
#ifdef FASTGEMM_HAS_HGEMM_WGMMA
    hgemm_wgmma_f16_sm90,
#endif
#ifdef FASTGEMM_HAS_HGEMM_SLICED
    hgemm_sliced_f16_sm90,
#endif
#ifdef FASTGEMM_HAS_HGEMM_MMA_SM80
    hgemm_mma_f16_sm80,
#endif
#ifdef FASTGEMM_HAS_HGEMM_MMA_SM75
    hgemm_mma_f16_sm75,
#endif
#ifdef FASTGEMM_HAS_GEMV
    gemv_f32, gemv_f16,
#endif
};

}  // namespace fastgemm
