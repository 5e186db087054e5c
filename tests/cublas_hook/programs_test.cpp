// The calls that PyTorch and CuPy make for mm, linear, bmm and matmul: names as tests/gpu/cublas_hook.py counts them on
// a GPU; types, modes and descriptors as their sources have them. names_test.cpp and lt_test.cpp vary one thing at a
// time; here everything is as it comes together.
#include "tests/cublas_hook/fake_cublas.h"
#include "tests/cublas_hook/fake_own.h"
#include "tests/support/catch.h"

using fastgemm::DataType;
using fastgemm::GemmArguments;

namespace {

const auto kHandle = reinterpret_cast<cublasHandle_t>(std::uintptr_t{0x4000});
const auto kLtHandle = reinterpret_cast<cublasLtHandle_t>(std::uintptr_t{0x4000});
const auto kStream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x7000});
// Addresses of device memory, which nothing here reads.
float* const kA = reinterpret_cast<float*>(0x7f00'0000'0000);
float* const kB = reinterpret_cast<float*>(0x7f00'1000'0000);
float* const kC = reinterpret_cast<float*>(0x7f00'2000'0000);
float* const kBias = reinterpret_cast<float*>(0x7f00'3000'0000);
const float kOne = 1.0f, kZero = 0.0f;

// What PyTorch's handle is set to: FP16 products may not be reduced in FP16 where the program forbids it.
constexpr auto kDefaultMath = CUBLAS_DEFAULT_MATH;
constexpr auto kNoReductionsInHalf =
    static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);

void begin(cublasMath_t math_mode) {
  *fake_cublas() = {};
  *fake_cublas_lt() = {};
  fake_own() = {};
  fake_cublas()->stream = kStream;
  fake_cublas()->math_mode = math_mode;
}

// The offer that the one call made. Nothing took it, so the call went on as well.
const GemmArguments& offered() {
  CHECK(fake_cublas()->calls.size() + fake_cublas_lt()->calls.size() == 1);
  REQUIRE(fake_own().offers.size() == 1);
  CHECK(fake_own().offers[0].stream == kStream);
  CHECK(fake_own().offers[0].arguments.pointer_mode == FG_POINTER_MODE_HOST);
  return fake_own().offers[0].arguments;
}

void check(const GemmArguments& x, int transa, int transb, std::vector<std::int64_t> sizes, DataType type_ab,
           DataType type_cd) {
  CHECK(x.transa == transa);
  CHECK(x.transb == transb);
  CHECK(std::vector<std::int64_t>{x.m, x.n, x.k, x.lda, x.ldb, x.ldc} == sizes);
  CHECK(x.type_ab == type_ab);
  CHECK(x.type_cd == type_cd);
  CHECK(x.type_scalar == DataType::kFloat32);
  CHECK(std::vector<const void*>{x.a, x.b, x.c} == std::vector<const void*>{kA, kB, kC});
}

