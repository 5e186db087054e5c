"""Faults of what stands around the library: src/cli, src/dropin and src/cublas_hook. See library_faults.py."""

from library_faults import fault

BENCH = "fg_cli_bench_tests"
CLI = "fg_cli_tests"
DROPIN = "fg_dropin_tests"
INTERPOSE = "interpose"
OFFLOAD = "fg_offload_tests"
HOOK = "fg_hook_tests"
HOOK_NAMES = "hook_names"

FAULTS = [
    # ---- the fastgemm command
    fault("cli/bench/shapes.cpp", "leading dimensions that are not padded", "if (ld == 0) ld = tight + pad;",
          "if (ld == 0) ld = tight;", CLI),
    fault("cli/bench/shape_files.cpp", "a third call not told from a second", "    other.calls = 1;\n", "", CLI),
    fault("cli/bench/statistics.cpp", "the median of an even number", "std::max_element(values.begin(), middle)",
          "std::max_element(values.begin(), values.end())", CLI),
    fault("cli/bench/timing.cpp", "times of the warm-up counted",
          "if (trial >= 0 && result.errors[i].empty()) result", "if (result.errors[i].empty()) result", BENCH),
    fault("cli/run.cpp", "the library behind what is preloaded already", 'preloaded + ":" + preloaded_already',
          'preloaded_already + ":" + preloaded', "fg_cli_command_tests"),
    fault("cli/plan.cpp", "the last compute capability of a kernel left out of a plan",
          "device.compute_capability <= entry->max_compute_capability", "device.compute_capability < entry->max_compute_capability",
          CLI, "fg_cli_command_tests"),
    fault("cli/gpu.cpp", "the second digit of CUDA's version", "std::to_string(version % 1000 / 10)",
          "std::to_string(version % 1000 / 100)", CLI),

    # ---- names of host BLAS
    fault("dropin/arguments.cpp", "m's number for a row-major caller's n", "case 3: return 4;", "case 3: return 3;", DROPIN),
    fault("dropin/arguments.cpp", "leading dimensions not exchanged for a row-major caller",
          "    std::swap(g.lda, g.ldb);\n", "", DROPIN),
    fault("dropin/arguments.cpp", "ldc held against the columns of C",
          "if (g.ldc < std::max<std::int64_t>(1, g.m)) return 13;", "if (g.ldc < std::max<std::int64_t>(1, g.n)) return 13;",
          DROPIN),
    fault("dropin/plain_sgemm.cpp", "B read as it lies", ": g.b[j + p * g.ldb]);", ": g.b[p + j * g.ldb]);", DROPIN),
    fault("dropin/plain_sgemm.cpp", "NaN through a beta of 0", "if (beta == 0.0f) {", "if (beta < 0.0f) {", DROPIN),
    fault("dropin/resolve.cpp", "BLIS of 64-bit integers taken for one of 32", ' || has("blis64")', "", DROPIN),
    fault("dropin/role.cpp", "only a full name in LD_PRELOAD is ours", "base_name(name) == base_name(file)", "name == file",
          DROPIN),
    fault("dropin/route.cpp", "operations exchanged on the way to CBLAS",
          "cblas_operation(g.transa), cblas_operation(g.transb),", "cblas_operation(g.transb), cblas_operation(g.transa),",
          DROPIN),
    fault("dropin/route.cpp", "ldc cut to 32 bits", "std::max({g.m, g.n, g.k, g.lda, g.ldb, g.ldc})",
          "std::max({g.m, g.n, g.k, g.lda, g.ldb})", DROPIN),
    fault("dropin/interpose.cpp", "a product that the engine finished on the host computed again",
          "    if (result == OffloadResult::kRetreated) return Outcome::kRetreated;\n", "", INTERPOSE),
    fault("dropin/interpose.cpp", "a call inside a call offloaded", "if (inside) return Outcome::kNested;",
          "if (inside && !route.acts()) return Outcome::kNested;", INTERPOSE),
    fault("dropin/names.cpp", "a 64-bit name's call taken for the plain one's", "interpose(dropin::kSgemm64_,",
          "interpose(dropin::kSgemm_,", "dropin_names"),
    fault("dropin/statistics.cpp", "the edge of a size class in the next one", "products > edge * edge * edge",
          "products >= edge * edge * edge", DROPIN),
    fault("dropin/statistics.cpp", "nested calls counted twice", "if (outcome != Outcome::kNested) (on_device(outcome)",
          "(on_device(outcome)", DROPIN),
    fault("dropin/verify.cpp", "norms along the wrong side of B", "g.transb == 'N');", "g.transb != 'N');", DROPIN),
    fault("dropin/verify.cpp", "a NaN that passes", "return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();",
          "return error;", DROPIN),

    # ---- the engine behind them
    fault("dropin/engine/block_plan.cpp", "the last chunk as wide as the others",
          "std::min(columns, rect.columns - column)}", "columns}", OFFLOAD),
    fault("dropin/engine/block_plan.cpp", "a block that just fits cut in two", "while (device_elements(block) > elements)",
          "while (device_elements(block) >= elements)", OFFLOAD),
    fault("dropin/engine/block_run.cpp", "a product begun before its operands are there",
          '  check(runtime_.wait(stream, lane_.arrived), "cudaStreamWaitEvent");\n', "", OFFLOAD),
    fault("dropin/engine/block_run.cpp", "a buffer filled that is still on its way",
          " || filling_ - passed_in_ == lane_.in_slots.size()", "", OFFLOAD),
    fault("dropin/engine/block_run.cpp", "an unfinished block left without the copies that run",
          "  runtime_.synchronize();  // an error", "  // an error", OFFLOAD),
    fault("dropin/engine/device.cpp", "rows of A kept for the wrong blocks", "blocks[index - 1].row == blocks[index].row",
          "blocks[index - 1].column == blocks[index].column", OFFLOAD),
    fault("dropin/engine/device.cpp", "no wait for what the program has enqueued",
          '  if (in_place) check(runtime_.synchronize(), "cudaDeviceSynchronize");\n', "", OFFLOAD),
    fault("dropin/engine/engine.cpp", "a device that failed is used on",
          "    if (result.failed) give_up(*part->member, result.error);\n", "", OFFLOAD),
    fault("dropin/engine/engine.cpp", "k = 0 taken for no work at all",
          "if (gemm.m == 0 || gemm.n == 0) return", "if (gemm.m == 0 || gemm.n == 0 || gemm.k == 0) return", OFFLOAD),
    fault("dropin/engine/calibration.cpp", "a rate of 0", "std::isfinite(rate) && rate > 0", "std::isfinite(rate) && rate >= 0",
          OFFLOAD),
    fault("dropin/engine/settings.cpp", "ranks beyond the last GPU", "std::vector<int>{rank % device_count}",
          "std::vector<int>{rank}", OFFLOAD),
    fault("dropin/engine/break_even.cpp", "C not counted among what is copied in",
          "(gemm.beta != 0.0f ? m * n : 0.0)", "0.0", OFFLOAD),
    fault("dropin/engine/copy_pool.cpp", "a gap in the source copied along",
          "rect.to_ld == rect.rows && rect.from_ld == rect.rows", "rect.to_ld == rect.rows", OFFLOAD),

    # ---- names of cuBLAS
    fault("cublas_hook/read_call.cpp", "FP32 operands with an FP16 result",
          "return to->type_ab == DataType::kFloat16 || to->type_cd == DataType::kFloat32;", "return true;", HOOK_NAMES),
    fault("cublas_hook/read_call.cpp", "a computation in TF32 taken for FP32", "|| value == CUBLAS_COMPUTE_32F_PEDANTIC",
          "|| value == CUBLAS_COMPUTE_32F_FAST_TF32", HOOK_NAMES),
    fault("cublas_hook/read_call.cpp", "a handle in TF32 served", "mode != CUBLAS_DEFAULT_MATH && mode != CUBLAS_PEDANTIC_MATH",
          "mode == CUBLAS_PEDANTIC_MATH", HOOK_NAMES),
    fault("cublas_hook/read_lt_call.cpp", "D's leading dimension for C", "to.ldc = c.ld;", "to.ldc = d.ld;", HOOK_NAMES),
    fault("cublas_hook/read_lt_call.cpp", "a transposed C",
          "  if (desc.value<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSC) != CUBLAS_OP_N) return false;\n", "", HOOK_NAMES),
    fault("cublas_hook/read_lt_call.cpp", "a bias of another type than D's", "(type == -1 || type == type_d)",
          "(type == -1 || type != type_d)", HOOK_NAMES),
    fault("cublas_hook/own_device.cpp", "more SMs planned than there are", "std::min(offer.sm_count_target, all)",
          "offer.sm_count_target", HOOK),
    fault("cublas_hook/own_device.cpp", "own memory in a captured graph",
          "case Capture::kYes: return choose_with(callers_memory(offer));", "case Capture::kYes: return chosen;", HOOK),
    fault("cublas_hook/own_device.cpp", "the caller's memory, aligned or not",
          "  if (reinterpret_cast<std::uintptr_t>(offer.workspace) % kWorkspaceAlignment != 0) return {};\n", "", HOOK),
    fault("cublas_hook/statistics.cpp", "served and passed exchanged", "(served ? counter.served : counter.passed)",
          "(served ? counter.passed : counter.served)", HOOK, HOOK_NAMES),
]
