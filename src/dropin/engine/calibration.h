// What one GPU and its host can do, measured once and kept in the user's cache folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastgemm::dropin {

struct Calibration {
  double in_bytes_per_s = 0;    // from pageable memory to the device
  double out_bytes_per_s = 0;   // and back
  double flops_per_s = 0;       // of a product that fills the GPU
  double latency_s = 0;         // of a product whose copies and flops take no time
  int copy_threads = 0;         // with which products are about fastest
  int sm_count = 1;
};

// What a calibration holds for. A file for anything else is not used.
struct CalibrationKey {
  std::string gpu;
  int cpus = 1;
  std::string math;
};

// Rates of a middling machine, for the decision whether measuring is worth its time.
Calibration assumed_calibration();

// A file's text, and back: false for any other text, a damaged or an old one, or one for another key. Times are seconds
// since 1970.
std::string format_calibration(const Calibration& calibration, const CalibrationKey& key, std::int64_t now);
bool parse_calibration(std::string_view text, const CalibrationKey& key, std::int64_t now, Calibration* calibration);

// $XDG_CACHE_HOME/fastgemm or $HOME/.cache/fastgemm; empty where neither is an absolute path.
std::string cache_folder(const char* xdg_cache_home, const char* home);

// False where there is no (good) file. Storing replaces a file in one step; where that is not possible the next process
// measures again.
bool load_calibration(const std::string& folder, const CalibrationKey& key, Calibration* calibration);
void store_calibration(const std::string& folder, const CalibrationKey& key, const Calibration& calibration);

// The turn of one process of several that would measure a GPU at once, as MPI's ranks do, and find it slow. Waiting for
// it takes a few seconds at most: then, and where there is no folder, it is taken all the same.
class CalibrationTurn {
 public:
  CalibrationTurn(const std::string& folder, const CalibrationKey& key);
  ~CalibrationTurn();
  CalibrationTurn(const CalibrationTurn&) = delete;
  CalibrationTurn& operator=(const CalibrationTurn&) = delete;

 private:
  int file_ = -1;
};

}  // namespace fastgemm::dropin
