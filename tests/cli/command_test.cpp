// The built command on a machine where no GPU is visible.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.h"

namespace {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("fg_command_" + std::to_string(getpid()) + "_" + name);
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Outcome fastgemm(const std::string& arguments) {
  const auto out = scratch("out");
  const auto err = scratch("err");
  const std::string line =
      std::string(FASTGEMM_COMMAND) + " " + arguments + " >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(line.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return outcome;
}

}  // namespace

TEST_CASE("info says what is here and why there is no GPU", "[cli][command]") {
  const Outcome info = fastgemm("info");
  CHECK(info.code == 0);
  CHECK_THAT(info.out, ContainsSubstring("libfastgemm.so"));  // not a copy inside the command
  CHECK_THAT(info.out, ContainsSubstring("GPU:       none: "));
  CHECK_THAT(info.out, ContainsSubstring("cuBLAS:"));
  CHECK_THAT(info.out, ContainsSubstring("kernels:"));
  CHECK(info.err.empty());
}

TEST_CASE("info as JSON", "[cli][command]") {
  const Outcome info = fastgemm("info --json");
  CHECK(info.code == 0);
  const auto json = nlohmann::json::parse(info.out);
  CHECK(json["gpus"].empty());
  CHECK_FALSE(json["no_gpu_reason"].get<std::string>().empty());
  CHECK(json["cuda"]["runtime"].get<int>() >= 12000);
  CHECK(json["kernels"].is_array());
}

TEST_CASE("bench without a GPU multiplies on the host and plans", "[cli][command]") {
  const auto csv = scratch("bench.csv");
  const auto json_file = scratch("bench.json");
  const Outcome bench = fastgemm("bench --sizes 48,7x5x3 --ops NN,TT --beta 0.5 --pad 3 --trials 2 --csv " +
                                 csv.string() + " --json " + json_file.string());
  CHECK(bench.code == 0);
  CHECK_THAT(bench.out, ContainsSubstring("No GPU: "));
  CHECK_THAT(bench.out, ContainsSubstring("planned kernel"));
  CHECK(bench.err.empty());  // no progress line where stderr is no terminal
  const auto json = nlohmann::json::parse(read(json_file));
  REQUIRE(json["rows"].size() == 8);
  for (const auto& row : json["rows"]) {
    const auto& host = row["results"][0];
    CHECK(host["trials"] == 2);
    CHECK(host["ms"].get<double>() > 0.0);
    if (row["type"] == "f32") CHECK(host["max_error_fp64"].get<double>() <= host["error_bound"].get<double>());
    CHECK_FALSE(row["plan"]["kernel"].get<std::string>().empty());
  }
  const std::string text = read(csv);
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
  std::filesystem::remove(csv);
  std::filesystem::remove(json_file);
}

TEST_CASE("bench without a GPU and without a host BLAS uses the plain loop", "[cli][command]") {
  // A library without sgemm_ in place of each BLAS: the loader finds these names first.
  const auto folder = scratch("no_blas");
  std::filesystem::create_directories(folder);
  for (const char* name : {"libopenblas.so.0", "libblas.so.3"}) std::ofstream(folder / name) << "no library";
  ::setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  const Outcome bench = fastgemm("bench --sizes 33x17x65 --ops NN,NT,TN,TT --beta -1 --alpha 0.5 --trials 1");
  ::unsetenv("LD_LIBRARY_PATH");
  std::filesystem::remove_all(folder);
  CHECK(bench.code == 0);
  CHECK_THAT(bench.out, !ContainsSubstring("WRONG"));
  CHECK_THAT(bench.out, ContainsSubstring("plain loop"));
}

