// `fastgemm bench`: the options, and the shapes they name.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "fastgemm/fastgemm.h"
#include "src/cli/bench/bench.h"
#include "src/cli/commands.h"
#include "src/cli/plan.h"
#include "src/cli/shape_options.h"
#include "src/dispatch/select.h"

namespace fastgemm::cli {
namespace {

constexpr const char* kFooter = R"(Contenders: fastgemm (the dispatcher's choice, or each of --kernels), cublasSgemm or
cublasHgemm, cublasGemmEx with FP32 accumulation, and the fastest of sixteen cublasLt heuristics, found by a short run.
Data are N(0,1) from cuRAND. Before each launch 256 MB are written, so that L2 holds no operand; contenders take turns
launch by launch; times are medians of event times. "ratio" is the other's time divided by ours: over 1, ours is faster.
"max error" and "differing bits" compare C with cublasSgemm's (FP16: cublasGemmEx's); "error to FP64" is the largest
|C - ref| / (|alpha| |A||B| + |beta| |C|). A wrong result is shown and makes the exit code 1.

Without a GPU the dispatcher's plan for --gpu is printed, and small products run on the host BLAS, checked against FP64.

A shapes file is a CSV file with a header: m,n,k and optionally tag, ops, type, lda, ldb, ldc, alpha, beta; or a log
that FASTGEMM_LOG=trace wrote in a real program. A single trace line can be given as arguments:
  fastgemm bench gemm type=f32 ops=NT m=512 n=256 k=64 lda=512 ldb=256 ldc=512 alpha=1 beta=0)";

struct Arguments {
  ShapeOptions shape;
  std::string shapes_file;
  std::vector<std::string> trace_line;
  std::vector<std::string> kernels;
  std::string math = "default";
  std::string regime = "interleaved";
  int idle_ms = -1;
  bool no_flush = false;
  std::int64_t ladder_size = 8192;
  BenchOptions bench;
};

bool is_trace(const std::string& text) {
  return text.find(" m=") != std::string::npos && text.find(" k=") != std::string::npos;
}

std::vector<Shape> trace_shapes(const std::string& text, const ShapeDefaults& defaults) {
  std::istringstream in(text);
  const TraceShapes trace = shapes_from_trace(in, defaults);
  if (trace.batched > 0) {
    std::cerr << "fastgemm: " << trace.batched
              << " batched products in the trace; one product of each batch is measured\n";
  }
  if (trace.mixed > 0) {
    std::cerr << "fastgemm: " << trace.mixed << " products of FP16 into FP32 in the trace are left out\n";
  }
  return trace.shapes;
}

std::vector<Shape> file_shapes(const std::string& path, const ShapeDefaults& defaults) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
  } else {
    std::ifstream in(path);
    if (!in) throw ParseError("cannot read " + path);
    text << in.rdbuf();
  }
  try {
    if (is_trace(text.str())) return trace_shapes(text.str(), defaults);
    std::istringstream in(text.str());
    return shapes_from_csv(in, defaults);
  } catch (const ParseError& error) {
    throw ParseError(path + ": " + error.what());
  }
}

std::vector<Shape> ladder_shape(const Arguments& arguments) {
  ShapeDefaults defaults = shape_defaults(arguments.shape, {DataType::kFloat16});
  defaults.types = {DataType::kFloat16};
  return shapes_from_sizes({std::to_string(arguments.ladder_size)}, defaults);
}

std::vector<Shape> named_shapes(const Arguments& arguments) {
  if (arguments.bench.ladder) return ladder_shape(arguments);
  const ShapeDefaults defaults = shape_defaults(arguments.shape, {DataType::kFloat32, DataType::kFloat16});
  std::vector<Shape> shapes;
  const auto append = [&](const std::vector<Shape>& more) { shapes.insert(shapes.end(), more.begin(), more.end()); };
  if (!arguments.shapes_file.empty()) append(file_shapes(arguments.shapes_file, defaults));
  if (!arguments.trace_line.empty()) {
    std::string line;
    for (const std::string& part : arguments.trace_line) line += part + " ";
    if (!is_trace(" " + line)) throw ParseError("\"" + line + "\" is no trace line: it lacks m=, n= or k=");
    append(trace_shapes(line, defaults));
  }
  std::vector<std::string> sizes = arguments.shape.sizes;
  sizes.insert(sizes.end(), arguments.shape.mnk.begin(), arguments.shape.mnk.end());
  const bool nothing_named = arguments.shapes_file.empty() && arguments.trace_line.empty() && sizes.empty();
  if (nothing_named) sizes = {"1024", "2048", "4096", "8192"};
  append(shapes_from_sizes(sizes, defaults));
  return shapes;
}

void check_kernel(const std::string& kernel) {
  if (kernel.empty() || kernel == "cublas" || find_kernel(kernel, kernel_table()).entry != nullptr) return;
  throw ParseError("--kernels: no kernel is named \"" + kernel + "\" (see fastgemm info)");
}

