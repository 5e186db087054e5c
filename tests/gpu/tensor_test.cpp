// FP32_TENSOR beside cublasSgemm on the same data: errors against FP64, NaN and infinity in their places, and bits that
// repeat. With FASTGEMM_TENSOR_TABLE=file the figures are also written there, as a Markdown table:
//   FASTGEMM_TENSOR_TABLE=accuracy.md fg_gpu_tests "[tensor]"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/cublas_peer.h"
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

// Fills op(A) or op(B), k contiguous: `rows` of `k`.
struct Distribution {
  std::string name;
  std::function<void(const Buffer<float>&, std::int64_t rows, std::int64_t k, std::uint64_t seed, cudaStream_t)> fill;
};

// Changes numbers drawn from N(0, 1) on the host.
template <class Change>
Distribution changed_normal(const char* name, Change change) {
  return {name, [change](const Buffer<float>& x, std::int64_t rows, std::int64_t k, std::uint64_t seed,
                         cudaStream_t stream) {
            require_cuda(fill_normal(x.get(), DataType::kFloat32, rows * k, seed, stream));
            require_cuda(cudaStreamSynchronize(stream));
            std::vector<float> numbers(static_cast<std::size_t>(rows * k));
            require_cuda(cudaMemcpy(numbers.data(), x.get(), numbers.size() * sizeof(float), cudaMemcpyDeviceToHost));
            for (std::int64_t row = 0; row < rows; ++row) change(&numbers[static_cast<std::size_t>(row * k)], row, k);
            require_cuda(cudaMemcpyAsync(x.get(), numbers.data(), numbers.size() * sizeof(float),
                                         cudaMemcpyHostToDevice, stream));
            require_cuda(cudaStreamSynchronize(stream));
          }};
}

template <class Fill>
Distribution drawn(std::string name, Fill fill) {
  return {std::move(name), [fill](const Buffer<float>& x, std::int64_t rows, std::int64_t k, std::uint64_t seed,
                                  cudaStream_t stream) { require_cuda(fill(x.get(), rows * k, seed, stream)); }};
}

std::vector<Distribution> distributions() {
  constexpr DataType kFloat = DataType::kFloat32;
  std::vector<Distribution> all;
  all.push_back(drawn("normal", [](void* x, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
    return fill_normal(x, kFloat, count, seed, stream);
  }));
  all.push_back(drawn("uniform", [](void* x, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
    return fill_uniform(x, kFloat, count, seed, stream);
  }));
  for (int spread = 1; spread <= 8; ++spread) {
    all.push_back(drawn("wide " + std::to_string(spread),
                        [spread](void* x, std::int64_t count, std::uint64_t seed, cudaStream_t stream) {
                          return fill_wide(x, kFloat, count, spread, seed, stream);
                        }));
  }
  all.push_back(changed_normal("one huge in a row", [](float* row, std::int64_t, std::int64_t k) {
    row[k / 2] *= 1e6f;
  }));
  all.push_back(changed_normal("rows of 1e-39", [](float* row, std::int64_t at, std::int64_t k) {
    for (std::int64_t i = 0; i < k && at % 5 == 0; ++i) row[i] *= 1e-39f;
  }));
  all.push_back(changed_normal("1e17", [](float* row, std::int64_t, std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) row[i] *= 1e17f;
  }));
  return all;
}

struct Errors {
  double rms = 0.0;
  double max = 0.0;
};

// D = op(A) op(B) for TN, so that rows of op(A) and columns of op(B) are contiguous, with its FP64 reference.
class Comparison {
 public:
  Comparison(const Shape& shape, cudaStream_t stream)
      : shape_(shape), stream_(stream), a_(shape.m * shape.k), b_(shape.k * shape.n), d_(shape.m * shape.n),
        reference_(shape.m * shape.n), magnitude_(shape.m * shape.n),
        problem_(ops_problem(2, shape, a_.get(), b_.get(), d_.get())) {}

  void fill(const Distribution& distribution, std::uint64_t seed) {
    distribution.fill(a_, shape_.m, shape_.k, 2 * seed + 1, stream_);
    distribution.fill(b_, shape_.n, shape_.k, 2 * seed + 2, stream_);
    require_cuda(reference_gemm(problem_, reference_.get(), shape_.m, stream_));
    require_cuda(reference_magnitude(problem_, magnitude_.get(), shape_.m, stream_));
  }

