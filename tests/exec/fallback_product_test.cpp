// Whole products through the fallback: a libcublas that multiplies on the host, and the epilogue pass's own source run
// by the emulation. Small integers, so every right result is exact.
#include <cmath>

#include "kernels/epilogue/apply.h"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/engine/half.h"
#include "tests/exec/fallback_fixture.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

// A matrix of either type as a test fills it and reads it.
class Matrix {
 public:
  Matrix(DataType type, std::int64_t count, const std::string& name)
      : type_(type),
        bytes_(static_cast<std::size_t>(count * element_size(type)), emulation::Access::kReadWrite, name) {}

  void set(std::int64_t at, float value) {
    if (type_ == DataType::kFloat32) {
      reinterpret_cast<float*>(bytes_.data())[at] = value;
    } else {
      reinterpret_cast<std::uint16_t*>(bytes_.data())[at] = emulation::half_from_float(value);
    }
  }
  float get(std::int64_t at) const {
    if (type_ == DataType::kFloat32) return reinterpret_cast<const float*>(bytes_.data())[at];
    return emulation::float_from_half(reinterpret_cast<const std::uint16_t*>(bytes_.data())[at]);
  }
  void fill(std::int64_t count, int step, float scale) {
    for (std::int64_t i = 0; i < count; ++i) set(i, scale * static_cast<float>(i * step % 7 - 3));
  }
  void* data() { return bytes_.data(); }
  bool canaries_intact() const { return bytes_.canaries_intact(); }

 private:
  DataType type_;
  emulation::DeviceArray<unsigned char> bytes_;
};

struct Case {
  DataType type_ab = DataType::kFloat32;
  DataType type_cd = DataType::kFloat32;
  Op op_a = Op::kN, op_b = Op::kN;
  Activation activation = Activation::kNone;
  std::int64_t m = 37, n = 11, k = 5, batch = 1;
  float alpha = 2.0f, beta = 0.5f;
  bool apart = false;
  bool bias = false;
  std::size_t workspace_bytes = 1 << 20;
};

// The operands of a case. Leading dimensions are padded; what is not an element of C or D stays NaN.
struct CaseData {
  explicit CaseData(const Case& what)
      : c(what),
        lda((c.op_a == Op::kN ? c.m : c.k) + 2),
        ldb((c.op_b == Op::kN ? c.k : c.n) + 1),
        ldc(c.m + 3),
        ldd(c.apart ? c.m + 1 : ldc),
        stride_a(lda * (c.op_a == Op::kN ? c.k : c.m) + 5),
        stride_b(ldb * (c.op_b == Op::kN ? c.n : c.k) + 3),
        stride_c(ldc * c.n + 4),
        stride_d(c.apart ? ldd * c.n + 6 : stride_c),
        a(c.type_ab, stride_a * c.batch, "A"),
        b(c.type_ab, stride_b * c.batch, "B"),
        c_matrix(c.type_cd, stride_c * c.batch, "C"),
        d_matrix(c.type_cd, stride_d * c.batch, "D"),
        bias(c.type_cd, (c.m + 1) * c.batch, "bias") {
    a.fill(stride_a * c.batch, 3, 1.0f);
    b.fill(stride_b * c.batch, 5, 1.0f);
    bias.fill((c.m + 1) * c.batch, 2, 1.0f);
    if (c.beta == 0.0f) return;
    for_each([&](std::int64_t i, std::int64_t j, std::int64_t e) {
      c_matrix.set(i + j * ldc + e * stride_c, static_cast<float>(2 * ((i + 3 * j + e) % 9 - 4)));
    });
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t e = 0; e < c.batch; ++e) {
      for (std::int64_t j = 0; j < c.n; ++j) {
        for (std::int64_t i = 0; i < c.m; ++i) visit(i, j, e);
      }
    }
  }

  GemmProblem problem() {
    GemmProblem p;
    p.type_ab = c.type_ab;
    p.type_cd = c.type_cd;
    p.op_a = c.op_a;
    p.op_b = c.op_b;
    p.activation = c.activation;
    p.m = c.m;
    p.n = c.n;
    p.k = c.k;
    p.batch_count = c.batch;
    p.alpha.value = c.alpha;
    p.beta.value = c.beta;
    if (c.k > 0) p.a = {.data = a.data(), .ld = lda, .batch_stride = stride_a};
    if (c.k > 0) p.b = {.data = b.data(), .ld = ldb, .batch_stride = stride_b};
    p.c = {.data = c_matrix.data(), .ld = ldc, .batch_stride = stride_c};
    p.d = {.data = result().data(), .ld = ldd, .batch_stride = stride_d};
    if (c.bias) p.bias = bias.data();
    p.bias_stride = c.m + 1;
    return p;
  }

  Matrix& result() { return c.apart ? d_matrix : c_matrix; }

  // In FP64, before the one rounding to the type of D.
  double expected(std::int64_t i, std::int64_t j, std::int64_t e) const {
    double sum = 0.0;
    for (std::int64_t x = 0; x < c.k; ++x) {
      const std::int64_t at_a = (c.op_a == Op::kN ? i + x * lda : x + i * lda) + e * stride_a;
      const std::int64_t at_b = (c.op_b == Op::kN ? x + j * ldb : j + x * ldb) + e * stride_b;
      sum += double{a.get(at_a)} * double{b.get(at_b)};
    }
    double value = double{c.alpha} * sum;
    if (c.beta != 0.0f) value += double{c.beta} * static_cast<double>(2 * ((i + 3 * j + e) % 9 - 4));
    if (c.bias) value += double{bias.get(i + e * (c.m + 1))};
    return c.activation == Activation::kRelu ? std::max(value, 0.0) : value;
  }

  Case c;
  std::int64_t lda, ldb, ldc, ldd, stride_a, stride_b, stride_c, stride_d;
  Matrix a, b, c_matrix, d_matrix, bias;
};

