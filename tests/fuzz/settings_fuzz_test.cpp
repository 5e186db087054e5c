// Long drawn sequences of everything but products on one handle, against a model of what the handle has to remember.
#include <cstring>
#include <limits>

#include "tests/fuzz/counter_random.h"
#include "tests/fuzz/recording_handle.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

constexpr int kSequences = 200;
constexpr int kStepsASequence = 2000;
constexpr int kEdges[] = {0, 1, 2, 3, 4, -1, 131, 132, 133, std::numeric_limits<int>::max(),
                          std::numeric_limits<int>::min()};

template <class Enum>
Enum enum_of(int value) {
  Enum result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

struct Model {
  fg_stream_t stream = nullptr;
  int pointer_mode = 0, math_mode = 0, sm_count = 0;
};

class Sequence {
 public:
  explicit Sequence(std::uint64_t number) : random_(7, number), owner_(make_recording_handle()) {}

  // The first step that answers something else than the model; empty: none.
  std::string run() {
    for (int i = 0; i < kStepsASequence; ++i) {
      const std::string what = step();
      if (!what.empty()) return "step " + std::to_string(i) + ": " + what + " (\"" + fg_last_error() + "\")";
    }
    return {};
  }

 private:
  fg_handle_t handle() {
    null_ = random_.one_in(40);
    return null_ ? nullptr : owner_.get();
  }

  // A null handle decides before everything else.
  std::string expect(const char* call, fg_status_t status, fg_status_t right) const {
    if (null_) right = FG_STATUS_NOT_INITIALIZED;
    if (status != right) return std::string(call) + " answers " + fg_status_name(status);
    return (status == FG_STATUS_SUCCESS) == (*fg_last_error() == '\0') ? "" : std::string(call) + " has no fit text";
  }

  // A setter of a number that is right within [0, most].
  template <class Set>
  std::string set_number(const char* call, Set set, int most, int* model) {
    const int value = random_.pick(kEdges);
    const bool valid = value >= 0 && value <= most;
    const fg_status_t status = set(handle(), value);
    if (valid && !null_) *model = value;
    return expect(call, status, valid ? FG_STATUS_SUCCESS : FG_STATUS_INVALID_VALUE);
  }

  // A getter, sometimes with nowhere to put the value.
  template <class Value, class Get>
  std::string get_value(const char* call, Get get, Value right) {
    const bool nowhere = random_.one_in(10);
    Value value{};
    const fg_status_t status = get(handle(), nowhere ? nullptr : &value);
    if (status == FG_STATUS_SUCCESS && std::memcmp(&value, &right, sizeof value) != 0) return std::string(call) + " value";
    return expect(call, status, nowhere ? FG_STATUS_INVALID_VALUE : FG_STATUS_SUCCESS);
  }

  std::string set_workspace() {
    const std::uintptr_t address = random_.pick({0u, 0u, 256u, 512u, 1u, 255u, 257u, 128u});
    const std::size_t bytes = random_.pick({std::size_t{0}, std::size_t{1}, std::numeric_limits<std::size_t>::max()});
    const bool valid = address % 256 == 0 && (address != 0 || bytes == 0);
    return expect("fg_set_workspace", fg_set_workspace(handle(), reinterpret_cast<void*>(address), bytes),
                  valid ? FG_STATUS_SUCCESS : FG_STATUS_INVALID_VALUE);
  }

  std::string set_stream() {
    const auto stream = reinterpret_cast<fg_stream_t>(std::uintptr_t{16} * random_.below(5));
    const fg_status_t status = fg_set_stream(handle(), stream);
    if (!null_) model_.stream = stream;
    return expect("fg_set_stream", status, FG_STATUS_SUCCESS);
  }

  std::string set_kernel() {
    const char* const name = random_.pick({static_cast<const char*>(nullptr), "", "cublas", "no_such_kernel"});
    const bool free_choice = name == nullptr || *name == '\0';
    const fg_status_t right = free_choice                       ? FG_STATUS_SUCCESS
                              : std::strcmp(name, "cublas") == 0 ? FG_STATUS_NOT_SUPPORTED
                                                                 : FG_STATUS_INVALID_VALUE;
    return expect("fg_set_kernel", fg_set_kernel(handle(), name), right);
  }

  std::string ask_kernel() {
    const char* const name = random_.pick({static_cast<const char*>(nullptr), "", "cublas", "no_such_kernel"});
    int available = -1;
    const bool nowhere = random_.one_in(10);
    const bool known = name != nullptr && std::strcmp(name, "cublas") == 0 && !nowhere;
    const fg_status_t status = fg_get_kernel_available(handle(), name, nowhere ? nullptr : &available);
    if (status == FG_STATUS_SUCCESS && available != 0) return "fg_get_kernel_available value";
    return expect("fg_get_kernel_available", status, known ? FG_STATUS_SUCCESS : FG_STATUS_INVALID_VALUE);
  }

  std::string names() {
    const int value = random_.pick(kEdges);
    if (fg_status_name(enum_of<fg_status_t>(value)) == nullptr) return "fg_status_name";
    if (fg_status_string(enum_of<fg_status_t>(value)) == nullptr) return "fg_status_string";
    if (value < 0 && fg_kernel_name(value) != nullptr) return "fg_kernel_name";
    return {};
  }

  std::string step() {
    const auto pointer_mode = [](fg_handle_t h, int v) { return fg_set_pointer_mode(h, enum_of<fg_pointer_mode_t>(v)); };
    const auto math_mode = [](fg_handle_t h, int v) { return fg_set_math_mode(h, enum_of<fg_math_mode_t>(v)); };
    switch (random_.below(13)) {
      case 0: return set_number("fg_set_pointer_mode", pointer_mode, 1, &model_.pointer_mode);
      case 1: return set_number("fg_set_math_mode", math_mode, 3, &model_.math_mode);
      case 2: return set_number("fg_set_sm_count_target", fg_set_sm_count_target, 132, &model_.sm_count);
      case 3: return set_stream();
      case 4: return set_workspace();
      case 5: return set_kernel();
      case 6: return ask_kernel();
      case 7: return names();
      case 8: return get_value("fg_get_stream", fg_get_stream, model_.stream);
      case 9: return get_value("fg_get_pointer_mode", fg_get_pointer_mode, enum_of<fg_pointer_mode_t>(model_.pointer_mode));
      case 10: return get_value("fg_get_math_mode", fg_get_math_mode, enum_of<fg_math_mode_t>(model_.math_mode));
      case 11: return get_value("fg_get_sm_count_target", fg_get_sm_count_target, model_.sm_count);
      default: return fg_get_version(nullptr) == FG_STATUS_INVALID_VALUE ? "" : "fg_get_version";
    }
  }

  CounterRandom random_;
  std::unique_ptr<fg_handle> owner_;
  Model model_;
  bool null_ = false;
};

}  // namespace

TEST_CASE("a handle remembers what it was last set to, whatever else was tried", "[settings]") {
  for (int number = 0; number < kSequences; ++number) {
    INFO("sequence " << number);
    CHECK(Sequence(static_cast<std::uint64_t>(number)).run() == "");
  }
}
