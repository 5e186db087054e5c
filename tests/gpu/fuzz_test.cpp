// Seeded random calls on exact-integer data: no bit may differ (but for gelu, whose tanh has a tolerance).
//   FASTGEMM_FUZZ_SEED        default 1
//   FASTGEMM_FUZZ_COUNT       calls through the dispatcher; default 100000
//   FASTGEMM_FUZZ_ONLY        number of the one call to make, as a failure names it
//   FASTGEMM_FUZZ_ONE_BY_ONE  1: waits for each call, to find the one that ends everything
#include "tests/gpu/fuzz_calls.h"
#include "tests/gpu/support.h"
#include "tests/gpu/watchdog.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

std::uint64_t fuzz_seed() { return static_cast<std::uint64_t>(environment_number("FASTGEMM_FUZZ_SEED", 1)); }

// Calls on several streams at a time: half of the lanes have a handle of their own, the others take turns on one.
class Lanes {
 public:
  Lanes() {
    for (int i = 0; i < kFuzzLanes; ++i) {
      std::string error;
      verifiers_.push_back(Verifier::create(&error, shares(i) ? static_cast<fg_handle_t>(shared_) : nullptr));
      INFO(error);
      REQUIRE(verifiers_.back() != nullptr);
      verifiers_.back()->set_one_by_one(environment_number("FASTGEMM_FUZZ_ONE_BY_ONE", 0) != 0);
    }
  }

  void add(const FuzzCall& call) {
    Verifier& verifier = *verifiers_[static_cast<std::size_t>(call.lane)];
    if (shares(call.lane)) require_ok(fg_set_stream(shared_, verifier.stream()));
    verifier.add(call.the_case);
  }

  bool dead() const {
    for (const auto& verifier : verifiers_) {
      if (verifier->dead()) return true;
    }
    return false;
  }

  void check(std::uint64_t seed, std::int64_t calls) {
    std::int64_t ran = 0;
    for (std::size_t lane = 0; lane < verifiers_.size(); ++lane) {
      verifiers_[lane]->finish();
      ran += verifiers_[lane]->ran();
      CHECK(verifiers_[lane]->failed() == 0);
      for (const Failure& failure : verifiers_[lane]->failures()) report(seed, lane, failure);
    }
    CHECK(ran == calls);
    std::printf("calls fuzz %lld\n", static_cast<long long>(ran));
    std::fflush(stdout);
  }

 private:
  static bool shares(int lane) { return lane >= kFuzzLanes / 2; }

  static void report(std::uint64_t seed, std::size_t lane, const Failure& failure) {
    FAIL_CHECK("call " << failure.the_case.seed - 1 << " of seed " << seed << ", on stream " << lane << ": "
                       << failure.what << "\n  " << spell(failure.the_case) << "\n  again: FASTGEMM_FUZZ_SEED=" << seed
                       << " FASTGEMM_FUZZ_ONLY=" << failure.the_case.seed - 1
                       << " fg_gpu_tests '[fuzz]', or fastgemm check --case with the line above");
  }

  const Handle shared_;
  std::vector<std::unique_ptr<Verifier>> verifiers_;
};

}  // namespace

TEST_CASE("random calls through the dispatcher, on several streams, some captured, are right", "[fuzz]") {
  const std::uint64_t seed = fuzz_seed();
  const std::int64_t only = environment_number("FASTGEMM_FUZZ_ONLY", -1);
  const std::int64_t first = only >= 0 ? only : 0;
  const std::int64_t last = only >= 0 ? only + 1 : environment_number("FASTGEMM_FUZZ_COUNT", 100000);
  Lanes lanes;
  std::atomic<std::int64_t> present{first};
  Watchdog watchdog(std::chrono::seconds(30), [&] {
    return "calls of seed " + std::to_string(seed) + " up to number " + std::to_string(present) +
           " have been made; FASTGEMM_FUZZ_ONE_BY_ONE=1 ends at the one";
  });
  for (std::int64_t index = first; index < last && !lanes.dead(); ++index) {
    const FuzzCall call = draw_fuzz_call(seed, index, {});
    if (only >= 0) WARN("call " << index << ", on stream " << call.lane << ": " << spell(call.the_case));
    present = index;
    lanes.add(call);
    watchdog.tick();
  }
  lanes.check(seed, last - first);
}

TEST_CASE("random calls, half of them forced to a kernel, are right", "[fuzz]") {
  constexpr std::int64_t kCount = 20000;
  if (environment_number("FASTGEMM_FUZZ_ONLY", -1) >= 0) return;
  const auto verifier = make_verifier();
  const std::vector<KernelInfo> kernels = available_kernels(verifier->handle());
  for (std::int64_t i = 0; i < kCount; ++i) verifier->add(draw_fuzz_call(fuzz_seed(), i, kernels).the_case);
  check_verdicts(verifier.get(), "fuzz");
}
