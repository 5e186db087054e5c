// The plans really hold what they are said to hold; a plan that lost a loop would pass every kernel.
#include <algorithm>
#include <set>

#include "src/cli/verify_layout.h"
#include "src/cli/verify_plan.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

namespace {

const KernelInfo kKernel{"hgemm_mma_f16_128x64x32_s3", DataType::kFloat16, {128, 64, 32}, 3, true};

}  // namespace

TEST_CASE("a kernel's name gives its type, tile and stages", "[verify]") {
  KernelInfo info;
  REQUIRE(parse_kernel_name("sgemm_ffma_f32_256x128x8_s4", &info));
  CHECK(info.type == DataType::kFloat32);
  CHECK(info.tile.m == 256);
  CHECK(info.tile.n == 128);
  CHECK(info.tile.k == 8);
  CHECK(info.stages == 4);
  REQUIRE(parse_kernel_name("hgemm_mma_f16_sm75_64x64x32_s2", &info));
  CHECK(info.type == DataType::kFloat16);
  CHECK(info.tile.n == 64);
  CHECK_FALSE(parse_kernel_name("cublas", &info));
  CHECK_FALSE(parse_kernel_name("sgemm_128x64", &info));
}

TEST_CASE("kernels that cut k into parts are forced to do so", "[verify]") {
  KernelInfo kernel = kKernel;
  const std::size_t whole = entry_cases(kernel).size();
  kernel.max_parts = 30;
  std::set<std::string> names;
  for (const Case& c : entry_cases(kernel)) {
    names.insert(c.kernel);
    const std::size_t slash = c.kernel.find('/');
    if (slash != std::string::npos) CHECK(c.k >= std::stoi(c.kernel.substr(slash + 1)) * kernel.tile.k);
  }
  CHECK(names.size() == 5);
  CHECK(entry_cases(kernel).size() == whole + 64);
  kernel.max_parts = 24;
  const std::vector<Case> fewer = entry_cases(kernel);
  CHECK(fewer.size() == whole + 64);
  CHECK(std::any_of(fewer.begin(), fewer.end(), [](const Case& c) { return c.kernel.ends_with("/24"); }));
}

TEST_CASE("every kernel of this build has a name that can be read", "[verify]") {
  for (int i = 0; fg_kernel_name(i) != nullptr; ++i) {
    KernelInfo info;
    INFO(fg_kernel_name(i));
    CHECK(parse_kernel_name(fg_kernel_name(i), &info));
  }
}

TEST_CASE("the thorough plan combines all ops, sizes around the tile, ld and offsets", "[verify]") {
  const std::vector<Case> cases = shape_cases(kKernel, PlanSize::kThorough);
  std::set<std::string> combinations;
  std::set<std::pair<char, char>> ops;
  for (const Case& c : cases) {
    ops.insert({c.trans_a, c.trans_b});
    combinations.insert(std::string{c.trans_a, c.trans_b} + std::to_string(c.m) + "," + std::to_string(c.n) + "," +
                        std::to_string(c.k) + "," + std::to_string(c.pad_c));
    CHECK(c.kernel == kKernel.name);
    CHECK(c.type_ab == kKernel.type);
  }
  CHECK(ops.size() == 9);
  for (const std::int64_t m : {127, 128, 129}) {
    for (const std::int64_t n : {63, 64, 65}) {
      for (const std::int64_t k : {31, 32, 33}) {
        const std::string key = "CT" + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + ",0";
        CHECK(combinations.count(key) == 1);
      }
    }
  }
}

TEST_CASE("the plans meet every entry, scalar mode, zero scalar and batch layout", "[verify]") {
  std::set<CallEntry> entries;
  int device_scalars = 0, zero_alpha = 0, zero_beta = 0, null_factors = 0, broadcast = 0, negative = 0, bias = 0,
      separate = 0, mixed = 0, odd_offset = 0, aligned_device_alpha_zero = 0;
  for (const PlanSize size : {PlanSize::kQuick, PlanSize::kThorough}) {
    for (const Case& c : kernel_cases(kKernel, size)) {
      entries.insert(c.entry);
      device_scalars += c.device_scalars;
      zero_alpha += c.alpha == 0.0f && c.k > 0;
      zero_beta += c.beta == 0.0f;
      null_factors += c.null_unread && !reads_product(c);
      broadcast += c.broadcast_a || c.broadcast_b;
      negative += c.negative_strides;
      bias += c.bias;
      separate += c.separate_d;
      mixed += c.type_cd != c.type_ab;
      odd_offset += c.offset_a % 2 != 0;
      aligned_device_alpha_zero += c.device_scalars && c.alpha == 0.0f;
    }
  }
  CHECK(entries.size() == 7);
  for (const int count : {device_scalars, zero_alpha, zero_beta, null_factors, broadcast, negative, bias, separate,
                          mixed, odd_offset, aligned_device_alpha_zero}) {
    CHECK(count > 3);
  }
}

TEST_CASE("matrices of a case lie apart, inside the arena, at the offsets asked for", "[verify]") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const Case c = random_case(&random, {kKernel});
    char* const arena = reinterpret_cast<char*>(std::uintptr_t{1} << 20);
    const CaseLayout layout = lay_out(c, arena);
    CHECK(lay_out(c, nullptr).bytes == layout.bytes);
    const char* last_end = arena;
    for (const MatrixImage& matrix : layout.image.matrices) {
      if (matrix.total == 0) continue;
      const auto* base = static_cast<const char*>(matrix.base);
      CHECK(base >= last_end);
      last_end = base + matrix.total * element_size(matrix.type);
      const std::int64_t matrices = matrix.batch_stride * (matrix.batch_count - 1) + matrix.ld * matrix.columns;
      CHECK(matrix.start * element_size(matrix.type) >= 256);
      CHECK((matrix.total - matrix.start - matrices) * element_size(matrix.type) >= 256);
      CHECK(matrix.ld >= matrix.rows);
    }
    CHECK(last_end <= arena + layout.bytes);
    const MatrixImage& a = layout.image.matrices[kMatrixA];
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(a.base) + static_cast<std::uintptr_t>(
                                       a.start * element_size(a.type));
    CHECK(address % 256 == static_cast<std::uintptr_t>(c.offset_a * element_size(a.type)) % 256);
  }
}

TEST_CASE("a place outside the matrix is named as such", "[verify]") {
  MatrixImage image;
  image.start = 10;
  image.rows = 3;
  image.columns = 2;
  image.ld = 5;
  image.batch_stride = 12;
  image.batch_count = 2;
  CHECK_THAT(describe_place(image, 8), ContainsSubstring("2 elements before"));
  CHECK(describe_place(image, 17) == "row 2, column 1, stored entry 0");
  CHECK_THAT(describe_place(image, 14), ContainsSubstring("between rows and ld"));
  CHECK_THAT(describe_place(image, 21), ContainsSubstring("past its last column"));
  CHECK(describe_place(image, 22) == "row 0, column 0, stored entry 1");
}
