// A case survives being spelled and read back, so that a reported failure can be repeated.
#include "src/cli/verify_case.h"
#include "src/cli/verify_plan.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;

TEST_CASE("every random case survives spelling", "[verify]") {
  std::mt19937_64 random(3);
  const std::vector<KernelInfo> kernels{{"sgemm_ffma_f32_64x64x8_s4", DataType::kFloat32, {64, 64, 8}, 4, true},
                                        {"hgemm_mma_f16_64x64x32_s2", DataType::kFloat16, {64, 64, 32}, 2, true}};
  int forced = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case c = random_case(&random, kernels);
    Case read;
    std::string error;
    REQUIRE(parse_case(spell(c), &read, &error));
    CHECK(spell(read) == spell(c));
    CHECK(read.m == c.m);
    CHECK(read.entry == c.entry);
    CHECK(read.seed == c.seed);
    CHECK(read.beta == c.beta);
    CHECK(read.kernel == c.kernel);
    forced += !c.kernel.empty();
  }
  CHECK(forced > 1000);
}

TEST_CASE("a default case is spelled as something that reads back", "[verify]") {
  Case read;
  std::string error;
  CHECK(parse_case(spell(Case{}), &read, &error));
  CHECK(spell(read) == spell(Case{}));
}

TEST_CASE("a case that cannot be read is refused with the word at fault", "[verify]") {
  Case c;
  std::string error;
  for (const char* bad : {"m", "m=", "m=x", "m=3x", "size=3", "transa=X", "entry=gemv", "alpha=one", "bias=yes"}) {
    CHECK_FALSE(parse_case(std::string("n=4 ") + bad, &c, &error));
    CHECK_THAT(error, ContainsSubstring(bad));
  }
}

TEST_CASE("the data's range keeps sums exact", "[verify]") {
  Case c;
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    c.type_cd = type;
    for (const std::int64_t k : {0, 1, 8, 100, 1000, 65536, 1000000}) {
      c.k = k;
      const double range = integer_range(c);
      CHECK(range >= 1);
      CHECK(range <= 8);
      if (range > 1) CHECK(static_cast<double>(k) * range * range <= (type == DataType::kFloat16 ? 2048.0 : 0x1p23));
    }
  }
}
