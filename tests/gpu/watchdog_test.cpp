#include "tests/gpu/watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"

using namespace fastgemm::gpu_tests;
using namespace std::chrono_literals;

namespace {

// Exit code of a child that works for some turns under a watchdog, and stops ticking after `ticks` of them.
int exit_code(int turns, int ticks) {
  const pid_t child = fork();
  if (child == 0) {
    {
      Watchdog watchdog(200ms, [] { return std::string("as this test asks"); });
      for (int turn = 0; turn < turns; ++turn) {
        std::this_thread::sleep_for(20ms);
        if (turn < ticks) watchdog.tick();
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("the watchdog ends what does not move, and nothing else", "[verify]") {
  CHECK(exit_code(2, 2) == 0);
  CHECK(exit_code(40, 40) == 0);  // longer than its limit, but moving
  CHECK(exit_code(100, 2) == 3);
}
