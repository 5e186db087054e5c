// Parsing of the FASTGEMM_* environment variables. An empty value counts as not set.
#include "src/base/environment.h"

#include <stdlib.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/base/log.h"

namespace fastgemm {
namespace {

constexpr std::uint64_t kMaxWorkspaceMb = std::uint64_t{1} << 20;  // 1 TiB: more than any GPU has

constexpr std::array<std::pair<std::string_view, LogLevel>, 4> kLogLevels = {{
    {"off", LogLevel::kOff},
    {"error", LogLevel::kError},
    {"info", LogLevel::kInfo},
    {"trace", LogLevel::kTrace},
}};

constexpr std::array<std::pair<std::string_view, DropinMode>, 3> kDropinModes = {{
    {"off", DropinMode::kOff},
    {"on", DropinMode::kOn},
    {"verify", DropinMode::kVerify},
}};

constexpr std::array<std::pair<std::string_view, bool>, 2> kSwitch = {{{"0", false}, {"1", true}}};

constexpr std::uint64_t kMaxPblasNb = 1 << 20;

std::string value_of(VariableSource source, const char* name) {
  const char* value = source(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string complaint(std::string_view name, std::string_view value, std::string_view expected) {
  return std::string(name) + " = \"" + std::string(value) + "\" is not " + std::string(expected) + "; ignored";
}

// One of a few words, each of which stands for a value.
template <class Words, class Value>
void parse_word(const char* name, const std::string& text, const Words& words, std::string_view expected, Value* value,
                std::vector<std::string>* complaints) {
  if (text.empty()) return;
  for (const auto& [word, candidate] : words) {
    if (text == word) {
      *value = candidate;
      return;
    }
  }
  complaints->push_back(complaint(name, text, expected));
}

// A whole number from `least` to `most`; false where there is none, with a line where something else stands there.
bool parse_number(const char* name, const std::string& text, std::uint64_t least, std::uint64_t most,
                  std::uint64_t* value, std::vector<std::string>* complaints) {
  if (text.empty()) return false;
  const char* end = text.data() + text.size();
  const auto [stopped_at, error] = std::from_chars(text.data(), end, *value);
  if (error == std::errc() && stopped_at == end && *value >= least && *value <= most) return true;
  complaints->push_back(
      complaint(name, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most)));
  return false;
}

// Numbers between commas, or "all".
void parse_devices(std::string_view text, Environment* result, std::vector<std::string>* complaints) {
  constexpr std::uint64_t kMaxDevice = 1023;
  const std::string_view whole = text;
  result->all_devices = text == "all";
  if (text.empty() || result->all_devices) return;
  std::vector<int> devices;
  for (;;) {
    const std::string_view item = text.substr(0, text.find(','));
    std::uint64_t number = 0;
    const auto [stopped_at, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || stopped_at != item.data() + item.size() || number > kMaxDevice) {
      complaints->push_back(complaint("FASTGEMM_DEVICES", whole, "\"all\" or device numbers between commas"));
      return;
    }
    devices.push_back(static_cast<int>(number));
    if (item.size() == text.size()) break;
    text.remove_prefix(item.size() + 1);
  }
  result->devices = std::move(devices);
}

void parse_speedup(std::string_view text, double* value, std::vector<std::string>* complaints) {
  if (text.empty()) return;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped_at, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped_at == end && number > 0 && number <= 1e6) {
    *value = number;
    return;
  }
  complaints->push_back(complaint("FASTGEMM_MIN_SPEEDUP", text, "a number above 0, up to 1000000"));
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

// A program that runs with more rights than its user takes no file names from that user.
const char* process_variable(const char* name) { return secure_getenv(name); }

}  // namespace

Environment parse_environment(VariableSource source, std::vector<std::string>* complaints) {
  Environment result;
  std::uint64_t number = 0;
  result.kernel = value_of(source, "FASTGEMM_KERNEL");
  result.cublas = value_of(source, "FASTGEMM_CUBLAS");
  result.log_file = value_of(source, "FASTGEMM_LOG_FILE");
  result.host_blas = value_of(source, "FASTGEMM_HOST_BLAS");
  const auto word = [&](const char* name, const auto& words, std::string_view expected, auto* value) {
    parse_word(name, value_of(source, name), words, expected, value, complaints);
  };
  word("FASTGEMM_LOG", kLogLevels, "off, error, info or trace", &result.log);
  word("FASTGEMM_DROPIN", kDropinModes, "on, off or verify", &result.dropin);
  word("FASTGEMM_STATS", kSwitch, "0 or 1", &result.stats);
  parse_math(value_of(source, "FASTGEMM_MATH"), &result.math, complaints);
  parse_devices(value_of(source, "FASTGEMM_DEVICES"), &result, complaints);
  parse_speedup(value_of(source, "FASTGEMM_MIN_SPEEDUP"), &result.min_speedup, complaints);
  const auto whole = [&](const char* name, std::uint64_t least, std::uint64_t most) {
    return parse_number(name, value_of(source, name), least, most, &number, complaints);
  };
  if (whole("FASTGEMM_WORKSPACE_MB", 0, kMaxWorkspaceMb)) {
    result.workspace_bytes = static_cast<std::size_t>(number) << 20;
  }
  if (whole("FASTGEMM_PBLAS_NB", 1, kMaxPblasNb)) result.pblas_nb = static_cast<int>(number);
  return result;
}

// Threads that come first at once each read it, and one result stays. No local static's lock: the child of a fork made
// meanwhile would wait for a thread that it does not have. Never freed: handles may be destroyed from static destructors,
// which run after this one's would have.
const Environment& environment() {
  static constinit std::atomic<const Environment*> known = nullptr;
  const Environment* loaded = known.load(std::memory_order_acquire);
  if (loaded != nullptr) return *loaded;
  std::vector<std::string> complaints;
  auto made = std::make_unique<const Environment>(parse_environment(process_variable, &complaints));
  if (!known.compare_exchange_strong(loaded, made.get(), std::memory_order_acq_rel)) return *loaded;
  for (const std::string& text : complaints) log_line_to(*made, LogLevel::kError, text);
  return *made.release();
}

}  // namespace fastgemm
