// Statistics' text, and the descriptors of NVIDIA's own cublasLt, which needs no GPU for them.
#include <dlfcn.h>
#include <unistd.h>

#include "src/cublas_hook/read_call.h"
#include "src/cublas_hook/statistics.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::hook;

TEST_CASE("statistics name the entries that were called") {
  Statistics counted;
  counted[kGemmEx64].served = 3;
  counted[kGemmEx64].passed = 1;
  counted[kLtMatmul].passed = 2;
  CHECK(format_statistics(counted) == "stats cublas pid=" + std::to_string(getpid()) +
                                          " served=3 passed=3\nstats entry=cublasGemmEx_64 served=3 passed=1\n"
                                          "stats entry=cublasLtMatmul served=0 passed=2\n");
}

namespace {

struct RealLt {
  void* library = dlopen(FASTGEMM_REAL_CUBLASLT, RTLD_LAZY | RTLD_LOCAL);

  template <class Function>
  Function find(const char* name, Function) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
};

}  // namespace

TEST_CASE("descriptors of NVIDIA's cublasLt are read", "[.real-lt]") {
  const RealLt lt;
  REQUIRE(lt.library != nullptr);
  Target target;
  target.get_matmul_attribute = lt.find("cublasLtMatmulDescGetAttribute", target.get_matmul_attribute);
  target.get_layout_attribute = lt.find("cublasLtMatrixLayoutGetAttribute", target.get_layout_attribute);
  const auto create_desc = lt.find("cublasLtMatmulDescCreate", &cublasLtMatmulDescCreate);
  const auto create_layout = lt.find("cublasLtMatrixLayoutCreate", &cublasLtMatrixLayoutCreate);
  const auto set_desc = lt.find("cublasLtMatmulDescSetAttribute", &cublasLtMatmulDescSetAttribute);
  const auto set_layout = lt.find("cublasLtMatrixLayoutSetAttribute", &cublasLtMatrixLayoutSetAttribute);
  LtCall call;
  REQUIRE(create_desc(&call.desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(create_layout(&call.a_layout, CUDA_R_16F, 3, 5, 11) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(create_layout(&call.b_layout, CUDA_R_16F, 3, 7, 12) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(create_layout(&call.c_layout, CUDA_R_16F, 5, 7, 13) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(create_layout(&call.d_layout, CUDA_R_16F, 5, 7, 14) == CUBLAS_STATUS_SUCCESS);
  const std::int32_t transposed = CUBLAS_OP_T;
  const std::uint32_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
  const void* const bias = &call;
  const std::int32_t batch_count = 9;
  REQUIRE(set_desc(call.desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(set_desc(call.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(set_desc(call.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias) == CUBLAS_STATUS_SUCCESS);
  for (const cublasLtMatrixLayout_t layout : {call.a_layout, call.b_layout, call.c_layout, call.d_layout}) {
    REQUIRE(set_layout(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch_count, sizeof batch_count) ==
            CUBLAS_STATUS_SUCCESS);
  }
  Offer offer;
  REQUIRE(read_lt_call(target, call, &offer));
  const GemmArguments& x = offer.arguments;
  CHECK(x.type_ab == DataType::kFloat16);
  CHECK(x.type_cd == DataType::kFloat16);
  CHECK(std::vector<std::int64_t>{x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.ldd, x.batch_count} ==
        std::vector<std::int64_t>{5, 7, 3, 11, 12, 13, 14, 9});
  CHECK(x.transa == CUBLAS_OP_T);
  CHECK(x.activation == FG_ACTIVATION_GELU);
  CHECK(x.bias == bias);
  const std::int32_t row_order = CUBLASLT_ORDER_ROW;
  REQUIRE(set_layout(call.a_layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &row_order, sizeof row_order) ==
          CUBLAS_STATUS_SUCCESS);
  CHECK_FALSE(read_lt_call(target, call, &offer));
}
