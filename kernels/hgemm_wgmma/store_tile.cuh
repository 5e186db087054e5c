// From accumulators to D, warp by warp: rounded to FP16 into boxes that bulk copies carry off while the warp goes on,
// or, where D is unaligned, that the warp itself stores; FP32, GELU, and what C or a bias is unaligned for, through FP32
// strips.
#pragma once

#include "kernels/epilogue/store_strip.cuh"
#include "kernels/hgemm_wgmma/mainloop.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/stmatrix.cuh"
#include "kernels/ptx/tma_store.cuh"

namespace fastgemm::hgemm_wgmma {

template <class Config>
class TileStore {
 public:
  // Finds out here, while the first copies are on their way, what the usual way to D needs to know.
  FG_DEVICE TileStore(const WgmmaParams& params, const SharedLayout<Config>& shared)
      : params_(params), s_results_(shared.results(ptx::warp_index())), s_ring_(shared.s_ring) {
    const GemmProblem& problem = params.problem;
    scaled_.alpha = Config::kGeneral ? load_scalar(problem.alpha) : problem.alpha.value;
    if constexpr (Config::kAddsC) scaled_.beta = problem.beta.value;
    if constexpr (!Config::kGeneral) return;
    only_scaled_ = load_scalar(problem.beta) == 0.0f && problem.bias == nullptr &&
                   problem.activation == Activation::kNone;
    if (params.d_by_copies && problem.activation != Activation::kGelu) {
      // A copy writes whole chunks of 16 bytes, also where D's last row cuts one.
      box_rows_ = problem.m % kChunkElements == 0 ? kMaxRows : static_cast<int>(problem.m);
    }
  }

  // `ring_is_free`: this is the block's last tile, and boxes may lie in the ring, each in a place of its own.
  FG_DEVICE void store(const TilePlace& place, const Accumulators<Config>& r_acc, bool ring_is_free) {
    const BoxPlace at = first_box(place);
    if constexpr (Config::kGeneral) {
      store_any(at, r_acc, ring_is_free);
    } else {
      store_boxes<false>(scaled_, at, r_acc, ring_is_free);
    }
  }

  // With C, which the ring's next stages hold. The block's last tile takes C's place there. On one H200 (CUDA 13.0)
  // 4096 x 4096 x 4096 NT from 256 x 128 takes 184 us so, 180 without C, and took 210 by general kernels, which load C
  // to registers, a trip to L2 for every box; 3072 NN from 192 x 128 82 us, not 102, 1024 NN from 128 x 64 9.6, not 13.3.
  FG_DEVICE void store_adding_c(const TilePlace& place, const Accumulators<Config>& r_acc, Mainloop<Config>& mainloop,
                                bool last) {
    const BoxPlace first = first_box(place);
    const int s_column = (first.column - place.tile_n * Config::kTileN) * (kBoxRows * 2);
    ptx::SharedAddress s_stage = 0;
#pragma unroll
    for (int along_m = 0; along_m < kBoxesAlongM; ++along_m) {
      const int in_stage = along_m % Config::kCBoxesOfStage;
      if (in_stage == 0) s_stage = mainloop.take_stage() + s_column;
#pragma unroll
      for (int block = 0; block < Config::kBlocks; ++block) {
        const ptx::SharedAddress s_c = s_stage + in_stage * Config::kCBoxBytes + block * (64 * kBoxRows * 2);
        std::uint32_t r_c[kBoxRows / 16][4];
        load_box(s_c, r_c);
        const ptx::SharedAddress s_box = last ? s_c : s_results_ + buffer_ * kBoxBytes;
        wait_for_box(last);
        fill_box_adding(scaled_, r_c, s_box, r_acc[block] + along_m * (kBoxRows / 2));
        send_box({first.row + along_m * kBoxRows, first.column + block * 64, first.entry}, s_box, true);
      }
      if (!last && (in_stage == Config::kCBoxesOfStage - 1 || along_m == kBoxesAlongM - 1)) mainloop.leave_stage();
      if (last && in_stage == Config::kCBoxesOfStage - 1) mainloop.skip(1);
    }
  }

