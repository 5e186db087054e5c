// Version and the names of statuses.
#include <set>
#include <string>

#include "fastgemm/fastgemm.h"
#include "tests/support/catch.h"

TEST_CASE("the version is the header's", "[api][status]") {
  int version = -1;
  CHECK(fg_get_version(&version) == FG_STATUS_SUCCESS);
  CHECK(version == FG_VERSION);
  CHECK(fg_get_version(nullptr) == FG_STATUS_INVALID_VALUE);
  CHECK(std::string(fg_last_error()) == "version is null");
}

TEST_CASE("every status has its name and a text of its own", "[api][status]") {
  const std::pair<fg_status_t, const char*> statuses[] = {
      {FG_STATUS_SUCCESS, "FG_STATUS_SUCCESS"},
      {FG_STATUS_NOT_INITIALIZED, "FG_STATUS_NOT_INITIALIZED"},
      {FG_STATUS_ALLOC_FAILED, "FG_STATUS_ALLOC_FAILED"},
      {FG_STATUS_INVALID_VALUE, "FG_STATUS_INVALID_VALUE"},
      {FG_STATUS_ARCH_MISMATCH, "FG_STATUS_ARCH_MISMATCH"},
      {FG_STATUS_MAPPING_ERROR, "FG_STATUS_MAPPING_ERROR"},
      {FG_STATUS_EXECUTION_FAILED, "FG_STATUS_EXECUTION_FAILED"},
      {FG_STATUS_INTERNAL_ERROR, "FG_STATUS_INTERNAL_ERROR"},
      {FG_STATUS_NOT_SUPPORTED, "FG_STATUS_NOT_SUPPORTED"},
  };
  std::set<std::string> texts;
  for (const auto& [status, name] : statuses) {
    CHECK(std::string(fg_status_name(status)) == name);
    texts.insert(fg_status_string(status));
  }
  for (const int unknown : {-1, 2, 16}) {
    CHECK(std::string(fg_status_name(static_cast<fg_status_t>(unknown))) == "FG_STATUS_UNKNOWN");
    texts.insert(fg_status_string(static_cast<fg_status_t>(unknown)));
  }
  CHECK(texts.size() == std::size(statuses) + 1);
}
