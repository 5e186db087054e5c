"""The bugs that plant_bugs.py plants: each one small, plausible, and wrong on a GPU at least sometimes.

`tests` selects the tests that are run, by Catch2's pattern; all of one family, so that nothing is tuned to the bug.
"""

MMA = "*Mma*"
FFMA = "*Ffma*"

BUGS = [
    # --- waits, barriers and stages of the HGEMM pipeline
    dict(name="missing wait for copies", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();""",
         replace="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {"""),
    dict(name="wait for one group too few", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 2>();""",
         replace="""  FG_DEVICE void finish() {
    if constexpr (Variant::kPrefetch == Prefetch::kAsync) {
      ptx::cp_async_wait<Variant::kStages - 1>();"""),
    dict(name="missing barrier between k tiles", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="""    ptx::barrier_sync();
    read_ = next_stage(read_);""",
         replace="""    read_ = next_stage(read_);"""),
    dict(name="ring of stages one too short", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="return next == ptx::shared_base() + Variant::kPipelineBytes ?",
         replace="return next == ptx::shared_base() + Variant::kPipelineBytes - Variant::kStageBytes ?"),
    dict(name="ring of stages one too long", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="return next == ptx::shared_base() + Variant::kPipelineBytes ?",
         replace="return next == ptx::shared_base() + Variant::kPipelineBytes + Variant::kStageBytes ?"),
    dict(name="no group closed for a k tile that is not there", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="""        write_ = next_stage(write_);
      }
      ptx::cp_async_commit();""",
         replace="""        write_ = next_stage(write_);
        ptx::cp_async_commit();
      }"""),
    # --- what is copied, and where to
    dict(name="swizzle off by one bit", tests=MMA, file="hgemm_mma/copies.cuh",
         find="return (tile + (target_ ^ Tile::phase(lines) * kChunkBytes))",
         replace="return (tile + (target_ ^ Tile::phase(lines) / 2 * 2 * kChunkBytes))"),
    dict(name="missing edge predicate of a copy", tests=MMA, file="hgemm_mma/copies.cuh",
         find="return first_line_ + pass * kLinesPerPass < lines ? inside * 2 : 0;",
         replace="return lines > 0 ? inside * 2 : 0;"),
    dict(name="k tail copied as if whole", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="return --tiles_left_ == 0 ? last_depth_ : Variant::kTileK;",
         replace="return --tiles_left_, Variant::kTileK;"),
    dict(name="stale fragment: next k step not advanced", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="load_part((step + 1) % 2, (step + 1) % kSteps, n);",
         replace="load_part((step + 1) % 2, step, n);"),
    dict(name="fragment registers exchanged", tests=MMA, file="hgemm_mma/mainloop.cuh",
         find="ptx::mma_m16n8k8_f16(d, second, a[2 * half + 1]);",
         replace="ptx::mma_m16n8k8_f16(d, second, a[2 * half]);"),
    # --- the way back to D
    dict(name="missing barrier before the epilogue's strips", tests=MMA, file="hgemm_mma/store_tile.cuh",
         find="  ptx::barrier_sync();  // the strips lie", replace="  // the strips lie"),
    dict(name="missing warp_sync between two strips", tests=MMA, file="hgemm_mma/store_tile.cuh",
         find="    ptx::warp_sync();  // the strip is read", replace="    // the strip is read"),
    dict(name="out-of-bounds store past the last column", tests=MMA, file="hgemm_mma/store_tile.cuh",
         find="if (row >= place.m || column >= place.n) continue;", replace="if (row >= place.m) continue;"),
    # --- the FFMA family
    dict(name="barrier on another slice's id", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="ptx::barrier_sync(1 + Config::kWarpsM + warp_n_, Config::kSliceThreadsB);",
         replace="ptx::barrier_sync(Config::kWarpsM + warp_n_, Config::kSliceThreadsB);"),
    dict(name="barrier of one operand's slice only", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="if (step == Config::kMeetStepB) meet_sharers_of_b();", replace=""),
    dict(name="copy one stage too early", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="""    ptx::SharedAddress fill_offset = 0;
    for (int tile = 0;""",
         replace="""    ptx::SharedAddress fill_offset = kStageBytes;
    for (int tile = 0;"""),
    dict(name="stale stage: fragments of the tile before", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="""        if (step == kTileK - 2) {
          ptx::cp_async_commit();
          fill_offset = next_stage(fill_offset);
        }
        const FragmentAddress next_at = last ? fragments_at(next_offset, 0)""",
         replace="""        if (step == kTileK - 2) {
          ptx::cp_async_commit();
          fill_offset = next_stage(fill_offset);
        }
        const FragmentAddress next_at = last ? fragments_at(offset, 0)"""),
    dict(name="k tail one step short", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="rest_ = static_cast<int>(operands.k % kTileK);",
         replace="rest_ = static_cast<int>(operands.k % kTileK) - (operands.k % kTileK > 1);"),
    dict(name="register-staged tile stored over one still read", tests=FFMA, file="sgemm_ffma/mainloop.cuh",
         find="if (tile + 1 < tiles()) store_staged(next_offset);",
         replace="if (tile + 1 < tiles()) store_staged(offset);"),
    dict(name="vector copy of a ragged edge", tests=FFMA, file="sgemm_ffma/operand_slice.cuh",
         find="return room >= kElements ? kElements : room > 0 ? room : 0;",
         replace="return room > 0 ? kElements : 0;"),
    dict(name="missing row predicate of a store", tests=FFMA, file="sgemm_ffma/store_tile.cuh",
         find="if (row < origin.rows) store_scaled_element(", replace="store_scaled_element("),
    # --- the epilogue and the tile order
    dict(name="C read although beta is 0", tests=FFMA, file="epilogue/epilogue.cuh",
         find="if (e.beta != 0.0f) c = ptx::ld_global_f32x4(", replace="c = ptx::ld_global_f32x4("),
    dict(name="A and B read although alpha is 0", tests=MMA, file="epilogue/epilogue.cuh",
         find="return problem.k > 0 && load_scalar(problem.alpha) != 0.0f;", replace="return problem.k > 0;"),
    dict(name="two blocks on one tile", tests=FFMA, file="tile/tile_order.cuh",
         find="part.corner = step(part.corner, part.along, first);", replace=""),
]