// PyTorch's linear: D = epilogue(A^T B + bias), with one layout for C and D. What becomes of it is told by the offers.
void torch_linear(cudaDataType type_ab, cudaDataType type_cd, cublasComputeType_t compute_type, cudaDataType scale_type,
                  cublasLtEpilogue_t epilogue) {
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatmulDescCreate(&desc, compute_type, scale_type);
  const auto set = [&](cublasLtMatmulDescAttributes_t name, auto value) {
    cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_T});
  set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{CUBLAS_OP_N});
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(epilogue));
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(kBias));
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatrixLayoutCreate(&a, type_ab, 1024, 2048, 1024);
  cublasLtMatrixLayoutCreate(&b, type_ab, 1024, 640, 1024);
  cublasLtMatrixLayoutCreate(&c, type_cd, 2048, 640, 2048);
  const cublasLtMatmulAlgo_t algorithm{};
  CHECK(cublasLtMatmul(kLtHandle, desc, &kOne, kA, a, kB, b, &kZero, kC, c, kC, c, &algorithm, kBias + 4096,
                       std::size_t{32} << 20, kStream) == CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulDescDestroy(desc);
  for (const cublasLtMatrixLayout_t layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
}

void check_linear(DataType type_ab, DataType type_cd, int activation) {
  const GemmArguments& x = offered();
  check(x, CUBLAS_OP_T, CUBLAS_OP_N, {2048, 640, 1024, 1024, 1024, 2048}, type_ab, type_cd);
  CHECK(x.d == kC);
  CHECK(x.ldd == 2048);
  CHECK(x.bias == kBias);
  CHECK(x.activation == activation);
  CHECK(x.batch_count == 1);
  CHECK(fake_own().offers[0].workspace == kBias + 4096);
  CHECK(fake_own().offers[0].workspace_bytes == std::size_t{32} << 20);
}

void torch_bmm_in_half(cudaDataType type_c, cudaDataType compute_type) {
  CHECK(cublasGemmStridedBatchedEx(kHandle, CUBLAS_OP_N, CUBLAS_OP_T, 512, 384, 96, &kOne, kA, CUDA_R_16F, 512,
                                   96ll * 512, kB, CUDA_R_16F, 384, 96ll * 384, &kZero, kC, type_c, 512, 512ll * 384,
                                   12, compute_type, CUBLAS_GEMM_DEFAULT_TENSOR_OP) == CUBLAS_STATUS_SUCCESS);
}

}  // namespace

TEST_CASE("PyTorch's products in FP32") {
  begin(kDefaultMath);
  CHECK(cublasSgemm_v2(kHandle, CUBLAS_OP_N, CUBLAS_OP_T, 257, 513, 1031, &kOne, kA, 257, kB, 513, &kZero, kC, 257) ==
        CUBLAS_STATUS_SUCCESS);
  check(offered(), CUBLAS_OP_N, CUBLAS_OP_T, {257, 513, 1031, 257, 513, 257}, DataType::kFloat32, DataType::kFloat32);

  begin(kDefaultMath);
  CHECK(cublasSgemmStridedBatched(kHandle, CUBLAS_OP_T, CUBLAS_OP_N, 256, 256, 64, &kOne, kA, 64, 256 * 64, kB, 64,
                                  256 * 64, &kZero, kC, 256, 256 * 256, 32) == CUBLAS_STATUS_SUCCESS);
  const GemmArguments& x = offered();
  check(x, CUBLAS_OP_T, CUBLAS_OP_N, {256, 256, 64, 64, 64, 256}, DataType::kFloat32, DataType::kFloat32);
  CHECK(x.batch_count == 32);
  CHECK(std::vector<std::int64_t>{x.stride_a, x.stride_b, x.stride_c} ==
        std::vector<std::int64_t>{256 * 64, 256 * 64, 256 * 256});

  // torch.backends.cuda.matmul.allow_tf32
  begin(CUBLAS_TF32_TENSOR_OP_MATH);
  CHECK(cublasSgemm_v2(kHandle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &kOne, kA, 8, kB, 8, &kZero, kC, 8) ==
        CUBLAS_STATUS_SUCCESS);
  CHECK(fake_own().offers.empty());
}

