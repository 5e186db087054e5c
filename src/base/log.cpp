// Writing of log lines: one write(2) each, so that lines of several threads and processes do not mix.
#include "src/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace fastgemm {
namespace {

void write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a log that cannot be written must not disturb the program
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

int open_log(const std::string& name) {
  if (name.empty()) return STDERR_FILENO;
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file >= 0) return file;
  const std::string reason = strerror(errno);
  write_whole(STDERR_FILENO, "fastgemm: error: cannot open FASTGEMM_LOG_FILE = \"" + name + "\": " + reason + "\n");
  return STDERR_FILENO;
}

// Opened at the first line; with no lock, as environment() is.
int log_file(const std::string& name) {
  constexpr int kNone = -1;
  static constinit std::atomic<int> known = kNone;
  int file = known.load(std::memory_order_acquire);
  if (file != kNone) return file;
  const int opened = open_log(name);
  if (known.compare_exchange_strong(file, opened, std::memory_order_acq_rel)) return opened;
  if (opened != STDERR_FILENO) close(opened);
  return file;
}

std::string_view level_word(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "error: ";
    case LogLevel::kInfo: return "info: ";
    default: return "";
  }
}

}  // namespace

bool log_enabled(LogLevel level) { return level <= environment().log; }

void log_line(LogLevel level, std::string_view text) {
  if (log_enabled(level)) log_line_to(environment(), level, text);
}

void log_line_to(const Environment& settings, LogLevel level, std::string_view text) {
  if (level > settings.log) return;
  const int saved_errno = errno;
  const int file = log_file(settings.log_file);
  std::string line = "fastgemm: ";
  line += level_word(level);
  line += text;
  line += '\n';
  write_whole(file, line);
  errno = saved_errno;
}

}  // namespace fastgemm
