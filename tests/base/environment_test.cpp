// Parsing of FASTGEMM_* variables from a made-up environment.
#include "src/base/environment.h"

#include <map>

#include "tests/support/catch.h"

using namespace fastgemm;

namespace {

std::map<std::string, std::string> variables;

const char* lookup(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

Environment parse(std::map<std::string, std::string> with, std::vector<std::string>* complaints) {
  variables = std::move(with);
  return parse_environment(lookup, complaints);
}

}  // namespace

TEST_CASE("an empty environment gives the defaults", "[environment]") {
  std::vector<std::string> complaints;
  const std::map<std::string, std::string> nothing;
  const std::map<std::string, std::string> empty_values = {
      {"FASTGEMM_LOG", ""},   {"FASTGEMM_MATH", ""},  {"FASTGEMM_WORKSPACE_MB", ""},
      {"FASTGEMM_DROPIN", ""}, {"FASTGEMM_STATS", ""}, {"FASTGEMM_PBLAS_NB", ""}};
  for (const auto& with : {nothing, empty_values}) {
    const Environment e = parse(with, &complaints);
    CHECK(e.kernel.empty());
    CHECK(e.cublas.empty());
    CHECK(e.math.empty());
    CHECK(e.log_file.empty());
    CHECK(e.log == LogLevel::kOff);
    CHECK(e.workspace_bytes == 33554432);
    CHECK(e.dropin == DropinMode::kUnset);
    CHECK(e.host_blas.empty());
    CHECK_FALSE(e.stats);
    CHECK(e.pblas_nb == 0);
  }
  CHECK(complaints.empty());
}

TEST_CASE("every variable is read", "[environment]") {
  std::vector<std::string> complaints;
  const Environment e = parse({{"FASTGEMM_KERNEL", "cublas"},
                               {"FASTGEMM_CUBLAS", "/opt/libcublas.so.12"},
                               {"FASTGEMM_MATH", "fp32_tensor"},
                               {"FASTGEMM_WORKSPACE_MB", "64"},
                               {"FASTGEMM_LOG", "trace"},
                               {"FASTGEMM_LOG_FILE", "gemm.log"},
                               {"FASTGEMM_DROPIN", "verify"},
                               {"FASTGEMM_HOST_BLAS", "libmkl_rt.so"},
                               {"FASTGEMM_STATS", "1"},
                               {"FASTGEMM_PBLAS_NB", "1024"}},
                              &complaints);
  CHECK(e.kernel == "cublas");
  CHECK(e.cublas == "/opt/libcublas.so.12");
  CHECK(e.math == "fp32_tensor");
  CHECK(e.workspace_bytes == 67108864);
  CHECK(e.log == LogLevel::kTrace);
  CHECK(e.log_file == "gemm.log");
  CHECK(e.dropin == DropinMode::kVerify);
  CHECK(e.host_blas == "libmkl_rt.so");
  CHECK(e.stats);
  CHECK(e.pblas_nb == 1024);
  CHECK(complaints.empty());
}

TEST_CASE("log levels and math modes by name", "[environment]") {
  std::vector<std::string> complaints;
  const std::pair<const char*, LogLevel> levels[] = {
      {"off", LogLevel::kOff}, {"error", LogLevel::kError}, {"info", LogLevel::kInfo}, {"trace", LogLevel::kTrace}};
  for (const auto& [name, level] : levels) CHECK(parse({{"FASTGEMM_LOG", name}}, &complaints).log == level);
  for (const char* name : {"default", "fp32_sequential", "fp32_tensor", "tf32"}) {
    CHECK(parse({{"FASTGEMM_MATH", name}}, &complaints).math == name);
  }
  CHECK(complaints.empty());
}

TEST_CASE("a workspace of 0 is a choice, not an error", "[environment]") {
  std::vector<std::string> complaints;
  CHECK(parse({{"FASTGEMM_WORKSPACE_MB", "0"}}, &complaints).workspace_bytes == 0);
  CHECK(complaints.empty());
}

TEST_CASE("values that cannot be read are named, and the defaults stand", "[environment]") {
  std::vector<std::string> complaints;
  CHECK(parse({{"FASTGEMM_LOG", "loud"}}, &complaints).log == LogLevel::kOff);
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] == "FASTGEMM_LOG = \"loud\" is not off, error, info or trace; ignored");
  complaints.clear();
  CHECK(parse({{"FASTGEMM_MATH", "TF32"}}, &complaints).math.empty());
  REQUIRE(complaints.size() == 1);
  CHECK_THAT(complaints[0], ContainsSubstring("FASTGEMM_MATH = \"TF32\""));
  for (const char* value : {"-1", "32MB", " 32", "1e3", "1048577", "99999999999999999999"}) {
    complaints.clear();
    INFO(value);
    CHECK(parse({{"FASTGEMM_WORKSPACE_MB", value}}, &complaints).workspace_bytes == 33554432);
    CHECK(complaints.size() == 1);
  }
}

