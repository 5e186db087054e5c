// The queue of copies and the threads behind it.
#include "src/dropin/engine/copy_pool.h"

#include <emmintrin.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "src/dropin/engine/device_thread.h"

namespace fastgemm::dropin {

namespace {

// How long a thread looks for work after the last product before it sleeps: waking takes about 50 us, an eighth of a
// product of 1024.
constexpr std::chrono::microseconds kSpinAfterWork{200};

// Microseconds of CPU time a period of the control group allows, in CPUs; 0: no limit is known.
int quota_cpus() {
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == nullptr) return 0;
  long long quota = 0, period = 0;
  const int fields = std::fscanf(file, "%lld %lld", &quota, &period);  // "max 100000" gives none
  std::fclose(file);
  if (fields != 2 || quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::max(1LL, quota / period));
}

// memcpy with streaming stores, whole lines at a time.
void copy_past_cache(float* to, const float* from, std::size_t bytes) {
  constexpr std::size_t kVector = sizeof(__m128i), kParts = 4, kLine = kParts * kVector;
  auto* out = reinterpret_cast<char*>(to);
  const auto* in = reinterpret_cast<const char*>(from);
  const std::size_t head = std::min(bytes, (kLine - reinterpret_cast<std::uintptr_t>(out) % kLine) % kLine);
  std::memcpy(out, in, head);
  out += head;
  in += head;
  bytes -= head;
  for (; bytes >= kLine; bytes -= kLine, out += kLine, in += kLine) {
    __m128i line[kParts];
    for (std::size_t part = 0; part < kParts; ++part) {
      line[part] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + part * kVector));
    }
    for (std::size_t part = 0; part < kParts; ++part) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + part * kVector), line[part]);
    }
  }
  std::memcpy(out, in, bytes);
}

void copy_columns_past_cache(const CopyRect& rect) {
  const std::size_t bytes = static_cast<std::size_t>(rect.rows) * sizeof(float);
  for (std::int64_t column = 0; column < rect.columns; ++column) {
    copy_past_cache(rect.to + column * rect.to_ld, rect.from + column * rect.from_ld, bytes);
  }
  _mm_sfence();  // streaming stores pass by the release of the flag that says the copy is done
}

struct ThreadArgument {
  CopyPool* pool;
  int index;
};

}  // namespace

void spin_pause() { sched_yield(); }

void SpinLock::lock() {
  constexpr int kTries = 200;  // longer than its holder takes, unless that one has lost its CPU
  for (int tries = 0; !try_lock(); ++tries) {
    if (tries >= kTries) spin_pause();
  }
}

int usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  // A machine of more CPUs than the mask holds makes this fail; so many are enough.
  const int allowed = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : CPU_SETSIZE;
  const int quota = quota_cpus();
  return quota > 0 ? std::min(allowed, quota) : allowed;
}

void copy_rect(const CopyRect& rect) {
  if (rect.past_cache) return copy_columns_past_cache(rect);
  const std::size_t bytes = static_cast<std::size_t>(rect.rows) * sizeof(float);
  if (rect.to_ld == rect.rows && rect.from_ld == rect.rows) {
    std::memcpy(rect.to, rect.from, bytes * static_cast<std::size_t>(rect.columns));
    return;
  }
  for (std::int64_t column = 0; column < rect.columns; ++column) {
    std::memcpy(rect.to + column * rect.to_ld, rect.from + column * rect.from_ld, bytes);
  }
}

void CopyPool::grow(int count) {
  while (started_ < count) {
    auto argument = std::make_unique<ThreadArgument>(ThreadArgument{this, started_});
    pthread_t thread;
    if (!make_quiet_thread(thread_main, argument.get(), true, &thread)) return;
    argument.release();  // the thread's
    ++started_;
  }
}

void* CopyPool::thread_main(void* argument) {
  const std::unique_ptr<ThreadArgument> mine(static_cast<ThreadArgument*>(argument));
  mine->pool->work(mine->index);
  return nullptr;
}

void CopyPool::work(int index) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_work = Clock::now();
  for (;;) {
    if (index < used_.load(std::memory_order_relaxed)) {
      if (help()) {
        last_work = Clock::now();
        continue;
      }
      if (busy_.load(std::memory_order_relaxed) > 0 || Clock::now() - last_work < kSpinAfterWork) {
        spin_pause();
        continue;
      }
    }
    std::unique_lock lock(sleep_mutex_);
    wake_.wait(lock, [&] { return busy_ > 0 && index < used_; });
    last_work = Clock::now();
  }
}

bool CopyPool::take(Task* task) {
  if (waiting_.load(std::memory_order_acquire) == 0) return false;
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock.owns_lock() || waiting_ == 0) return false;
  *task = queue_[head_ % kCapacity];
  ++head_;
  --waiting_;
  return true;
}

bool CopyPool::help() {
  Task task;
  if (!take(&task)) return false;
  copy_rect(task.rect);
  task.done->store(true, std::memory_order_release);
  return true;
}

void CopyPool::submit(const CopyRect& rect, std::atomic<bool>* done) {
  {
    const std::lock_guard lock(lock_);
    if (waiting_ < kCapacity) {
      queue_[(head_ + waiting_) % kCapacity] = {rect, done};
      ++waiting_;
      return;
    }
  }
  copy_rect(rect);
  done->store(true, std::memory_order_release);
}

CopyPool::Busy::Busy(CopyPool& pool) : pool_(pool) {
  {
    const std::lock_guard lock(pool_.sleep_mutex_);  // or a thread that is about to sleep would miss it
    ++pool_.busy_;
  }
  pool_.wake_.notify_all();
}

CopyPool::Busy::~Busy() { --pool_.busy_; }

}  // namespace fastgemm::dropin
