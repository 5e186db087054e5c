// Bulk tensor copies (sm_90): one thread moves a box of an array between device and shared memory.
// Elements outside the array are read as zeros and not written. PTX ISA, "cp.async.bulk.tensor".
#pragma once

#include <cuda.h>

#include "kernels/ptx/simt.cuh"

namespace fastgemm::ptx {

// Describes the array and the box; made on the host by kernels/ptx/tensor_map.h, passed in a __grid_constant__ parameter.
using TensorMap = CUtensorMap;

// Copies the box whose first element is (inner, outer) to `destination` (128-aligned; 1024 with the 128-byte swizzle);
// its bytes count on `barrier`.
FG_DEVICE void tma_load_2d(SharedAddress destination, const TensorMap& map, int inner, int outer,
                           SharedAddress barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          destination),
      "l"(&map), "r"(inner), "r"(outer), "r"(barrier)
      : "memory");
}

// The same from entry `entry` of a row of such arrays.
FG_DEVICE void tma_load_3d(SharedAddress destination, const TensorMap& map, int inner, int outer, int entry,
                           SharedAddress barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(destination),
      "l"(&map), "r"(inner), "r"(outer), "r"(entry), "r"(barrier)
      : "memory");
}

// Brings the box of entry `entry` whose first element is (inner, outer) into L2.
FG_DEVICE void tma_prefetch_3d(const TensorMap& map, int inner, int outer, int entry) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global [%0, {%1, %2, %3}];" ::"l"(&map), "r"(inner), "r"(outer),
               "r"(entry)
               : "memory");
}

// Brings a descriptor into the cache ahead of its first use.
FG_DEVICE void tma_prefetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

}  // namespace fastgemm::ptx
