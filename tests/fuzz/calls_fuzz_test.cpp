// Millions of calls of every product entry point, each compared with what the contract says of it.
//
//   FASTGEMM_FUZZ_SETS     argument sets; default: ten million, or as many as a minute allows
//   FASTGEMM_FUZZ_SEED     default 1; sets are numbered, and number i of a seed is always the same
//   FASTGEMM_FUZZ_FIRST    number of the first set, to look at one again
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/contract_oracle.h"
#include "tests/fuzz/recording_handle.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr std::uint64_t kSets = 10'000'000;
constexpr double kSeconds = 60.0;
constexpr int kMaxComplaints = 5;

std::uint64_t variable(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

// Whether the text starts with the argument's name: strideC and stride_c are one.
bool names_argument(const char* text, const char* argument) {
  for (; *argument != '\0'; ++argument) {
    if (*argument == '_') {
      if (*text == '_') ++text;
      continue;
    }
    if (std::tolower(*text) != std::tolower(*argument)) return false;
    ++text;
  }
  return *text == ' ';
}

struct Tally {
  std::uint64_t sets = 0, invalid = 0, empty = 0, run = 0, unsupported = 0;
};

std::string complaint(const FuzzCall& call, std::uint64_t number, const Verdict& verdict, fg_status_t status,
                      const std::string& what) {
  return "set " + std::to_string(number) + ": " + what + "\n  answered " + fg_status_name(status) + " \"" +
         fg_last_error() + "\"\n  the contract says " + fg_status_name(verdict.status) + " " + verdict.argument +
         (verdict.works ? ", runs" : "") + "\n  " + text_of(call);
}

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : seed_(seed), owner_(make_recording_handle()) {}

  void call(std::uint64_t number) {
    const FuzzCall call = draw_call(seed_, number);
    const Verdict verdict = judge(call);
    set_modes(call);
    recording().launches = 0;
    const fg_status_t status = perform(call, owner_.get());
    const std::string what = wrong(verdict, status);
    if (!what.empty()) report(complaint(call, number, verdict, status, what));
    count(verdict);
    if (call.form == Form::kDescriptor && number % 64 == 0) ask(call, number);
  }

  int complaints() const { return complaints_; }
  const Tally& tally() const { return tally_; }

 private:
  void set_modes(const FuzzCall& call) {
    owner_->pointer_mode = static_cast<fg_pointer_mode_t>(call.pointer_mode);
    owner_->math_mode = static_cast<fg_math_mode_t>(call.math_mode);
  }

  std::string wrong(const Verdict& verdict, fg_status_t status) const {
    const char* text = fg_last_error();
    if (status != verdict.status) return "status";
    if ((status == FG_STATUS_SUCCESS) != (*text == '\0')) return "text";
    if (status != FG_STATUS_SUCCESS && !names_argument(text, verdict.argument)) return "argument";
    if (recording().launches != (verdict.works ? 1 : 0)) return "launches";
    return verdict.works ? difference(verdict, recording().problem) : "";
  }

  // The questions answer as the product would, but for pointers that are not there.
  void ask(FuzzCall call, std::uint64_t number) {
    const fg_gemm_desc desc = descriptor_of(call);
    fill_pointers(&call);
    const Verdict verdict = judge(call);
    const fg_gemm_desc* address = call.null_descriptor ? nullptr : &desc;
    const fg_handle_t handle = call.null_handle ? nullptr : owner_.get();
    char text[64];
    std::memset(text, 'x', sizeof text);
    recording().launches = 0;
    const fg_status_t explained = fg_explain(handle, address, text, 40);
    check_answer(call, number, verdict, explained, "fg_explain");
    const bool ended = std::memchr(text, '\0', 40) != nullptr;
    if (explained == FG_STATUS_SUCCESS && !ended) report("set " + std::to_string(number) + ": a text without an end");
    if (std::any_of(text + 40, text + 64, [](char c) { return c != 'x'; })) {
      report("set " + std::to_string(number) + ": fg_explain writes past its size");
    }
    std::size_t bytes = 12345;
    check_answer(call, number, verdict, fg_get_workspace_size(handle, address, &bytes), "fg_get_workspace_size");
  }

  void check_answer(const FuzzCall& call, std::uint64_t number, const Verdict& verdict, fg_status_t status,
                    const char* entry) {
    const bool right = status == verdict.status && recording().launches == 0 &&
                       (status == FG_STATUS_SUCCESS || names_argument(fg_last_error(), verdict.argument));
    if (!right) report(complaint(call, number, verdict, status, entry));
  }

  static void fill_pointers(FuzzCall* call) {
    const bool device = call->pointer_mode == FG_POINTER_MODE_DEVICE;
    if (device && call->device_alpha == 0) call->device_alpha = 256;
    if (device && call->device_beta == 0) call->device_beta = 256;
    if (!device && call->null_alpha) call->alpha_bits = 0x3f800000u;
    if (!device && call->null_beta) call->beta_bits = 0;
    call->null_alpha = call->null_beta = false;
    for (std::uintptr_t* address : {&call->a, &call->b, &call->c}) {
      if (*address == 0) *address = 256;
    }
  }

  void report(const std::string& what) {
    ++complaints_;
    FAIL_CHECK(what);
  }

  void count(const Verdict& verdict) {
    ++tally_.sets;
    if (verdict.status == FG_STATUS_INVALID_VALUE) ++tally_.invalid;
    if (verdict.status == FG_STATUS_NOT_SUPPORTED) ++tally_.unsupported;
    if (verdict.status == FG_STATUS_SUCCESS) ++(verdict.works ? tally_.run : tally_.empty);
  }

  std::uint64_t seed_;
  std::unique_ptr<fg_handle> owner_;
  Tally tally_;
  int complaints_ = 0;
};

}  // namespace

TEST_CASE("any arguments of any product call are answered by the contract", "[fuzz]") {
  const bool counted = std::getenv("FASTGEMM_FUZZ_SETS") != nullptr;
  const std::uint64_t sets = variable("FASTGEMM_FUZZ_SETS", kSets);
  const std::uint64_t first = variable("FASTGEMM_FUZZ_FIRST", 0);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Fuzz fuzz(variable("FASTGEMM_FUZZ_SEED", 1));
  for (std::uint64_t i = 0; i < sets && fuzz.complaints() < kMaxComplaints; ++i) {
    fuzz.call(first + i);
    if (!counted && i % 4096 == 0 && seconds() > kSeconds) break;
  }
  const Tally& tally = fuzz.tally();
  std::printf("%llu argument sets in %.1f s: %llu run, %llu empty, %llu invalid, %llu not supported\n",
              static_cast<unsigned long long>(tally.sets), seconds(), static_cast<unsigned long long>(tally.run),
              static_cast<unsigned long long>(tally.empty), static_cast<unsigned long long>(tally.invalid),
              static_cast<unsigned long long>(tally.unsupported));
  if (tally.sets < 10000) return;
  // The generator reaches every kind of answer often enough to mean something.
  CHECK(tally.run > tally.sets / 5);
  CHECK(tally.invalid > tally.sets / 10);
  CHECK(tally.empty > tally.sets / 50);
  CHECK(tally.unsupported > tally.sets / 10000);
}
