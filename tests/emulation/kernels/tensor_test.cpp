// The FP32_TENSOR family, from its own sources: the split pass, the three methods and the choice between them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/families.h"
#include "kernels/sgemm_tensor/launch.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/violation.h"
#include "tests/emulation/kernels/tensor_case.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;
using sgemm_tensor::Method;

namespace {

// Runs one case on exact integers, each under another seed: another order of blocks, warps, lanes and copies.
void check(const KernelEntry& row, GemmCase gemm) {
  gemm.seed = next_seed();
  const ScopedOptions scope(Options::from_seed(gemm.seed));
  CHECK(run_case(row, gemm) == "");
}

const KernelEntry& smallest_row() { return sgemm_tensor_f32_sm90().back(); }

// The rows, for products of any size: one of them is for large D alone.
std::vector<KernelEntry> rows_for_any_size() {
  const auto all = sgemm_tensor_f32_sm90();
  std::vector<KernelEntry> rows(all.begin(), all.end());
  for (KernelEntry& row : rows) row.supports = sgemm_tensor::supports;
  return rows;
}

// A product D = op(A) op(B) of chosen numbers, and what became of it.
class Product {
 public:
  using Numbers = std::function<float(int row, int k)>;

  Product(int m, int n, int k, const Numbers& a, const Numbers& b, Op op_a = Op::kN, Op op_b = Op::kN)
      : m_(m),
        n_(n),
        k_(k),
        a_(static_cast<std::size_t>(m * k), Access::kRead, "A"),
        b_(static_cast<std::size_t>(n * k), Access::kRead, "B"),
        d_(static_cast<std::size_t>(m * n), Access::kReadWrite, "D") {
    at_a_ = op_a == Op::kN ? std::pair{1, m} : std::pair{k, 1};
    at_b_ = op_b == Op::kN ? std::pair{k, 1} : std::pair{1, n};
    for (int i = 0; i < k; ++i) {
      for (int row = 0; row < m; ++row) a_[index(at_a_, row, i)] = a(row, i);
      for (int row = 0; row < n; ++row) b_[index(at_b_, row, i)] = b(row, i);
    }
    problem_.op_a = op_a;
    problem_.op_b = op_b;
    problem_.math_mode = MathMode::kFp32Tensor;
    problem_.m = m;
    problem_.n = n;
    problem_.k = k;
    problem_.alpha.value = 1.0f;
    problem_.a = {.data = a_.data(), .ld = op_a == Op::kN ? m : k};
    problem_.b = {.data = b_.data(), .ld = op_b == Op::kN ? k : n};
    problem_.d = {.data = d_.data(), .ld = m};
  }

  // What D holds, 0 now, is added.
  void add_to_zeros() {
    std::fill_n(d_.data(), d_.size(), 0.0f);
    problem_.beta.value = 1.0f;
    problem_.c = {.data = d_.data(), .ld = m_};
  }

  // The method that the device chose, among all three however small the product is, or without BF16 parts.
  template <class Tile>
  Method run(const sgemm_tensor::Launches& launches = {}, bool bf16_available = true) {
    using Launcher = sgemm_tensor::Launcher<Tile>;
    const ScopedOptions scope(Options::from_seed(next_seed()));
    DeviceArray<std::uint32_t> flags(8, Access::kReadWrite, "flags");
    std::fill_n(flags.data(), flags.size(), 0u);
    const auto layout = sgemm_tensor::workspace_layout({m_, n_, k_}, true);
    DeviceArray<std::uint32_t> workspace(layout.bytes / 4, Access::kReadWrite, "workspace");
    DeviceInfo device;
    const LaunchContext context{.device = &device, .workspace = workspace.data(), .workspace_bytes = layout.bytes,
                                .sm_count = launches.in_pairs ? 4 : 2, .flags = flags.data(), .flag_count = 8};
    REQUIRE(sgemm_tensor::supports(problem_));
    REQUIRE(Launcher::prepare() == cudaSuccess);
    const sgemm_tensor::PieceLaunch piece = sgemm_tensor::prepare_piece(problem_, context, bf16_available);
    REQUIRE(Launcher::launch_piece(piece, true, launches) == cudaSuccess);
    REQUIRE(std::all_of(flags.data(), flags.data() + flags.size(), [](std::uint32_t flag) { return flag == 0; }));
    return static_cast<Method>(workspace[layout.method / 4]);
  }

