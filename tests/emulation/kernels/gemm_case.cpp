#include "tests/emulation/kernels/gemm_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <vector>

#include "kernels/splits.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/violation.h"
#include "tests/emulation/kernels/typed_buffer.h"

namespace fastgemm::emulation {

namespace {

// Rows and columns as stored, and where batch entries lie.
struct Shape {
  int rows = 0;
  int columns = 0;
  std::int64_t ld = 0;
  std::int64_t stride = 0;
  std::int64_t elements = 0;  // of all batch entries

  std::size_t at(int batch, int row, int column) const {
    return static_cast<std::size_t>(batch * stride + row + column * ld);
  }
};

Shape make_shape(int rows, int columns, int pad, int batch_count, int gap, bool broadcast) {
  Shape shape{rows, columns, rows + pad, 0, 0};
  const std::int64_t one = shape.ld * (columns - 1) + rows;
  shape.stride = broadcast ? 0 : one + gap;
  shape.elements = shape.stride * (batch_count - 1) + one;
  return shape;
}

// All the device memory of a call, and the problem that names it.
class Call {
 public:
  Call(const GemmCase& gemm, const KernelEntry& entry)
      : gemm_(gemm), type_ab_(entry.type_ab), tile_k_(entry.tile.k), random_(gemm.seed) {
    make_operands();
    make_outputs();
    make_scalars();
    if (gemm_.batch == Batch::kPointers) make_pointers();
  }

  GemmProblem problem_;

  // The first thing that is wrong with D, or nothing.
  std::string difference() const;

 private:
  using Buffer = std::unique_ptr<TypedBuffer>;
  using Pointers = std::unique_ptr<DeviceArray<void*>>;

  void make_operands();
  void make_outputs();
  void make_scalars();
  void make_pointers();
  void fill(TypedBuffer& buffer, const Shape& shape);
  Pointers pointers_to(TypedBuffer& buffer, const Shape& shape, DataType type, const char* name);

  float draw();
  bool has_product() const { return gemm_.k > 0 && gemm_.alpha != 0.0f; }
  float operand_a(int batch, int row, int k) const {
    return a_->get(gemm_.op_a == Op::kN ? shape_a_.at(batch, row, k) : shape_a_.at(batch, k, row));
  }
  float operand_b(int batch, int k, int column) const {
    return b_->get(gemm_.op_b == Op::kN ? shape_b_.at(batch, k, column) : shape_b_.at(batch, column, k));
  }
  float chain(int batch, int row, int column, int first_k, int end_k) const;
  float sum_of_products(int batch, int row, int column) const;
  float expected(int batch, int row, int column) const;
  bool equals(float value, float wanted) const;
  std::string element_difference(int batch, int row, int column) const;

