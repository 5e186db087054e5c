// A thread that runs one job after another: what a device does, it does there, so that the program's own threads keep
// their current device, their CUDA errors and their stream captures.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace fastgemm::dropin {

class Job {
 public:
  virtual void run() noexcept = 0;
  bool done() const { return done_.load(std::memory_order_acquire); }

 protected:
  ~Job() = default;

 private:
  friend class DeviceThread;
  Job* next_ = nullptr;
  std::atomic<bool> done_{false};
};

class DeviceThread {
 public:
  DeviceThread() = default;
  // Ends the thread after the jobs that wait. Only where nothing else is left to use it.
  ~DeviceThread();
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;

  // False where the system has no thread to give.
  bool start();
  // The job must live until it is done; the thread does not touch it any more then.
  void post(Job& job);
  int jobs() const { return jobs_.load(std::memory_order_relaxed); }  // waiting and running

 private:
  static void* thread_main(void* argument);
  void work();
  Job* next();

  pthread_t thread_{};
  bool started_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  Job* first_ = nullptr;
  Job* last_ = nullptr;
  bool ends_ = false;
  std::atomic<int> jobs_{0};
};

// Makes a thread that no signal handler of the program runs on. False where the system refuses.
bool make_quiet_thread(void* (*body)(void*), void* argument, bool detached, pthread_t* thread);

}  // namespace fastgemm::dropin
