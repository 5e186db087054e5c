// What programs do with the library, as lists of calls: each is run once undisturbed and then once for every fault.
#pragma once

#include <string>
#include <vector>

#include "fastgemm/fastgemm.h"

namespace fastgemm::test {

struct Session {
  fg_handle_t handle = nullptr;
};

struct Step {
  const char* name;
  fg_status_t (*run)(Session&);
  fg_status_t right = FG_STATUS_SUCCESS;  // what it answers undisturbed
};

struct Variable {
  const char* name;
  const char* value;
};

struct Scenario {
  const char* name;
  int compute_capability = 90;
  int device_count = 2;
  int program_device = 0;  // current before every step but the first
  std::vector<Variable> environment;
  std::size_t first_armed = 0;  // earlier steps are not disturbed
  std::vector<Step> steps;
};

const std::vector<Scenario>& scenarios();

}  // namespace fastgemm::test
