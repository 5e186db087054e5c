// The accuracy contract: error bounds on random data, and bits where bits are promised.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

constexpr double kUnitRoundoff = 0x1p-24;

struct Distribution {
  const char* name;
  std::function<cudaError_t(void*, DataType, std::int64_t, std::uint64_t, cudaStream_t)> fill;
};

std::vector<Distribution> distributions() {
  std::vector<Distribution> all{{"normal", fill_normal}, {"uniform", fill_uniform}};
  all.push_back({"wide 3", [](void* data, DataType type, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
                   return fill_wide(data, type, count, 3.0, seed, stream);
                 }});
  return all;
}

std::vector<std::string> names_of(fg_handle_t handle, DataType type) {
  std::vector<std::string> names{""};
  for (const KernelInfo& kernel : available_kernels(handle, type)) names.push_back(kernel.name);
  return names;
}

}  // namespace

TEST_CASE("strict FP32 errs by at most 4 sqrt(k) u + u of |A||B|", "[accuracy]") {
  constexpr std::int64_t kM = 300, kN = 200, kLargestK = 65536;
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> a(kM * kLargestK), b(kLargestK * kN), d(kM * kN);
  const Buffer<double> reference(kM * kN), magnitude(kM * kN);
  for (const Distribution& distribution : distributions()) {
    for (const std::int64_t k : {1, 16, 100, 1024, 8192, 65536}) {
      require_cuda(distribution.fill(a.get(), DataType::kFloat32, kM * k, 11, stream));
      require_cuda(distribution.fill(b.get(), DataType::kFloat32, k * kN, 12, stream));
      const double bound = 4.0 * std::sqrt(static_cast<double>(k)) * kUnitRoundoff + kUnitRoundoff;
      for (int ops = 0; ops < 4; ++ops) {
        const GemmProblem p = ops_problem(ops, {kM, kN, k}, a.get(), b.get(), d.get());
        require_cuda(reference_gemm(p, reference.get(), kM, stream));
        require_cuda(reference_magnitude(p, magnitude.get(), kM, stream));
        for (const std::string& name : names_of(handle, DataType::kFloat32)) {
          INFO(distribution.name << ", k = " << k << ", ops " << ops << ", kernel " << name);
          if (!run_forced(handle, name, p)) continue;
          Difference difference;
          require_cuda(compare_with_reference(d.get(), kM, DataType::kFloat32, reference.get(), magnitude.get(), kM,
                                              kM, kN, &difference, stream));
          CHECK(difference.non_finite == 0);
          CHECK(difference.max_absolute <= bound);  // false for NaN
        }
      }
    }
  }
}

TEST_CASE("subnormals are kept, and NaN and Inf propagate", "[accuracy]") {
  constexpr std::int64_t kSize = 4;
  const Stream stream;
  const Handle handle(stream);
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float infinity = std::numeric_limits<float>::infinity();
  // The first two elements of each row of op(A); the others are 0. B is all ones.
  const float rows[kSize][2] = {{3 * tiny, 0.0f}, {infinity, 1.0f}, {NAN, 0.0f}, {infinity, -infinity}};
  const Buffer<float> b(std::vector<float>(kSize * kSize, 1.0f));
  for (int ops = 0; ops < 4; ++ops) {
    std::vector<float> values(kSize * kSize, 0.0f);
    for (int i = 0; i < kSize; ++i) {
      for (int p = 0; p < 2; ++p) values[ops / 2 == 0 ? i + kSize * p : p + kSize * i] = rows[i][p];
    }
    const Buffer<float> a(values), d(kSize * kSize);
    for (const std::string& name : names_of(handle, DataType::kFloat32)) {
      INFO(name << ", ops " << ops);
      if (!run_forced(handle, name,
                      ops_problem(ops, {kSize, kSize, kSize}, a.get(), b.get(), d.get()))) {
        continue;
      }
      stream.wait();
      const std::vector<float> result = d.read();
      for (int j = 0; j < kSize; ++j) {
        CHECK(result[kSize * j] == 3 * tiny);
        CHECK(result[kSize * j + 1] == infinity);
        CHECK(std::isnan(result[kSize * j + 2]));
        CHECK(std::isnan(result[kSize * j + 3]));
      }
    }
  }
}

TEST_CASE("hgemm sums in FP32 and rounds once", "[accuracy]") {
  const Stream stream;
  const Handle handle(stream);
  constexpr std::uint16_t kOne = 0x3c00, k2048 = 0x6800, k4096 = 0x6c00, kInfinity = 0x7c00;
  constexpr std::uint16_t k240 = 0x5b80, kMinus240 = 0xdb80, k250 = 0x5bd0, k60000 = 0x7b53;
  // (k, 1) each: 2048 and 2048 ones; 60000 + 60000 - 60000; 60000 + 60000.
  struct Sum {
    std::vector<std::uint16_t> a, b;
    std::uint16_t expected;
  };
  std::vector<Sum> sums;
  sums.push_back({std::vector<std::uint16_t>(2049, kOne), std::vector<std::uint16_t>(2049, kOne), k4096});
  sums.back().a[0] = k2048;
  sums.push_back({{k240, k240, kMinus240}, {k250, k250, k250}, k60000});
  sums.push_back({{k240, k240}, {k250, k250}, kInfinity});
  const fg_half one{kOne}, zero{0};
  for (const std::string& name : names_of(handle, DataType::kFloat16)) {
    require_ok(fg_set_kernel(handle, name.c_str()));
    for (const Sum& sum : sums) {
      constexpr int kRows = 8;  // all the same: some kernels take whole chunks of 16 bytes alone
      const int k = static_cast<int>(sum.a.size());
      const int ld = (k + 7) / 8 * 8;
      std::vector<std::uint16_t> rows(kRows * static_cast<std::size_t>(ld));
      for (int i = 0; i < kRows; ++i) std::copy(sum.a.begin(), sum.a.end(), rows.begin() + i * ld);
      const Buffer<std::uint16_t> a(rows), b(sum.b), d(kRows);
      INFO(name << ", k = " << k);
      require_ok(fg_hgemm(handle, FG_OP_T, FG_OP_N, kRows, 1, k, &one, reinterpret_cast<const fg_half*>(a.get()), ld,
                          reinterpret_cast<const fg_half*>(b.get()), ld, &zero, reinterpret_cast<fg_half*>(d.get()),
                          kRows));
      stream.wait();
      CHECK(d.read() == std::vector<std::uint16_t>(kRows, sum.expected));
    }
  }
}
