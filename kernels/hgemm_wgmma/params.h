// What a WGMMA kernel is handed, by value as its one parameter.
#pragma once

#include "kernels/contract.h"
#include "kernels/hgemm_wgmma/tile_list.h"
#include "kernels/ptx/tma.cuh"
#include "kernels/split_params.h"

namespace fastgemm::hgemm_wgmma {

struct WgmmaParams {
  ptx::TensorMap left;
  ptx::TensorMap right;
  ptx::TensorMap d;       // where d_by_copies
  ptx::TensorMap d_rest;  // the same in boxes of kRestBoxRows, for tiles that end in such
  ptx::TensorMap c;       // where c_by_copies
  GemmProblem problem;
  TileGrid grid;  // of a cluster's tiles, side by side along n
  SplitParams split;
  int items = 0;            // of work: a tile, or, where k is split, a part of one, or, in clusters, a tile a block
  int k_blocks = 0;         // the last one perhaps partial: copies bring zeros past the end of k
  int left_entry_step = 0;  // 0: all batch entries share one operand
  int right_entry_step = 0;
  int c_entry_step = 0;
  bool d_by_copies = false;
  bool c_by_copies = false;  // prefetched so; it is read by plain loads
};

}  // namespace fastgemm::hgemm_wgmma
