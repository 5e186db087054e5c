#include "src/dropin/engine/device_thread.h"

#include <sched.h>
#include <signal.h>

#include <chrono>

namespace fastgemm::dropin {

namespace {

// As in the copy pool: sleeping and waking cost more than the smallest products that are offloaded.
constexpr std::chrono::microseconds kSpinAfterWork{200};

}  // namespace

bool make_quiet_thread(void* (*body)(void*), void* argument, bool detached, pthread_t* thread) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  const bool made = pthread_create(thread, nullptr, body, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  if (made && detached) pthread_detach(*thread);
  return made;
}

DeviceThread::~DeviceThread() {
  if (!started_) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  pthread_join(thread_, nullptr);
}

bool DeviceThread::start() {
  started_ = make_quiet_thread(thread_main, this, false, &thread_);
  return started_;
}

void DeviceThread::post(Job& job) {
  ++jobs_;
  {
    const std::lock_guard lock(mutex_);
    (first_ == nullptr ? first_ : last_->next_) = &job;
    last_ = &job;
  }
  wake_.notify_one();
}

void* DeviceThread::thread_main(void* argument) {
  static_cast<DeviceThread*>(argument)->work();
  return nullptr;
}

Job* DeviceThread::next() {
  using Clock = std::chrono::steady_clock;
  for (const Clock::time_point start = Clock::now(); Clock::now() - start < kSpinAfterWork && jobs_ == 0;) {
    sched_yield();
  }
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return first_ != nullptr || ends_; });
  Job* const job = first_;
  if (job != nullptr) first_ = job->next_;
  return job;
}

void DeviceThread::work() {
  while (Job* const job = next()) {
    job->run();
    --jobs_;
    job->done_.store(true, std::memory_order_release);
  }
}

}  // namespace fastgemm::dropin
