// What is kept of call sites is found again and nothing else is, in tables that are small enough to run full.
#include "src/base/call_sites.h"

#include <array>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace fastgemm;

namespace {

const void* address(std::uintptr_t at) { return reinterpret_cast<const void*>(at); }

}  // namespace

TEST_CASE("a call site is an entry and an address", "[call_sites]") {
  static CallSites<int, 6> sites;
  const int first = 1, second = 2, third = 3;
  CHECK(sites.find(0, address(0x1000)) == nullptr);
  sites.keep(0, address(0x1000), first);
  sites.keep(31, address(0x1000), second);
  sites.keep(0, address(0x01ff'ffff'ffff'ffff), third);  // 57 bits
  CHECK(sites.find(0, address(0x1000)) == &first);
  CHECK(sites.find(31, address(0x1000)) == &second);
  CHECK(sites.find(0, address(0x01ff'ffff'ffff'ffff)) == &third);
  CHECK(sites.find(1, address(0x1000)) == nullptr);
  CHECK(sites.find(0, address(0x1001)) == nullptr);
  sites.keep(0, address(0x1000), second);
  CHECK(sites.find(0, address(0x1000)) == &first);
}

TEST_CASE("a full table keeps what it has", "[call_sites]") {
  static CallSites<std::uintptr_t, 3> sites;
  std::vector<std::uintptr_t> values(100);
  int found = 0, wrong = 0;
  for (std::uintptr_t i = 0; i < values.size(); ++i) sites.keep(7, address(0x4000 + 4 * i), values[i] = i);
  for (std::uintptr_t i = 0; i < values.size(); ++i) {
    const std::uintptr_t* const value = sites.find(7, address(0x4000 + 4 * i));
    if (value != nullptr) ++found;
    if (value != nullptr && *value != i) ++wrong;
  }
  CHECK(found == 8);  // every slot
  CHECK(wrong == 0);
}

TEST_CASE("a growing list leaves its values where they are", "[call_sites]") {
  static GrowingList<int> list;
  CHECK(list.find([](int) { return true; }) == nullptr);
  const int& one = list.add(1);
  const int& two = list.add(2);
  CHECK(list.find([](int value) { return value == 1; }) == &one);
  CHECK(list.find([](int value) { return value == 2; }) == &two);
  CHECK(list.find([](int value) { return value == 3; }) == nullptr);
}

TEST_CASE("threads agree on what is kept", "[call_sites]") {
  constexpr int kThreads = 8, kSites = 600;
  static CallSites<int, 10> sites;
  static GrowingList<int> values;
  std::array<int, kThreads> wrong{};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&count = wrong[static_cast<std::size_t>(thread)]] {
      for (int site = 0; site < kSites; ++site) {
        const void* const at = address(0x10'0000 + 5 * static_cast<std::uintptr_t>(site));
        const int* value = sites.find(3, at);
        if (value == nullptr) sites.keep(3, at, *(value = &values.add(site)));
        if (*value != site) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int unlike = 0, kept = 0;
  for (int site = 0; site < kSites; ++site) {
    const int* const value = sites.find(3, address(0x10'0000 + 5 * static_cast<std::uintptr_t>(site)));
    if (value == nullptr) continue;
    ++kept;
    if (*value != site) ++unlike;
  }
  for (const int count : wrong) CHECK(count == 0);
  CHECK(unlike == 0);
  CHECK(kept == kSites);
}