  // Shared memory may be given up once all copies have read it.
  FG_DEVICE void finish() const {
    if (ptx::lane_index() == 0) ptx::tma_store_wait_read<0>();
  }

 private:
  static constexpr int kBoxesAlongM = Config::kBoxesAlongM;
  static constexpr int kBoxes = Config::kBlocks * kBoxesAlongM;  // of a warp's part of a tile
  static_assert(kBoxes * kBoxBytes * 4 * Config::kGroupsOfTile <= Config::kResultOffset, "the ring holds all boxes");

  static constexpr bool kAddsToBoxes = Config::kBlocks * Config::kTileRight / 2 <= 128;  // accumulators; registers left

  static constexpr int kMaxRows = 0x7fffffff;

  struct BoxPlace {
    int row = 0;
    int column = 0;
    int entry = 0;
  };

  // The warp's first box of a tile.
  FG_DEVICE static BoxPlace first_box(const TilePlace& place) {
    const int warp = warp_of_tile();
    // Warps of a warpgroup hold 16 columns of every 64.
    const int column = place.tile_n * Config::kTileN + warp / 4 * Config::kGroupLeft + warp % 4 * 16;
    return {place.tile_m * Config::kTileM, column, place.entry};
  }

  FG_DEVICE void store_any(const BoxPlace& place, const Accumulators<Config>& r_acc, bool ring_is_free) {
    const bool boxes = place.row + Config::kTileM <= box_rows_;
    if (boxes && only_scaled_) {
      store_boxes<false>(scaled_, place, r_acc, ring_is_free);
      return;
    }
    const GemmProblem& problem = params_.problem;
    const Epilogue epilogue = make_epilogue(problem, place.entry);
    if constexpr (kAddsToBoxes) {
      if (boxes && pairs_aligned(epilogue)) {
        store_boxes<true>(epilogue, place, r_acc, ring_is_free);
        return;
      }
    }
    const StripPlace at{place.row, place.column, problem.m, problem.n};
    if (problem.type_cd != DataType::kFloat16 || epilogue.beta != 0.0f || has_finish(epilogue)) {
      store_strips(epilogue, at, r_acc);
    } else {
      store_words(epilogue, at, r_acc);
    }
  }

