// A made-up report for the tests of the writers.
#pragma once

#include "src/cli/bench/report.h"

namespace fastgemm::cli {

inline Result sample_result(const std::string& contender, bool ours, double ms) {
  Result result;
  result.contender = contender;
  result.ours = ours;
  result.detail = contender + " detail";
  result.ms = result.ms_min = result.ms_max = ms;
  result.trials = 5;
  return result;
}

// Two FP32 rows: ours at ratios 2 and 0.5 to the best other; the second has a contender that sat out.
inline Report sample_report() {
  Report report;
  report.gpu = model_gpu("sm_90", 0);
  report.measured_on_gpu = true;
  report.date = "2030-01-01T00:00:00Z";
  report.command_line = "fastgemm bench";
  for (const char* size : {"1000", "2000"}) {
    Row row;
    row.shape = shapes_from_sizes({size}, {}).front();
    row.results = {sample_result("fastgemm", true, 1.0), sample_result("cublasSgemm", false, 4.0),
                   sample_result("cublasLt", false, 2.0)};
    report.rows.push_back(row);
  }
  report.rows[1].results[1].ms = 0.5;
  report.rows[1].results[2].skipped = "no heuristic, \"none\"";
  return report;
}

}  // namespace fastgemm::cli
