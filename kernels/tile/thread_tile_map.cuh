// Which elements of a warp tile belong to a lane: its kThread elements along one axis lie in vectors of four, one
// vector of each lane after another, so that a vector load of all lanes reads consecutive shared memory.
#pragma once

#include <cuda_runtime_api.h>

namespace fastgemm {

// One axis (m or n) of a warp tile of kLanes lanes times kThread elements.
template <int kThread, int kLanes>
struct ThreadTileAxis {
  static_assert(kThread % 4 == 0, "fragments are loaded as 16-byte vectors");
  static constexpr int kVectors = kThread / 4;
  static constexpr int kVectorStep = kLanes * 4;
  static constexpr int kWidth = kThread * kLanes;

  // Position in the warp tile of element `index` (0 to kThread - 1) of the lane `lane_on_axis`.
  __host__ __device__ static constexpr int position(int lane_on_axis, int index) {
    return lane_on_axis * 4 + index / 4 * kVectorStep + index % 4;
  }
};

// The same with a lane's elements kLanes apart: rows of k-contiguous operands, which vector loads read along k.
template <int kThread, int kLanes>
struct StridedTileAxis {
  static constexpr int kVectors = 0;  // no four elements of a lane lie side by side
  static constexpr int kWidth = kThread * kLanes;

  __host__ __device__ static constexpr int position(int lane_on_axis, int index) {
    return lane_on_axis + index * kLanes;
  }
};

// Lanes of a warp as kLanesM x kLanesN, m fastest.
template <int kLanesM, int kLanesN>
struct LaneGrid {
  static_assert(kLanesM * kLanesN == 32, "a warp");
  __host__ __device__ static constexpr int lane_m(int lane) { return lane % kLanesM; }
  __host__ __device__ static constexpr int lane_n(int lane) { return lane / kLanesM; }
};

}  // namespace fastgemm
