// What a bench run found, and how it is written: Markdown while it runs, CSV and JSON at the end.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/bench/shapes.h"
#include "src/cli/gpu.h"

namespace fastgemm::cli {

// One contender on one shape.
struct Result {
  std::string contender;  // "fastgemm", "cublasSgemm", ...
  bool ours = false;
  std::string detail;   // the kernel or algorithm that ran
  std::string skipped;  // why there is no figure; empty where there is one
  double ms = 0.0;      // median
  double ms_min = 0.0;
  double ms_max = 0.0;
  int trials = 0;
  bool compared = false;  // with the reference contender's C (cublasSgemm for FP32, cublasGemmEx for FP16)
  std::int64_t differing = 0;
  double max_difference = 0.0;
  bool checked = false;      // against FP64
  double max_error = 0.0;    // |C - ref| / (|alpha| |A||B| + |beta| |C0|), largest element
  double error_bound = 0.0;  // what it may be
  std::string wrong;         // what is wrong with the result; empty: nothing

  bool measured() const { return skipped.empty(); }
};

struct Row {
  Shape shape;
  std::string plan_kernel;  // without a GPU: what the dispatcher would run on the planned one
  double plan_us = 0.0;
  std::string plan_reason;
  std::string checked_part;  // "all elements", or which sample was checked against FP64
  std::vector<Result> results;
};

struct Protocol {
  std::string regime = "interleaved";  // interleaved, idle, back-to-back
  int idle_ms = 0;
  int trials = 0;
  int warm_up = 0;
  std::int64_t flush_bytes = 0;      // written before each launch; 0: L2 is left as it is
  std::int64_t workspace_bytes = 0;  // of ours and of each cuBLAS contender
  int lt_heuristics = 0;
  std::string math = "default";
  std::string data;  // "cuRAND N(0,1), seed 1"
};

struct Report {
  std::optional<Gpu> gpu;  // the one measured on, or the planned one
  bool measured_on_gpu = false;
  std::string no_gpu_reason;
  int driver_version = 0;
  int runtime_version = 0;
  std::string cublas_version;  // empty: not found
  std::string cublas_path;
  std::string library_version;
  std::string host;  // CPU and host BLAS, where the products ran on the host
  std::string date;  // ISO 8601, UTC
  std::string command_line;
  Protocol protocol;
  std::vector<Row> rows;
};

// Derived figures.
double tflops(const Shape& shape, double ms);
// The fastest measured contender that is not ours; null for none.
const Result* best_other(const Row& row);
// Best other time / this time: over 1 is faster than the best other. 0 where either is missing.
double ratio(const Row& row, const Result& result);
bool any_wrong(const Report& report);

struct Summary {
  double geometric_mean = 0.0;
  int rows = 0;
  double worst = 0.0;
  std::string worst_shape;
};
// Over the rows of one type in which contender `ours` and another were measured.
Summary summarize(const std::vector<Row>& rows, DataType type, const std::string& ours);

// Markdown, row by row, so that a long run shows what it has. One table a type: its contenders are fixed by the first
// row.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::ostream& out) : out_(out) {}
  void preamble(const Report& report);
  void row(const Report& report, const Row& row);
  void ladder(const Row& row);  // a line a contender instead of a line a shape
  void summary(const Report& report);

 private:
  void header(const Report& report, const Row& row);
  std::ostream& out_;
  std::optional<DataType> type_;
  std::vector<std::size_t> widths_;
};

std::string csv_text(const Report& report);
std::string json_text(const Report& report);

// A file that a run will write: opened for a test at once, filled at the end. What was in it stays until then.
class OutputFile {
 public:
  // Throws std::runtime_error, with the reason, where `path` cannot be written.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  // Throws std::runtime_error where the text could not be written whole.
  void write(const std::string& text);

 private:
  std::string path_;
  bool created_ = false;  // by us: removed again if nothing is written
  bool written_ = false;
};

}  // namespace fastgemm::cli