void complete_options(Arguments& arguments) {
  BenchOptions& bench = arguments.bench;
  bench.shapes = named_shapes(arguments);
  if (bench.shapes.empty()) throw ParseError("no shapes to measure");
  round_scalars(bench.shapes);
  // A table holds one type: all of the first type come first.
  std::stable_sort(bench.shapes.begin(), bench.shapes.end(),
                   [](const Shape& x, const Shape& y) { return x.type < y.type; });
  bench.math = parse_math(arguments.math);
  if (!arguments.kernels.empty()) bench.kernels = arguments.kernels;
  bench.all_kernels = std::erase(bench.kernels, "all") > 0;
  for (std::string& kernel : bench.kernels) {
    if (kernel == "auto") kernel.clear();
    check_kernel(kernel);
  }
  if (!model_gpu(bench.plan_gpu, 0)) {
    throw ParseError("--gpu: \"" + bench.plan_gpu + "\" is not one of " + model_gpu_names());
  }
  if (arguments.regime == "idle") bench.timing.regime = Regime::kIdle;
  if (arguments.regime == "host") bench.timing.regime = Regime::kHost;
  if (arguments.regime == "back-to-back") bench.timing.regime = Regime::kBackToBack;
  if (arguments.idle_ms >= 0 && arguments.regime == "interleaved") bench.timing.regime = Regime::kIdle;
  bench.timing.idle_ms = arguments.idle_ms >= 0 ? arguments.idle_ms : 20;
  bench.timing.flush = !arguments.no_flush;
}

void add_protocol_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--trials", arguments.bench.timing.trials, "Timed launches of each contender (default 21)")
      ->check(CLI::Range(1, 100000));
  command.add_option("--warm-up", arguments.bench.timing.warm_up, "Launches before those (default 3)")
      ->check(CLI::Range(0, 100000));
  command
      .add_option("--regime", arguments.regime,
                  "interleaved (default): contenders alternate; idle: the same with a pause before each launch; "
                  "back-to-back: all launches of one without pause or flush, then the next one's; host: the host's time of a "
                  "call, for small products, beside a kernel that does nothing")
      ->check(CLI::IsMember({"interleaved", "idle", "back-to-back", "host"}));
  command.add_option("--idle-ms", arguments.idle_ms, "Pause of the idle regime, and asks for it (default 20)")
      ->check(CLI::Range(0, 60000));
  command.add_flag("--no-flush", arguments.no_flush, "Leave L2 as the launch before left it");
  command
      .add_option("--workspace-mb", arguments.bench.workspace_mb,
                  "Workspace of each contender in MiB (default 32; ours FASTGEMM_WORKSPACE_MB, if that is set)")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--seed", arguments.bench.seed, "Seed of the random data (default 1)");
}

void add_shape_sources(CLI::App& command, Arguments& arguments) {
  add_shape_options(command, arguments.shape);
  command.add_option("--shapes", arguments.shapes_file,
                     "Shapes from a CSV file or a trace log; - reads standard input");
  command.add_option("trace", arguments.trace_line, "A trace line");
  CLI::Option* ladder =
      command.add_flag("--ladder", arguments.bench.ladder,
                       "The six rungs of the mma.sync HGEMM kernel beside cuBLAS, a technique more each");
  command.add_option("--size", arguments.ladder_size, "Square size for --ladder (default 8192)")
      ->needs(ladder)
      ->check(CLI::Range(1, 1 << 20));
}

}  // namespace

void add_bench(CLI::App& app, Action& action, const std::string& command_line) {
  CLI::App* command = app.add_subcommand("bench", "How fast products are, beside cuBLAS, and whether they are right");
  command->footer(kFooter);
  auto arguments = std::make_shared<Arguments>();
  arguments->bench.command_line = command_line;
  add_shape_sources(*command, *arguments);
  add_list_option(*command, "--kernels,--kernel", arguments->kernels,
                  "Force these kernels, a contender each (names: fastgemm info; name/4: with k in four parts); auto: the "
                  "dispatcher's choice; all: every kernel of the GPU, where k can be cut also with 2, 4, 8 ... parts");
  command->add_option("--math", arguments->math, "default, fp32_sequential, fp32_tensor or tf32")
      ->check(CLI::IsMember({"default", "fp32_sequential", "fp32_tensor", "tf32"}));
  add_protocol_options(*command, *arguments);
  command->add_option("--gpu", arguments->bench.plan_gpu,
                      "Without a GPU: plan for this one (default sm_90): " + model_gpu_names());
  command->add_option("--sms", arguments->bench.plan_sm_count, "SMs of the GPU planned for (default: a usual card's)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--csv", arguments->bench.csv_file, "Write CSV to this file, too: a line a shape and contender");
  command->add_option("--json", arguments->bench.json_file, "Write JSON to this file, too");
  command->callback([&action, arguments] {
    action = [arguments] {
      complete_options(*arguments);
      return run_bench(arguments->bench);
    };
  });
}

}  // namespace fastgemm::cli