  // Largest |D - op(A) op(B)| / |op(A)| |op(B)|, of D and of what a chain of FP32 FMAs gives; NaN where one is none.
  struct Errors {
    double of_d = 0.0;
    double of_fp32 = 0.0;
  };
  Errors errors() const {
    Errors worst;
    const auto take = [](double& largest, double error) {
      if (!(error <= largest)) largest = error;
    };
    for (int row = 0; row < m_; ++row) {
      for (int column = 0; column < n_; ++column) {
        double sum = 0.0;
        double size = std::numeric_limits<double>::min();
        float chain = 0.0f;
        for (int i = 0; i < k_; ++i) {
          const float a = a_[index(at_a_, row, i)];
          const float b = b_[index(at_b_, column, i)];
          const double product = static_cast<double>(a) * static_cast<double>(b);
          sum += product;
          size += std::fabs(product);
          chain = std::fma(a, b, chain);
        }
        take(worst.of_d, std::fabs(at(row, column) - sum) / size);
        take(worst.of_fp32, std::fabs(chain - sum) / size);
      }
    }
    return worst;
  }

  void check_errors() const {
    const Errors worst = errors();
    CHECK(worst.of_d > 0.0);
    CHECK(worst.of_d <= worst.of_fp32);
  }

  float at(int row, int column) const { return d_[static_cast<std::size_t>(row + column * m_)]; }

 private:
  static std::size_t index(const std::pair<int, int>& steps, int row, int k) {
    return static_cast<std::size_t>(row * steps.first + k * steps.second);
  }

  int m_, n_, k_;
  DeviceArray<float> a_, b_, d_;
  std::pair<int, int> at_a_, at_b_;  // from row to row, and from k to k
  GemmProblem problem_;
};

// Uniform in [-1, 1), the same for the same place and seed.
float number(int seed, int row, int k) {
  Random random(static_cast<std::uint64_t>(seed) << 40 | static_cast<std::uint64_t>(row) << 20 |
                static_cast<unsigned>(k));
  return static_cast<float>(static_cast<std::int64_t>(random.below(1u << 24)) - (1 << 23)) * 0x1p-23f;
}

Product::Numbers numbers(int seed) {
  return [seed](int row, int k) { return number(seed, row, k); };
}

// The same with one element changed.
Product::Numbers with(Product::Numbers others, int row, int k, float value) {
  return [=](int r, int i) { return r == row && i == k ? value : others(r, i); };
}

// Powers of two far apart, from row to row and from element to element.
Product::Numbers wide(int seed, int range) {
  return [=](int row, int k) {
    return std::ldexp(number(seed, row, k), static_cast<int>(range * number(seed + 1, row, k)));
  };
}

}  // namespace

TEST_CASE("tensor kernels multiply at and around the edges of their tile", "[kernels][tensor]") {
  for (const KernelEntry& row : rows_for_any_size()) {
    int turn = 0;
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        const int m = turn % 2 == 0 ? row.tile.m + 1 : 1;
        const int n = turn < 2 ? row.tile.n - 1 : row.tile.n + 1;
        GemmCase gemm = make_case(op_a, op_b, m, n, 256 + 33 * turn);
        gemm.pad_a = gemm.pad_c = gemm.pad_d = turn % 2;
        gemm.offset_b = gemm.offset_d = gemm.offset_c = turn / 2;
        gemm.alpha = turn % 2 == 0 ? 1.0f : -2.0f;
        gemm.beta = turn == 1 ? 0.5f : 0.0f;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEST_CASE("tensor kernels work through lists of tiles", "[kernels][tensor]") {
  for (const KernelEntry& row : rows_for_any_size()) {
    GemmCase gemm = make_case(Op::kT, Op::kN, 3 * row.tile.m - 9, 2 * row.tile.n - 1, 300);
    gemm.sm_count = 2;
    check(row, gemm);
  }
}

TEST_CASE("tensor kernels take long rows, in either layout", "[kernels][tensor]") {
  for (const int k : {1024, 1025, 8193}) {
    check(smallest_row(), make_case(Op::kT, Op::kN, 5, 3, k));
    check(smallest_row(), make_case(Op::kN, Op::kT, 18, 3, k));
  }
}

TEST_CASE("tensor kernels work in pieces where workspace is short", "[kernels][tensor]") {
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
    check(smallest_row(), gemm);
    ++turn;
  }
  GemmCase pieces = make_case(Op::kT, Op::kT, 1540, 3, 576);  // of D, too
  pieces.row_workspace = RowWorkspace::kLeast;
  pieces.reads_own_d = true;
  check(smallest_row(), pieces);
}

TEST_CASE("tensor kernels apply bias and activation, and scalars on the device", "[kernels][tensor]") {
  for (const KernelEntry& row : rows_for_any_size()) {
    int turn = 0;
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu}) {
      for (const float alpha : {-2.0f, 0.0f}) {
        GemmCase gemm = make_case(Op::kN, Op::kT, row.tile.m / 2 + 5, 50, 257);
        gemm.alpha = alpha;
        gemm.beta = turn % 2 == 0 ? 0.0f : 0.5f;
        gemm.device_scalars = true;
        gemm.poisoned_operands = alpha == 0.0f;
        gemm.activation = activation;
        gemm.bias = turn % 3 != 0;
        gemm.in_place = turn % 4 < 2;
        check(row, gemm);
        ++turn;
      }
    }
  }
}

