// CSV and JSON of a bench run.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/sample_report.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

namespace {

// Commas that are not inside quotes.
std::ptrdiff_t separators(const std::string& line) {
  std::ptrdiff_t count = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("CSV lines have as many cells as the header", "[cli]") {
  std::istringstream lines(csv_text(sample_report()));
  std::string header;
  std::getline(lines, header);
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) CHECK(separators(line) == separators(header));
  CHECK(rows == 6);
}

TEST_CASE("CSV quotes what holds a comma or a quote", "[cli]") {
  CHECK_THAT(csv_text(sample_report()), ContainsSubstring("\"no heuristic, \"\"none\"\"\""));
}

TEST_CASE("JSON holds machine, protocol, rows and summary", "[cli]") {
  Report report = sample_report();
  report.protocol.trials = 21;
  report.rows[0].results[0].compared = true;
  report.rows[0].results[0].differing = 7;
  const auto json = nlohmann::json::parse(json_text(report));
  CHECK(json["format"] == "fastgemm-bench-1");
  CHECK(json["gpu"]["sm_count"] == 132);
  CHECK(json["command_line"] == "fastgemm bench");
  CHECK(json["protocol"]["trials"] == 21);
  REQUIRE(json["rows"].size() == 2);
  const auto& first = json["rows"][0]["results"][0];
  CHECK(first["contender"] == "fastgemm");
  CHECK(first["ms"] == 1.0);
  CHECK(first["tflops"].get<double>() == Approx(2.0));
  CHECK(first["ratio_to_best_other"].get<double>() == Approx(2.0));
  CHECK(first["differing"] == 7);
  CHECK_FALSE(json["rows"][1]["results"][2].contains("ms"));
  CHECK(json["rows"][1]["results"][2]["skipped"] == "no heuristic, \"none\"");
  CHECK(json["summary"][0]["geometric_mean"].get<double>() == Approx(1.0));
}

TEST_CASE("an error that is not a number does not break the JSON", "[cli]") {
  Report report = sample_report();
  report.rows[0].results[0].checked = true;
  report.rows[0].results[0].max_error = std::nan("");
  const auto json = nlohmann::json::parse(json_text(report));
  CHECK(json["rows"][0]["results"][0]["max_error_fp64"].is_null());
}