  const GemmCase& gemm_;
  DataType type_ab_;
  int tile_k_;
  Random random_;
  Shape shape_a_, shape_b_, shape_c_, shape_d_;
  Buffer a_, b_, c_, d_, bias_, alpha_, beta_;
  std::vector<float> c_before_;  // C as the kernel finds it, in D's indexing order
  Pointers a_pointers_, b_pointers_, c_pointers_, d_pointers_;
};

float Call::draw() {
  if (gemm_.data == Data::kIntegers) return static_cast<float>(random_.below(17)) - 8.0f;
  return static_cast<float>(static_cast<std::int64_t>(random_.below(1u << 24)) - (1 << 23)) * 0x1.3p-20f;
}

void Call::fill(TypedBuffer& buffer, const Shape& shape) {
  const int entries = shape.stride == 0 ? 1 : gemm_.batch_count;
  for (int batch = 0; batch < entries; ++batch) {
    for (int column = 0; column < shape.columns; ++column) {
      for (int row = 0; row < shape.rows; ++row) buffer.set(shape.at(batch, row, column), draw());
    }
  }
}

void Call::make_operands() {
  problem_.type_ab = type_ab_;
  problem_.op_a = gemm_.op_a;
  problem_.op_b = gemm_.op_b;
  problem_.m = gemm_.m;
  problem_.n = gemm_.n;
  problem_.k = gemm_.k;
  problem_.batch_count = gemm_.batch_count;
  if (gemm_.k == 0) return;  // the pointers stay null
  const bool a_is_n = gemm_.op_a == Op::kN;
  const bool b_is_n = gemm_.op_b == Op::kN;
  shape_a_ = make_shape(a_is_n ? gemm_.m : gemm_.k, a_is_n ? gemm_.k : gemm_.m, gemm_.pad_a, gemm_.batch_count,
                        gemm_.batch_gap, gemm_.broadcast_a);
  shape_b_ = make_shape(b_is_n ? gemm_.k : gemm_.n, b_is_n ? gemm_.n : gemm_.k, gemm_.pad_b, gemm_.batch_count,
                        gemm_.batch_gap, false);
  const auto access = gemm_.poisoned_operands ? Access::kWrite : Access::kRead;
  a_ = std::make_unique<TypedBuffer>(type_ab_, shape_a_.elements, access, "A", gemm_.offset_a);
  b_ = std::make_unique<TypedBuffer>(type_ab_, shape_b_.elements, access, "B", gemm_.offset_b);
  if (!gemm_.poisoned_operands) fill(*a_, shape_a_);
  if (!gemm_.poisoned_operands) fill(*b_, shape_b_);
  problem_.a = {a_->data(), nullptr, shape_a_.ld, shape_a_.stride};
  problem_.b = {b_->data(), nullptr, shape_b_.ld, shape_b_.stride};
}

void Call::make_outputs() {
  problem_.type_cd = gemm_.type_cd;
  problem_.activation = gemm_.activation;
  shape_d_ = make_shape(gemm_.m, gemm_.n, gemm_.pad_d, gemm_.batch_count, gemm_.batch_gap, false);
  shape_c_ = gemm_.in_place ? shape_d_
                            : make_shape(gemm_.m, gemm_.n, gemm_.pad_c, gemm_.batch_count, gemm_.batch_gap, false);
  const bool reads_d = (gemm_.in_place && gemm_.beta != 0.0f) || gemm_.reads_own_d;
  d_ = std::make_unique<TypedBuffer>(gemm_.type_cd, shape_d_.elements, reads_d ? Access::kReadWrite : Access::kWrite,
                                     "D", gemm_.offset_d);
  if (!gemm_.in_place) {
    const auto access = gemm_.beta == 0.0f ? Access::kWrite : Access::kRead;
    c_ = std::make_unique<TypedBuffer>(gemm_.type_cd, shape_c_.elements, access, "C", gemm_.offset_c);
  }
  TypedBuffer& c = gemm_.in_place ? *d_ : *c_;
  if (gemm_.beta != 0.0f) fill(c, shape_c_);
  for (std::size_t at = 0; at < c.count(); ++at) c_before_.push_back(c.get(at));
  problem_.c = {c.data(), nullptr, shape_c_.ld, shape_c_.stride};
  problem_.d = {d_->data(), nullptr, shape_d_.ld, shape_d_.stride};
  if (!gemm_.bias) return;
  const std::size_t count = static_cast<std::size_t>((gemm_.m + 1) * (gemm_.batch_count - 1) + gemm_.m);
  bias_ = std::make_unique<TypedBuffer>(gemm_.type_cd, count, Access::kRead, "bias", gemm_.offset_c);
  for (std::size_t at = 0; at < count; ++at) bias_->set(at, draw());
  problem_.bias = bias_->data();
  problem_.bias_stride = gemm_.m + 1;
}

void Call::make_scalars() {
  if (!gemm_.device_scalars) {
    problem_.alpha.value = gemm_.alpha;
    problem_.beta.value = gemm_.beta;
    return;
  }
  const DataType type = gemm_.half_scalars ? DataType::kFloat16 : DataType::kFloat32;
  alpha_ = std::make_unique<TypedBuffer>(type, 1, Access::kRead, "alpha");
  beta_ = std::make_unique<TypedBuffer>(type, 1, Access::kRead, "beta");
  alpha_->set(0, gemm_.alpha);
  beta_->set(0, gemm_.beta);
  const float nan = std::nanf("");  // a host value beside a device one means nothing
  problem_.alpha = {nan, alpha_->data(), type};
  problem_.beta = {nan, beta_->data(), type};
}

Call::Pointers Call::pointers_to(TypedBuffer& buffer, const Shape& shape, DataType type, const char* name) {
  auto pointers = std::make_unique<DeviceArray<void*>>(gemm_.batch_count, Access::kRead, name);
  for (int batch = 0; batch < gemm_.batch_count; ++batch) {
    (*pointers)[batch] = static_cast<char*>(buffer.data()) + batch * shape.stride * element_size(type);
  }
  return pointers;
}

void Call::make_pointers() {
  if (a_) a_pointers_ = pointers_to(*a_, shape_a_, type_ab_, "pointers to A");
  if (b_) b_pointers_ = pointers_to(*b_, shape_b_, type_ab_, "pointers to B");
  c_pointers_ = pointers_to(gemm_.in_place ? *d_ : *c_, shape_c_, gemm_.type_cd, "pointers to C");
  d_pointers_ = pointers_to(*d_, shape_d_, gemm_.type_cd, "pointers to D");
  if (a_) problem_.a = {nullptr, a_pointers_->data(), shape_a_.ld, 0};
  if (b_) problem_.b = {nullptr, b_pointers_->data(), shape_b_.ld, 0};
  problem_.c = {nullptr, c_pointers_->data(), shape_c_.ld, 0};
  problem_.d = {nullptr, d_pointers_->data(), shape_d_.ld, 0};
}

float Call::chain(int batch, int row, int column, int first_k, int end_k) const {
  float sum = 0.0f;
  for (int k = first_k; k < end_k; ++k) sum = std::fma(operand_a(batch, row, k), operand_b(batch, k, column), sum);
  return sum;
}

float Call::sum_of_products(int batch, int row, int column) const {
  if (gemm_.splits == 1) return chain(batch, row, column, 0, gemm_.k);
  if (gemm_.part_length > 0) {
    float sum = 0.0f;
    for (int first = 0; first < gemm_.k; first += gemm_.part_length) {
      sum += chain(batch, row, column, first, std::min(first + gemm_.part_length, gemm_.k));
    }
    return sum;
  }
  const int steps = (gemm_.k + tile_k_ - 1) / tile_k_;
  const int splits = std::min(gemm_.splits, steps);
  const int group = gemm_.split_group > 0 ? gemm_.split_group : 1;
  float sum = 0.0f;
  for (int first = 0; first < splits; first += group) {
    float term = 0.0f;
    for (int part = first; part < std::min(first + group, splits); ++part) {
      const auto begin = static_cast<int>(split_begin(steps, splits, part)) * tile_k_;
      const auto end = static_cast<int>(split_begin(steps, splits, part + 1)) * tile_k_;
      term += chain(batch, row, column, begin, std::min(end, gemm_.k));
    }
    sum += term;
  }
  return sum;
}

float Call::expected(int batch, int row, int column) const {
  float value = has_product() ? gemm_.alpha * sum_of_products(batch, row, column) : 0.0f;
  if (gemm_.beta != 0.0f) {
    const float c = c_before_[shape_c_.at(batch, row, column)];
    value = has_product() ? std::fma(gemm_.beta, c, value) : gemm_.beta * c;
  }
  if (bias_) value += bias_->get(static_cast<std::size_t>(batch * (gemm_.m + 1) + row));
  if (gemm_.activation == Activation::kRelu && value < 0.0f) return 0.0f;
  if (gemm_.activation == Activation::kGelu) {
    const double x = value;
    return static_cast<float>(0.5 * x * (1.0 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))));
  }
  return value;
}

