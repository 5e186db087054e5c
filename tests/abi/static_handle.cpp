// Handles that are made and destroyed around main: in static objects, in atexit handlers, in thread-local objects.
#include <cstdlib>
#include <thread>

#include "fastgemm/fastgemm.h"

namespace {

struct StaticHandle {
  fg_handle_t handle = nullptr;
  StaticHandle() { fg_create(&handle); }
  ~StaticHandle() {
    fg_destroy(handle);
    if (fg_last_error() == nullptr) std::_Exit(9);
  }
};

StaticHandle before_main;
thread_local StaticHandle of_thread;

void at_exit() {
  static fg_handle_t late = nullptr;
  fg_create(&late);
  fg_destroy(late);
}

}  // namespace

int main() {
  std::atexit(at_exit);
  if (of_thread.handle != nullptr && fg_set_stream(of_thread.handle, nullptr) != FG_STATUS_SUCCESS) return 1;
  std::thread([] { (void)of_thread.handle; }).join();
  return 0;
}
