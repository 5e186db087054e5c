#include <sys/wait.h>
#include <unistd.h>

#include <climits>

#include "tests/gpu/support.h"

namespace fastgemm::gpu_tests {

int run_child(const std::string& arguments) {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return -1;
  std::string folder(path);
  folder.resize(folder.rfind('/'));
  // A hang is a failure too: timeout answers 124.
  const std::string command = "env FG_CHILD=1 timeout 120 env " + arguments;
  const std::size_t mode = command.rfind(' ');
  const int status =
      std::system((command.substr(0, mode) + " '" + folder + "/fg_gpu_child'" + command.substr(mode)).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace fastgemm::gpu_tests
