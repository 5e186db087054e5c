// The FP32_TENSOR family for GPUs without wgmma, from its own sources: FP16 parts, strict FP32, and the choice.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <tuple>

#include "kernels/families.h"
#include "kernels/sgemm_tensor_mma/launch.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/kernels/tensor_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;
using sgemm_tensor::Method;

namespace {

const KernelEntry& only_row() { return sgemm_tensor_mma_f32_sm80().front(); }

// Runs one case on exact integers, each under another seed: another order of blocks, warps, lanes and copies.
void check(GemmCase gemm, const KernelEntry& row = only_row()) {
  gemm.seed = next_seed();
  const ScopedOptions scope(Options::from_seed(gemm.seed));
  CHECK(run_case(row, gemm) == "");
}

using Numbers = std::function<float(int row, int k)>;

// Uniform in [-1, 1), the same for the same place and seed.
float number(int seed, int row, int k) {
  Random random(static_cast<std::uint64_t>(seed) << 40 | static_cast<std::uint64_t>(row) << 20 |
                static_cast<unsigned>(k));
  return static_cast<float>(static_cast<std::int64_t>(random.below(1u << 24)) - (1 << 23)) * 0x1p-23f;
}

Numbers numbers(int seed) {
  return [seed](int row, int k) { return number(seed, row, k); };
}

// The same with one element changed.
Numbers with(Numbers others, int row, int k, float value) {
  return [=](int r, int i) { return r == row && i == k ? value : others(r, i); };
}

// One operand as it is stored: `rows` of op(A), or columns of op(B), of `k`.
class Rows {
 public:
  Rows(int rows, int k, bool k_contiguous, const Numbers& numbers, const char* name)
      : ld_(k_contiguous ? k : rows), k_contiguous_(k_contiguous),
        data_(static_cast<std::size_t>(rows * k), Access::kRead, name) {
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < k; ++i) data_[index(row, i)] = numbers(row, i);
    }
  }
  float at(int row, int k) const { return data_[index(row, k)]; }
  fastgemm::Operand operand() { return {.data = data_.data(), .ld = ld_}; }

 private:
  std::size_t index(int row, int k) const {
    return static_cast<std::size_t>(k_contiguous_ ? row * ld_ + k : row + k * ld_);
  }
  int ld_;
  bool k_contiguous_;
  DeviceArray<float> data_;
};

// A product D = op(A) op(B) of chosen numbers, and what became of it.
class Product {
 public:
  Product(int m, int n, int k, const Numbers& a, const Numbers& b, Op op_a = Op::kN, Op op_b = Op::kN)
      : a_(m, k, op_a == Op::kT, a, "A"), b_(n, k, op_b == Op::kN, b, "B"),
        d_(static_cast<std::size_t>(m * n), Access::kReadWrite, "D") {
    problem_.op_a = op_a;
    problem_.op_b = op_b;
    problem_.math_mode = MathMode::kFp32Tensor;
    problem_.m = m;
    problem_.n = n;
    problem_.k = k;
    problem_.alpha.value = 1.0f;
    problem_.a = a_.operand();
    problem_.b = b_.operand();
    problem_.d = {.data = d_.data(), .ld = m};
  }

  // The method that the device chose.
  Method run() {
    const ScopedOptions scope(Options::from_seed(next_seed()));
    DeviceArray<std::uint32_t> flags(8, Access::kReadWrite, "flags");
    std::fill_n(flags.data(), flags.size(), 0u);
    const auto layout = sgemm_tensor::workspace_layout({problem_.m, problem_.n, problem_.k}, false);
    DeviceArray<std::uint32_t> workspace(layout.bytes / 4, Access::kReadWrite, "workspace");
    DeviceInfo device;
    const LaunchContext context{.device = &device, .workspace = workspace.data(), .workspace_bytes = layout.bytes,
                                .sm_count = 2, .flags = flags.data(), .flag_count = 8};
    REQUIRE(only_row().supports(problem_));
    REQUIRE(only_row().workspace(problem_).fastest == layout.bytes);
    REQUIRE(only_row().prepare() == cudaSuccess);
    REQUIRE(only_row().launch(problem_, context) == cudaSuccess);
    REQUIRE(std::all_of(flags.data(), flags.data() + flags.size(), [](std::uint32_t flag) { return flag == 0; }));
    return static_cast<Method>(workspace[layout.method / 4]);
  }

  // The largest |D - op(A) op(B)| / |op(A)| |op(B)| is none, and no larger than that of a chain of FP32 FMAs; NaN fails.
  void check_errors() const {
    double of_d = 0.0;
    double of_chain = 0.0;
    for (int row = 0; row < problem_.m; ++row) {
      for (int column = 0; column < problem_.n; ++column) {
        double sum = 0.0;
        double size = std::numeric_limits<double>::min();
        float chain = 0.0f;
        for (int i = 0; i < problem_.k; ++i) {
          const double product = static_cast<double>(a_.at(row, i)) * static_cast<double>(b_.at(column, i));
          sum += product;
          size += std::fabs(product);
          chain = std::fma(a_.at(row, i), b_.at(column, i), chain);
        }
        const double error = std::fabs(at(row, column) - sum) / size;
        if (!(error <= of_d)) of_d = error;
        of_chain = std::max(of_chain, std::fabs(chain - sum) / size);
      }
    }
    CHECK(of_d > 0.0);
    CHECK(of_d <= of_chain);
  }

