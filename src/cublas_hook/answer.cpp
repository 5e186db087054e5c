#include "src/cublas_hook/answer.h"

#include "src/base/environment.h"

namespace fastgemm::hook {

constinit thread_local bool InsideScope::inside_ = false;

bool acts() {
  static const bool wanted = environment().dropin != DropinMode::kOff;
  return wanted;
}

}  // namespace fastgemm::hook
