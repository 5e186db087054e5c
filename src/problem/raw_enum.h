// The number behind an enum argument of the C API, which a caller may have set to anything.
#pragma once

#include <cstring>

namespace fastgemm {

// By bytes: reading an enum object that holds none of its values is undefined.
template <class Enum>
int raw_enum(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace fastgemm
