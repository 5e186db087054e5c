#include "src/cli/bench/progress.h"

#include <unistd.h>

#include <cstdio>

namespace fastgemm::cli {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r%s\033[K", text.c_str());  // the escape sequence erases the rest of the line
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace fastgemm::cli
