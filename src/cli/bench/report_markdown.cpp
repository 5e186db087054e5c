// The Markdown tables of a bench run.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iostream>

#include "src/cli/bench/report.h"

namespace fastgemm::cli {
namespace {

using Cells = std::vector<std::string>;

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

// TFLOP/s on a GPU, GFLOP/s on the host.
std::string rate(const Report& report, const Shape& shape, double ms) {
  const double value = tflops(shape, ms);
  return report.measured_on_gpu ? format("%.1f", value) : format("%.1f", 1e3 * value);
}

const char* rate_unit(const Report& report) { return report.measured_on_gpu ? "TFLOP/s" : "GFLOP/s"; }

// Leading dimensions, scalars and alignment where they are not the plain ones.
std::string shape_notes(const Shape& shape) {
  std::string notes;
  const auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : ", ") + note; };
  if (shape.lda != std::max<std::int64_t>(1, shape.rows_a())) add("lda " + std::to_string(shape.lda));
  if (shape.ldb != std::max<std::int64_t>(1, shape.rows_b())) add("ldb " + std::to_string(shape.ldb));
  if (shape.ldc != shape.m) add("ldc " + std::to_string(shape.ldc));
  if (shape.alpha != 1.0f) add(format("alpha %g", static_cast<double>(shape.alpha)));
  if (shape.beta != 0.0f) add(format("beta %g", static_cast<double>(shape.beta)));
  if (shape.align < 16) add("align " + std::to_string(shape.align));
  if (shape.calls > 1) add(std::to_string(shape.calls) + " calls");
  return notes;
}

std::vector<const Result*> contenders(const Row& row, bool ours) {
  std::vector<const Result*> found;
  for (const Result& result : row.results) {
    if (result.ours == ours) found.push_back(&result);
  }
  return found;
}

Cells shape_cells(const Row& row) {
  const Shape& shape = row.shape;
  return {shape.tag,
          ops_name(shape.op_a, shape.op_b),
          std::to_string(shape.m),
          std::to_string(shape.n),
          std::to_string(shape.k),
          shape_notes(shape)};
}

Cells time_cells(const Report& report, const Row& row, const Result& result) {
  if (!result.measured()) return {"-", "-"};
  return {format("%.4f", result.ms), rate(report, row.shape, result.ms)};
}

std::string verdict(const Result& result) {
  if (!result.wrong.empty()) return "WRONG: " + result.wrong;
  return result.checked ? format("%.1e", result.max_error) : "-";
}

Cells header_cells(const Report& report, const Row& row) {
  Cells cells{"tag", "ops", "m", "n", "k", "notes"};
  const std::string unit = rate_unit(report);
  if (report.measured_on_gpu) {
    cells.insert(cells.end(), {"kernel", "ms", unit});
  } else {
    cells.insert(cells.end(), {"planned kernel", "predicted ms", "predicted TFLOP/s"});
  }
  for (const Result* other : contenders(row, false)) {
    cells.insert(cells.end(), {other->contender + " ms", unit});
    if (report.measured_on_gpu) cells.push_back("ratio");
  }
  if (report.measured_on_gpu) {
    cells.insert(cells.end(), {"ratio to best", "trials", "max error", "differing bits", "error to FP64"});
  } else {
    cells.insert(cells.end(), {"trials", "error to FP64"});
  }
  return cells;
}

// One line for one of our contenders; null where a run has none but cuBLAS's.
Cells gpu_cells(const Report& report, const Row& row, const Result* ours) {
  Cells cells = shape_cells(row);
  cells.push_back(ours == nullptr ? "-" : ours->measured() ? ours->detail : ours->contender + ": " + ours->skipped);
  const Cells time = ours == nullptr ? Cells{"-", "-"} : time_cells(report, row, *ours);
  cells.insert(cells.end(), time.begin(), time.end());
  const bool have_ours = ours != nullptr && ours->measured() && ours->ms > 0.0;
  for (const Result* other : contenders(row, false)) {
    const Cells other_time = time_cells(report, row, *other);
    cells.insert(cells.end(), other_time.begin(), other_time.end());
    cells.push_back(have_ours && other->measured() ? format("%.3f", other->ms / ours->ms) : "-");
  }
  const double to_best = have_ours ? ratio(row, *ours) : 0.0;
  cells.push_back(to_best > 0.0 ? format("%.3f", to_best) : "-");
  cells.push_back(ours != nullptr ? std::to_string(ours->trials) : "-");
  const bool compared = have_ours && ours->compared;
  cells.push_back(compared ? format("%.2g", ours->max_difference) : "-");
  cells.push_back(compared ? std::to_string(ours->differing) : "-");
  cells.push_back(ours != nullptr ? verdict(*ours) : "-");
  return cells;
}

Cells host_cells(const Report& report, const Row& row) {
  Cells cells = shape_cells(row);
  cells.push_back(row.plan_kernel);
  const bool predicted = row.plan_us > 0.0;  // the cost model knows nothing of cuBLAS
  cells.push_back(predicted ? format("%.4f", row.plan_us * 1e-3) : "-");
  cells.push_back(predicted ? format("%.1f", tflops(row.shape, row.plan_us * 1e-3)) : "-");
  std::string trials = "-";
  std::string error = "-";
  for (const Result* other : contenders(row, false)) {
    const Cells time = time_cells(report, row, *other);
    cells.insert(cells.end(), time.begin(), time.end());
    if (!other->measured()) continue;
    trials = std::to_string(other->trials);
    error = verdict(*other);
  }
  cells.push_back(trials);
  cells.push_back(error);
  return cells;
}