struct ProductFixture : FallbackFixture {
  ProductFixture() {
    open();
    cublas.multiplies = true;
    runtime.apply = launch_epilogue_apply;
    emulation::global_memory().add(runtime.live[0].data, runtime.live[0].bytes, emulation::Access::kReadWrite,
                                   "reserve workspace");
  }
  ~ProductFixture() { emulation::global_memory().remove(runtime.live[0].data); }

  ExecuteResult run(const GemmProblem& problem, std::size_t workspace_bytes) {
    emulation::DeviceArray<unsigned char> scratch(workspace_bytes, emulation::Access::kReadWrite, "workspace");
    LaunchContext launch;
    launch.stream = stream;
    launch.workspace = scratch.data();
    launch.workspace_bytes = workspace_bytes;
    const ExecuteResult result = fallback->run(problem, launch);
    CHECK(scratch.canaries_intact());
    return result;
  }

  void check(const Case& what) {
    CaseData data(what);
    const ExecuteResult result = run(data.problem(), what.workspace_bytes);
    INFO(result.error);
    REQUIRE(result.status == FG_STATUS_SUCCESS);
    std::int64_t wrong = 0;
    data.for_each([&](std::int64_t i, std::int64_t j, std::int64_t e) {
      const float got = data.result().get(i + j * data.ldd + e * data.stride_d);
      wrong += !(got == static_cast<float>(data.expected(i, j, e)));
    });
    CHECK(wrong == 0);
    CHECK(data.result().canaries_intact());
    for (std::int64_t j = 0; j + 1 < what.n; ++j) {
      for (std::int64_t gap = what.m; gap < data.ldd; ++gap) REQUIRE(std::isnan(data.result().get(gap + j * data.ldd)));
    }
  }
};

}  // namespace

TEST_CASE_METHOD(ProductFixture, "products of every type, transpose, scalar and epilogue", "[fallback-product]") {
  Case what;
  const int types = GENERATE(0, 1, 2);
  what.type_ab = types == 0 ? DataType::kFloat32 : DataType::kFloat16;
  what.type_cd = types == 1 ? DataType::kFloat16 : DataType::kFloat32;
  what.op_a = GENERATE(Op::kN, Op::kT);
  what.op_b = GENERATE(Op::kN, Op::kT);
  what.beta = GENERATE(0.0f, -0.0f, 0.5f);
  what.apart = GENERATE(false, true);
  const int epilogue = GENERATE(0, 1, 2, 3);
  what.bias = epilogue % 2 == 1;
  what.activation = epilogue >= 2 ? Activation::kRelu : Activation::kNone;
  what.batch = GENERATE(1, 3);
  check(what);
}

