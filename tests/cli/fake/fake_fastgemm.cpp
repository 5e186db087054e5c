// libfastgemm's entry points on the fake GPU, with the faults a test asks for; and a ladder of two rungs.
#include <array>
#include <cstring>
#include <string>

#include "fastgemm/fastgemm.h"
#include "kernels/hgemm_mma/ladder.h"
#include "tests/cli/fake/fake_gpu.h"
#include "tests/cli/fake/host_product.h"

using fastgemm::test::fake_gpu;
using fastgemm::test::HostProduct;

struct fg_handle {
  std::string kernel = "chosen_kernel";
};

namespace {

void note_c(const HostProduct& product) {
  if (product.beta == 0.0f) return;
  const float c = fastgemm::test::load(product.c, product.half, 0);
  if (fake_gpu().own_launches == 1) fake_gpu().first_c = c;
  if (c != fake_gpu().first_c) fake_gpu().c_moved = true;
}

fg_status_t run(HostProduct product) {
  ++fake_gpu().own_launches;
  note_c(product);
  fake_gpu_advance(fake_gpu().fastgemm_ms);
  fake_gpu().broken = fake_gpu().fails_on_device;
  if (fake_gpu().reads_old_c && product.beta == 0.0f) product.beta = 1.0f;
  fastgemm::test::multiply(product);
  if (fake_gpu().wrong_element) {
    const std::int64_t last = product.m - 1 + (product.n - 1) * product.ldc;
    fastgemm::test::store(product.c, product.half, last, fastgemm::test::load(product.c, product.half, last) + 1.0f);
  }
  return FG_STATUS_SUCCESS;
}

float value(fg_half half) { return __half2float(__ushort_as_half(half.bits)); }

bool supports_square(const fastgemm::GemmProblem& problem) { return problem.m == problem.n; }

cudaError_t launch_rung(const fastgemm::GemmProblem& p, const fastgemm::LaunchContext&) {
  HostProduct product{true, false, false, p.m, p.n, p.k, p.alpha.value, p.beta.value};
  product.a = p.a.data;
  product.lda = p.a.ld;
  product.b = p.b.data;
  product.ldb = p.b.ld;
  product.c = p.d.data;
  product.ldc = p.d.ld;
  run(product);
  return cudaSuccess;
}

}  // namespace

namespace fastgemm {

std::span<const LadderRung> hgemm_ladder() {
  static const std::array<LadderRung, 2> rungs = [] {
    std::array<LadderRung, 2> made{{{1, "tiles"}, {2, "tiles and copies"}}};
    for (LadderRung& rung : made) {
      rung.entry.supports = supports_square;
      rung.entry.prepare = [] { return cudaSuccess; };
      rung.entry.launch = launch_rung;
    }
    made[1].entry.prepare = [] { return cudaErrorNoKernelImageForDevice; };
    return made;
  }();
  return rungs;
}

const std::vector<const KernelEntry*>& kernel_table() {
  static const std::vector<const KernelEntry*> none;
  return none;
}

}  // namespace fastgemm

extern "C" {

fg_status_t fg_get_version(int* version) {
  *version = FG_VERSION;
  return FG_STATUS_SUCCESS;
}
const char* fg_status_name(fg_status_t) { return "FG_STATUS"; }
const char* fg_last_error(void) { return "as told"; }

fg_status_t fg_create(fg_handle_t* handle) {
  *handle = new fg_handle;
  return FG_STATUS_SUCCESS;
}
fg_status_t fg_destroy(fg_handle_t handle) {
  delete handle;
  return FG_STATUS_SUCCESS;
}
fg_status_t fg_set_stream(fg_handle_t, fg_stream_t) { return FG_STATUS_SUCCESS; }
fg_status_t fg_set_workspace(fg_handle_t, void*, size_t bytes) {
  fake_gpu().own_workspace = bytes;
  return FG_STATUS_SUCCESS;
}
fg_status_t fg_set_math_mode(fg_handle_t, fg_math_mode_t) { return FG_STATUS_SUCCESS; }
fg_status_t fg_set_kernel(fg_handle_t handle, const char* name) {
  if (std::strcmp(name, "absent") != 0) handle->kernel = name;  // "absent" does not take any product
  return FG_STATUS_SUCCESS;
}
void fg_gemm_desc_init(fg_gemm_desc* desc) { *desc = {}; }
fg_status_t fg_explain(fg_handle_t handle, const fg_gemm_desc*, char* text, size_t size) {
  std::snprintf(text, size, "device: fake\nkernel: %s\n", handle->kernel.c_str());
  return FG_STATUS_SUCCESS;
}

fg_status_t fg_sgemm_64(fg_handle_t, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n, int64_t k,
                        const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb, const float* beta,
                        float* C, int64_t ldc) {
  return run({false, transa != FG_OP_N, transb != FG_OP_N, m, n, k, *alpha, *beta, A, lda, B, ldb, C, ldc});
}

fg_status_t fg_hgemm_64(fg_handle_t, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n, int64_t k,
                        const fg_half* alpha, const fg_half* A, int64_t lda, const fg_half* B, int64_t ldb,
                        const fg_half* beta, fg_half* C, int64_t ldc) {
  return run(
      {true, transa != FG_OP_N, transb != FG_OP_N, m, n, k, value(*alpha), value(*beta), A, lda, B, ldb, C, ldc});
}

}  // extern "C"
