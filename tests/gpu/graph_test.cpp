// CUDA graphs: the first call of a handle captured, replayed a thousand times, the same bits as outside.
#include <algorithm>

#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

constexpr int kReplays = 1000;

// Captures one product as the first thing the handle ever does, replays it, and compares with the reference each
// hundredth time. With beta 0, so that every replay gives the same D.
void capture_and_replay(const KernelInfo& kernel, const Shape& s, fg_operation_t transa = FG_OP_N,
                        fg_operation_t transb = FG_OP_N) {
  INFO(kernel.name << " " << s.m << "x" << s.n << "x" << s.k);
  const DataType type = kernel.type;
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, kernel.math));
  const auto bytes = static_cast<std::int64_t>(element_size(type));
  const Buffer<char> a(s.m * s.k * bytes), b(s.k * s.n * bytes), d(s.m * s.n * bytes);
  const Buffer<double> reference(s.m * s.n);
  require_cuda(fill_integers(a.get(), type, s.m * s.k, 2, 1, stream));
  require_cuda(fill_integers(b.get(), type, s.k * s.n, 2, 2, stream));
  const GemmProblem p = tight_problem(type, transa, transb, s, a.get(), b.get(), d.get());
  require_cuda(reference_gemm(p, reference.get(), s.m, stream));
  stream.wait();
  require_ok(fg_set_kernel(handle, kernel.name.c_str()));

  const fg_gemm_desc desc = descriptor_of(p);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const fg_status_t status = fg_gemm_ex(handle, &desc);
  require_cuda(cudaStreamEndCapture(stream, &graph));
  require_ok(status);
  require_cuda(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < kReplays; ++replay) {
    const bool look = replay % 100 == 0 || replay == kReplays - 1;
    if (look) require_cuda(cudaMemsetAsync(d.get(), 0xff, static_cast<std::size_t>(d.count()), stream));
    require_cuda(cudaGraphLaunch(executable, stream));
    if (!look) continue;
    Difference difference;
    require_cuda(compare_with_reference(d.get(), s.m, type, reference.get(), nullptr, s.m, s.m, s.n, &difference,
                                        stream));
    CHECK(difference.differing == 0);
  }
  require_cuda(cudaGraphExecDestroy(executable));
  require_cuda(cudaGraphDestroy(graph));
}

// Whether a special kernel takes the shape with these operations.
bool takes(const KernelInfo& kernel, const Shape& s, int ops) {
  const Stream stream;
  const Handle handle(stream);
  require_ok(fg_set_math_mode(handle, kernel.math));
  require_ok(fg_set_kernel(handle, kernel.name.c_str()));
  const auto bytes = static_cast<std::int64_t>(element_size(kernel.type));
  const Buffer<char> a(s.m * s.k * bytes), b(s.k * s.n * bytes), d(s.m * s.n * bytes);
  const fg_gemm_desc desc =
      descriptor_of(tight_problem(kernel.type, static_cast<fg_operation_t>(ops / 2),
                                  static_cast<fg_operation_t>(ops % 2), s, a.get(), b.get(), d.get()));
  const fg_status_t status = fg_gemm_ex(handle, &desc);
  if (status != FG_STATUS_NOT_SUPPORTED) require_ok(status);
  stream.wait();
  return status == FG_STATUS_SUCCESS;
}

// Every operation that a special kernel takes: at a shape whose strides are multiples of 16 bytes and which passes the
// tile; where that is too wide for it, within the tile; and where both are too small for it, at a large D.
void capture_and_replay_special(const KernelInfo& kernel) {
  const std::int64_t k = std::max<std::int64_t>(2 * kernel.tile.k + 8, kernel.least_k);
  int taken = 0;
  for (const Shape& s : {Shape{kernel.tile.m + 8, kernel.tile.n + 8, k}, Shape{kernel.tile.m, kernel.tile.n, k},
                         Shape{4096 + 8, 2048 + 8, k}}) {
    for (int ops = 0; ops < 4; ++ops) {
      if (!takes(kernel, s, ops)) continue;
      ++taken;
      capture_and_replay(kernel, s, static_cast<fg_operation_t>(ops / 2), static_cast<fg_operation_t>(ops % 2));
    }
    if (taken > 0) break;
  }
  CHECK(taken > 0);
}

}  // namespace

TEST_CASE("the first call of a handle can be captured and replayed (pytorch#99397)", "[graph]") {
  for (const DataType type : {DataType::kFloat32, DataType::kFloat16}) {
    for (const Shape& s : {Shape{32, 32, 32}, Shape{257, 129, 65}, Shape{64, 64, 4096}}) {
      capture_and_replay({.type = type}, s);
    }
  }
}

TEST_CASE("every kernel can be captured and replayed", "[graph]") {
  std::vector<KernelInfo> kernels;
  {
    const Handle handle;
    kernels = available_kernels(handle);
  }
  REQUIRE_FALSE(kernels.empty());
  for (const KernelInfo& kernel : kernels) {
    if (!is_general(kernel.name)) {
      capture_and_replay_special(kernel);
      continue;
    }
    capture_and_replay(kernel, {kernel.tile.m + 1, kernel.tile.n + 1, 2 * kernel.tile.k + 1});
  }
}

TEST_CASE("a captured product sees what device scalars hold at replay", "[graph]") {
  constexpr std::int64_t kN = 64;
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> a(std::vector<float>(kN * kN, 1.0f)), b(std::vector<float>(kN * kN, 1.0f)), d(kN * kN);
  const Buffer<float> scalars(std::vector<float>{1.0f, 0.0f});
  require_ok(fg_set_pointer_mode(handle, FG_POINTER_MODE_DEVICE));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const fg_status_t status = fg_sgemm(handle, FG_OP_N, FG_OP_T, kN, kN, kN, scalars.get(), a.get(), kN, b.get(), kN,
                                      scalars.get() + 1, d.get(), kN);
  require_cuda(cudaStreamEndCapture(stream, &graph));
  require_ok(status);
  require_cuda(cudaGraphInstantiate(&executable, graph, 0));
  for (const float alpha : {1.0f, 3.0f, 0.0f, -2.0f}) {
    require_cuda(cudaMemcpy(scalars.get(), &alpha, sizeof alpha, cudaMemcpyHostToDevice));
    require_cuda(cudaGraphLaunch(executable, stream));
    stream.wait();
    CHECK(d.read() == std::vector<float>(kN * kN, alpha * static_cast<float>(kN)));
  }
  require_cuda(cudaGraphExecDestroy(executable));
  require_cuda(cudaGraphDestroy(graph));
}