  float at(int row, int column) const { return d_[static_cast<std::size_t>(row + column * problem_.m)]; }

 private:
  Rows a_, b_;
  DeviceArray<float> d_;
  GemmProblem problem_;
};

}  // namespace

TEST_CASE("parts on mma multiply at and around the edges of their tile", "[kernels][tensor_mma]") {
  int turn = 0;
  for (const Op op_a : kOps) {
    for (const Op op_b : kOps) {
      GemmCase gemm = make_case(op_a, op_b, turn % 2 == 0 ? 129 : 1, turn < 2 ? 127 : 129, 256 + 33 * turn);
      gemm.pad_a = gemm.pad_c = gemm.pad_d = turn % 2;
      gemm.offset_b = gemm.offset_d = gemm.offset_c = turn / 2;
      gemm.alpha = turn % 2 == 0 ? 1.0f : -2.0f;
      gemm.beta = turn == 1 ? 0.5f : 0.0f;
      check(gemm);
      ++turn;
    }
  }
  check(make_case(Op::kT, Op::kN, 128, 128, 256));
}

TEST_CASE("parts on mma find every tile of D", "[kernels][tensor_mma]") {
  check(make_case(Op::kT, Op::kN, 3 * 128 - 9, 2 * 128 - 1, 300));
  check(make_case(Op::kN, Op::kT, 17 * 128 + 1, 130, 256));  // a second group of the raster
}

TEST_CASE("parts on mma take long rows, in either layout", "[kernels][tensor_mma]") {
  for (const int k : {1024, 1025, 8193}) {
    check(make_case(Op::kT, Op::kN, 5, 3, k));
    check(make_case(Op::kN, Op::kT, 18, 3, k));
  }
}

TEST_CASE("parts on mma work in pieces where workspace is short", "[kernels][tensor_mma]") {
  int turn = 0;
  for (const int k : {520, 700, 1030}) {
    GemmCase gemm = make_case(kOps[turn % 2], kOps[turn / 2 % 2], 40, 30, k);
    gemm.row_workspace = RowWorkspace::kLeast;
    gemm.reads_own_d = true;
    gemm.alpha = 2.0f;
    gemm.beta = turn % 2 == 0 ? 0.5f : 0.0f;
    gemm.in_place = turn < 2;
    gemm.bias = true;
    gemm.activation = Activation::kRelu;
    check(gemm);
    ++turn;
  }
  GemmCase pieces = make_case(Op::kT, Op::kT, 1540, 3, 576);  // of D, too
  pieces.row_workspace = RowWorkspace::kLeast;
  pieces.reads_own_d = true;
  check(pieces);
}

TEST_CASE("parts on mma apply bias and activation, and scalars on the device", "[kernels][tensor_mma]") {
  int turn = 0;
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
    for (const float alpha : {-2.0f, 0.0f}) {
      GemmCase gemm = make_case(Op::kN, Op::kT, 69, 50, 257);
      gemm.alpha = alpha;
      gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
      gemm.device_scalars = true;
      gemm.poisoned_operands = alpha == 0.0f;
      gemm.activation = activation;
      gemm.bias = turn % 3 != 0;
      gemm.in_place = turn % 4 < 2;
      check(gemm);
      ++turn;
    }
  }
}

TEST_CASE("parts on mma go through the entries of a batch", "[kernels][tensor_mma]") {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 1024;
  problem.batch_count = 64;
  CHECK(only_row().supports(problem));
  problem.batch_count = 65;
  CHECK_FALSE(only_row().supports(problem));
  KernelEntry row = only_row();
  row.supports = [](const GemmProblem&) { return true; };  // small entries, too
  GemmCase gemm = make_case(Op::kN, Op::kN, 131, 7, 256);
  gemm.batch_count = 3;
  gemm.batch_gap = 3;
  gemm.broadcast_a = true;
  check(gemm, row);
}

