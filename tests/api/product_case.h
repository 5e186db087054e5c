// One call of an entry point over small integers in host memory, with everything around C guarded.
#pragma once

#include <memory>
#include <vector>

#include "tests/api/entries.h"

namespace fastgemm::test {

// Elements of FP32 or FP16, seen as FP32.
class Buffer {
 public:
  Buffer() = default;
  Buffer(bool half, std::int64_t count) : half_(half), bytes_(static_cast<std::size_t>(count * (half ? 2 : 4))) {}
  float get(std::int64_t index) const;
  void set(std::int64_t index, float value);
  void fill(float value);
  std::int64_t count() const { return static_cast<std::int64_t>(bytes_.size()) / (half_ ? 2 : 4); }
  void* at(std::int64_t index) { return bytes_.data() + index * (half_ ? 2 : 4); }
  bool operator==(const Buffer&) const = default;

 private:
  bool half_ = false;
  std::vector<unsigned char> bytes_;
};

struct Shape {
  fg_operation_t transa = FG_OP_N, transb = FG_OP_N;
  std::int64_t m = 5, n = 7, k = 3;
  std::int64_t padding = 2;  // ld beyond the least
  std::int64_t batch_count = 3;
};

class ProductCase {
 public:
  ProductCase(const EntryPoint& entry, fg_handle_t handle, const Shape& shape = {}, float alpha = 2.0f,
              float beta = 0.5f);

  Call call;  // complete and valid; a test may change it
  Buffer a, b, c;

  fg_status_t run() { return entry_.call(call); }
  void set_alpha(float value) { alpha_.set(0, value); }
  void set_beta(float value) { beta_.set(0, value); }
  void fill_c(float value);

  bool c_is_untouched() const { return c == c_before_; }
  // Elements that are not alpha * op(A) * op(B) + beta * C, summed in FP64 from what the buffers held before the call,
  // and elements between columns that changed. Without A and B where alpha is 0, without C where beta is 0.
  int wrong_elements() const;

 private:
  std::int64_t batch_count() const { return entry_.batched() ? shape_.batch_count : 1; }
  double expected(std::int64_t entry, std::int64_t i, std::int64_t j) const;
  void make_pointers();

  const EntryPoint& entry_;
  Shape shape_;
  std::int64_t lda_, ldb_, ldc_, stride_a_, stride_b_, stride_c_;
  Buffer alpha_, beta_, c_before_;
  std::vector<void*> pointers_a_, pointers_b_, pointers_c_;
};

}  // namespace fastgemm::test