void print_cells(std::ostream& out, const Cells& cells, const std::vector<std::size_t>& widths) {
  out << '|';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t width = i < widths.size() ? widths[i] : 0;
    out << ' ' << std::string(width > cells[i].size() ? width - cells[i].size() : 0, ' ') << cells[i] << " |";
  }
  out << '\n';
}

void print_protocol(std::ostream& out, const Protocol& protocol) {
  out << "- regime: " << protocol.regime;
  if (protocol.idle_ms > 0) out << ", " << protocol.idle_ms << " ms idle before each launch";
  out << "; median of " << protocol.trials << " trials after " << protocol.warm_up << " warm-ups; ";
  if (protocol.flush_bytes > 0) {
    out << protocol.flush_bytes / 1000000 << " MB written before each launch to flush L2";
  } else {
    out << "L2 not flushed";
  }
  out << "\n- data: " << protocol.data << "; math " << protocol.math << "; workspace "
      << (protocol.workspace_bytes >> 20) << " MiB each; cublasLt: best of " << protocol.lt_heuristics
      << " heuristics\n";
}

}  // namespace

void MarkdownWriter::preamble(const Report& report) {
  out_ << "# fastgemm bench\n\n";
  if (report.gpu && report.measured_on_gpu) {
    out_ << "- GPU: " << report.gpu->name << ", " << report.gpu->device.sm_count << " SMs at "
         << format("%.0f", report.gpu->device.clock_ghz * 1e3) << " MHz, driver for CUDA "
         << cuda_version_text(report.driver_version) << ", runtime " << cuda_version_text(report.runtime_version)
         << ", cuBLAS " << (report.cublas_version.empty() ? "not found" : report.cublas_version) << "\n";
    print_protocol(out_, report.protocol);
  } else {
    out_ << "- No GPU: " << report.no_gpu_reason << ".\n";
    if (report.gpu) out_ << "- Plans are for " << report.gpu->name << ", " << report.gpu->device.sm_count << " SMs.\n";
    out_ << "- Products run on the host: " << report.host << "; median of " << report.protocol.trials
         << " trials; checked against FP64.\n";
  }
  out_ << "- fastgemm " << report.library_version << ", " << report.date << ", `" << report.command_line << "`\n";
  out_.flush();
}

void MarkdownWriter::header(const Report& report, const Row& row) {
  out_ << "\n## " << (row.shape.type == DataType::kFloat32 ? "FP32" : "FP16, FP32 accumulation") << "\n\n";
  const Cells cells = header_cells(report, row);
  widths_.clear();
  for (const std::string& cell : cells) widths_.push_back(std::max<std::size_t>(cell.size(), 5));
  // Room for what is usually wider than its title.
  widths_[6] = std::max<std::size_t>(widths_[6], 30);
  print_cells(out_, cells, widths_);
  out_ << '|';
  for (const std::size_t width : widths_) out_ << std::string(width + 1, '-') << ":|";
  out_ << '\n';
  type_ = row.shape.type;
}

void MarkdownWriter::row(const Report& report, const Row& row) {
  if (type_ != row.shape.type) header(report, row);
  if (!report.measured_on_gpu) {
    print_cells(out_, host_cells(report, row), widths_);
  } else {
    const std::vector<const Result*> ours = contenders(row, true);
    for (const Result* one : ours) print_cells(out_, gpu_cells(report, row, one), widths_);
    if (ours.empty()) print_cells(out_, gpu_cells(report, row, nullptr), widths_);
  }
  out_.flush();
}

void MarkdownWriter::ladder(const Row& row) {
  out_ << "\n## " << describe(row.shape) << "\n\n"
       << "| contender | technique or kernel | ms | TFLOP/s | ratio to best cuBLAS | trials | max error | differing "
          "bits | "
          "error to FP64 |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const Result& result : row.results) {
    out_ << "| " << result.contender << " | " << result.detail;
    if (!result.measured()) {
      out_ << ": " << result.skipped << " | - | - | - | - | - | - | - |\n";
      continue;
    }
    const double to_best = ratio(row, result);
    out_ << format(" | %.4f | %.1f | ", result.ms, tflops(row.shape, result.ms))
         << (to_best > 0.0 ? format("%.3f", to_best) : "-") << " | " << result.trials << " | "
         << (result.compared ? format("%.2g", result.max_difference) : "-") << " | "
         << (result.compared ? std::to_string(result.differing) : "-") << " | " << verdict(result) << " |\n";
  }
  out_.flush();
}

void MarkdownWriter::summary(const Report& report) {
  out_ << '\n';
  std::vector<std::string> names;
  for (const Row& row : report.rows) {
    for (const Result* ours : contenders(row, true)) {
      if (std::find(names.begin(), names.end(), ours->contender) == names.end()) names.push_back(ours->contender);
    }
  }
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    for (const std::string& name : names) {
      const Summary summary = summarize(report.rows, type, name);
      if (summary.rows == 0) continue;
      out_ << "- " << type_name(type) << ", " << name << ": geometric mean of the ratio to the best other "
           << format("%.3f", summary.geometric_mean) << " over " << summary.rows << " rows; worst "
           << format("%.3f", summary.worst) << " at " << summary.worst_shape << "\n";
    }
  }
  for (const Row& row : report.rows) {
    for (const Result& result : row.results) {
      if (!result.wrong.empty()) {
        out_ << "- WRONG: " << result.contender << " at " << describe(row.shape) << ": " << result.wrong << "\n";
      }
    }
  }
  out_.flush();
}

}  // namespace fastgemm::cli
