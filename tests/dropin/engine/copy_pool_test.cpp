// The copy pool: rectangles arrive whole and alone, with any number of threads.
#include "src/dropin/engine/copy_pool.h"

#include <deque>
#include <vector>

#include "tests/dropin/engine/shared_pool.h"
#include "tests/support/catch.h"

using namespace fastgemm::dropin;

namespace {

constexpr float kOutside = -1.0f;

struct Copy {
  Copy(std::int64_t rows, std::int64_t columns, std::int64_t to_ld, std::int64_t from_ld)
      : to(static_cast<std::size_t>(to_ld * columns), kOutside), from(static_cast<std::size_t>(from_ld * columns)) {
    for (std::size_t index = 0; index < from.size(); ++index) from[index] = static_cast<float>(index);
    rect = {to.data(), to_ld, from.data(), from_ld, rows, columns};
  }
  bool right() const {
    for (std::int64_t j = 0; j < rect.columns; ++j) {
      for (std::int64_t i = 0; i < rect.to_ld; ++i) {
        const float expected = i < rect.rows ? static_cast<float>(i + j * rect.from_ld) : kOutside;
        if (to[static_cast<std::size_t>(i + j * rect.to_ld)] != expected) return false;
      }
    }
    return true;
  }
  std::vector<float> to, from;
  CopyRect rect;
  std::atomic<bool> done{false};
};

}  // namespace

TEST_CASE("A rectangle is copied without its gaps", "[copy_pool]") {
  for (const std::int64_t to_gap : {0, 3}) {
    for (const std::int64_t from_gap : {0, 5}) {
      Copy copy(17, 9, 17 + to_gap, 17 + from_gap);
      copy_rect(copy.rect);
      CHECK(copy.right());
    }
  }
}

// Columns start anywhere in a line of the cache, and end anywhere.
TEST_CASE("Columns of any length from and to any address are copied", "[copy_pool]") {
  const bool past_cache = GENERATE(false, true);
  int wrong = 0;
  for (std::int64_t rows = 1; rows <= 70; ++rows) {
    for (std::int64_t start = 0; start < 16; ++start) {
      Copy copy(rows + start, 3, 16 + 70 + 1, 16 + 70 + 2);
      copy.rect.to += start;
      copy.rect.from += (start * 7) % 16;
      copy.rect.rows = rows;
      copy.rect.past_cache = past_cache;
      copy_rect(copy.rect);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(copy.to.size()); ++i) {
        const std::int64_t row = i % copy.rect.to_ld - start, column = i / copy.rect.to_ld;
        const bool inside = row >= 0 && row < rows;
        const float expected =
            inside ? static_cast<float>((start * 7) % 16 + row + column * copy.rect.from_ld) : kOutside;
        if (copy.to[static_cast<std::size_t>(i)] != expected) ++wrong;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Without threads the caller's help does all", "[copy_pool]") {
  CopyPool pool;
  Copy first(5, 5, 6, 7), second(8, 2, 8, 8);
  CHECK_FALSE(pool.help());
  pool.submit(first.rect, &first.done);
  pool.submit(second.rect, &second.done);
  CHECK_FALSE(first.done);
  CHECK(pool.help());
  CHECK(first.done);
  CHECK_FALSE(second.done);
  CHECK(pool.help());
  CHECK_FALSE(pool.help());
  CHECK(first.right());
  CHECK(second.right());
}

TEST_CASE("More copies than the queue holds are done at once", "[copy_pool]") {
  CopyPool pool;
  std::deque<Copy> copies;
  int done = 0;
  for (int index = 0; index < 1500; ++index) {
    Copy& copy = copies.emplace_back(3, 2, 4, 5);
    pool.submit(copy.rect, &copy.done);
    done += copy.done ? 1 : 0;
  }
  CHECK(done == 1500 - 1024);
  while (pool.help()) {
  }
  for (const Copy& copy : copies) REQUIRE((copy.done && copy.right()));
}

TEST_CASE("Threads copy while a product runs, and wake up again", "[copy_pool]") {
  CopyPool& pool = shared_pool();
  for (int round = 0; round < 20; ++round) {
    std::deque<Copy> copies;
    const CopyPool::Busy awake(pool);
    for (int index = 0; index < 50; ++index) {
      Copy& copy = copies.emplace_back(100 + index, 20, 300, 200);
      pool.submit(copy.rect, &copy.done);
    }
    for (const Copy& copy : copies) {
      while (!copy.done) spin_pause();  // without help
      REQUIRE(copy.right());
    }
  }
}

TEST_CASE("At least one CPU may be used", "[copy_pool]") { CHECK(usable_cpus() >= 1); }
