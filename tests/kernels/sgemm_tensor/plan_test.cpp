// Pieces of a product in every amount of workspace.
#include "kernels/sgemm_tensor/plan.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::sgemm_tensor;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr Extents kShapes[] = {{8192, 8192, 8192}, {2048, 2048, 2048},  {1, 1, 256},     {300, 70000, 300},
                               {65536, 64, 4096},  {4095, 4097, 4093}, {100, 100, 1 << 20}, {50000, 50000, 50000}};

}  // namespace

TEST_CASE("pieces fit the workspace, from the least that a row asks for", "[tensor]") {
  for (const Extents& whole : kShapes) {
    const WorkspaceNeed need = workspace_need(whole);
    CHECK(need.least <= need.fastest);
    CHECK(need.least <= 8 * kMiB);
    for (const std::size_t bytes : {need.least, need.least + 1000, 32 * kMiB, 256 * kMiB, need.fastest}) {
      if (bytes < need.least) continue;
      const PiecePlan plan = plan_pieces(whole, bytes);
      CHECK(workspace_layout(plan.piece, plan.bf16_available).bytes <= bytes);
      CHECK(plan.piece.m > 0);
      CHECK(plan.piece.n > 0);
      CHECK((plan.piece.k == whole.k || plan.piece.k % kDepthUnit == 0));
      CHECK(plan.piece.k >= std::min(whole.k, kDepthUnit));
    }
  }
}

TEST_CASE("enough workspace means one piece and room for three parts", "[tensor]") {
  for (const Extents& whole : kShapes) {
    const PiecePlan plan = plan_pieces(whole, workspace_need(whole).fastest);
    CHECK(plan.piece.m == whole.m);
    CHECK(plan.piece.n == whole.n);
    CHECK(plan.piece.k == std::min(whole.k, kDeep));
    CHECK(plan.bf16_available);
  }
}

TEST_CASE("short workspace cuts k before it cuts D", "[tensor]") {
  const Extents whole{8192, 8192, 8192};
  const PiecePlan in_256 = plan_pieces(whole, 256 * kMiB);
  CHECK(in_256.piece.m == 8192);
  CHECK(in_256.piece.k >= kLongStretch);
  CHECK(in_256.bf16_available);
  const PiecePlan in_64 = plan_pieces(whole, 64 * kMiB);
  CHECK(in_64.piece.m == 8192);
  CHECK(in_64.piece.k >= kShortStretch);
  CHECK_FALSE(in_64.bf16_available);
  const PiecePlan in_16 = plan_pieces(whole, 16 * kMiB);
  CHECK(in_16.piece.m < 8192);
  CHECK(in_16.piece.m >= kLeastSide);
  CHECK(in_16.piece.n >= kLeastSide);
  // Two halves of D rather than nearly all and the rest, and longer stretches for it.
  const PiecePlan in_32 = plan_pieces(whole, 32 * kMiB);
  CHECK(in_32.piece.m == 8192);
  CHECK(in_32.piece.n == 4224);
  CHECK(in_32.piece.k > kShortStretch);
}

TEST_CASE("pieces of a side are equal but for whole tiles", "[tensor]") {
  CHECK(equal_side(8192, 7680) == 4224);
  CHECK(equal_side(8192, 8192) == 8192);
  CHECK(equal_side(100, 100) == 100);
  CHECK(equal_side(5000, 1536) == 1536);
  CHECK(equal_side(1537, 1536) == 1152);
}

TEST_CASE("nothing in the workspace overlaps", "[tensor]") {
  for (const bool bf16 : {false, true}) {
    const Extents piece{100, 7, 300};
    const WorkspaceLayout layout = workspace_layout(piece, bf16);
    const std::size_t pitch = 320 * (bf16 ? 6 : 4);
    CHECK(layout.method >= layout.summaries + kSummaryBlocks * sizeof(Summary));
    CHECK(layout.unscale[kLeft] >= layout.method + 4);
    CHECK(layout.parts[kLeft] >= layout.unscale[kLeft] + 7 * 4);
    CHECK(layout.unscale[kRight] >= layout.parts[kLeft] + 7 * pitch);
    CHECK(layout.parts[kRight] >= layout.unscale[kRight] + 100 * 4);
    CHECK(layout.bytes >= layout.parts[kRight] + 100 * pitch);
    CHECK(layout.parts[kLeft] % 256 == 0);
    CHECK(layout.parts[kRight] % 256 == 0);
  }
}
