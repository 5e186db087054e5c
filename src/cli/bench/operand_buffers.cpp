#include "src/cli/bench/operand_buffers.h"

namespace fastgemm::cli {
namespace {

constexpr std::int64_t kSlack = 32;  // bytes: room for the shift by less than 16 and for one element more

std::string text(cudaError_t error) { return error == cudaSuccess ? "" : cudaGetErrorString(error); }

// cudaMalloc's addresses are multiples of 256: a shift by 2, 4 or 8 leaves just that alignment.
void* shifted(const DeviceBuffer& buffer, std::int64_t align) {
  return static_cast<char*>(buffer.data()) + (align < 16 ? align : 0);
}

}  // namespace

std::int64_t OperandBuffers::bytes(const Shape& shape) {
  const std::int64_t c_copies = shape.beta == 0.0f ? 2 : 3;
  return element_size(shape.type) *
             (shape.lda * shape.columns_a() + shape.ldb * shape.columns_b() + c_copies * shape.ldc * shape.n) +
         5 * kSlack;
}

OperandBuffers::OperandBuffers(const Shape& shape, RandomData& random, cudaStream_t stream)
    : c_bytes_(element_size(shape.type) * shape.ldc * shape.n) {
  const std::int64_t size = element_size(shape.type);
  const std::int64_t count_a = shape.lda * shape.columns_a();
  const std::int64_t count_b = shape.ldb * shape.columns_b();
  a_ = DeviceBuffer(size * count_a + kSlack);
  b_ = DeviceBuffer(size * count_b + kSlack);
  c_ = DeviceBuffer(c_bytes_ + kSlack);
  reference_c_ = DeviceBuffer(c_bytes_ + kSlack);
  reference_c_address_ = reference_c_.data();
  operands_ = {shape, shifted(a_, shape.align), shifted(b_, shape.align), shifted(c_, shape.align), stream};
  random.fill(a_.data(), shape.type, count_a + kSlack / (2 * size));
  random.fill(b_.data(), shape.type, count_b + kSlack / (2 * size));
  if (shape.beta != 0.0f) {
    initial_c_ = DeviceBuffer(c_bytes_ + kSlack);
    initial_c_address_ = initial_c_.data();
    random.fill(initial_c_.data(), shape.type, shape.ldc * shape.n);
  }
}

std::string OperandBuffers::restore_c() const {
  if (initial_c_address_ == nullptr) {
    return text(cudaMemsetAsync(operands_.c, 0xff, static_cast<std::size_t>(c_bytes_), operands_.stream));
  }
  return text(cudaMemcpyAsync(operands_.c, initial_c_address_, static_cast<std::size_t>(c_bytes_),
                              cudaMemcpyDeviceToDevice, operands_.stream));
}

Launch OperandBuffers::restore_for_timing() const {
  if (initial_c_address_ == nullptr) return nullptr;
  return [this] { return restore_c(); };
}

std::string OperandBuffers::keep_as_reference() const {
  return text(cudaMemcpyAsync(reference_c_address_, operands_.c, static_cast<std::size_t>(c_bytes_),
                              cudaMemcpyDeviceToDevice, operands_.stream));
}

}  // namespace fastgemm::cli
