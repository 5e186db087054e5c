// Parsing of the FASTGEMM_* environment variables. An empty value counts as not set.
#include "src/base/environment.h"

#include <stdlib.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "src/base/log.h"

namespace fastgemm {
namespace {

constexpr std::size_t kMaxWorkspaceMb = std::size_t{1} << 20;  // 1 TiB: more than any GPU has

constexpr std::array<std::pair<std::string_view, LogLevel>, 4> kLogLevels = {{
    {"off", LogLevel::kOff},
    {"error", LogLevel::kError},
    {"info", LogLevel::kInfo},
    {"trace", LogLevel::kTrace},
}};

std::string value_of(VariableSource source, const char* name) {
  const char* value = source(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string complaint(std::string_view name, std::string_view value, std::string_view expected) {
  return std::string(name) + " = \"" + std::string(value) + "\" is not " + std::string(expected) + "; ignored";
}

void parse_log(const std::string& value, LogLevel* level, std::vector<std::string>* complaints) {
  if (value.empty()) return;
  for (const auto& [name, candidate] : kLogLevels) {
    if (value == name) {
      *level = candidate;
      return;
    }
  }
  complaints->push_back(complaint("FASTGEMM_LOG", value, "off, error, info or trace"));
}

void parse_math(const std::string& value, std::string* math, std::vector<std::string>* complaints) {
  if (value.empty()) return;
  for (const std::string_view name : kMathModeNames) {
    if (value == name) {
      *math = value;
      return;
    }
  }
  complaints->push_back(complaint("FASTGEMM_MATH", value, "default, fp32_sequential, fp32_tensor or tf32"));
}

void parse_workspace(const std::string& value, std::size_t* bytes, std::vector<std::string>* complaints) {
  if (value.empty()) return;
  std::uint64_t megabytes = 0;
  const char* end = value.data() + value.size();
  const auto [stopped_at, error] = std::from_chars(value.data(), end, megabytes);
  if (error != std::errc() || stopped_at != end || megabytes > kMaxWorkspaceMb) {
    complaints->push_back(complaint("FASTGEMM_WORKSPACE_MB", value, "a whole number from 0 to 1048576"));
    return;
  }
  *bytes = static_cast<std::size_t>(megabytes) << 20;
}

// A program that runs with more rights than its user takes no file names from that user.
const char* process_variable(const char* name) { return secure_getenv(name); }

const Environment* load() {
  std::vector<std::string> complaints;
  const Environment* loaded = new Environment(parse_environment(process_variable, &complaints));
  for (const std::string& text : complaints) log_line_to(*loaded, LogLevel::kError, text);
  return loaded;
}

}  // namespace

Environment parse_environment(VariableSource source, std::vector<std::string>* complaints) {
  Environment result;
  result.kernel = value_of(source, "FASTGEMM_KERNEL");
  result.cublas = value_of(source, "FASTGEMM_CUBLAS");
  result.log_file = value_of(source, "FASTGEMM_LOG_FILE");
  parse_log(value_of(source, "FASTGEMM_LOG"), &result.log, complaints);
  parse_math(value_of(source, "FASTGEMM_MATH"), &result.math, complaints);
  parse_workspace(value_of(source, "FASTGEMM_WORKSPACE_MB"), &result.workspace_bytes, complaints);
  return result;
}

const Environment& environment() {
  // Never freed: handles may be destroyed from static destructors, which run after this one's would have.
  static const Environment* const loaded = load();
  return *loaded;
}

}  // namespace fastgemm
