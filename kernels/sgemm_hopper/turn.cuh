// A wide operand that lies along k is turned in shared memory, where it lies: a warp turns its part of a stage four rows
// at a time, lane by lane one k of the four rows, which become one vector. It does so between the FMAs of the stage
// before: all at once, all warps' accesses would fall together (one H200, 2048 x 2048 x 2048, both operands turned: 357
// us, not 351).
#pragma once

#include "kernels/ptx/shared.cuh"
#include "kernels/sgemm_hopper/config.h"

namespace fastgemm::hopper {

inline constexpr int kRounds = kTileK / kUnrolledSteps;                // of eight steps, in a k block
inline constexpr int kGroupsOfRound = kGroups / kWarps / kRounds;  // that a warp turns in one

// One round of a warp's part of the wide operand at `s_wide`.
class Turn {
 public:
  FG_DEVICE void begin(ptx::SharedAddress s_wide, int warp, int round) {
    // Of this lane: eight lanes' vectors, which are written at once, lie in different chunks.
    const int depth = ptx::lane_index() % 8 * kChunkK + ptx::lane_index() / 8;
    const int first = (warp * kRounds + round) * kGroupsOfRound;
    s_rows_ = s_wide + first * kGroupBytes + depth * 4;
#pragma unroll
    for (int i = 0; i < kGroupsOfRound; ++i) s_turned_[i] = s_wide + turned_offset(first + i, depth);
  }

  FG_DEVICE void load(int group) {
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      r_rows_[group][row] = ptx::ld_shared_f32(s_rows_ + group * kGroupBytes + row * kRowBytes);
    }
  }

  // After all lanes have loaded the group.
  FG_DEVICE void store(int group) const {
    const float* r_rows = r_rows_[group];
    ptx::st_shared_f32x4(s_turned_[group], float4{r_rows[0], r_rows[1], r_rows[2], r_rows[3]});
  }

 private:
  ptx::SharedAddress s_rows_ = 0;
  ptx::SharedAddress s_turned_[kGroupsOfRound] = {};
  float r_rows_[kGroupsOfRound][4] = {};
};

}  // namespace fastgemm::hopper
