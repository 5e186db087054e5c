// Threads that copy between a program's pageable memory and the pinned ring: one thread reaches a fifth of a link's
// speed (10.6 of 55 GB/s beside an H200).
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "src/dropin/engine/gpu_runtime.h"

namespace fastgemm::dropin {

// Copies a rectangle of host memory, and nothing between its columns.
void copy_rect(const CopyRect& rect);

// CPUs that this process may use: its affinity mask, and the CPU quota of its control group.
int usable_cpus();

// For a few instructions at a time. Threads that find a std::mutex taken go to sleep in the kernel, and the pool's all
// come at once when there is work.
class SpinLock {
 public:
  void lock();
  bool try_lock() { return !taken_.test_and_set(std::memory_order_acquire); }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

class CopyPool {
 public:
  CopyPool() = default;
  CopyPool(const CopyPool&) = delete;
  CopyPool& operator=(const CopyPool&) = delete;

  // Starts threads up to `count` in all; with fewer than asked for where the system refuses. They never end: a pool
  // lives as long as its process.
  void grow(int count);
  int threads() const { return started_.load(std::memory_order_relaxed); }
  // How many of them take part from now on.
  void use(int count) { used_.store(count, std::memory_order_relaxed); }

  // Sets *done once the rectangle is copied. Copies at once where the queue is full.
  void submit(const CopyRect& rect, std::atomic<bool>* done);
  // The calling thread copies one rectangle that waits; false where none does, or another thread is at the queue.
  bool help();

  // While one of these lives, threads look for work without sleeping.
  class Busy {
   public:
    explicit Busy(CopyPool& pool);
    ~Busy();
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    CopyPool& pool_;
  };

 private:
  struct Task {
    CopyRect rect;
    std::atomic<bool>* done = nullptr;
  };

  static void* thread_main(void* argument);
  void work(int index);
  bool take(Task* task);

  static constexpr unsigned kCapacity = 1024;

  SpinLock lock_;
  std::array<Task, kCapacity> queue_;  // guarded by lock_
  unsigned head_ = 0;                  // of the queue, guarded by lock_
  std::atomic<unsigned> waiting_{0};   // tasks in it: looked at before the lock is taken

  std::mutex sleep_mutex_;
  std::condition_variable wake_;
  std::atomic<int> busy_{0};
  std::atomic<int> started_{0};
  std::atomic<int> used_{0};
};

// A pause in a loop that waits for another thread: gives the CPU away when there are few of them.
void spin_pause();

}  // namespace fastgemm::dropin
