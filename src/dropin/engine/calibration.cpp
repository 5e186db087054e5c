// The file: a line that says what it is, one "name value" a line, and a checksum of all before.
#include "src/dropin/engine/calibration.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "fastgemm/fastgemm.h"

namespace fastgemm::dropin {

namespace {

constexpr std::string_view kFormat = "fastgemm-calibration 2";
constexpr std::int64_t kMaxAgeSeconds = 90 * 86400;  // drivers and machines change
constexpr std::size_t kMaxFileBytes = 4096;

std::uint64_t checksum(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// std::to_chars and from_chars, since a program's locale may write decimals with a comma.
std::string number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "0";
}

// Takes "name value\n" off the front of *text.
bool take(std::string_view* text, std::string_view name, std::string_view* value) {
  if (!text->starts_with(name) || text->size() <= name.size() || (*text)[name.size()] != ' ') return false;
  const std::size_t end = text->find('\n');
  if (end == std::string_view::npos) return false;
  *value = text->substr(name.size() + 1, end - name.size() - 1);
  text->remove_prefix(end + 1);
  return true;
}

template <class Number>
bool take_number(std::string_view* text, std::string_view name, Number* result) {
  std::string_view value;
  if (!take(text, name, &value)) return false;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *result);
  return error == std::errc() && end == value.data() + value.size();
}

bool take_exactly(std::string_view* text, std::string_view name, std::string_view expected) {
  std::string_view value;
  return take(text, name, &value) && value == expected;
}

bool plausible(const Calibration& c) {
  for (const double rate : {c.in_bytes_per_s, c.out_bytes_per_s, c.flops_per_s, c.latency_s}) {
    if (!(std::isfinite(rate) && rate > 0)) return false;
  }
  return c.copy_threads >= 0 && c.sm_count > 0;
}

std::string gpu_name(const std::string& folder, const CalibrationKey& key) {
  std::string name;
  for (const char c : key.gpu) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return folder + "/offload-" + name;
}

std::string file_name(const std::string& folder, const CalibrationKey& key) {
  return gpu_name(folder, key) + "-" + std::to_string(key.cpus) + "-" + key.math;
}

// Each missing folder of an absolute path.
void make_folders(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    mkdir(folder.substr(0, slash).c_str(), 0777);
  }
  mkdir(folder.c_str(), 0777);
}

}  // namespace

Calibration assumed_calibration() {
  return {.in_bytes_per_s = 12e9, .out_bytes_per_s = 12e9, .flops_per_s = 10e12, .latency_s = 50e-6,
          .copy_threads = 4, .sm_count = 80};
}

std::string format_calibration(const Calibration& c, const CalibrationKey& key, std::int64_t now) {
  std::string text(kFormat);
  text += "\nversion " + std::to_string(FG_VERSION) + "\ngpu " + key.gpu + "\ncpus " + std::to_string(key.cpus) +
          "\nmath " + key.math + "\nmade " + std::to_string(now) + "\nin " + number(c.in_bytes_per_s) + "\nout " +
          number(c.out_bytes_per_s) + "\nflops " + number(c.flops_per_s) + "\nlatency " + number(c.latency_s) +
          "\nthreads " + std::to_string(c.copy_threads) + "\nsms " + std::to_string(c.sm_count) + "\n";
  return text + "checksum " + hex(checksum(text)) + "\n";
}

bool parse_calibration(std::string_view text, const CalibrationKey& key, std::int64_t now, Calibration* calibration) {
  const std::string_view whole = text;
  if (!text.starts_with(std::string(kFormat) + "\n")) return false;
  text.remove_prefix(kFormat.size() + 1);
  Calibration found;
  std::int64_t made = 0;
  const bool read = take_exactly(&text, "version", std::to_string(FG_VERSION)) && take_exactly(&text, "gpu", key.gpu) &&
                    take_exactly(&text, "cpus", std::to_string(key.cpus)) && take_exactly(&text, "math", key.math) &&
                    take_number(&text, "made", &made) && take_number(&text, "in", &found.in_bytes_per_s) &&
                    take_number(&text, "out", &found.out_bytes_per_s) &&
                    take_number(&text, "flops", &found.flops_per_s) &&
                    take_number(&text, "latency", &found.latency_s) &&
                    take_number(&text, "threads", &found.copy_threads) && take_number(&text, "sms", &found.sm_count);
  const std::string sum = hex(checksum(whole.substr(0, whole.size() - text.size())));
  if (!read || !take_exactly(&text, "checksum", sum) || !text.empty()) return false;
  if (made > now || now - made > kMaxAgeSeconds || !plausible(found)) return false;
  *calibration = found;
  return true;
}

std::string cache_folder(const char* xdg_cache_home, const char* home) {
  if (xdg_cache_home != nullptr && xdg_cache_home[0] == '/') return std::string(xdg_cache_home) + "/fastgemm";
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/fastgemm";
  return {};
}

bool load_calibration(const std::string& folder, const CalibrationKey& key, Calibration* calibration) {
  if (folder.empty()) return false;
  // Whatever lies under that name: a pipe must not hold the program up.
  const int file = open(file_name(folder, key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  std::string text(kMaxFileBytes, '\0');
  const ssize_t bytes = read(file, text.data(), text.size());
  close(file);
  if (bytes <= 0) return false;
  text.resize(static_cast<std::size_t>(bytes));
  return parse_calibration(text, key, std::time(nullptr), calibration);
}

void store_calibration(const std::string& folder, const CalibrationKey& key, const Calibration& calibration) {
  if (folder.empty()) return;
  make_folders(folder);
  const std::string name = file_name(folder, key);
  std::string temporary = name + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return;
  const std::string text = format_calibration(calibration, key, std::time(nullptr));
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = close(file) == 0;
  if (!written || !closed || rename(temporary.c_str(), name.c_str()) != 0) unlink(temporary.c_str());
}

CalibrationTurn::CalibrationTurn(const std::string& folder, const CalibrationKey& key) {
  constexpr int kLongestMs = 5000, kPauseMs = 10;
  if (folder.empty()) return;
  make_folders(folder);
  file_ = open((gpu_name(folder, key) + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  for (int waited_ms = 0; file_ >= 0 && waited_ms < kLongestMs; waited_ms += kPauseMs) {
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    const timespec pause = {0, kPauseMs * 1000000};
    nanosleep(&pause, nullptr);
  }
}

CalibrationTurn::~CalibrationTurn() {
  if (file_ < 0) return;
  flock(file_, LOCK_UN);  // a child of fork may hold the file open as well
  close(file_);
}

}  // namespace fastgemm::dropin