TEST_CASE("the drop-in's variables take the words and numbers that they name", "[environment]") {
  std::vector<std::string> complaints;
  CHECK(parse({{"FASTGEMM_DROPIN", "on"}}, &complaints).dropin == DropinMode::kOn);
  CHECK(parse({{"FASTGEMM_DROPIN", "off"}}, &complaints).dropin == DropinMode::kOff);
  CHECK_FALSE(parse({{"FASTGEMM_STATS", "0"}}, &complaints).stats);
  CHECK(complaints.empty());
  CHECK(parse({{"FASTGEMM_DROPIN", "1"}}, &complaints).dropin == DropinMode::kUnset);
  CHECK_FALSE(parse({{"FASTGEMM_STATS", "yes"}}, &complaints).stats);
  CHECK(parse({{"FASTGEMM_PBLAS_NB", "0"}}, &complaints).pblas_nb == 0);
  CHECK(parse({{"FASTGEMM_PBLAS_NB", "1048577"}}, &complaints).pblas_nb == 0);
  const std::vector<std::string> expected = {
      "FASTGEMM_DROPIN = \"1\" is not on, off or verify; ignored", "FASTGEMM_STATS = \"yes\" is not 0 or 1; ignored",
      "FASTGEMM_PBLAS_NB = \"0\" is not a whole number from 1 to 1048576; ignored",
      "FASTGEMM_PBLAS_NB = \"1048577\" is not a whole number from 1 to 1048576; ignored"};
  CHECK(complaints == expected);
}

TEST_CASE("devices and the least speedup of the drop-in", "[environment]") {
  std::vector<std::string> complaints;
  CHECK(parse({}, &complaints).min_speedup == 1.25);
  CHECK(parse({{"FASTGEMM_MIN_SPEEDUP", "0.5"}}, &complaints).min_speedup == 0.5);
  CHECK(parse({{"FASTGEMM_DEVICES", "2"}}, &complaints).devices == std::vector<int>{2});
  CHECK(parse({{"FASTGEMM_DEVICES", "3,0,12"}}, &complaints).devices == std::vector<int>{3, 0, 12});
  CHECK(parse({{"FASTGEMM_DEVICES", "1023"}}, &complaints).devices == std::vector<int>{1023});
  CHECK_FALSE(parse({{"FASTGEMM_DEVICES", "3"}}, &complaints).all_devices);
  const Environment all = parse({{"FASTGEMM_DEVICES", "all"}}, &complaints);
  CHECK(all.devices.empty());
  CHECK(all.all_devices);
  CHECK(complaints.empty());
  for (const char* value : {",", "0,", ",1", "-1", "1;2", "0x1", "1024", "none"}) {
    complaints.clear();
    INFO(value);
    CHECK(parse({{"FASTGEMM_DEVICES", value}}, &complaints).devices.empty());
    CHECK(complaints.size() == 1);
  }
  for (const char* value : {"0", "-1", "nan", "inf", "1.5x", "2000000", "fast"}) {
    complaints.clear();
    INFO(value);
    CHECK(parse({{"FASTGEMM_MIN_SPEEDUP", value}}, &complaints).min_speedup == 1.25);
    CHECK(complaints.size() == 1);
  }
}
