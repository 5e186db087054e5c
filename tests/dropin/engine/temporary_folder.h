// A folder that goes with its object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace fastgemm::dropin::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    if (mkdtemp(path_.data()) == nullptr) path_ = "/nonexistent";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "fastgemm-offload-XXXXXX").string();
};

}  // namespace fastgemm::dropin::test