TEST_CASE_METHOD(ProductFixture, "FP16 with bias in any workspace", "[fallback-product]") {
  Case what;
  what.type_ab = what.type_cd = DataType::kFloat16;
  what.m = 3000;
  what.n = 70;
  what.k = 3;
  what.batch = 2;
  what.bias = true;
  struct Row {
    std::size_t bytes, products;
  };
  // 1.68 MB of product. Three quarters of the workspace hold none of it (the reserve does), 18 columns, an entry, all.
  const Row row = GENERATE(values<Row>({{1, 1}, {300000, 8}, {1500000, 2}, {4000000, 1}}));
  what.workspace_bytes = row.bytes;
  check(what);
  CHECK(calls_of("cublasGemmEx_64").size() + calls_of("cublasGemmStridedBatchedEx_64").size() == row.products);
  CHECK(runtime.passes.size() == row.products);
}

TEST_CASE_METHOD(ProductFixture, "FP16 columns longer than the workspace are cut", "[fallback-product]") {
  Case what;
  what.type_ab = what.type_cd = DataType::kFloat16;
  what.m = 100000;
  what.n = 2;
  what.k = 2;
  what.bias = true;
  what.op_a = GENERATE(Op::kN, Op::kT);
  what.workspace_bytes = 262144;  // three quarters of it are 49152 rows
  check(what);
  CHECK(calls_of("cublasGemmEx_64").size() == 6);
}

TEST_CASE_METHOD(ProductFixture, "FP16 with bias is rounded once", "[fallback-product]") {
  Case what;
  what.type_ab = what.type_cd = DataType::kFloat16;
  what.alpha = 1.0f;
  what.beta = 0.0f;
  what.m = what.n = 1;
  what.k = 3;
  what.bias = true;
  CaseData data(what);
  for (std::int64_t i = 0; i < 3; ++i) data.b.set(i, 1.0f);
  data.a.set(0, 1024.0f);
  data.a.set(data.lda, 1024.0f);
  data.a.set(2 * data.lda, 1.0f);
  data.bias.set(0, 1.0f);  // 2049 is no FP16 number and would become 2048; 2050 is one
  REQUIRE(run(data.problem(), 1 << 20).status == FG_STATUS_SUCCESS);
  CHECK(data.result().get(0) == 2050.0f);
}

TEST_CASE_METHOD(ProductFixture, "without a product C is scaled and A and B may be null", "[fallback-product]") {
  Case what;
  what.type_ab = what.type_cd = GENERATE(DataType::kFloat32, DataType::kFloat16);
  what.k = 0;
  what.beta = GENERATE(0.0f, 0.5f, 1.0f);
  what.apart = GENERATE(false, true);
  what.bias = GENERATE(false, true);
  what.batch = 2;
  check(what);
  CHECK(cublas.calls.empty());
}

TEST_CASE_METHOD(ProductFixture, "the pass covers every shape of D", "[fallback-product]") {
  Case what;
  what.m = GENERATE(1, 2, 3, 31, 33, 255, 256, 257, 1000);
  what.n = GENERATE(1, 2, 7, 8, 9, 129);
  what.k = 0;
  what.bias = true;
  check(what);
}

TEST_CASE_METHOD(ProductFixture, "narrow and flat D take every tile shape of the pass", "[fallback-product]") {
  Case what;
  what.m = GENERATE(1, 2, 5);
  what.n = 5000;
  what.k = 0;
  check(what);
}

TEST_CASE_METHOD(ProductFixture, "GELU follows the tanh form", "[fallback-product]") {
  Case what;
  what.activation = Activation::kGelu;
  what.alpha = 0.25f;
  CaseData data(what);
  REQUIRE(run(data.problem(), 1 << 20).status == FG_STATUS_SUCCESS);
  data.for_each([&](std::int64_t i, std::int64_t j, std::int64_t e) {
    const double x = data.expected(i, j, e);
    const double gelu = 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    REQUIRE(std::abs(data.result().get(i + j * data.ldd) - gelu) <= 1e-6 * (1.0 + std::abs(gelu)));
  });
}