bool Call::equals(float value, float wanted) const {
  const bool half = gemm_.type_cd == DataType::kFloat16;
  if (gemm_.activation == Activation::kGelu) {
    return std::fabs(value - wanted) <= (half ? 1e-3f : 1e-5f) * (1.0f + std::fabs(wanted));
  }
  const float rounded = half ? float_from_half(half_from_float(wanted)) : wanted;
  return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(rounded);
}

std::string Call::element_difference(int batch, int row, int column) const {
  const std::size_t at = shape_d_.at(batch, row, column);
  const float wanted = expected(batch, row, column);
  if (equals(d_->get(at), wanted)) return {};
  std::ostringstream text;
  text << "D(" << row << ", " << column << ") of batch entry " << batch << " is " << d_->get(at) << " where " << wanted
       << " belongs";
  return text.str();
}

std::string Call::difference() const {
  std::vector<bool> inside(d_->count());
  for (int batch = 0; batch < gemm_.batch_count; ++batch) {
    for (int column = 0; column < gemm_.n; ++column) {
      for (int row = 0; row < gemm_.m; ++row) {
        inside[shape_d_.at(batch, row, column)] = true;
        if (auto text = element_difference(batch, row, column); !text.empty()) return text;
      }
    }
  }
  for (std::size_t at = 0; at < d_->count(); ++at) {
    if (!inside[at] && !d_->untouched(at)) return "element " + std::to_string(at) + " between columns of D was written";
  }
  return d_->canaries_intact() ? std::string() : "memory around D was written";
}