// The computation comes as a cudaDataType, which cublas_api.h translates.
TEST_CASE("PyTorch's products in FP16") {
  for (const cublasMath_t math_mode : {kDefaultMath, kNoReductionsInHalf}) {
    begin(math_mode);
    CHECK(cublasGemmEx(kHandle, CUBLAS_OP_T, CUBLAS_OP_N, 2048, 640, 1024, &kOne, kA, CUDA_R_16F, 1024, kB, CUDA_R_16F,
                       1024, &kZero, kC, CUDA_R_16F, 2048, CUDA_R_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP) ==
          CUBLAS_STATUS_SUCCESS);
    check(offered(), CUBLAS_OP_T, CUBLAS_OP_N, {2048, 640, 1024, 1024, 1024, 2048}, DataType::kFloat16,
          DataType::kFloat16);
    for (const cudaDataType type_c : {CUDA_R_16F, CUDA_R_32F}) {
      begin(math_mode);
      torch_bmm_in_half(type_c, CUDA_R_32F);
      const GemmArguments& x = offered();
      check(x, CUBLAS_OP_N, CUBLAS_OP_T, {512, 384, 96, 512, 384, 512}, DataType::kFloat16,
            type_c == CUDA_R_16F ? DataType::kFloat16 : DataType::kFloat32);
      CHECK(x.batch_count == 12);
      CHECK(std::vector<std::int64_t>{x.stride_a, x.stride_b, x.stride_c} ==
            std::vector<std::int64_t>{96 * 512, 96 * 384, 512 * 384});
    }
  }
  // torch.backends.cuda.matmul.allow_fp16_accumulation
  begin(kDefaultMath);
  torch_bmm_in_half(CUDA_R_16F, CUDA_R_16F);
  CHECK(fake_own().offers.empty());
  CHECK(fake_cublas()->calls.size() == 1);
}

TEST_CASE("PyTorch's linear") {
  for (const auto& [epilogue, activation] : {std::pair{CUBLASLT_EPILOGUE_BIAS, FG_ACTIVATION_NONE},
                                             std::pair{CUBLASLT_EPILOGUE_RELU_BIAS, FG_ACTIVATION_RELU},
                                             std::pair{CUBLASLT_EPILOGUE_GELU_BIAS, FG_ACTIVATION_GELU}}) {
    begin(kDefaultMath);
    torch_linear(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, epilogue);
    check_linear(DataType::kFloat32, DataType::kFloat32, activation);
    begin(kDefaultMath);
    torch_linear(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, epilogue);
    check_linear(DataType::kFloat16, DataType::kFloat16, activation);
  }
  begin(kDefaultMath);
  torch_linear(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUBLASLT_EPILOGUE_BIAS);
  check_linear(DataType::kFloat16, DataType::kFloat32, FG_ACTIVATION_NONE);
}

TEST_CASE("PyTorch's linear where less than FP32 is allowed, or another type is used") {
  for (const auto& [type, compute_type, scale_type] :
       {std::tuple{CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
        std::tuple{CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F}, std::tuple{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        std::tuple{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F}}) {
    begin(kDefaultMath);
    torch_linear(type, type, compute_type, scale_type, CUBLASLT_EPILOGUE_BIAS);
    CHECK(fake_own().offers.empty());
    CHECK(fake_cublas_lt()->calls.size() == 1);
  }
}

TEST_CASE("CuPy's matmul") {
  for (const auto& [type, own_type] : {std::pair{CUDA_R_32F, DataType::kFloat32},
                                       std::pair{CUDA_R_16F, DataType::kFloat16}}) {
    for (const cublasComputeType_t compute_type : {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC}) {
      begin(kDefaultMath);
      CHECK(cublasGemmEx(kHandle, CUBLAS_OP_N, CUBLAS_OP_N, 500, 700, 900, &kOne, kA, type, 500, kB, type, 900, &kZero,
                         kC, type, 500, compute_type, CUBLAS_GEMM_DEFAULT_TENSOR_OP) == CUBLAS_STATUS_SUCCESS);
      check(offered(), CUBLAS_OP_N, CUBLAS_OP_N, {500, 700, 900, 500, 900, 500}, own_type, own_type);
    }
  }
  // CUPY_TF32=1
  begin(kDefaultMath);
  CHECK(cublasGemmEx(kHandle, CUBLAS_OP_N, CUBLAS_OP_N, 500, 700, 900, &kOne, kA, CUDA_R_32F, 500, kB, CUDA_R_32F, 900,
                     &kZero, kC, CUDA_R_32F, 500, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT_TENSOR_OP) ==
        CUBLAS_STATUS_SUCCESS);
  CHECK(fake_own().offers.empty());
}
