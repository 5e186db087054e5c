// The conditions of the filter, each at its edge.
#include "src/dispatch/filter.h"

#include "tests/dispatch/fake_table.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::test;

namespace {

bool may_run(const KernelEntry& entry, const DeviceInfo& device, std::size_t workspace_bytes = SIZE_MAX) {
  return refusal(product_of(DataType::kFloat32, 256, 256, 64), entry, device, workspace_bytes).empty();
}

}  // namespace

TEST_CASE("a row is for its compute capabilities, the first and the last included", "[dispatch][filter]") {
  KernelEntry row = fake_row("f32_128x128");
  row.min_compute_capability = 80;
  row.max_compute_capability = 90;
  CHECK_FALSE(may_run(row, fake_device(75, 40)));
  CHECK(may_run(row, fake_device(80, 40)));
  CHECK(may_run(row, fake_device(90, 40)));
  CHECK_FALSE(may_run(row, fake_device(100, 40)));
}

TEST_CASE("a row may take all of a block's shared memory, and no byte more", "[dispatch][filter]") {
  const DeviceInfo device = fake_device(90, 132);
  KernelEntry row = fake_row("f32_128x128");
  row.shared_bytes = device.shared_bytes_per_block;
  CHECK(may_run(row, device));
  ++row.shared_bytes;
  CHECK_FALSE(may_run(row, device));
}

TEST_CASE("a row runs with the least workspace it needs, whatever it would like", "[dispatch][filter]") {
  const DeviceInfo device = fake_device(90, 132);
  KernelEntry row = fake_row("f32_128x128");
  row.workspace = [](const GemmProblem&) { return WorkspaceNeed{.least = 1000, .fastest = 5000}; };
  CHECK_FALSE(may_run(row, device, 0));
  CHECK_FALSE(may_run(row, device, 999));
  CHECK(may_run(row, device, 1000));
  CHECK(may_run(row, device, 4999));
}

TEST_CASE("an order of summation binds where something is summed", "[dispatch][filter]") {
  const DeviceInfo device = fake_device(90, 132);
  GemmProblem problem = product_of(DataType::kFloat32, 256, 256, 64);
  problem.math_mode = MathMode::kFp32Sequential;
  CHECK(refusal(problem, fake_row("f32_128x128"), device).empty());
  CHECK_FALSE(refusal(problem, fake_row("f32_split"), device).empty());
  problem.k = 0;
  CHECK(refusal(problem, fake_row("f32_split"), device).empty());
}
