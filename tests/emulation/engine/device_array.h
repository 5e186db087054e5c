// A registered piece of device memory between canaries, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/emulation/engine/global_memory.h"

namespace fastgemm::emulation {

template <class Element>
class DeviceArray {
 public:
  // `offset` elements lie between a 256-byte boundary and the first element. Bytes are 0xff (NaN) at first.
  DeviceArray(std::size_t count, Access access, const std::string& name, std::size_t offset = 0)
      : count_(count), storage_((count + offset) * sizeof(Element) + 2 * kMargin + kAlignment, kCanary) {
    const auto start = reinterpret_cast<std::uintptr_t>(storage_.data()) + kMargin;
    const std::uintptr_t aligned = (start + kAlignment - 1) / kAlignment * kAlignment + offset * sizeof(Element);
    data_ = reinterpret_cast<Element*>(aligned);
    std::fill_n(reinterpret_cast<unsigned char*>(data_), count * sizeof(Element), static_cast<unsigned char>(0xff));
    global_memory().add(data_, count * sizeof(Element), access, name);
  }
  ~DeviceArray() { global_memory().remove(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  Element* data() { return data_; }
  const Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  Element& operator[](std::size_t at) { return data_[at]; }
  const Element& operator[](std::size_t at) const { return data_[at]; }

  // Nothing was written around the elements, not even past the check of each access.
  bool canaries_intact() const {
    const auto* first = reinterpret_cast<const unsigned char*>(data_);
    const auto* last = first + count_ * sizeof(Element);
    const auto is_canary = [](unsigned char byte) { return byte == kCanary; };
    return std::all_of(storage_.data(), first, is_canary) &&
           std::all_of(last, storage_.data() + storage_.size(), is_canary);
  }

 private:
  static constexpr std::size_t kMargin = 64;
  static constexpr std::size_t kAlignment = 256;
  static constexpr unsigned char kCanary = 0xa5;

  std::size_t count_;
  std::vector<unsigned char> storage_;
  Element* data_ = nullptr;
};

}  // namespace fastgemm::emulation