TEST_CASE("tensor kernels go through few large batch entries", "[kernels][tensor]") {
  const auto supports = smallest_row().supports;
  GemmProblem problem;
  problem.m = problem.n = problem.k = 1024;
  problem.batch_count = 64;
  CHECK(supports(problem));
  const auto declines = [&](auto change) {
    GemmProblem changed = problem;
    change(changed);
    return !supports(changed);
  };
  CHECK(declines([](GemmProblem& p) { p.batch_count = 65; }));
  CHECK(declines([](GemmProblem& p) { p.m = 1023; }));
  CHECK(declines([](GemmProblem& p) { p.k = 255; }));
  CHECK(declines([](GemmProblem& p) { p.k = 1 << 24; }));
  CHECK(declines([](GemmProblem& p) { p.type_cd = DataType::kFloat16; }));
  static const void* const kPointer = nullptr;
  CHECK(declines([](GemmProblem& p) { p.a.pointers = &kPointer; }));
  problem.batch_count = 1;
  const auto large_tile_takes = [problem](std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmProblem sized = problem;
    sized.m = m, sized.n = n, sized.k = k;
    return sgemm_tensor_f32_sm90().front().supports(sized);
  };
  CHECK(large_tile_takes(4096, 2048, 1 << 20));
  CHECK_FALSE(large_tile_takes(4096, 2047, 512));
  CHECK(large_tile_takes(2048, 2048, 1 << 20));  // 128 tiles
  CHECK(large_tile_takes(1024, 4096, 512));
  CHECK(large_tile_takes(2816, 1536, 512));  // 132
  CHECK_FALSE(large_tile_takes(2049, 2048, 512));
  CHECK_FALSE(large_tile_takes(2048, 2047, 512));
}

TEST_CASE("two FP16 parts and three products are closer than FP32 rounds", "[kernels][tensor]") {
  const auto check_tile = [](auto tile) {
    Product product(20, 12, 512, numbers(1), numbers(2));
    CHECK(product.run<decltype(tile)>() == Method::kFp16x3);
    product.check_errors();
  };
  check_tile(sgemm_tensor::Tile256x128{});
  check_tile(sgemm_tensor::Tile128x128{});
  check_tile(sgemm_tensor::Tile64x128{});
  // Rows and columns of any size: each has its own scale.
  const auto sized = [](int seed) {
    return [seed](int row, int k) { return std::ldexp(number(seed, row, k), 50 - 7 * row); };
  };
  Product product(19, 14, 256, sized(1), sized(2), Op::kT, Op::kT);
  CHECK(product.run<sgemm_tensor::Tile64x128>() == Method::kFp16x3);
  product.check_errors();
}

TEST_CASE("the method changes at its edges, whatever the layout", "[kernels][tensor]") {
  // The largest element of the changed row is under 2^39, so elements from 2^23 on keep all bits as FP16 parts, and
  // those from 2^-87 on are safe as BF16 parts. Four others may be there.
  for (const Op op : kOps) {
    const auto method = [op](std::initializer_list<float> changed) {
      Product::Numbers a = [](int row, int k) {
        return 0x1p38f * (std::copysign(1.0f, number(1, row, k)) + number(3, row, k) / 2);
      };
      int k = 100;
      for (const float value : changed) a = with(a, 3, k++, value);
      Product product(20, 3, 300, a, numbers(2), op, op);
      const Method chosen = product.run<sgemm_tensor::Tile64x128>();
      product.check_errors();
      return chosen;
    };
    constexpr float kMissed = 0x1.fffffep22f, kUnsafe = 0x1.fffffep-88f;
    CHECK(method({0x1p23f, -0x1p23f, 0x1p23f, 0x1p23f, -0x1p23f}) == Method::kFp16x3);
    CHECK(method({kMissed, kMissed, -kMissed, kUnsafe}) == Method::kFp16x3);
    CHECK(method({kMissed, kMissed, -kMissed, kMissed, kMissed}) == Method::kBf16x6);
    CHECK(method({kUnsafe, kUnsafe, -kUnsafe, kMissed, 0x1p-87f}) == Method::kBf16x6);
    CHECK(method({kUnsafe, kUnsafe, -kUnsafe, kUnsafe, 0x1p-149f}) == Method::kStrict);
    // One element that outweighs the others.
    CHECK(method({0x1p43f}) == Method::kFp16x3);
    CHECK(method({0x1p44f}) == Method::kBf16x6);
    CHECK(method({0x1p62f}) == Method::kBf16x6);
    CHECK(method({0x1p62f, 0x1p-63f}) == Method::kBf16x6);
    CHECK(method({0x1p62f, 0x1.fffffep-64f}) == Method::kStrict);
    CHECK(method({0x1p64f}) == Method::kStrict);
  }
}

