// A shared library opened at run time, so that the command starts on machines that lack it.
#pragma once

#include <string>
#include <vector>

namespace fastgemm::cli {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  // The first of `names` that is already in the process, else the first that can be opened. Stays open for good: CUDA
  // libraries do not survive being closed and opened again. *reason says why where none can be.
  static DynamicLibrary open(const std::vector<std::string>& names, std::string* reason);

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }

  // Looks a function up; false where the library has none of that name.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
    return function != nullptr;
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace fastgemm::cli
