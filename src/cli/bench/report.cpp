#include "src/cli/bench/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "src/cli/bench/statistics.h"

namespace fastgemm::cli {

double tflops(const Shape& shape, double ms) { return ms > 0.0 ? shape.flops() / (ms * 1e9) : 0.0; }

const Result* best_other(const Row& row) {
  const Result* best = nullptr;
  for (const Result& result : row.results) {
    if (result.ours || !result.measured()) continue;
    if (best == nullptr || result.ms < best->ms) best = &result;
  }
  return best;
}

double ratio(const Row& row, const Result& result) {
  const Result* best = best_other(row);
  return best != nullptr && result.measured() && result.ms > 0.0 ? best->ms / result.ms : 0.0;
}

bool any_wrong(const Report& report) {
  for (const Row& row : report.rows) {
    for (const Result& result : row.results) {
      if (!result.wrong.empty()) return true;
    }
  }
  return false;
}

Summary summarize(const std::vector<Row>& rows, DataType type, const std::string& ours) {
  Summary summary;
  std::vector<double> ratios;
  for (const Row& row : rows) {
    if (row.shape.type != type) continue;
    for (const Result& result : row.results) {
      const double value = result.ours && result.contender == ours ? ratio(row, result) : 0.0;
      if (!(value > 0.0)) continue;
      if (ratios.empty() || value < summary.worst) {
        summary.worst = value;
        summary.worst_shape = describe(row.shape);
      }
      ratios.push_back(value);
    }
  }
  summary.rows = static_cast<int>(ratios.size());
  summary.geometric_mean = geometric_mean(ratios);
  return summary;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  created_ = !std::filesystem::exists(path_);
  const std::ofstream test(path_, std::ios::app);
  if (!test) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (created_ && !written_) std::remove(path_.c_str());
}

void OutputFile::write(const std::string& text) {
  std::ofstream out(path_, std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
  written_ = true;
}

}  // namespace fastgemm::cli
