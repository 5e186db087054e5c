// Log lines: level words, whole lines from many threads. The log file of a process is opened once, so one test holds
// all.
#include "src/base/log.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace fastgemm;

namespace {

std::vector<std::string> read_lines(const std::string& name) {
  std::ifstream file(name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("log lines go whole to the file, by level", "[log]") {
  char name[] = "/tmp/fastgemm_log_test_XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  close(file);
  Environment settings;
  settings.log_file = name;
  log_line_to(settings, LogLevel::kError, "not seen: the log is off");
  settings.log = LogLevel::kInfo;
  log_line_to(settings, LogLevel::kError, "one");
  log_line_to(settings, LogLevel::kInfo, "two");
  log_line_to(settings, LogLevel::kTrace, "not seen: above the level");
  settings.log = LogLevel::kTrace;
  log_line_to(settings, LogLevel::kTrace, "gemm three");
  CHECK(read_lines(name) == std::vector<std::string>{"fastgemm: error: one", "fastgemm: info: two",
                                                     "fastgemm: gemm three"});

  std::vector<std::thread> threads;
  for (char letter = 'a'; letter < 'i'; ++letter) {
    threads.emplace_back([&settings, letter] {
      for (int i = 0; i < 200; ++i) log_line_to(settings, LogLevel::kTrace, std::string(300, letter));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> lines = read_lines(name);
  CHECK(lines.size() == 3 + 8 * 200);
  for (std::size_t i = 3; i < lines.size(); ++i) {
    const std::string body = lines[i].substr(10);
    const bool whole = body.size() == 300 && body.find_first_not_of(body[0]) == std::string::npos;
    if (!whole) FAIL("torn line: " << lines[i]);
  }
  unlink(name);
}
