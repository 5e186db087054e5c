#include "src/cli/verify_case.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <sstream>
#include <type_traits>
#include <vector>

namespace fastgemm::cli {
namespace {

// ---- names of enumerators, by value ----
constexpr const char* kEntryNames[] = {"gemm", "gemm_64", "strided", "strided_64", "pointer", "pointer_64", "ex"};
constexpr const char* kTypeNames[] = {"f32", "f16"};
constexpr const char* kContentNames[] = {"integers", "nan", "inf"};
constexpr const char* kActivationNames[] = {"none", "relu", "gelu"};
constexpr const char* kMathNames[] = {"default", "fp32_sequential", "fp32_tensor", "tf32"};

template <class Enum>
struct Names;
template <>
struct Names<CallEntry> { static constexpr std::span<const char* const> kAll = kEntryNames; };
template <>
struct Names<DataType> { static constexpr std::span<const char* const> kAll = kTypeNames; };
template <>
struct Names<Content> { static constexpr std::span<const char* const> kAll = kContentNames; };
template <>
struct Names<fg_activation_t> { static constexpr std::span<const char* const> kAll = kActivationNames; };
template <>
struct Names<fg_math_mode_t> { static constexpr std::span<const char* const> kAll = kMathNames; };

// ---- one field as text ----
std::string to_text(const std::string& value) { return value; }
std::string to_text(bool value) { return value ? "1" : "0"; }
std::string to_text(char value) { return std::string(1, value); }
std::string to_text(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}
template <class Integer>
  requires std::is_integral_v<Integer>
std::string to_text(Integer value) {
  return std::to_string(value);
}
template <class Enum>
  requires std::is_enum_v<Enum>
std::string to_text(Enum value) {
  return Names<Enum>::kAll[static_cast<std::size_t>(value)];
}

bool from_text(const std::string& text, std::string* value) {
  *value = text;
  return true;
}
bool from_text(const std::string& text, bool* value) {
  *value = text == "1";
  return text == "0" || text == "1";
}
bool from_text(const std::string& text, char* value) {
  if (text != "N" && text != "T" && text != "C") return false;
  *value = text[0];
  return true;
}
bool from_text(const std::string& text, float* value) {
  char* end = nullptr;
  *value = std::strtof(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}
template <class Integer>
  requires std::is_integral_v<Integer>
bool from_text(const std::string& text, Integer* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc{} && end == text.data() + text.size();
}
template <class Enum>
  requires std::is_enum_v<Enum>
bool from_text(const std::string& text, Enum* value) {
  const auto names = Names<Enum>::kAll;
  const auto found = std::find(names.begin(), names.end(), text);
  *value = static_cast<Enum>(found - names.begin());
  return found != names.end();
}

// Every field with its key, in the order they are spelled.
template <class CaseType, class Visitor>
void visit_fields(CaseType& c, Visitor&& visit) {
  visit("kernel", c.kernel);
  visit("entry", c.entry);
  visit("ab", c.type_ab);
  visit("cd", c.type_cd);
  visit("transa", c.trans_a);
  visit("transb", c.trans_b);
  visit("m", c.m);
  visit("n", c.n);
  visit("k", c.k);
  visit("pad_a", c.pad_a);
  visit("pad_b", c.pad_b);
  visit("pad_c", c.pad_c);
  visit("pad_d", c.pad_d);
  visit("offset_a", c.offset_a);
  visit("offset_b", c.offset_b);
  visit("offset_c", c.offset_c);
  visit("offset_d", c.offset_d);
  visit("alpha", c.alpha);
  visit("beta", c.beta);
  visit("device_scalars", c.device_scalars);
  visit("batch", c.batch);
  visit("gap", c.gap);
  visit("broadcast_a", c.broadcast_a);
  visit("broadcast_b", c.broadcast_b);
  visit("negative_strides", c.negative_strides);
  visit("separate_d", c.separate_d);
  visit("bias", c.bias);
  visit("activation", c.activation);
  visit("math", c.math);
  visit("captured", c.captured);
  visit("null_unread", c.null_unread);
  visit("unread", c.unread);
  visit("range", c.range);
  visit("seed", c.seed);
}

}  // namespace

int integer_range(const Case& c) {
  if (c.range > 0) return c.range;
  const double largest_sum = c.type_cd == DataType::kFloat16 ? 1900.0 : 0x1p22;
  const double range = std::floor(std::sqrt(largest_sum / static_cast<double>(std::max<std::int64_t>(c.k, 1))));
  return static_cast<int>(std::clamp(range, 1.0, 8.0));
}

std::string spell(const Case& c) {
  std::vector<std::string> defaults;
  const Case plain;
  visit_fields(plain, [&](const char*, const auto& value) { defaults.push_back(to_text(value)); });
  std::string text;
  std::size_t index = 0;
  visit_fields(c, [&](const char* key, const auto& value) {
    const std::string spelled = to_text(value);
    if (spelled == defaults[index++]) return;
    if (!text.empty()) text += ' ';
    text.append(key).append("=").append(spelled);
  });
  return text.empty() ? "m=1" : text;
}

bool parse_case(const std::string& text, Case* c, std::string* error) {
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    bool understood = false;
    if (equals != std::string::npos) {
      const std::string value = word.substr(equals + 1);
      visit_fields(*c, [&](const char* name, auto& field) {
        if (key == name) understood = from_text(value, &field);
      });
    }
    if (!understood) {
      *error = "cannot read \"" + word + "\" in the case";
      return false;
    }
  }
  return true;
}

}  // namespace fastgemm::cli