  // Whether two neighbours in a column of C, and of the bias, from an even row on can be loaded at once.
  FG_DEVICE static bool pairs_aligned(const Epilogue& epilogue) {
    const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data); };
    return address(epilogue.c) % 4 == 0 && (epilogue.beta == 0.0f || epilogue.ldc % 2 == 0) &&
           address(epilogue.bias) % 4 == 0;
  }

  FG_DEVICE static int warp_of_tile() { return Config::kPingPong ? ptx::warp_index() % 4 : ptx::warp_index(); }

  // kAdds: C, a bias and ReLU come in. With beta 1024 x 1024 x 1024 took 16.1 us through strips on one H200, and takes
  // 13.1 so; 4096 x 4096 x 4096 NT 221 and 210, from tiles of 256 x 128.
  template <bool kAdds>
  FG_DEVICE void store_boxes(const Epilogue& epilogue, const BoxPlace& place, const Accumulators<Config>& r_acc,
                             bool ring_is_free) {
    const ptx::SharedAddress s_last = s_ring_ + warp_of_tile() * (kBoxes * kBoxBytes);
#pragma unroll
    for (int number = 0; number < kBoxes; ++number) {
      const int block = number / kBoxesAlongM;
      const int along_m = number % kBoxesAlongM;
      const ptx::SharedAddress s_box = ring_is_free ? s_last + number * kBoxBytes : s_results_ + buffer_ * kBoxBytes;
      wait_for_box(ring_is_free);
      const BoxPlace at{place.row + along_m * kBoxRows, place.column + block * 64, place.entry};
      if constexpr (kAdds) {
        fill_box_adding(epilogue, at, s_box, r_acc[block] + along_m * (kBoxRows / 2));
      } else if (along_m < Config::kWholeBoxes) {
        fill_box(epilogue, s_box, r_acc[block] + along_m * (kBoxRows / 2));
      } else {
        fill_rest(epilogue, s_box, r_acc[block] + along_m * (kBoxRows / 2));
      }
      send_box(at, s_box, along_m < Config::kWholeBoxes);
    }
  }

  // Until the next box may be written. `own_place`: it lies in the ring, where there was none before it.
  FG_DEVICE static void wait_for_box(bool own_place) {
    if (ptx::lane_index() == 0 && !own_place) ptx::tma_store_wait_read<Config::kBoxBuffers - 1>();
    ptx::warp_sync();
  }

  FG_DEVICE void send_box(const BoxPlace& at, ptx::SharedAddress s_box, bool whole) {
    ptx::fence_proxy_async();
    ptx::warp_sync();
    if (ptx::lane_index() == 0) {
      // Copies leave out what lies past D's edges.
      if (whole) {
        ptx::tma_store_3d(params_.d, at.row, at.column, at.entry, s_box);
      } else {
#pragma unroll
        for (int row = 0; row < Config::kRestRows; row += kRestBoxRows) {
          ptx::tma_store_3d(params_.d_rest, at.row + row, at.column, at.entry,
                            s_box + row / kRestBoxRows * kRestBoxBytes);
        }
      }
      ptx::tma_store_commit();
    }
    if (++buffer_ == Config::kBoxBuffers) buffer_ = 0;
  }

  // One box after another through the same place, and from there in words of two elements.
  FG_DEVICE void store_words(const Epilogue& epilogue, const StripPlace& place, const Accumulators<Config>& r_acc) {
    if (ptx::lane_index() == 0) ptx::tma_store_wait_read<0>();  // boxes of the tile before lie here
#pragma unroll 1
    for (int number = 0; number < kBoxes; ++number) {
      ptx::warp_sync();
#pragma unroll
      for (int candidate = 0; candidate < kBoxes; ++candidate) {  // registers have no run-time index
        if (candidate == number) {
          fill_box(scaled_, s_results_, r_acc[candidate / kBoxesAlongM] + candidate % kBoxesAlongM * (kBoxRows / 2));
        }
      }
      ptx::warp_sync();
      StripPlace at = place;
      at.row += number % kBoxesAlongM * kBoxRows;
      at.column += number / kBoxesAlongM * 64;
      if (at.row + kBoxRows <= at.m && at.column + kBoxColumns <= at.n) {
        store_box_words<true>(epilogue, at);
      } else if (at.row < at.m && at.column < at.n) {
        store_box_words<false>(epilogue, at);
      }
    }
  }

  // A lane stores two neighbours of each column at an address that is a multiple of 4; where the column begins between
  // two such, lane 0 has its first element besides. kWhole: all of the box lies in D.
  template <bool kWhole>
  FG_DEVICE void store_box_words(const Epilogue& epilogue, const StripPlace& place) const {
    const int lane = ptx::lane_index();
    const int rows = kWhole || place.m - place.row > kBoxRows ? kBoxRows : static_cast<int>(place.m - place.row);
    const int columns =
        kWhole || place.n - place.column > kBoxColumns ? kBoxColumns : static_cast<int>(place.n - place.column);
    auto* g_column = static_cast<std::uint16_t*>(epilogue.d) + place.row + place.column * epilogue.ldd;
#pragma unroll(kWhole ? 8 : 1)
    for (int column = 0; column < kBoxColumns; ++column) {
      const std::uint32_t own = ptx::ld_shared_u32(s_results_ + box_offset(column, lane / 4) + lane % 4 * 4);
      const std::uint32_t next = ptx::shuffle(own, (lane + 1) % 32);
      const int skipped = static_cast<int>(reinterpret_cast<std::uintptr_t>(g_column) / 2 % 2);
      const std::uint32_t word = skipped != 0 ? own >> 16 | next << 16 : own;
      const int row = 2 * lane + skipped;
      if (column < columns) {
        if (row + 1 < rows) {
          ptx::st_global_u32(g_column + row, word);
        } else if (row < rows) {
          ptx::st_global_u16(g_column + row, static_cast<std::uint16_t>(word & 0xffffu));
        }
        if (skipped > lane) ptx::st_global_u16(g_column, static_cast<std::uint16_t>(own & 0xffffu));
      }
      g_column += epilogue.ldd;
    }
  }

  // 16 columns of n by kBoxRows of m.
  FG_DEVICE static void fill_box(const Epilogue& epilogue, ptx::SharedAddress s_box, const float* r_box) {
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_row = s_box + box_offset(lane % 16, lane / 16);
#pragma unroll
    for (int pair = 0; pair < kBoxRows / 16; ++pair) {
      std::uint32_t r[4];
      scale_rows(epilogue, r_box + 8 * pair, r);
      ptx::stmatrix_x4(s_row ^ (2 * pair * kChunkBytes), r);  // box_offset XORs chunks, and boxes are aligned
    }
  }

  // 16 columns of n by the kRestRows that are left: boxes of kRestBoxRows.
  FG_DEVICE static void fill_rest(const Epilogue& epilogue, ptx::SharedAddress s_box, const float* r_box) {
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_row = s_box + lane % 16 * (kRestBoxRows * 2) + lane / 16 * kChunkBytes;
#pragma unroll
    for (int box = 0; box < Config::kRestRows / kRestBoxRows; ++box) {
      std::uint32_t r[4];
      scale_rows(epilogue, r_box + 8 * box, r);
      ptx::stmatrix_x4(s_row + box * kRestBoxBytes, r);
    }
  }

  // 16 rows of m as stmatrix_x4 stores them.
  FG_DEVICE static void scale_rows(const Epilogue& epilogue, const float* r_rows, std::uint32_t (&r)[4]) {
#pragma unroll
    for (int matrix = 0; matrix < 4; ++matrix) {
      const float* two = r_rows + 2 * matrix;
      r[matrix] = ptx::f16x2_from_f32(scale(epilogue, two[0], 0.0f), scale(epilogue, two[1], 0.0f));
    }
  }

  // A box of C as fill_box_adding() needs it.
  FG_DEVICE static void load_box(ptx::SharedAddress s_box, std::uint32_t (&r_box)[kBoxRows / 16][4]) {
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_row = s_box + box_offset(lane % 16, lane / 16);
#pragma unroll
    for (int pair = 0; pair < kBoxRows / 16; ++pair) ptx::ldmatrix_x4(r_box[pair], s_row ^ (2 * pair * kChunkBytes));
  }

  // fill_box() with C.
  FG_DEVICE static void fill_box_adding(const Epilogue& epilogue, const std::uint32_t (&r_c)[kBoxRows / 16][4],
                                        ptx::SharedAddress s_box, const float* r_box) {
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_row = s_box + box_offset(lane % 16, lane / 16);
#pragma unroll
    for (int pair = 0; pair < kBoxRows / 16; ++pair) {
      std::uint32_t r[4];
#pragma unroll
      for (int matrix = 0; matrix < 4; ++matrix) {
        const float* two = r_box + 8 * pair + 2 * matrix;
        float c_low, c_high;
        unpack_pair(r_c[pair][matrix], c_low, c_high);
        r[matrix] = ptx::f16x2_from_f32(scale(epilogue, two[0], c_low), scale(epilogue, two[1], c_high));
      }
      ptx::stmatrix_x4(s_row ^ (2 * pair * kChunkBytes), r);
    }
  }

  // The same with C from memory, bias and ReLU. Rows end at multiples of 8, or the tile's are all there.
  FG_DEVICE void fill_box_adding(const Epilogue& epilogue, const BoxPlace& place, ptx::SharedAddress s_box,
                                 const float* r_box) const {
    const GemmProblem& problem = params_.problem;
    const int lane = ptx::lane_index();
    const ptx::SharedAddress s_row = s_box + box_offset(lane % 16, lane / 16);
    const int row = place.row + lane % 4 * 2;
    const int column = place.column + lane / 4;
    const auto* g_bias = static_cast<const std::uint16_t*>(epilogue.bias) + row;
    const auto* g_c = static_cast<const std::uint16_t*>(epilogue.c) + row + column * epilogue.ldc;
    std::uint32_t c[kBoxRows / 4];  // all on their way before the first is used: a trip to L2 is the cost of each round
    std::uint32_t bias[kBoxRows / 8];
#pragma unroll
    for (int matrix = 0; matrix < kBoxRows / 4; ++matrix) {
      const int at = 8 * (matrix / 2);
      const int in_half = matrix % 2 * 8;
      const bool inside = place.row + at < problem.m;
      const bool reads_c = inside && epilogue.beta != 0.0f && column + in_half < problem.n;
      c[matrix] = reads_c ? ptx::ld_global_u32(g_c + at + in_half * epilogue.ldc) : 0u;
      if (in_half > 0) continue;
      bias[matrix / 2] = inside && epilogue.bias != nullptr ? ptx::ld_global_u32(g_bias + at) : 0u;
    }
#pragma unroll
    for (int pair = 0; pair < kBoxRows / 16; ++pair) {
      std::uint32_t r[4];
#pragma unroll
      for (int matrix = 0; matrix < 4; ++matrix) {
        const int number = 4 * pair + matrix;
        float c_low, c_high, bias_low, bias_high;
        unpack_pair(c[number], c_low, c_high);
        unpack_pair(bias[number / 2], bias_low, bias_high);
        r[matrix] = ptx::f16x2_from_f32(finish_relu(epilogue, scale(epilogue, r_box[2 * number], c_low), bias_low),
                                        finish_relu(epilogue, scale(epilogue, r_box[2 * number + 1], c_high), bias_high));
      }
      ptx::stmatrix_x4(s_row ^ (2 * pair * kChunkBytes), r);
    }
  }

  // finish() without the code for GELU.
  FG_DEVICE static float finish_relu(const Epilogue& epilogue, float value, float bias) {
    if (epilogue.bias != nullptr) value = ptx::add_rn(value, bias);
    return epilogue.activation == Activation::kRelu && value < 0.0f ? 0.0f : value;
  }

  FG_DEVICE void store_strips(const Epilogue& epilogue, const StripPlace& place, const Accumulators<Config>& r_acc) {
    constexpr int kStripsAlongM = Config::kTileRight / Strip::kRows;
    const bool by_runs = runs_aligned(epilogue);
    if (ptx::lane_index() == 0) ptx::tma_store_wait_read<0>();  // boxes of the tile before lie where strips will
    // One loop, so that its code is there once; registers have no run-time index, so each turn looks for its own.
#pragma unroll 1
    for (int strip = 0; strip < Config::kBlocks * kStripsAlongM; ++strip) {
      ptx::warp_sync();
#pragma unroll
      for (int candidate = 0; candidate < Config::kBlocks * kStripsAlongM; ++candidate) {
        if (candidate == strip) {
          fill_strip(r_acc[candidate / kStripsAlongM] + candidate % kStripsAlongM * (Strip::kRows / 2));
        }
      }
      ptx::warp_sync();
      StripPlace at = place;
      at.row += strip % kStripsAlongM * Strip::kRows;
      at.column += strip / kStripsAlongM * 64;
      store_strip<Strip>(epilogue, s_results_, at, by_runs);
    }
  }

  FG_DEVICE void fill_strip(const float* r_strip) const {
    const int lane = ptx::lane_index();
#pragma unroll
    for (int index = 0; index < Strip::kRows / 2; index += 2) {
      ptx::st_shared_f32x2(s_results_ + Strip::offset(wgmma_column(lane, index), wgmma_row(lane, index)),
                           float2{r_strip[index], r_strip[index + 1]});
    }
  }

  const WgmmaParams& params_;
  ptx::SharedAddress s_results_;  // this warp's
  ptx::SharedAddress s_ring_;
  Epilogue scaled_;   // alpha alone, or with beta where C is always added
  int box_rows_ = 0;  // tiles may leave as boxes down to this row of D
  bool only_scaled_ = false;      // no C, bias or activation
  int buffer_ = 0;                // the next box's
};

}  // namespace fastgemm::hgemm_wgmma