  // Of what is in D.
  Errors errors() const {
    Difference difference;
    require_cuda(compare_with_reference(d_.get(), shape_.m, DataType::kFloat32, reference_.get(), magnitude_.get(),
                                        shape_.m, shape_.m, shape_.n, &difference, stream_));
    CHECK(difference.non_finite == 0);
    return {difference.rms, difference.max_absolute};
  }

  const GemmProblem& problem() const { return problem_; }
  float* d() const { return d_.get(); }

 private:
  Shape shape_;
  cudaStream_t stream_;
  Buffer<float> a_, b_, d_;
  Buffer<double> reference_, magnitude_;
  GemmProblem problem_;
};

// A Markdown table, where one is asked for.
class Table {
 public:
  Table() : file_(nullptr, std::fclose) {
    if (const char* name = std::getenv("FASTGEMM_TENSOR_TABLE"); name != nullptr) file_.reset(std::fopen(name, "w"));
    if (!file_) return;
    std::fputs("| data | k | FP32_TENSOR rms | max | cublasSgemm rms | max |\n", file_.get());
    std::fputs("| - | - | - | - | - | - |\n", file_.get());
  }
  void add(const std::string& data, std::int64_t k, const Errors& ours, const Errors& theirs) {
    if (!file_) return;
    std::fprintf(file_.get(), "| %s | %lld | %.2e | %.2e | %.2e | %.2e |\n", data.c_str(), static_cast<long long>(k),
                 ours.rms, ours.max, theirs.rms, theirs.max);
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// Ours and cublasSgemm's, of several draws, which are compared.
std::pair<Errors, Errors> errors_of_both(fg_handle_t handle, const CublasPeer& peer, Comparison& comparison,
                                         const Distribution& distribution, cudaStream_t stream) {
  constexpr int kDraws = 3;
  const auto take = [](Errors& all, const Errors& one) {
    all.rms = std::sqrt(all.rms * all.rms + one.rms * one.rms / kDraws);
    all.max = std::max(all.max, one.max);
  };
  Errors ours, theirs;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    comparison.fill(distribution, draw);
    require_ok(run_sgemm(handle, comparison.problem()));
    take(ours, comparison.errors());
    REQUIRE(peer.sgemm(comparison.problem(), comparison.d(), stream) == 0);
    take(theirs, comparison.errors());
  }
  INFO(distribution.name << ", k = " << comparison.problem().k << ": rms " << ours.rms << " beside " << theirs.rms
                         << ", max " << ours.max << " beside " << theirs.max);
  // Where both run a chain of FMAs they differ in its order at most: the largest of 10^6 errors varies by a third.
  CHECK(ours.rms <= 1.05 * theirs.rms);
  CHECK(ours.max <= 1.35 * theirs.max);
  return {ours, theirs};
}

}  // namespace

TEST_CASE("FP32_TENSOR errs no more than cublasSgemm", "[tensor]") {
  const CublasPeer peer;
  if (!peer.available()) {
    WARN("left out: " << peer.error());
    return;
  }
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, FG_MATH_FP32_TENSOR));
  Table table;
  for (const std::int64_t k : {16, 64, 256, 1024, 4096, 65536}) {
    // So large that cuBLAS, too, sums all of k in one chain, but for the longest.
    Comparison comparison(k <= 4096 ? Shape{2048, 1536, k} : Shape{1024, 1024, k}, stream);
    for (const Distribution& distribution : distributions()) {
      const auto [ours, theirs] = errors_of_both(handle, peer, comparison, distribution, stream);
      table.add(distribution.name, k, ours, theirs);
    }
  }
}

TEST_CASE("FP32_TENSOR errs no more than cublasSgemm with sums one by one", "[tensor]") {
  const CublasPeer peer;
  if (!peer.available()) {
    WARN("left out: " << peer.error());
    return;
  }
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, FG_MATH_FP32_TENSOR));
  std::vector<Distribution> all = distributions();
  all.erase(all.begin() + 3, all.end());  // FP16 parts can stand for these
  for (const std::int64_t k : {256, 1024, 4096}) {
    Comparison comparison({2048, 2048, k}, stream);  // one wave of the large tile, and of cuBLAS's
    for (const Distribution& distribution : all) errors_of_both(handle, peer, comparison, distribution, stream);
  }
}