// What the blocks of chained and split launches hand work on by, no more than they are promised.
class SharedMemoryOfBlocks {
 public:
  SharedMemoryOfBlocks(const KernelEntry& entry, const GemmCase& gemm, const GemmProblem& problem)
      : flags_(static_cast<std::size_t>(gemm.splits > 1 ? gemm.split_flags : gemm.sm_count + 1), Access::kReadWrite,
               "flags"),
        workspace_(floats(entry, gemm, problem), Access::kReadWrite, "workspace") {
    for (std::size_t i = 0; i < flags_.size(); ++i) flags_[i] = 0;
  }

  static std::size_t floats(const KernelEntry& entry, const GemmCase& gemm, const GemmProblem& problem) {
    std::size_t bytes = split_workspace_bytes(problem, entry.tile, gemm.splits);
    if (gemm.chained) bytes += static_cast<std::size_t>(gemm.sm_count * entry.tile.m * entry.tile.n) * sizeof(float);
    if (gemm.row_workspace != RowWorkspace::kNone) {
      const WorkspaceNeed need = entry.workspace(problem);
      bytes += gemm.row_workspace == RowWorkspace::kLeast ? need.least : need.fastest;
    }
    return std::max(bytes / sizeof(float), std::size_t{1});
  }

  void lend(LaunchContext* context) {
    context->flags = flags_.data();
    context->flag_count = static_cast<int>(flags_.size());
    context->workspace = workspace_.data();
    context->workspace_bytes = workspace_.size() * sizeof(float);
  }

  bool flags_zero() const {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      if (flags_[i] != 0) return false;
    }
    return flags_.canaries_intact();
  }

 private:
  DeviceArray<std::uint32_t> flags_;
  DeviceArray<float> workspace_;
};

const char* op_text(Op op) { return op == Op::kN ? "N" : "T"; }

}  // namespace

std::string GemmCase::text() const {
  std::ostringstream text;
  text << op_text(op_a) << op_text(op_b) << " m " << m << " n " << n << " k " << k << ", pads " << pad_a << ' ' << pad_b
       << ' ' << pad_c << ' ' << pad_d << ", offsets " << offset_a << ' ' << offset_b << ' ' << offset_c << ' '
       << offset_d << ", alpha " << alpha << " beta " << beta << (device_scalars ? " on the device" : "")
       << (in_place ? "" : ", C apart") << (bias ? ", bias" : "") << ", activation " << static_cast<int>(activation)
       << ", D " << (type_cd == DataType::kFloat32 ? "FP32" : "FP16") << ", batch " << batch_count
       << (batch == Batch::kPointers ? " by pointers" : "") << ", " << sm_count << " SMs" << (chained ? " chained" : "")
       << (splits > 1 ? ", splits " + std::to_string(splits) : "") << ", seed " << seed;
  return text.str();
}

std::string run_case(const KernelEntry& entry, const GemmCase& gemm) {
  Call call(gemm, entry);
  const std::string where = std::string(entry.name) + ": " + gemm.text() + ": ";
  if (!entry.supports(call.problem_)) return where + "not supported";
  DeviceInfo device;
  device.compute_capability = entry.min_compute_capability;
  device.sm_count = gemm.sm_count;
  LaunchContext context;
  context.device = &device;
  context.sm_count = device.sm_count;
  context.splits = gemm.splits;
  SharedMemoryOfBlocks shared(entry, gemm, call.problem_);
  const bool own = gemm.row_workspace != RowWorkspace::kNone;
  if (gemm.chained || gemm.splits > 1 || own) shared.lend(&context);
  try {
    if (entry.prepare() != cudaSuccess) return where + "prepare failed";
    if (entry.launch(call.problem_, context) != cudaSuccess) return where + "launch failed";
  } catch (const Violation& violation) {
    return where + violation.what();
  }
  if (!shared.flags_zero()) return where + "flags are not zero after the launch";
  const std::string difference = call.difference();
  return difference.empty() ? difference : where + difference;
}

}  // namespace fastgemm::emulation
