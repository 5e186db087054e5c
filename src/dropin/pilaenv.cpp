// pilaenv_, by which ScaLAPACK's PBLAS asks for the width of the panels that it cuts local products into: their k. Its
// own answer, 32, is never worth a GPU. All ranks must answer the same; FASTGEMM_PBLAS_NB sees to that, as mpirun hands
// the same environment to all.
#include <cstdint>

#include "src/base/environment.h"
#include "src/dropin/resolve.h"
#include "src/dropin/role.h"

namespace {

constexpr int kScalapacksOwn = 32;

bool single_precision(const char* precision) { return *precision == 'S' || *precision == 's'; }

}  // namespace

// A whole register: callers of 32-bit integers look at its lower half.
extern "C" __attribute__((visibility("default"))) std::int64_t pilaenv_(const void* context, const char* precision);

extern "C" std::int64_t pilaenv_(const void* context, const char* precision) {
  using namespace fastgemm::dropin;
  const int width = fastgemm::environment().pblas_nb;
  const bool active = role() == Role::kOn || role() == Role::kVerify;
  if (active && width > 0 && single_precision(precision)) return width;
  void* next = next_function("pilaenv_", __builtin_return_address(0));
  if (next == nullptr) return kScalapacksOwn;
  return reinterpret_cast<std::int64_t (*)(const void*, const char*)>(next)(context, precision);
}
