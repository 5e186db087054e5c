// The case engine's own judgement: one wrong bit anywhere in a case's memory is seen, and nothing else is.
#include <bit>
#include <cmath>

#include "src/cli/verify_layout.h"
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

// C, D and bias apart, two entries with a gap, rows beyond m in every matrix, odd addresses.
Case case_with_everything(DataType type) {
  Case c;
  c.entry = CallEntry::kEx;
  c.type_ab = c.type_cd = type;
  c.trans_b = 'T';
  c.m = 5;
  c.n = 4;
  c.k = 3;
  c.pad_a = c.pad_b = c.pad_c = c.pad_d = 2;
  c.offset_a = c.offset_b = c.offset_c = c.offset_d = 1;
  c.beta = 0.5f;
  c.batch = 2;
  c.gap = 3;
  c.separate_d = true;
  c.bias = true;
  return c;
}

class JudgedCase {
 public:
  explicit JudgedCase(const Case& c)
      : arena_(static_cast<std::int64_t>(lay_out(c, nullptr).bytes)),
        expected_(c.m * c.n * c.batch),
        verdict_(1),
        layout_(lay_out(c, arena_.get())) {
    const Handle handle(stream_);
    require_cuda(prepare_case(layout_.image, stream_));
    require_cuda(reference_gemm(layout_.problem, expected_.get(), c.m, stream_));
    require_ok(make_call(handle, c, layout_));
    stream_.wait();
  }

  const MatrixImage& matrix(int role) const { return layout_.image.matrices[role]; }

  CaseVerdict judge(double tolerance = 0.0) const {
    require_cuda(cudaMemsetAsync(verdict_.get(), 0, sizeof(CaseVerdict), stream_));
    require_cuda(check_case(layout_.image, expected_.get(), tolerance, verdict_.get(), stream_));
    stream_.wait();
    return verdict_.read()[0];
  }

  // Element `index` of the stretch, whose bits `change` takes and gives.
  template <class Change>
  void alter(int role, std::int64_t index, Change change) const {
    const auto bytes = static_cast<std::size_t>(element_size(matrix(role).type));
    char* const at = static_cast<char*>(matrix(role).base) + static_cast<std::size_t>(index) * bytes;
    std::uint32_t bits = 0;
    require_cuda(cudaMemcpy(&bits, at, bytes, cudaMemcpyDeviceToHost));
    bits = change(bits);
    require_cuda(cudaMemcpy(at, &bits, bytes, cudaMemcpyHostToDevice));
  }

  void flip(int role, std::int64_t index) const {
    alter(role, index, [](std::uint32_t bits) { return bits ^ 1u; });
  }

 private:
  Stream stream_;
  Buffer<char> arena_;
  Buffer<double> expected_;
  Buffer<CaseVerdict> verdict_;
  CaseLayout layout_;
};

unsigned long long all_wrong(const CaseVerdict& verdict) {
  unsigned long long sum = 0;
  for (const unsigned long long wrong : verdict.wrong) sum += wrong;
  return sum;
}

}  // namespace

TEST_CASE("the case engine sees one flipped bit of any matrix, guard, gap or padding", "[kernels]") {
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    const JudgedCase judged(case_with_everything(type));
    REQUIRE(all_wrong(judged.judge()) == 0);
    for (int role = 0; role < kMatrixCount; ++role) {
      const MatrixImage& matrix = judged.matrix(role);
      REQUIRE(matrix.total > 0);
      for (std::int64_t index = 0; index < matrix.total; ++index) {
        if (index > 3 && index < matrix.start - 3) continue;  // the middle of the first guard
        judged.flip(role, index);
        const CaseVerdict verdict = judged.judge();
        judged.flip(role, index);
        INFO("matrix " << role << ", " << describe_place(matrix, index));
        CHECK(all_wrong(verdict) == 1);
        CHECK(verdict.wrong[role] == 1);
        CHECK(~verdict.last_first[role] == static_cast<unsigned long long>(index));
      }
    }
    CHECK(all_wrong(judged.judge()) == 0);
  }
}

TEST_CASE("the case engine's tolerance is one, and NaN is in none", "[kernels]") {
  constexpr double kTolerance = 0x1p-10;
  const JudgedCase judged(case_with_everything(DataType::kFloat32));
  const std::int64_t index = judged.matrix(kMatrixD).start;
  float right = 0.0f;
  const auto set = [&](float value) {
    judged.alter(kMatrixD, index, [&](std::uint32_t bits) {
      right = std::bit_cast<float>(bits);
      return std::bit_cast<std::uint32_t>(value);
    });
  };
  set(0.0f);
  const float step = static_cast<float>(kTolerance * (1.0 + std::abs(static_cast<double>(right))));
  const float original = right;
  for (const float sign : {-1.0f, 1.0f}) {
    set(original + sign * 0.9f * step);
    CHECK(all_wrong(judged.judge(kTolerance)) == 0);
    CHECK(all_wrong(judged.judge()) == 1);
    set(original + sign * 1.1f * step);
    CHECK(all_wrong(judged.judge(kTolerance)) == 1);
  }
  set(NAN);
  CHECK(all_wrong(judged.judge(kTolerance)) == 1);
  set(INFINITY);
  CHECK(all_wrong(judged.judge(kTolerance)) == 1);
  set(original);
  CHECK(all_wrong(judged.judge()) == 0);
}
