#include "src/dropin/role.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>

#include "src/base/environment.h"

namespace fastgemm::dropin {
namespace {

constexpr const char* kPreloadFile = "/etc/ld.so.preload";
constexpr const char* kInitialEnvironment = "/proc/self/environ";  // NAME=value, each ended by a zero
constexpr std::string_view kVariable = "LD_PRELOAD=";
constexpr std::string_view kSeparators = " \t\n:";

std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }

// The file without its comments, which run from # to the end of a line.
std::string preload_file() {
  std::ifstream file(kPreloadFile);
  std::string text;
  for (std::string line; std::getline(file, line);) text += line.substr(0, line.find('#')) + "\n";
  return text;
}

// LD_PRELOAD as the dynamic linker found it: some programs unset it for the sake of their children.
std::string initial_list() {
  std::ifstream file(kInitialEnvironment);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (variable.starts_with(kVariable)) return variable.substr(kVariable.size());
  }
  return {};
}

bool preloaded() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&role), &self) == 0 || self.dli_fname == nullptr) return false;
  const char* list = std::getenv("LD_PRELOAD");  // some overwrite the initial environment with a title
  return (list != nullptr && names_library(list, self.dli_fname)) || names_library(initial_list(), self.dli_fname) ||
         names_library(preload_file(), self.dli_fname);
}

Role decide() {
  switch (environment().dropin) {
    case DropinMode::kOff: return Role::kOff;
    case DropinMode::kOn: return Role::kOn;
    case DropinMode::kVerify: return Role::kVerify;
    case DropinMode::kUnset: break;
  }
  return preloaded() ? Role::kOn : Role::kWithoutBlas;
}

}  // namespace

bool names_library(std::string_view list, std::string_view file) {
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(kSeparators);
    if (const auto name = list.substr(0, end); !name.empty() && base_name(name) == base_name(file)) return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

// With no lock, as environment(): deciding twice gives the same.
Role role() {
  constexpr int kUndecided = -1;
  static constinit std::atomic<int> known = kUndecided;
  int decided = known.load(std::memory_order_relaxed);
  if (decided == kUndecided) known.store(decided = static_cast<int>(decide()), std::memory_order_relaxed);
  return static_cast<Role>(decided);
}

}  // namespace fastgemm::dropin
