// Every kernel, forced by name, over everything it promises to take.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

TEST_CASE("there is a kernel of each type for this GPU", "[kernels]") {
  const Handle handle;
  CHECK_FALSE(available_kernels(handle, DataType::kFloat32).empty());
  CHECK_FALSE(available_kernels(handle, DataType::kFloat16).empty());
}

TEST_CASE("every kernel takes every op, size around its tile, ld and pointer offset", "[kernels]") {
  const auto verifier = make_verifier();
  for (const KernelInfo& kernel : available_kernels(verifier->handle())) {
    const std::int64_t declined_before = verifier->declined();
    const auto cases = shape_cases(kernel, PlanSize::kThorough);
    for (const Case& c : cases) verifier->add(c);
    verifier->finish();
    const std::int64_t declined = verifier->declined() - declined_before;
    INFO(kernel.name << " declined " << declined << " of " << cases.size());
    CHECK(declined < static_cast<std::int64_t>(cases.size()));
    if (is_general(kernel.name)) CHECK(declined == 0);
  }
  check_verdicts(verifier.get(), "kernels");
}

TEST_CASE("every kernel is right behind every entry", "[kernels]") {
  const auto verifier = make_verifier();
  for (const KernelInfo& kernel : available_kernels(verifier->handle())) {
    for (const Case& c : entry_cases(kernel)) verifier->add(c);
  }
  check_verdicts(verifier.get(), "entries");
}

TEST_CASE("the dispatcher's own choice is right behind every entry", "[kernels]") {
  const auto verifier = make_verifier();
  KernelInfo automatic{"", DataType::kFloat32, {128, 128, 32}, 3, true};
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    automatic.type = type;
    for (const Case& c : kernel_cases(automatic, PlanSize::kQuick)) verifier->add(c);
  }
  check_verdicts(verifier.get(), "automatic");
  CHECK(verifier->declined() == 0);
}
