// The FASTGEMM_* environment variables, read once.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastgemm {

enum class LogLevel { kOff, kError, kInfo, kTrace };

// FASTGEMM_DROPIN. kUnset: the host BLAS names act where the library was preloaded.
enum class DropinMode { kUnset, kOff, kOn, kVerify };

// What FASTGEMM_MATH takes and the log shows, in the order of MathMode.
inline constexpr std::array<std::string_view, 4> kMathModeNames = {"default", "fp32_sequential", "fp32_tensor", "tf32"};

struct Environment {
  std::string kernel;                                     // FASTGEMM_KERNEL: force one kernel, or "cublas"
  std::string cublas;                                     // FASTGEMM_CUBLAS: file name of libcublas
  std::string math;                                       // FASTGEMM_MATH: one of kMathModeNames; empty: not set
  std::size_t workspace_bytes = std::size_t{32} << 20;    // FASTGEMM_WORKSPACE_MB
  LogLevel log = LogLevel::kOff;                          // FASTGEMM_LOG
  std::string log_file;                                   // FASTGEMM_LOG_FILE; empty: stderr
  DropinMode dropin = DropinMode::kUnset;                 // FASTGEMM_DROPIN
  std::string host_blas;                                  // FASTGEMM_HOST_BLAS: file name of a BLAS to forward to
  bool stats = false;                                     // FASTGEMM_STATS: print the drop-in's counters at exit
  std::vector<int> devices;                               // FASTGEMM_DEVICES: for the drop-in; empty: not set, or "all"
  bool all_devices = false;                               // FASTGEMM_DEVICES is "all"
  double min_speedup = 1.25;                              // FASTGEMM_MIN_SPEEDUP: over the host, to leave it
  int pblas_nb = 0;                                       // FASTGEMM_PBLAS_NB: ScaLAPACK's panel width; 0: its own
};

// The process's environment as it was at the first call. A value that cannot be read is reported once at log level
// error and the default stands.
const Environment& environment();

// Value of a variable, or null where it is not set.
using VariableSource = const char* (*)(const char* name);

// What environment() does, from any source: each value that cannot be read adds a line to *complaints.
Environment parse_environment(VariableSource source, std::vector<std::string>* complaints);

}  // namespace fastgemm
