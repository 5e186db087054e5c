// A plain array per thread: a std::string would already be destroyed when a static destructor calls fg_destroy.
#include "src/base/last_error.h"

#include <cstring>

namespace fastgemm {
namespace {

constexpr std::size_t kCapacity = 2048;  // room for a list of all kernel names
thread_local char stored_text[kCapacity];

}  // namespace

void set_last_error(std::string_view text) {
  const std::size_t length = text.size() < kCapacity ? text.size() : kCapacity - 1;
  if (length != 0) std::memmove(stored_text, text.data(), length);  // an empty view may have no address
  stored_text[length] = '\0';
}

const char* last_error() { return stored_text; }

}  // namespace fastgemm
