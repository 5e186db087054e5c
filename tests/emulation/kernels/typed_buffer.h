// A matrix, vector or scalar in emulated device memory whose element type is known at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernels/contract.h"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/engine/half.h"

namespace fastgemm::emulation {

class TypedBuffer {
 public:
  TypedBuffer(DataType type, std::size_t count, Access access, const std::string& name, std::size_t offset = 0)
      : type_(type), bytes_(count * size(type), access, name, offset * size(type)) {}

  void* data() { return bytes_.data(); }
  std::size_t count() const { return bytes_.size() / size(type_); }
  bool canaries_intact() const { return bytes_.canaries_intact(); }

  void set(std::size_t at, float value) {
    if (type_ == DataType::kFloat32) {
      std::memcpy(&bytes_[at * 4], &value, 4);
    } else {
      const std::uint16_t half = half_from_float(value);
      std::memcpy(&bytes_[at * 2], &half, 2);
    }
  }

  float get(std::size_t at) const {
    if (type_ == DataType::kFloat16) return float_from_half(static_cast<std::uint16_t>(bits(at)));
    return std::bit_cast<float>(bits(at));
  }

  std::uint32_t bits(std::size_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &bytes_[at * size(type_)], size(type_));
    return value;
  }

  // What the bytes hold before anybody writes: NaN.
  bool untouched(std::size_t at) const { return bits(at) == (type_ == DataType::kFloat32 ? 0xffffffffu : 0xffffu); }

 private:
  static std::size_t size(DataType type) { return static_cast<std::size_t>(element_size(type)); }

  DataType type_;
  DeviceArray<unsigned char> bytes_;
};

}  // namespace fastgemm::emulation