TEST_CASE("bench reads shapes from a CSV file, a log and the command line", "[cli][command]") {
  const auto shapes = scratch("shapes.csv");
  std::ofstream(shapes) << "tag,ops,m,n,k\ntall,TN,40,8,16\n";
  const Outcome csv = fastgemm("bench --types f32 --trials 1 --shapes " + shapes.string());
  CHECK(csv.code == 0);
  CHECK_THAT(csv.out, ContainsSubstring("tall"));
  const std::string line =
      "gemm type=f32 ops=NT m=24 n=8 k=16 lda=24 ldb=8 ldc=24 alpha=1 beta=0 batch=1 kernel=x us=1";
  std::ofstream(shapes) << "fastgemm: " << line << "\nfastgemm: " << line << "\n";
  const Outcome log = fastgemm("bench --trials 1 --shapes " + shapes.string());
  CHECK(log.code == 0);
  CHECK_THAT(log.out, ContainsSubstring("2 calls"));
  const Outcome pasted = fastgemm("bench --trials 1 --kernels auto fastgemm: " + line);
  CHECK(pasted.code == 0);
  CHECK_THAT(pasted.out, ContainsSubstring("trace |    NT |    24 |     8 |    16"));
  std::filesystem::remove(shapes);
}

TEST_CASE("the ladder without a GPU is named, not run", "[cli][command]") {
  const Outcome ladder = fastgemm("bench --ladder --size 512");
  CHECK(ladder.code == 0);
  CHECK_THAT(ladder.out, ContainsSubstring("No GPU: "));
}

TEST_CASE("explain for a GPU that is not here", "[cli][command]") {
  const Outcome explain = fastgemm("explain --mnk 4096x16x4096 --ops TN --gpu sm_80 --sms 108");
  CHECK(explain.code == 0);
  CHECK_THAT(explain.out, ContainsSubstring("sm_80, 108 SMs"));
  CHECK_THAT(explain.out, ContainsSubstring("kernel: "));
  const Outcome here = fastgemm("explain --mnk 64x64x64");
  CHECK(here.code == 1);
  CHECK_THAT(here.err, ContainsSubstring("--gpu"));
}

TEST_CASE("wrong arguments end with code 2 and are named", "[cli][command]") {
  const std::array<std::pair<const char*, const char*>, 17> cases{{
      {"", "subcommand"},
      {"multiply", "multiply"},
      {"bench --sizes 12y", "12y"},
      {"bench --sizes 0", "at least 1"},
      {"bench --mnk 4x4", "4x4"},
      {"bench --ops NX", "X"},
      {"bench --types f64", "f64"},
      {"bench --regime hot", "hot"},
      {"bench --trials 0", "trials"},
      {"bench --math f8", "f8"},
      {"bench --sizes 8 --workspace-mb 0", "workspace-mb"},
      {"bench --gpu sm_42", "sm_42"},
      {"bench --size 512", "ladder"},
      {"bench --shapes /nonexistent.csv", "/nonexistent.csv"},
      {"bench --sizes 8 --kernel no_such_kernel", "no_such_kernel"},
      {"explain --gpu sm_90", "--mnk"},
      {"explain --mnk 8x8x8 --gpu sm_42", "sm_42"},
  }};
  for (const auto& [arguments, named] : cases) {
    const Outcome outcome = fastgemm(arguments);
    INFO("fastgemm " << arguments);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring(named));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a file that cannot be written ends the run before it starts", "[cli][command]") {
  const Outcome bench = fastgemm("bench --sizes 64 --json /nonexistent-folder/x.json");
  CHECK(bench.code == 1);
  CHECK_THAT(bench.err, ContainsSubstring("/nonexistent-folder/x.json"));
  CHECK(bench.out.empty());
}

TEST_CASE("results that no longer fit into the file are printed", "[cli][command]") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Outcome bench = fastgemm("bench --sizes 16 --types f32 --trials 1 --json /dev/full");
  CHECK(bench.code == 1);
  CHECK_THAT(bench.err, ContainsSubstring("/dev/full"));
  CHECK_THAT(bench.out, ContainsSubstring("\"fastgemm-bench-1\""));
}

TEST_CASE("help names every option", "[cli][command]") {
  const Outcome help = fastgemm("bench --help");
  CHECK(help.code == 0);
  for (const char* option : {"--sizes",  "--mnk",    "--shapes", "--ops",    "--types",   "--alpha",  "--beta",
                             "--pad",    "--kernel", "--math",   "--trials", "--warm-up", "--regime", "--idle-ms",
                             "--ladder", "--size",   "--csv",    "--json",   "--gpu",     "--sms",
                             "--workspace-mb"}) {
    CHECK_THAT(help.out, ContainsSubstring(option));
  }
  CHECK(fastgemm("--version").out.starts_with("fastgemm "));
}
