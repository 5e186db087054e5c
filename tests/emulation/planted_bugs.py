"""The bugs that plant_bugs.py plants: each one small, plausible, and wrong on a GPU at least sometimes.

The source is the one that is built with the bug; all tests of its kernels run, so that nothing is tuned to the bug.
"""

MMA = dict(source="hgemm_mma/instances_f16.cu", tests="*MmaSm80")
MMA_SM75 = dict(source="hgemm_mma/instances_f16_sm75.cu", tests="*MmaSm75")
FFMA = dict(source="sgemm_ffma/instances_f32.cu", tests="*FfmaSm80")
HOPPER = dict(source="sgemm_hopper/instances_f32.cu", tests="[hopper]")
TILE = dict(source="tests/emulation/wgmma_tile/tile.cu", tests="[wgmma_tile]",
            file="tests/emulation/wgmma_tile/kernel.cuh")
DESCRIPTOR = dict(TILE, file="tile/wgmma_descriptor.cuh")
FFMA_SM75 = dict(source="sgemm_ffma/instances_f32_sm75.cu", tests="*FfmaSm75")
FFMA_SMALL = dict(source="sgemm_ffma/instances_small_f32.cu", tests="*FfmaSmall")
GEMV = dict(source="gemv/instances_f32.cu", tests="*GemvF32")
WGMMA = dict(source="hgemm_wgmma/instances_f16.cu", tests="[wgmma]~[wgmma_tile]")
TENSOR = dict(source="sgemm_tensor/instances_f32.cu", tests="[tensor]")
TENSOR_MMA = dict(source="sgemm_tensor_mma/instances_f32.cu", tests="[tensor_mma]")

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
    dict(MMA, name="out-of-bounds store past the last column", file="epilogue/store_strip.cuh",
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
    dict(FFMA, name="missing row predicate of a store", file="epilogue/store_thread_tile.cuh",
         find="    if (AxisM::position(0, i) >= rows) continue;\n", replace=""),
    dict(MMA, name="C added to runs that D's last row cuts", file="epilogue/store_strip.cuh",
         find="  if (row + kRunRows > place.m) return;\n", replace=""),
    dict(MMA, name="C prefetched past its last row", file="epilogue/epilogue.cuh",
         find="(at < bytes ? at : bytes - 1)", replace="at"),
    # --- parts of k, summed by the last block
    dict(FFMA, name="part counted before it is parked", file="tile/split_sum.cuh",
         find="""  threads.meet();
  if (threads.index == 0) {""",
         replace="""  if (threads.index == 0) {"""),
    dict(FFMA, name="parts summed before all threads know of them", file="tile/split_sum.cuh",
         find="""  threads.meet();
  return ptx::ld_shared_u32(threads.s_word) != 0;""",
         replace="""  return ptx::ld_shared_u32(threads.s_word) != 0;"""),
    dict(FFMA, name="flag not set back", file="tile/split_sum.cuh",
         find="    if (last) ptx::st_release_gpu_u32(flag, 0);  // for the next launch\n", replace=""),
    dict(FFMA, name="sum of the first group's parts for every group", file="tile/split_sum.cuh",
         find="const int first = group * split.group;", replace="const int first = 0 * group;"),
    dict(MMA, name="last part without the k tail", file="hgemm_mma/kernel.cuh",
         find="k = (own.end == steps ? p.k :", replace="k = (own.end == steps ? p.k / Variant::kTileK * Variant::kTileK :"),
    # --- groups of warps that share a tile
    dict(FFMA_SMALL, name="groups' sums over stages still read", file="sgemm_ffma/kernel.cuh",
         find="""  ptx::barrier_sync();
  if (group > 0) {""",
         replace="""  if (group > 0) {"""),
    dict(FFMA_SMALL, name="groups added before they are there", file="sgemm_ffma/kernel.cuh",
         find="""  ptx::barrier_sync();
  if (group > 0) return false;""",
         replace="""  if (group > 0) return false;"""),
    dict(FFMA_SMALL, name="rows of the four steps before", file="sgemm_ffma/fragments.cuh",
         find="step % 4 == 3 && along == kInner - 1", replace="step % 8 == 3 && along == kInner - 1"),
    # --- the GEMV family
    dict(GEMV, name="chunk overwritten while it is read", file="gemv/kernel.cuh",
         find="    ptx::barrier_sync();                            // the chunk before is read\n", replace=""),
    dict(GEMV, name="slices added before they are there", file="gemv/kernel.cuh",
         find="""  ptx::barrier_sync();
  if (ptx::thread_index() >= Config::kVectors) return;""",
         replace="""  if (ptx::thread_index() >= Config::kVectors) return;"""),
    dict(GEMV, name="chunk filled to k alone, not to its group of steps", file="gemv/operands.cuh",
         find="(depth_left + kGroupDepth - 1) / kGroupDepth * kGroupDepth;", replace="(depth_left + 31) / 32 * 32;"),
    dict(GEMV, name="a row past the last", file="gemv/operands.cuh",
         find="inside = along_long < long_left_ &&", replace="inside = along_long <= long_left_ &&"),
    dict(GEMV, name="k past its end in the last part", file="gemv/kernel.cuh",
         find="if (own.end < steps) end =", replace="if (own.end <= steps) end ="),
    # --- the FFMA family on bulk copies: its ring, its chain from block to block, its passes over operands
    dict(HOPPER, name="stage filled before its warps have left it", file="sgemm_hopper/feed.cuh",
         find="    wait_for(shared_.empty(stage), (block / Config::kStages & 1) ^ 1);\n", replace=""),
    dict(HOPPER, name="parity that does not turn with the ring", file="sgemm_hopper/mainloop.cuh",
         find="    parity_ = following_parity();\n", replace=""),
    dict(HOPPER, name="a tile's last part not counted", file="sgemm_hopper/shares.h",
         find="- first + 1};", replace="- first};"),
    dict(HOPPER, name="parts of two tiles parked in one place", file="sgemm_hopper/kernel.cuh",
         find="parts.first_share + tile};", replace="parts.first_share};"),
    dict(HOPPER, name="parts parked over a packed operand", file="sgemm_hopper/launch.cuh",
         find="if (parts == 0) context_.workspace =", replace="if (parts > 0) context_.workspace ="),
    dict(HOPPER, name="accumulators announced before they are parked", file="sgemm_hopper/chain.cuh",
         find="  ptx::fence_gpu();\n  ptx::barrier_sync();\n", replace="  ptx::fence_gpu();\n"),
    dict(HOPPER, name="accumulators resumed before they are there", file="sgemm_hopper/chain.cuh",
         find="  ptx::barrier_sync();\n  const float* g_parked", replace="  const float* g_parked"),
    dict(HOPPER, name="chain's flag not set back", file="sgemm_hopper/chain.cuh",
         find="    ptx::st_release_gpu_u32(flag_of(params, share), 0);\n", replace=""),
    dict(HOPPER, name="tile transposed before it is there", file="sgemm_hopper/pack.cuh",
         find="  ptx::barrier_sync();\n  const std::int64_t outer = first_outer + lane;",
         replace="  const std::int64_t outer = first_outer + lane;"),
    dict(HOPPER, name="a column past the last transposed", file="sgemm_hopper/pack.cuh",
         find="if (first_inner + at < plane.inner &&", replace="if (first_inner + at <= plane.inner &&"),
    dict(HOPPER, name="operand packed once left out of the workspace", file="sgemm_hopper/packing.h",
         find="pack_narrow != Pack::kNone ? narrow_bytes(narrow) : 0;", replace="pack_narrow != Pack::kNone ? 0 : 0;"),
    # --- the HGEMM family on wgmma
    dict(WGMMA, name="accumulators used before their fence", file="hgemm_wgmma/mainloop.cuh",
         find="      ptx::wgmma_fence();\n", replace=""),
    dict(WGMMA, name="stage left while its products run", file="hgemm_wgmma/mainloop.cuh",
         find="        ptx::wgmma_wait<1>();\n", replace=""),
    dict(WGMMA, name="both warpgroups on the first one's rows", file="hgemm_wgmma/mainloop.cuh",
         find="wgmma_row_bytes(warpgroup * Config::kGroupLeft)", replace="wgmma_row_bytes(0 * warpgroup)"),
    dict(WGMMA, name="panel of B along the wrong side", file="hgemm_wgmma/panels.h",
         find="problem.op_b == Op::kN ? begin.n * problem.b.ld : begin.n);",
         replace="problem.op_b == Op::kT ? begin.n * problem.b.ld : begin.n);"),
    # --- FP32 on tensor cores
    dict(TENSOR, name="short sums added while they run", file="sgemm_tensor/mainloop.cuh",
         find="    ptx::wgmma_wait<0>();\n", replace=""),
    dict(TENSOR, name="what a sum rounds away lost", file="sgemm_tensor/mainloop.cuh",
         find="r_more[i] = ptx::add_rn(r_more[i], minus_taken);", replace="r_more[i] = 0.0f;"),
    dict(TENSOR, name="BF16 parts scaled back as FP16 ones", file="sgemm_tensor/store_tile.cuh",
         find="Config::kMethod == Method::kFp16x3 ?", replace="Config::kMethod != Method::kStrict ?"),
    dict(TENSOR, name="dominated rows taken for others", file="sgemm_tensor/parts.h",
         find="row.fp16_misses <= most_misses(depth) && many;", replace="row.fp16_misses <= most_misses(depth);"),
    dict(TENSOR, name="wrong parity of an empty stage", file="sgemm_tensor/feed.cuh",
         find="wait_for(shared.empty(at.stage), at.parity ^ 1);", replace="wait_for(shared.empty(at.stage), at.parity);"),
    dict(TENSOR, name="tile of the other side", file="sgemm_tensor/feed.cuh",
         find="place.n * Config::kTileLeft, k_block,", replace="place.m * Config::kTileLeft, k_block,"),
    dict(TENSOR, name="both halves of a tile's columns from the first", file="sgemm_tensor/mainloop.cuh",
         find="first_column * Part::kRowBytes", replace="0 * first_column * Part::kRowBytes"),
    dict(TENSOR, name="a stage left with half of its columns to multiply", file="sgemm_tensor/mainloop.cuh",
         find="if (first + Config::kSumColumns == Config::kTileRight) leave_stages", replace="if (first == 0) leave_stages"),
    dict(TENSOR, name="rows left out behind few strips", file="sgemm_tensor/split.cuh",
         find="  turn.blocks -= items;\n", replace=""),
    dict(TENSOR, name="choice of the method not written down", file="sgemm_tensor/kernel.cuh",
         find="ptx::block_index() == 0 && ptx::thread_index() == 0", replace="ptx::block_index() < 0"),
    dict(TENSOR, name="C of the strip's first column alone", file="epilogue/store_strip_columns.cuh",
         find="++i, g_c += e.ldc) {", replace="++i) {"),
    dict(TENSOR_MMA, name="wait for one block of parts too few", file="sgemm_tensor_mma/ring.cuh",
         find="ptx::cp_async_wait<kAhead - 1>();", replace="ptx::cp_async_wait<kAhead>();"),
    dict(TENSOR_MMA, name="missing barrier between blocks of parts", file="sgemm_tensor_mma/ring.cuh",
         find="    ptx::cp_async_wait<kAhead - 1>();\n    ptx::barrier_sync();\n",
         replace="    ptx::cp_async_wait<kAhead - 1>();\n"),
    dict(TENSOR_MMA, name="copy into the stage that is read", file="sgemm_tensor_mma/ring.cuh",
         find="first ? kAhead * Config::kStageBytes : -Config::kStageBytes", replace="first ? 0 : -Config::kStageBytes"),
    dict(TENSOR_MMA, name="a row past the operand's last one", file="sgemm_tensor_mma/ring.cuh",
         find="pass * Map::kLinesPerPass < rows_;", replace="pass * Map::kLinesPerPass <= rows_;"),
    dict(TENSOR_MMA, name="low parts left out", file="sgemm_tensor_mma/mainloop.cuh",
         find="for (int pair = 0; pair < Part::kPairCount; ++pair)",
         replace="for (int pair = Part::kPairCount - 1; pair < Part::kPairCount; ++pair)"),
    dict(TENSOR_MMA, name="some groups of sums that never end", file="sgemm_tensor_mma/mainloop.cuh",
         find="if constexpr (kTurn + 1 < kTurns)", replace="if constexpr (kTurn + 2 < kTurns)"),
    dict(TENSOR_MMA, name="columns scaled back as rows", file="sgemm_tensor_mma/store_tile.cuh",
         find="const float left = unscale(sgemm_tensor::kLeft,", replace="const float left = unscale(sgemm_tensor::kRight,"),
    dict(TENSOR_MMA, name="strips over parts that are still read", file="sgemm_tensor_mma/mainloop.cuh",
         find="      ring.advance();", replace="      if (block + 1 < k_blocks) ring.advance();"),
    dict(TENSOR_MMA, name="BF16 parts offered, which nobody multiplies", file="sgemm_tensor_mma/launch.cuh",
         find="sgemm_tensor::prepare_piece(piece, context, false)", replace="sgemm_tensor::prepare_piece(piece, context, true)"),
    # --- the epilogue and the tile order
    dict(FFMA, name="C read past its last column", file="epilogue/store_thread_tile.cuh",
         find="        if (AxisN::position(0, first + j) < columns_inside) {\n", replace="        {\n"),
    dict(FFMA, name="C read although beta is 0", file="epilogue/store_thread_tile.cuh",
         find="""  float4 c[kColumns][kVectors] = {};
  if (e.beta != 0.0f) {""", replace="""  float4 c[kColumns][kVectors] = {};
  {"""),
    dict(MMA, name="A and B read although alpha is 0", file="epilogue/epilogue.cuh",
         find="return problem.k > 0 && load_scalar(problem.alpha) != 0.0f;", replace="return problem.k > 0;"),
    dict(FFMA, name="two blocks on one tile", file="tile/tile_order.cuh",
         find="part.corner = step(part.corner, part.along, first);", replace=""),
    # --- mbarriers, bulk copies and wgmma, in the product that is there for tests
    dict(TILE, name="missing wait for an empty stage",
         find="    wait_for(shared.empty(stage), (block / kStages & 1) ^ 1);\n", replace=""),
    dict(TILE, name="missing wait for a full stage",
         find="    wait_for(shared.full(stage), block / kStages & 1);\n", replace=""),
    dict(TILE, name="wrong parity of an empty stage", find="(block / kStages & 1) ^ 1", replace="block / kStages & 1"),
    dict(TILE, name="parity that does not change", find="wait_for(shared.full(stage), block / kStages & 1)",
         replace="wait_for(shared.full(stage), 0)"),
    dict(TILE, name="too few bytes expected", find="shared.full(stage), kStageBytes)",
         replace="shared.full(stage), kStageBytes - kBytesA)"),
    dict(TILE, name="too many bytes expected", find="shared.full(stage), kStageBytes)",
         replace="shared.full(stage), kStageBytes + kBytesA)"),
    dict(TILE, name="one arrival too many counted", find="shared.empty(stage), kConsumers / 32)",
         replace="shared.empty(stage), kThreads / 32)"),
    dict(TILE, name="one arrival too few counted", find="shared.empty(stage), kConsumers / 32)",
         replace="shared.empty(stage), kConsumers / 32 - 1)"),
    dict(TILE, name="missing fence after mbarrier_init", find="    ptx::mbarrier_init_fence();\n", replace=""),
    dict(TILE, name="missing barrier after mbarrier_init", find="  ptx::barrier_sync();\n  if (ptx::warp_index() ==",
         replace="  if (ptx::warp_index() =="),
    dict(TILE, name="stage released while its products run", find="      ptx::wgmma_wait<1>();\n", replace=""),
    dict(TILE, name="the stage under way released", find="shared.empty((block - 1) % kStages)",
         replace="shared.empty(stage)"),
    dict(TILE, name="missing wait for the last products", find="  ptx::wgmma_wait<0>();\n", replace=""),
    dict(TILE, name="missing commit of a group", find="    ptx::wgmma_commit();\n", replace=""),
    dict(TILE, name="missing wgmma fence", find="    ptx::wgmma_fence();\n", replace=""),
    dict(TILE, name="accumulators not cleared by the first product", find="block > 0 || step > 0", replace="true"),
    dict(TILE, name="accumulators cleared at each k block", find="block > 0 || step > 0", replace="step > 0"),
    dict(TILE, name="missing proxy fence before a bulk store", find="  ptx::fence_proxy_async();\n", replace=""),
    dict(TILE, name="missing barrier before a bulk store",
         find="  ptx::fence_proxy_async();\n  ptx::barrier_sync(1, kConsumers);\n",
         replace="  ptx::fence_proxy_async();\n"),
    dict(TILE, name="ring overwritten while other warps multiply",
         find="  ptx::barrier_sync(1, kConsumers);  // all products have read the ring\n", replace=""),
    dict(TILE, name="block ends while a bulk store reads", find="    ptx::tma_store_wait_read<0>();\n", replace=""),
    dict(DESCRIPTOR, name="wrong leading offset",
         find="kMajor == Major::kK ? 16 : kWgmmaBlockBytes, kWgmmaGroupBytes",
         replace="kMajor == Major::kK ? 16 : kWgmmaBlockBytes / 2, kWgmmaGroupBytes"),
    dict(DESCRIPTOR, name="leading and stride exchanged",
         find="kMajor == Major::kK ? 16 : kWgmmaBlockBytes, kWgmmaGroupBytes",
         replace="kWgmmaGroupBytes, kMajor == Major::kK ? 16 : kWgmmaBlockBytes"),
    dict(DESCRIPTOR, name="64-byte swizzle in the descriptor",
         find=" WgmmaSwizzle::k128Bytes);", replace=" WgmmaSwizzle::k64Bytes);"),
    dict(DESCRIPTOR, name="k step of the other majorness", find="kMajor == Major::kK ? 32 : 2 * kWgmmaGroupBytes",
         replace="kMajor == Major::kMn ? 32 : 2 * kWgmmaGroupBytes"),
]
