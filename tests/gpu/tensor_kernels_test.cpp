// Each FP32_TENSOR kernel that the GPU has, chosen for the shape or not, beside cublasSgemm on the same data.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "tests/gpu/cublas_peer.h"
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

enum class Data { kNormal, kUniform, kWide };
constexpr const char* kDataNames[] = {"normal", "uniform", "wide 3"};

void fill(const Buffer<float>& x, Data data, std::uint64_t seed, cudaStream_t stream) {
  constexpr DataType kFloat = DataType::kFloat32;
  switch (data) {
    case Data::kNormal: return require_cuda(fill_normal(x.get(), kFloat, x.count(), seed, stream));
    case Data::kUniform: return require_cuda(fill_uniform(x.get(), kFloat, x.count(), seed, stream));
    case Data::kWide: return require_cuda(fill_wide(x.get(), kFloat, x.count(), 3, seed, stream));
  }
}

// A product's operands, its FP64 reference, and how far from that a result is.
struct Products {
  Products(const Shape& extent, int ops, Data data, std::uint64_t seed, cudaStream_t on)
      : shape(extent), stream(on), a(shape.m * shape.k), b(shape.k * shape.n), d(shape.m * shape.n),
        reference(d.count()), magnitude(d.count()), problem(ops_problem(ops, shape, a.get(), b.get(), d.get())) {
    fill(a, data, 2 * seed + 1, stream);
    fill(b, data, 2 * seed + 2, stream);
    require_cuda(reference_gemm(problem, reference.get(), shape.m, stream));
    require_cuda(reference_magnitude(problem, magnitude.get(), shape.m, stream));
  }

  Difference difference() const {
    Difference found;
    require_cuda(compare_with_reference(d.get(), shape.m, DataType::kFloat32, reference.get(), magnitude.get(), shape.m,
                                        shape.m, shape.n, &found, stream));
    return found;
  }

  Shape shape;
  cudaStream_t stream;
  Buffer<float> a, b, d;
  Buffer<double> reference, magnitude;
  GemmProblem problem;
};

}  // namespace

namespace {

// How far one chain of FMAs an element is from the reference.
Difference chain_difference(const Products& products) {
  const Handle handle(products.stream);
  require_ok(fg_set_math_mode(handle, FG_MATH_FP32_SEQUENTIAL));
  const fg_gemm_desc desc = descriptor_of(products.problem);
  require_ok(fg_gemm_ex(handle, &desc));
  return products.difference();
}

// Rows for mma.sync have no BF16 parts: wide data are theirs in FP32, a chain an element, where cublasSgemm may cut k.
bool has_bf16_parts(const KernelInfo& kernel) { return kernel.name.rfind("tensor_mma", 0) != 0; }

}  // namespace

TEST_CASE("each FP32_TENSOR kernel errs no more than cublasSgemm", "[tensor]") {
  const CublasPeer peer;
  if (!peer.available()) {
    WARN("left out: " << peer.error());
    return;
  }
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, FG_MATH_FP32_TENSOR));
  for (const std::int64_t k : {256, 1024, 4096}) {
    for (const Data data : {Data::kNormal, Data::kUniform, Data::kWide}) {
      const Products products({2048, 1536, k}, static_cast<int>(k / 1024) % 4, data, 5, stream);
      REQUIRE(peer.sgemm(products.problem, products.d.get(), stream) == 0);
      const Difference of_cublas = products.difference();
      const Difference of_chain = chain_difference(products);
      for (const KernelInfo& kernel : available_kernels(handle, DataType::kFloat32)) {
        if (kernel.math != FG_MATH_FP32_TENSOR || !run_forced(handle, kernel.name, products.problem)) continue;
        const Difference ours = products.difference();
        const Difference& theirs = data == Data::kWide && !has_bf16_parts(kernel) ? of_chain : of_cublas;
        INFO(kernel.name << ", " << kDataNames[static_cast<int>(data)] << ", k = " << k << ": rms " << ours.rms
                         << " beside " << theirs.rms << ", max " << ours.max_absolute << " beside "
                         << theirs.max_absolute);
        CHECK(ours.non_finite == 0);
        // Where both run a chain of FMAs they differ in its order at most: the largest of 10^6 errors varies by a third.
        CHECK(ours.rms <= 1.05 * theirs.rms);
        CHECK(ours.max_absolute <= 1.35 * theirs.max_absolute);
      }
    }
  }
}
