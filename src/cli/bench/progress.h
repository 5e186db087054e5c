// One line on a terminal that says what runs now. Nothing is written where stderr is no terminal.
#pragma once

#include <string>

namespace fastgemm::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace fastgemm::cli
