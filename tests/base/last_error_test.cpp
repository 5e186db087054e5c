// The text store behind fg_last_error.
#include "src/base/last_error.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

#include "tests/support/catch.h"

using namespace fastgemm;

TEST_CASE("each thread has its own last error", "[last_error]") {
  set_last_error("here");
  std::string there_before, there_after;
  std::thread([&] {
    there_before = last_error();
    set_last_error("there");
    there_after = last_error();
  }).join();
  CHECK(there_before.empty());
  CHECK(there_after == "there");
  CHECK(std::string(last_error()) == "here");
  set_last_error({});
  CHECK(std::string(last_error()).empty());
}

TEST_CASE("texts longer than the store are cut, and may be the store's own", "[last_error]") {
  const std::string lengthy(5000, 'x');
  set_last_error(lengthy);
  const std::size_t kept = std::strlen(last_error());
  CHECK(kept > 1000);
  CHECK(kept < lengthy.size());
  set_last_error(std::string_view(last_error()).substr(0, 3));
  CHECK(std::string(last_error()) == "xxx");
}

TEST_CASE("a text that just fills the store is cut for its end", "[last_error]") {
  set_last_error(std::string(5000, 'x'));
  const std::size_t room = std::strlen(last_error());
  for (const std::size_t length : {room - 1, room, room + 1}) {
    set_last_error(std::string(length, 'y'));
    CHECK(std::string(last_error()) == std::string(std::min(length, room), 'y'));
  }
  set_last_error({});
}