TEST_CASE("a product that outweighs all others is rounded once", "[kernels][tensor]") {
  const auto one_huge = [](int seed) {
    return [seed](int row, int k) { return std::ldexp(number(seed, row, k), k == 70 ? 40 : 0); };
  };
  Product product(70, 9, 256, one_huge(1), one_huge(2));
  CHECK(product.run<sgemm_tensor::Tile64x128>() == Method::kBf16x6);
  for (int row = 0; row < 70; ++row) {
    for (int column = 0; column < 9; ++column) {
      const double huge = static_cast<double>(one_huge(1)(row, 70)) * static_cast<double>(one_huge(2)(column, 70));
      CHECK(std::fabs(product.at(row, column) - huge) <= 0x1.2p-24 * std::fabs(huge));
    }
  }
}

TEST_CASE("what adding up a block's sum rounds away is not lost", "[kernels][tensor]") {
  // 2^24 first, then 15 groups of blocks of 1/2 each, which FP32 would round away one by one.
  const auto sum = [](int large, Method method) {
    constexpr int kGroup = 32 * sgemm_tensor::kBlocksPerGroup;
    const auto a = [large](int, int k) {
      if (k < kGroup) return k < large ? 1024.0f : 0.0f;
      return k % kGroup == 5 ? 0.5f : 0.0f;
    };
    const auto b = [large](int, int k) { return k < 32 ? 0x1p14f / static_cast<float>(large) : 1.0f; };
    Product product(3, 2, 16 * kGroup, a, b);
    CHECK(product.run<sgemm_tensor::Tile64x128>() == method);
    return product.at(2, 1);
  };
  CHECK(sum(32, Method::kFp16x3) == 0x1p24f + 8.0f);
  CHECK(sum(4, Method::kBf16x6) == 0x1p24f + 8.0f);
}

TEST_CASE("three BF16 parts and six products are closer than FP32 rounds", "[kernels][tensor]") {
  const auto check_tile = [](auto tile, Op op_a, Op op_b) {
    Product product(tile.kTileM + 3, 9, 300, wide(1, 20), wide(3, 20), op_a, op_b);
    CHECK(product.run<decltype(tile)>() == Method::kBf16x6);
    product.check_errors();
  };
  check_tile(sgemm_tensor::Tile256x128{}, Op::kN, Op::kN);
  check_tile(sgemm_tensor::Tile128x128{}, Op::kN, Op::kT);
  check_tile(sgemm_tensor::Tile64x128{}, Op::kT, Op::kN);
  Product long_rows(5, 3, 2100, wide(1, 20), wide(3, 20), Op::kT, Op::kN);
  CHECK(long_rows.run<sgemm_tensor::Tile64x128>() == Method::kBf16x6);
  long_rows.check_errors();
}

// Whose pairs share the other operand.
struct TallTile : sgemm_tensor::Tile64x128 {
  static constexpr bool kPairs = true;
};

