#include "tests/emulation/engine/inter_block.h"

#include "tests/emulation/engine/block.h"

namespace fastgemm::emulation {

namespace {

// So many equal reads of one word, with no other access between them, are a loop that waits for it to change.
constexpr int kReadsOfALoop = 4;

}  // namespace

InterBlockWords& inter_block_words() {
  static InterBlockWords words;
  return words;
}

std::uint32_t InterBlockWords::load_acquire(Thread& thread, const std::uint32_t* address) {
  constexpr const char* kOperation = "ld_acquire_gpu_u32";
  Block& block = *thread.block;
  block.yield(thread, kOperation);
  global_memory().check_strong(thread, address, false, kOperation);
  Word& word = words_[address];
  const bool again = thread.polled == address && thread.polled_value == *address;
  thread.polls = again ? thread.polls + 1 : 1;
  if (thread.polls >= kReadsOfALoop) {
    word.waiting.push_back(&thread);
    block.suspend(thread, kOperation);
    thread.polls = 0;
  }
  thread.polled = address;
  thread.polled_value = *address;
  block.acquire(thread, word.published);
  return *address;
}

void InterBlockWords::write(const Thread& thread, Word& word, std::uint32_t* address, std::uint32_t value,
                            const char* operation) {
  global_memory().check_strong(thread, address, true, operation);
  *address = value;
  for (Thread* waiting : word.waiting) waiting->block->make_ready(*waiting);
  word.waiting.clear();
}

void InterBlockWords::store_release(Thread& thread, std::uint32_t* address, std::uint32_t value) {
  constexpr const char* kOperation = "st_release_gpu_u32";
  thread.block->yield(thread, kOperation);
  Word& word = words_[address];
  write(thread, word, address, value, kOperation);
  word.published = thread.block->release(thread);
}

std::uint32_t InterBlockWords::add(Thread& thread, std::uint32_t* address, std::uint32_t value) {
  constexpr const char* kOperation = "atomic_add_gpu_u32";
  thread.block->yield(thread, kOperation);
  global_memory().check_strong(thread, address, false, kOperation);
  const std::uint32_t before = *address;
  Word& word = words_[address];
  write(thread, word, address, before + value, kOperation);
  thread.block->acquire(thread, word.published);
  word.published = join(word.published, thread.block->release(thread));  // an earlier release stays visible
  return before;
}

}  // namespace fastgemm::emulation
