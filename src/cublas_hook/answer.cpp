#include "src/cublas_hook/answer.h"

#include <string>

#include "src/base/environment.h"
#include "src/base/log.h"

namespace fastgemm::hook {

constinit thread_local bool InsideScope::inside_ = false;

bool acts() { return environment().dropin != DropinMode::kOff; }

void note_call(Entry entry, bool offered, bool served) {
  count_call(entry, served);
  if (!log_enabled(LogLevel::kTrace)) return;
  const char* const not_served = offered ? " passed on: no kernel of ours is expected to be faster"
                                         : " passed on: its types, modes or descriptor are not ours";
  log_line(LogLevel::kTrace, std::string("cublas: ") + kEntryNames[entry] + (served ? " served" : not_served));
}

}  // namespace fastgemm::hook
