// The GPU fuzz draws what it says it draws.
#include "tests/gpu/fuzz_calls.h"

#include <map>
#include <set>

#include "src/cli/verify_layout.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::cli;
using namespace fastgemm::gpu_tests;

namespace {

constexpr int kCalls = 20000;

}  // namespace

TEST_CASE("a fuzz call is a function of seed and number", "[verify]") {
  std::set<std::string> spelled;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const FuzzCall call = draw_fuzz_call(1, i, {});
    const FuzzCall again = draw_fuzz_call(1, i, {});
    CHECK(spell(call.the_case) == spell(again.the_case));
    CHECK(call.lane == again.lane);
    CHECK(call.the_case.seed == static_cast<std::uint64_t>(i) + 1);
    Case bare = call.the_case;
    bare.seed = 1;
    spelled.insert(spell(bare));
    bare = draw_fuzz_call(2, i, {}).the_case;
    bare.seed = 1;
    spelled.insert(spell(bare));
  }
  CHECK(spelled.size() > 1950);  // small products coincide now and then
}

TEST_CASE("fuzz calls meet every entry in every mode, captured and not, on every stream", "[verify]") {
  std::map<std::string, int> counts;
  for (std::int64_t i = 0; i < kCalls; ++i) {
    const FuzzCall call = draw_fuzz_call(1, i, {});
    const Case& c = call.the_case;
    REQUIRE(c.kernel.empty());
    REQUIRE(call.lane >= 0);
    REQUIRE(call.lane < kFuzzLanes);
    const std::string entry = "entry " + std::to_string(static_cast<int>(c.entry)) + (c.captured ? " captured" : "");
    ++counts[entry + " type " + std::to_string(static_cast<int>(c.type_ab))];
    if (c.type_ab == DataType::kFloat32) ++counts[entry + " mode " + std::to_string(c.math)];
    ++counts["lane " + std::to_string(call.lane)];
    ++counts[std::string("ops ") + c.trans_a + c.trans_b];
    ++counts[c.device_scalars ? "device scalars" : "host scalars"];
    ++counts["activation " + std::to_string(c.activation)];
    if (c.m == 0 || c.n == 0) ++counts["empty"];
    if (c.k == 0) ++counts["no k"];
    if (std::max({c.m, c.n, c.k}) >= 1000) ++counts["long"];
    if (std::min({c.m, c.n, c.k}) >= 300) ++counts["large"];
    if (c.batch > 1) ++counts["batch"];
    if (c.offset_a % 4 != 0 || c.pad_a % 4 != 0) ++counts["unaligned"];
    if (c.bias) ++counts["bias"];
    if (c.separate_d) ++counts["D apart"];
  }
  // 7 entries, captured or not, of 2 types and in 4 modes; 8 lanes; 9 ops; 2 homes of scalars; 3 activations; 8 more.
  CHECK(counts.size() == 14 * 2 + 14 * 4 + 8 + 9 + 2 + 3 + 8);
  for (const auto& [what, count] : counts) {
    INFO(what);
    CHECK(count >= 5);
  }
}

TEST_CASE("fuzz calls have exact sums, and fit beside one another", "[verify]") {
  for (std::int64_t i = 0; i < kCalls; ++i) {
    const Case c = draw_fuzz_call(1, i, {}).the_case;
    const double range = integer_range(c);
    CHECK(static_cast<double>(c.k) * range * range <= 0x1p23);
    CHECK(lay_out(c, nullptr).bytes + lay_out(c, nullptr).expected_bytes < std::size_t{1} << 30);
  }
}