TEST_CASE("FP32_TENSOR has NaN and infinity where FP32 has them", "[tensor]") {
  constexpr Shape kShape{500, 300, 1000};
  const float specials[] = {INFINITY, -INFINITY, NAN, std::numeric_limits<float>::max()};
  const Stream stream;
  const Handle handle(stream);
  for (std::size_t turn = 0; turn < 8; ++turn) {
    const Buffer<float> a(kShape.m * kShape.k), b(kShape.k * kShape.n);
    const Buffer<float> strict(kShape.m * kShape.n), tensor(kShape.m * kShape.n);
    require_cuda(fill_normal(a.get(), DataType::kFloat32, a.count(), turn, stream));
    require_cuda(fill_normal(b.get(), DataType::kFloat32, b.count(), turn + 100, stream));
    stream.wait();
    for (std::int64_t i = 0; i < 3; ++i) {
      const float value = specials[(turn + static_cast<std::size_t>(i)) % std::size(specials)];
      const auto place = static_cast<std::int64_t>(turn * 7919 + 104729) * (i + 1);
      float* target = i == 1 ? b.get() + place % b.count() : a.get() + place % a.count();
      require_cuda(cudaMemcpyAsync(target, &value, sizeof value, cudaMemcpyHostToDevice, stream));
      stream.wait();
    }
    for (const auto& [mode, d] : {std::pair{FG_MATH_DEFAULT, &strict}, std::pair{FG_MATH_FP32_TENSOR, &tensor}}) {
      require_ok(fg_set_math_mode(handle, mode));
      require_ok(run_sgemm(handle, ops_problem(static_cast<int>(turn % 4), kShape, a.get(), b.get(), d->get())));
    }
    stream.wait();
    const std::vector<float> expected = strict.read(), result = tensor.read();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool both_nan = std::isnan(expected[i]) && std::isnan(result[i]);
      const bool both_finite = std::isfinite(expected[i]) && std::isfinite(result[i]);
      wrong += both_nan || both_finite || expected[i] == result[i] ? 0 : 1;
    }
    INFO("turn " << turn);
    CHECK(wrong == 0);
  }
}

TEST_CASE("tensor kernels work in pieces, through batches and at the edges of tiles", "[tensor]") {
  const auto verifier = make_verifier();
  for (const KernelInfo& kernel : available_kernels(verifier->handle())) {
    if (kernel.math != FG_MATH_FP32_TENSOR) continue;
    const bool large = kernel.name.find("256x128") != std::string::npos;  // takes only D of 2^23 elements and more
    for (int ops = 0; ops < 4; ++ops) {
      Case c;
      c.kernel = kernel.name;
      c.math = kernel.math;
      c.trans_a = ops / 2 == 0 ? 'N' : 'T';
      c.trans_b = ops % 2 == 0 ? 'N' : 'T';
      c.m = large ? 256 * 12 + ops - 1 : 2100;
      c.n = large ? 128 * 24 + 1 - ops : 2055;
      c.k = 3001;  // more than the default workspace holds
      c.beta = 0.5f;
      verifier->add(c);
      c.entry = CallEntry::kStrided;
      c.k = 300;
      c.batch = 3;
      c.gap = 5;
      c.broadcast_a = ops == 1;
      if (!large) c.m = 1030;
      if (!large) c.n = 1024;
      verifier->add(c);
    }
  }
  check_verdicts(verifier.get(), "tensor pieces");
  CHECK(verifier->declined() == 0);
}

TEST_CASE("tensor kernels give the same bits every time", "[tensor]") {
  constexpr Shape kShape{3000, 2800, 1111};
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, FG_MATH_FP32_TENSOR));
  const Buffer<float> a(kShape.m * kShape.k), b(kShape.k * kShape.n), d(kShape.m * kShape.n);
  for (const double spread : {0.0, 3.0}) {  // FP16 and BF16 parts
    require_cuda(spread > 0 ? fill_wide(a.get(), DataType::kFloat32, a.count(), spread, 1, stream)
                            : fill_normal(a.get(), DataType::kFloat32, a.count(), 1, stream));
    require_cuda(fill_normal(b.get(), DataType::kFloat32, b.count(), 2, stream));
    for (const KernelInfo& kernel : available_kernels(handle, DataType::kFloat32)) {
      if (kernel.math != FG_MATH_FP32_TENSOR) continue;
      std::uint64_t first = 0;
      for (int repeat = 0; repeat < 20; ++repeat) {
        REQUIRE(run_forced(handle, kernel.name, ops_problem(0, kShape, a.get(), b.get(), d.get())));
        std::uint64_t hash = 0;
        require_cuda(hash_matrix(d.get(), kShape.m, DataType::kFloat32, kShape.m, kShape.n, &hash, stream));
        if (repeat == 0) first = hash;
        CHECK(hash == first);
      }
    }
  }
}
