#include "src/cli/bench/bench.h"

#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>

#include "fastgemm/fastgemm.h"
#include "src/cli/contenders/cublas.h"
#include "src/cli/contenders/ladder.h"
#include "src/cli/plan.h"

namespace fastgemm::cli {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string library_version() {
  int version = 0;
  if (fg_get_version(&version) != FG_STATUS_SUCCESS) return "unknown";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

const char* regime_name(Regime regime) {
  switch (regime) {
    case Regime::kIdle:
      return "idle";
    case Regime::kHost:
      return "host time of a call";
    case Regime::kBackToBack:
      return "back-to-back";
    case Regime::kInterleaved:
      break;
  }
  return "interleaved";
}

Report new_report(const BenchOptions& options) {
  Report report;
  report.date = utc_now();
  report.command_line = options.command_line;
  report.library_version = library_version();
  report.protocol.regime = regime_name(options.timing.regime);
  report.protocol.idle_ms = options.timing.regime == Regime::kIdle ? options.timing.idle_ms : 0;
  report.protocol.trials = options.timing.trials;
  report.protocol.warm_up = options.timing.warm_up;
  const bool flush = options.timing.flush && options.timing.regime != Regime::kBackToBack &&
                     options.timing.regime != Regime::kHost;
  report.protocol.flush_bytes = flush ? kFlushBytes : 0;
  report.protocol.lt_heuristics = kLtHeuristics;
  report.protocol.math = math_name(options.math);
  GpuList list = find_gpus();
  report.driver_version = list.driver_version;
  report.runtime_version = list.runtime_version;
  if (!list.gpus.empty()) {
    report.gpu = list.gpus.front();
    report.measured_on_gpu = true;
  } else {
    report.no_gpu_reason = list.reason;
    report.gpu = model_gpu(options.plan_gpu, options.plan_sm_count);
  }
  return report;
}

// A results file; what cannot be written to it goes to stdout, so that a long run is not lost.
bool write_or_print(OutputFile* file, const std::string& text) {
  if (file == nullptr) return true;
  try {
    file->write(text);
    return true;
  } catch (const std::runtime_error& error) {
    std::cerr << "fastgemm: " << error.what() << "; the results follow on standard output\n";
    std::cout << text;
    return false;
  }
}

}  // namespace

int run_bench(const BenchOptions& options) {
  std::unique_ptr<OutputFile> csv;
  std::unique_ptr<OutputFile> json;
  if (!options.csv_file.empty()) csv = std::make_unique<OutputFile>(options.csv_file);
  if (!options.json_file.empty()) json = std::make_unique<OutputFile>(options.json_file);
  Report report = new_report(options);
  MarkdownWriter writer(std::cout);
  std::string failure;
  try {
    if (options.ladder && !report.measured_on_gpu) {
      std::cout << "No GPU: " << report.no_gpu_reason << ". What each rung of the ladder is:\n\n" << ladder_table();
    } else if (report.measured_on_gpu) {
      bench_on_gpu(options, report, writer);
    } else {
      bench_on_host(options, report, writer);
    }
  } catch (const std::runtime_error& error) {
    failure = error.what();
    std::cerr << "fastgemm: " << failure << "\n";
  }
  if (!report.rows.empty()) writer.summary(report);
  const bool kept_csv = report.rows.empty() || write_or_print(csv.get(), csv_text(report));
  const bool kept_json = report.rows.empty() || write_or_print(json.get(), json_text(report));
  return failure.empty() && kept_csv && kept_json && !any_wrong(report) ? 0 : 1;
}

}  // namespace fastgemm::cli
