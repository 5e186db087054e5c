// Bulk tensor copies from shared to device memory (sm_90). PTX ISA, "cp.async.bulk.tensor",
// "cp.async.bulk.commit_group".
#pragma once

#include "kernels/ptx/tma.cuh"

namespace fastgemm::ptx {

// Copies the box at `source` (aligned as for tma_load_2d) to the elements from (inner, outer) on; those outside the
// array are left out. Plain writes to the box must have passed fence_proxy_async.
FG_DEVICE void tma_store_2d(const TensorMap& map, int inner, int outer, SharedAddress source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(inner),
               "r"(outer), "r"(source)
               : "memory");
}

// The same to entry `entry` of a row of such arrays.
FG_DEVICE void tma_store_3d(const TensorMap& map, int inner, int outer, int entry, SharedAddress source) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
               "r"(inner), "r"(outer), "r"(entry), "r"(source)
               : "memory");
}

// Closes the group of this thread's stores since the last one.
FG_DEVICE void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// All but this thread's latest kPending groups have read their shared memory.
template <int kPending>
FG_DEVICE void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// All but this thread's latest kPending groups have written.
template <int kPending>
FG_DEVICE void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace fastgemm::ptx