TEST_CASE("parts on mma ask for workspace for two parts and use what is there", "[kernels][tensor_mma]") {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  GemmProblem problem;
  for (const auto& [m, n, k] : {std::tuple{8192, 8192, 8192}, {1, 1, 256}, {300, 70000, 300}, {100, 100, 1 << 20}}) {
    problem.m = m;
    problem.n = n;
    problem.k = k;
    const WorkspaceNeed need = sgemm_tensor_mma::workspace(problem);
    CHECK(need.least <= need.fastest);
    CHECK(need.least <= 8 * kMiB);
    const auto depth = static_cast<std::size_t>(std::min(k, 16384));
    CHECK(need.fastest >= static_cast<std::size_t>(m + n) * depth * 4);
    CHECK(need.fastest <= static_cast<std::size_t>(m + n) * ((depth + 31) / 32 * 128 + 4) + kMiB);
    for (const std::size_t bytes : {need.least, 32 * kMiB, need.fastest}) {
      if (bytes < need.least) continue;
      const sgemm_tensor::Extents piece = sgemm_tensor_mma::largest_piece(problem, bytes);
      CHECK(sgemm_tensor::workspace_layout(piece, false).bytes <= bytes);
      CHECK((piece.m > 0 && piece.n > 0 && piece.k >= 256));
      if (bytes == need.fastest) CHECK((piece.m == m && piece.n == n && piece.k == std::min(k, 16384)));
    }
  }
}

TEST_CASE("two FP16 parts on mma are closer than FP32 rounds", "[kernels][tensor_mma]") {
  Product product(70, 140, 512, numbers(1), numbers(2));
  CHECK(product.run() == Method::kFp16x3);
  product.check_errors();
  // Rows and columns of any size: each has its own scale.
  const auto sized = [](int seed) {
    return [seed](int row, int k) { return std::ldexp(number(seed, row, k), 50 - 7 * row); };
  };
  for (const Op op : kOps) {
    Product scaled(19, 14, 256, sized(1), sized(2), op, op);
    CHECK(scaled.run() == Method::kFp16x3);
    scaled.check_errors();
  }
}

TEST_CASE("rows that FP16 parts cannot stand for are strict on mma", "[kernels][tensor_mma]") {
  // The largest element of the changed row is under 2^39, so elements from 2^23 on keep all bits. Four others may be
  // there, and one element of up to 2^43 does not outweigh the rest.
  for (const Op op : kOps) {
    const auto method = [op](std::initializer_list<float> changed) {
      Numbers a = [](int row, int k) {
        return 0x1p38f * (std::copysign(1.0f, number(1, row, k)) + number(3, row, k) / 2);
      };
      int k = 100;
      for (const float value : changed) a = with(a, 3, k++, value);
      Product product(20, 3, 300, a, numbers(2), op, op);
      const Method chosen = product.run();
      product.check_errors();
      return chosen;
    };
    constexpr float kMissed = 0x1.fffffep22f;
    CHECK(method({0x1p23f, -0x1p23f, 0x1p23f, 0x1p23f, -0x1p23f}) == Method::kFp16x3);
    CHECK(method({kMissed, kMissed, -kMissed, 0x1p-149f}) == Method::kFp16x3);
    CHECK(method({kMissed, kMissed, -kMissed, kMissed, kMissed}) == Method::kStrict);
    CHECK(method({0x1p43f}) == Method::kFp16x3);
    CHECK(method({0x1p44f}) == Method::kStrict);
    CHECK(method({0x1p64f}) == Method::kStrict);
  }
}

TEST_CASE("what adding up a block's sum on mma rounds away is not lost", "[kernels][tensor_mma]") {
  // 2^24 first, then 15 groups of blocks of 1/2 each, which FP32 would round away one by one.
  constexpr int kGroup = 32 * sgemm_tensor::kBlocksPerGroup;
  const auto a = [](int, int k) {
    if (k < kGroup) return k < 32 ? 1024.0f : 0.0f;
    return k % kGroup == 5 ? 0.5f : 0.0f;
  };
  const auto b = [](int, int k) { return k < 32 ? 512.0f : 1.0f; };
  Product product(40, 70, 16 * kGroup, a, b);
  CHECK(product.run() == Method::kFp16x3);
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 70; ++column) {
      INFO(row << ", " << column);
      CHECK(product.at(row, column) == 0x1p24f + 8.0f);
    }
  }
}

TEST_CASE("NaN and infinity are where FP32 has them on mma, and small numbers as FP32 has them",
          "[kernels][tensor_mma]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const float special : {inf, -inf, std::nanf("")}) {
    Product product(5, 4, 256, with(numbers(1), 2, 77, special), numbers(2));
    CHECK(product.run() == Method::kStrict);
    for (int row = 0; row < 5; ++row) {
      for (int column = 0; column < 4; ++column) {
        const float expected = special * number(2, column, 77);
        if (row != 2) {
          CHECK(std::isfinite(product.at(row, column)));
        } else if (std::isnan(expected)) {
          CHECK(std::isnan(product.at(row, column)));
        } else {
          CHECK(product.at(row, column) == expected);
        }
      }
    }
  }
  const auto subnormal = [](int row, int k) { return std::ldexp(number(1, row, k), row == 1 ? -128 : 0); };
  Product product(5, 4, 256, subnormal, numbers(2), Op::kT, Op::kN);
  CHECK(product.run() == Method::kStrict);
}
