"""The bugs that plant_bugs.py plants: each one small, plausible, and wrong on a GPU at least sometimes.

The source is the one that is built with the bug; all tests of its kernels run, so that nothing is tuned to the bug.
"""

MMA = dict(source="hgemm_mma/instances_f16.cu", tests="*MmaSm80")
MMA_SM75 = dict(source="hgemm_mma/instances_f16_sm75.cu", tests="*MmaSm75")
FFMA = dict(source="sgemm_ffma/instances_f32.cu", tests="*FfmaSm80")
FFMA_SM75 = dict(source="sgemm_ffma/instances_f32_sm75.cu", tests="*FfmaSm75")

BUGS = [
    # --- waits, barriers and stages of the HGEMM pipeline
    dict(MMA, name="missing wait for copies", file="hgemm_mma/mainloop.cuh",
         find="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();""",
         replace="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {"""),
    dict(MMA, name="wait for one group too few", file="hgemm_mma/mainloop.cuh",
         find="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();""",
         replace="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 1>();"""),
    dict(MMA, name="missing barrier between k tiles", file="hgemm_mma/mainloop.cuh",
         find="""    ptx::barrier_sync();
    read_ = next_stage(read_);""",
         replace="""    read_ = next_stage(read_);"""),
    dict(MMA, name="ring of stages one too short", file="hgemm_mma/mainloop.cuh",
         find="return next == ptx::shared_base() + Variant::kPipelineBytes ?",
         replace="return next == ptx::shared_base() + Variant::kPipelineBytes - Variant::kStageBytes ?"),
    dict(MMA, name="ring of stages one too long", file="hgemm_mma/mainloop.cuh",
         find="return next == ptx::shared_base() + Variant::kPipelineBytes ?",
         replace="return next == ptx::shared_base() + Variant::kPipelineBytes + Variant::kStageBytes ?"),
    dict(MMA, name="no group closed for a k tile that is not there", file="hgemm_mma/mainloop.cuh",
         find="""      write_ = next_stage(write_);
    }
    ptx::cp_async_commit();""",
         replace="""      write_ = next_stage(write_);
      ptx::cp_async_commit();
    }"""),
    # --- what is copied, and where to
    dict(MMA, name="swizzle off by one bit", file="tile/mma_fragments.cuh",
         find="return (Tile::kDepthContiguous ? k : row) * 2 & (kWaveBytes - 1);",
         replace="return (Tile::kDepthContiguous ? k : row) * 2 & (kWaveBytes / 2 - 1);"),
    dict(MMA, name="missing edge predicate of a copy", file="hgemm_mma/copies.cuh",
         find="const int inside = elements < 0 ? 0 : elements < kUnit ? elements : kUnit;",
         replace="const int inside = elements < 0 ? 0 : kUnit;"),
    dict(MMA, name="k tail copied as if whole", file="hgemm_mma/mainloop.cuh",
         find="return left == 1 ? last_depth_ : Variant::kTileK;",
         replace="return left == 0 ? last_depth_ : Variant::kTileK;"),
    dict(MMA, name="stale fragment: next k step not advanced", file="hgemm_mma/mainloop.cuh",
         find="load_b((step + 1) % 2, (step + 1) % kSteps, n);",
         replace="load_b((step + 1) % 2, step, n);"),
    dict(MMA_SM75, name="fragment registers exchanged", file="hgemm_mma/mainloop.cuh",
         find="ptx::mma_m16n8k8_f16(d, second, a[2 * half + 1]);",
         replace="ptx::mma_m16n8k8_f16(d, second, a[2 * half]);"),
    # --- the way back to D
    dict(MMA, name="missing barrier before the epilogue's strips", file="hgemm_mma/store_tile.cuh",
         find="  ptx::barrier_sync();  // the strips lie", replace="  // the strips lie"),
    dict(MMA, name="missing warp_sync between two strips", file="hgemm_mma/store_tile.cuh",
         find="    ptx::warp_sync();  // the strip is read", replace="    // the strip is read"),
    dict(MMA, name="out-of-bounds store past the last column", file="hgemm_mma/store_tile.cuh",
         find="if (row >= place.m || column >= place.n) continue;", replace="if (row >= place.m) continue;"),
    # --- the FFMA family
    dict(FFMA, name="barrier on another slice's id", file="sgemm_ffma/mainloop.cuh",
         find="ptx::barrier_sync(1 + Config::kWarpsM + warp_n_, Config::kSliceThreadsB);",
         replace="ptx::barrier_sync(Config::kWarpsM + warp_n_, Config::kSliceThreadsB);"),
    dict(FFMA, name="barrier of one operand's slice only", file="sgemm_ffma/mainloop.cuh",
         find="if (step == Config::kMeetStepB) meet_sharers_of_b();", replace=""),
    dict(FFMA, name="copy one stage too early", file="sgemm_ffma/mainloop.cuh",
         find="""    ptx::SharedAddress fill_offset = 0;
    for (int tile = 0;""",
         replace="""    ptx::SharedAddress fill_offset = kStageBytes;
    for (int tile = 0;"""),
    dict(FFMA, name="stale stage: fragments of the tile before", file="sgemm_ffma/mainloop.cuh",
         find="""          fill_offset = next_stage(fill_offset);
        }
        const FragmentAddress next_at = last ? fragments_at(next_offset, 0)""",
         replace="""          fill_offset = next_stage(fill_offset);
        }
        const FragmentAddress next_at = last ? fragments_at(offset, 0)"""),
    dict(FFMA, name="k tail one step short", file="sgemm_ffma/mainloop.cuh",
         find="rest_ = static_cast<int>(operands.k % kTileK);",
         replace="rest_ = static_cast<int>(operands.k % kTileK) - (operands.k % kTileK > 1);"),
    dict(FFMA_SM75, name="register-staged tile stored over one still read", file="sgemm_ffma/mainloop.cuh",
         find="if (tile + 1 < tiles()) store_staged(next_offset);",
         replace="if (tile + 1 < tiles()) store_staged(offset);"),
    dict(FFMA, name="vector copy of a ragged edge", file="sgemm_ffma/operand_slice.cuh",
         find="return room >= kElements ? kElements : room > 0 ? room : 0;",
         replace="return room > 0 ? kElements : 0;"),
    dict(FFMA, name="missing row predicate of a store", file="sgemm_ffma/store_tile.cuh",
         find="if (row < origin.rows) store_scaled_element(", replace="store_scaled_element("),
    # --- the epilogue and the tile order
    dict(FFMA, name="C read although beta is 0", file="epilogue/epilogue.cuh",
         find="if (e.beta != 0.0f) c = ptx::ld_global_f32x4(", replace="c = ptx::ld_global_f32x4("),
    dict(MMA, name="A and B read although alpha is 0", file="epilogue/epilogue.cuh",
         find="return problem.k > 0 && load_scalar(problem.alpha) != 0.0f;", replace="return problem.k > 0;"),
    dict(FFMA, name="two blocks on one tile", file="tile/tile_order.cuh",
         find="part.corner = step(part.corner, part.along, first);", replace=""),
]