TEST_CASE("pairs of blocks copy once what both need", "[kernels][tensor]") {
  const auto check_tile = [](auto tile, Op op_a, Op op_b) {
    using Tile = decltype(tile);
    constexpr int kM = 2 * Tile::kTileM + 7, kN = 2 * Tile::kTileN + 7;  // with tiles that are all past the edge
    const sgemm_tensor::Launches in_pairs{.in_pairs = true, .strict_apart = true};
    Product fp16(kM, kN, 300, numbers(1), numbers(2), op_a, op_b);
    CHECK(fp16.run<Tile>(in_pairs) == Method::kFp16x3);
    fp16.check_errors();
    Product bf16(kM, 9, 300, wide(1, 20), wide(3, 20), op_a, op_b);
    CHECK(bf16.run<Tile>(in_pairs) == Method::kBf16x6);
    bf16.check_errors();
    Product strict(kM, 9, 300, with(numbers(1), 2, 77, 0x1p64f), numbers(2), op_a, op_b);
    CHECK(strict.run<Tile>(in_pairs) == Method::kStrict);
    CHECK(strict.errors().of_d < 0x1p-21);
  };
  check_tile(sgemm_tensor::Tile256x128{}, Op::kT, Op::kN);
  check_tile(TallTile{}, Op::kN, Op::kT);
  const auto in_pairs = [](std::int64_t m, std::int64_t n, std::int64_t k, int sm_count) {
    sgemm_tensor::PieceLaunch piece;
    piece.problem.m = m, piece.problem.n = n, piece.problem.k = k;
    piece.context.sm_count = sm_count;
    return sgemm_tensor::launches_of<sgemm_tensor::Tile256x128>(piece).in_pairs;
  };
  CHECK(in_pairs(8192, 8192, 2048, 132));
  CHECK_FALSE(in_pairs(8192, 8192, 2047, 132));
  CHECK_FALSE(in_pairs(8192, 8193, 8192, 132));  // a tile would be left over
  CHECK(in_pairs(8193, 8192, 8192, 132));
  CHECK_FALSE(in_pairs(8192, 8192, 8192, 1));
}

TEST_CASE("first copies that are of no use do no harm", "[kernels][tensor]") {
  for (const bool in_pairs : {false, true}) {
    const sgemm_tensor::Launches launches{.in_pairs = in_pairs, .strict_apart = in_pairs};
    for (const int k : {256, 1024}) {
      Product product(300, 150, k, with(numbers(1), 2, 77, 0x1p64f), numbers(2));
      CHECK(product.run<TallTile>(launches, false) == Method::kStrict);
      CHECK(product.errors().of_d < 0x1p-21);
    }
  }
}

TEST_CASE("plain FP32 in a launch of its own", "[kernels][tensor]") {
  const sgemm_tensor::Launches apart{.strict_apart = true};
  Product others(70, 130, 300, numbers(1), numbers(2));  // which leaves alone what is there
  CHECK(others.run<sgemm_tensor::Tile64x128>(apart) == Method::kFp16x3);
  others.check_errors();
  Product few(70, 130, 520, with(numbers(1), 2, 77, 0x1p64f), numbers(2));  // so that k is cut
  few.add_to_zeros();  // once
  CHECK(few.run<sgemm_tensor::Tile64x128>(apart) == Method::kStrict);
  CHECK(few.errors().of_d < 0x1p-21);
  Product many(300, 260, 257, with(numbers(1), 2, 77, 0x1p64f), numbers(2), Op::kT, Op::kT);  // 9 tiles, 4 at a time
  CHECK(many.run<sgemm_tensor::Tile64x128>(apart) == Method::kStrict);
  CHECK(many.errors().of_d < 0x1p-21);
  sgemm_tensor::PieceLaunch piece;
  piece.problem.m = piece.problem.n = 8192, piece.problem.k = 2048;
  CHECK(sgemm_tensor::launches_of<sgemm_tensor::Tile64x128>(piece).strict_apart);
  piece.problem.k = 2047;
  CHECK_FALSE(sgemm_tensor::launches_of<sgemm_tensor::Tile64x128>(piece).strict_apart);
}

TEST_CASE("plain FP32 is exact on integers, tile by tile, whatever the layout", "[kernels][tensor]") {
  const auto integers = [](int seed, int exponent) {
    return [=](int row, int k) { return std::ldexp(std::floor(8.0f * number(seed, row, k)), exponent); };
  };
  for (const Op op_a : kOps) {
    for (const Op op_b : kOps) {
      constexpr int kM = 270, kN = 70, kK = 261;
      Product product(kM, kN, kK, integers(1, 64), integers(2, 0), op_a, op_b);  // too large to be split
      CHECK(product.run<sgemm_tensor::Tile64x128>() == Method::kStrict);
      int wrong = 0;
      for (int row = 0; row < kM; ++row) {
        for (int column = 0; column < kN; ++column) {
          double sum = 0.0;
          for (int k = 0; k < kK; ++k) {
            sum += static_cast<double>(integers(1, 64)(row, k)) * static_cast<double>(integers(2, 0)(column, k));
          }
          wrong += product.at(row, column) == sum ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("NaN and infinity are where FP32 has them, and small numbers as FP32 has them", "[kernels][tensor]") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  for (const float special : {inf, -inf, nan}) {
    Product product(5, 4, 256, with(numbers(1), 2, 77, special), numbers(2));
    CHECK(product.run<sgemm_tensor::Tile64x128>() == Method::kStrict);
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
  CHECK(product.run<sgemm_tensor::Tile64x128>() == Method::kStrict);
}
