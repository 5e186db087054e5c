#include "tests/api/product_case.h"

#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "src/base/half.h"

namespace fastgemm::test {
namespace {

constexpr float kCanary = -77.0f;

// Small integers, different for neighbours: exact in both types and in any order of summation.
float integer_at(std::int64_t index, int salt) { return static_cast<float>((index * 7 + index / 5 + salt) % 9 - 4); }

void fill_integers(Buffer& buffer, int salt) {
  for (std::int64_t i = 0; i < buffer.count(); ++i) buffer.set(i, integer_at(i, salt));
}

bool same(float x, double y) { return std::isnan(y) ? std::isnan(x) : static_cast<double>(x) == y; }

}  // namespace

float Buffer::get(std::int64_t index) const {
  const unsigned char* source = bytes_.data() + index * (half_ ? 2 : 4);
  if (half_) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, source, sizeof bits);
    return half_to_float(bits);
  }
  float value = 0.0f;
  std::memcpy(&value, source, sizeof value);
  return value;
}

void Buffer::set(std::int64_t index, float value) {
  const __half rounded = __float2half_rn(value);
  std::memcpy(at(index), half_ ? static_cast<const void*>(&rounded) : &value, half_ ? 2 : 4);
}

void Buffer::fill(float value) {
  for (std::int64_t i = 0; i < count(); ++i) set(i, value);
}

ProductCase::ProductCase(const EntryPoint& entry, fg_handle_t handle, const Shape& shape, float alpha, float beta)
    : entry_(entry), shape_(shape), alpha_(entry.half, 1), beta_(entry.half, 1) {
  const bool plain_a = shape.transa == FG_OP_N, plain_b = shape.transb == FG_OP_N;
  lda_ = (plain_a ? shape.m : shape.k) + shape.padding;
  ldb_ = (plain_b ? shape.k : shape.n) + shape.padding;
  ldc_ = shape.m + shape.padding;
  stride_a_ = lda_ * (plain_a ? shape.k : shape.m);
  stride_b_ = ldb_ * (plain_b ? shape.n : shape.k);
  stride_c_ = ldc_ * shape.n;
  a = Buffer(entry.half, stride_a_ * batch_count());
  b = Buffer(entry.half, stride_b_ * batch_count());
  c = Buffer(entry.half, stride_c_ * batch_count());
  fill_integers(a, 1);
  fill_integers(b, 4);
  fill_c(kCanary);
  for (std::int64_t e = 0; e < batch_count(); ++e) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      for (std::int64_t i = 0; i < shape.m; ++i) {
        c.set(e * stride_c_ + j * ldc_ + i, 2.0f * integer_at(e + j * 3 + i, 2));
      }
    }
  }
  c_before_ = c;
  set_alpha(alpha);
  set_beta(beta);
  call = {handle, shape.transa, shape.transb, shape.m, shape.n, shape.k, alpha_.at(0), a.at(0), lda_, stride_a_,
          b.at(0), ldb_, stride_b_, beta_.at(0), c.at(0), ldc_, stride_c_, batch_count()};
  if (entry.pointers) make_pointers();
}

void ProductCase::make_pointers() {
  for (std::int64_t e = 0; e < batch_count(); ++e) {
    pointers_a_.push_back(a.at(e * stride_a_));
    pointers_b_.push_back(b.at(e * stride_b_));
    pointers_c_.push_back(c.at(e * stride_c_));
  }
  call.A = pointers_a_.data();
  call.B = pointers_b_.data();
  call.C = pointers_c_.data();
}

void ProductCase::fill_c(float value) {
  c.fill(value);
  c_before_ = c;
}

double ProductCase::expected(std::int64_t entry, std::int64_t i, std::int64_t j) const {
  const double alpha = alpha_.get(0), beta = beta_.get(0);
  double sum = 0.0;
  for (std::int64_t l = 0; alpha != 0.0 && l < shape_.k; ++l) {
    const double x = a.get(entry * stride_a_ + (shape_.transa == FG_OP_N ? i + l * lda_ : l + i * lda_));
    const double y = b.get(entry * stride_b_ + (shape_.transb == FG_OP_N ? l + j * ldb_ : j + l * ldb_));
    sum += x * y;
  }
  const double product = alpha != 0.0 ? alpha * sum : 0.0;
  return beta != 0.0 ? product + beta * c_before_.get(entry * stride_c_ + j * ldc_ + i) : product;
}

int ProductCase::wrong_elements() const {
  int wrong = 0;
  for (std::int64_t index = 0; index < c.count(); ++index) {
    const std::int64_t entry = index / stride_c_, j = index % stride_c_ / ldc_, i = index % ldc_;
    const double right = i < shape_.m ? expected(entry, i, j) : static_cast<double>(c_before_.get(index));
    if (!same(c.get(index), right)) ++wrong;
  }
  return wrong;
}

}  // namespace fastgemm::test
