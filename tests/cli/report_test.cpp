// Derived figures, the Markdown tables and the output files.
#include "src/cli/bench/report.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/sample_report.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

namespace {

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("fg_cli_" + std::to_string(getpid()) + "_" + name);
}

}  // namespace

TEST_CASE("TFLOP/s and the ratio to the best other", "[cli]") {
  const Report report = sample_report();
  CHECK(tflops(report.rows[0].shape, 1.0) == Approx(2.0));  // 2e9 operations in 1 ms
  CHECK(best_other(report.rows[0])->contender == "cublasLt");
  CHECK(ratio(report.rows[0], report.rows[0].results[0]) == Approx(2.0));
  CHECK(ratio(report.rows[0], report.rows[0].results[1]) == Approx(0.5));
  CHECK(ratio(report.rows[1], report.rows[1].results[0]) == Approx(0.5));
  CHECK(ratio(report.rows[1], report.rows[1].results[2]) == 0.0);  // not measured
}

TEST_CASE("the summary holds the mean and the worst row", "[cli]") {
  const Report report = sample_report();
  const Summary summary = summarize(report.rows, DataType::kFloat32, "fastgemm");
  CHECK(summary.rows == 2);
  CHECK(summary.geometric_mean == Approx(1.0));
  CHECK(summary.worst == Approx(0.5));
  CHECK(summary.worst_shape == "f32 NN 2000x2000x2000");
  CHECK(summarize(report.rows, DataType::kFloat16, "fastgemm").rows == 0);
}

TEST_CASE("Markdown rows have as many cells as the header", "[cli]") {
  Report report = sample_report();
  std::ostringstream out;
  MarkdownWriter writer(out);
  for (const Row& row : report.rows) writer.row(report, row);
  writer.summary(report);
  std::istringstream lines(out.str());
  std::vector<std::ptrdiff_t> bars;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|")) bars.push_back(std::count(line.begin(), line.end(), '|'));
  }
  REQUIRE(bars.size() == 4);  // header, rule, two rows
  for (const std::ptrdiff_t count : bars) CHECK(count == bars.front());
  CHECK_THAT(out.str(), ContainsSubstring("ratio to best"));
  CHECK_THAT(out.str(),
             ContainsSubstring("geometric mean of the ratio to the best other 1.000 over 2 rows; worst 0.500"));
}

TEST_CASE("a wrong result is shown", "[cli]") {
  Report report = sample_report();
  CHECK_FALSE(any_wrong(report));
  report.rows[0].results[0].wrong = "error 1.0 to FP64";
  CHECK(any_wrong(report));
  std::ostringstream out;
  MarkdownWriter writer(out);
  writer.row(report, report.rows[0]);
  CHECK_THAT(out.str(), ContainsSubstring("WRONG: error 1.0 to FP64"));
}

TEST_CASE("the ladder has a line a contender", "[cli]") {
  const Report report = sample_report();
  std::ostringstream out;
  MarkdownWriter(out).ladder(report.rows[0]);
  CHECK_THAT(out.str(), ContainsSubstring("| fastgemm | fastgemm detail | 1.0000 | 2.0 | 2.000 | 5 |"));
  CHECK_THAT(out.str(), ContainsSubstring("| cublasSgemm | cublasSgemm detail | 4.0000 |"));
}

TEST_CASE("an output file keeps what it held until it is written", "[cli]") {
  const auto path = scratch("kept");
  std::ofstream(path) << "old";
  {
    OutputFile file(path.string());
    CHECK(read(path) == "old");
    file.write("new");
  }
  CHECK(read(path) == "new");
  {
    const OutputFile unused(path.string());
  }
  CHECK(read(path) == "new");
  std::filesystem::remove(path);
}

TEST_CASE("an output file that was never written leaves nothing behind", "[cli]") {
  const auto path = scratch("unused");
  {
    const OutputFile file(path.string());
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("an output file that cannot be written is refused at once", "[cli]") {
  CHECK_THROWS_WITH(OutputFile("/nonexistent-folder/x.json"), ContainsSubstring("/nonexistent-folder/x.json"));
}
