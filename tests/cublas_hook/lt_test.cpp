// cublasLtMatmul: which descriptors are offered, and what is read off them.
#include "tests/cublas_hook/fake_cublas.h"
#include "tests/cublas_hook/fake_own.h"
#include "tests/support/catch.h"

using fastgemm::DataType;
using fastgemm::GemmArguments;

namespace {

template <class Value = void>
const Value* address(std::uintptr_t at) {
  return reinterpret_cast<const Value*>(at);
}
const auto kHandle = reinterpret_cast<cublasLtHandle_t>(std::uintptr_t{0x4000});
const auto kStream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x7000});

// D (5 x 7) = A^T B + C with k = 3, as each test changes it.
class LtProduct {
 public:
  explicit LtProduct(cudaDataType_t type_ab = CUDA_R_32F, cudaDataType_t type_cd = CUDA_R_32F,
                     cublasComputeType_t compute_type = CUBLAS_COMPUTE_32F, cudaDataType_t scale_type = CUDA_R_32F) {
    *fake_cublas_lt() = {};
    fake_own() = {};
    cublasLtMatmulDescCreate(&desc, compute_type, scale_type);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_T});
    cublasLtMatrixLayoutCreate(&a, type_ab, 3, 5, 11);
    cublasLtMatrixLayoutCreate(&b, type_ab, 3, 7, 12);
    cublasLtMatrixLayoutCreate(&c, type_cd, 5, 7, 13);
    cublasLtMatrixLayoutCreate(&d, type_cd, 5, 7, 14);
  }
  ~LtProduct() {
    cublasLtMatmulDescDestroy(desc);
    for (cublasLtMatrixLayout_t layout : {a, b, c, d}) cublasLtMatrixLayoutDestroy(layout);
  }
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  template <class Value>
  LtProduct& set(cublasLtMatmulDescAttributes_t name, Value value) {
    cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value);
    return *this;
  }
  template <class Value>
  static void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name, Value value) {
    cublasLtMatrixLayoutSetAttribute(layout, name, &value, sizeof value);
  }

  cublasStatus_t call() const {
    return cublasLtMatmul(kHandle, desc, address(0x100), address(0x200), a, address(0x300), b, address(0x400),
                          address(0x500), c, const_cast<void*>(address(0x600)), d,
                          address<cublasLtMatmulAlgo_t>(0x700), const_cast<void*>(address(0x800)), 999, kStream);
  }
  // Passed on it is in any case, as it came.
  bool offered() const {
    fake_own().offers.clear();
    fake_cublas_lt()->calls.clear();
    CHECK(call() == CUBLAS_STATUS_SUCCESS);
    REQUIRE(fake_cublas_lt()->calls.size() == 1);
    CHECK(fake_cublas_lt()->calls[0].arguments ==
          std::vector<std::uint64_t>{as_word(kHandle), as_word(desc), 0x100, 0x200, as_word(a), 0x300, as_word(b),
                                     0x400, 0x500, as_word(c), 0x600, as_word(d), 0x700, 0x800, 999, as_word(kStream)});
    return !fake_own().offers.empty();
  }
  const GemmArguments& arguments() const { return fake_own().offers.back().arguments; }

  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr, d = nullptr;
};

bool offered_with_epilogue(std::uint32_t epilogue, int activation, bool bias) {
  LtProduct product;
  product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue).set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address(0x900));
  if (!product.offered()) return false;
  CHECK(product.arguments().activation == activation);
  CHECK(product.arguments().bias == (bias ? address(0x900) : nullptr));
  return true;
}

}  // namespace

TEST_CASE("cublasLtMatmul is offered as it was described") {
  LtProduct product;
  product.set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, std::int32_t{60});
  REQUIRE(product.offered());
  const fastgemm::hook::Offer& offer = fake_own().offers.back();
  const GemmArguments& x = offer.arguments;
  CHECK(offer.stream == kStream);
  CHECK(offer.workspace == address(0x800));
  CHECK(offer.workspace_bytes == 999);
  CHECK(offer.sm_count_target == 60);
  CHECK(x.pointer_mode == FG_POINTER_MODE_HOST);
  CHECK(x.transa == CUBLAS_OP_T);
  CHECK(x.transb == CUBLAS_OP_N);
  CHECK(std::vector<std::int64_t>{x.m, x.n, x.k} == std::vector<std::int64_t>{5, 7, 3});
  CHECK(std::vector<std::int64_t>{x.lda, x.ldb, x.ldc, x.ldd} == std::vector<std::int64_t>{11, 12, 13, 14});
  CHECK(std::vector<const void*>{x.alpha, x.a, x.b, x.beta, x.c, x.d} ==
        std::vector<const void*>{address(0x100), address(0x200), address(0x300), address(0x400), address(0x500),
                                 address(0x600)});
  CHECK(x.batch_count == 1);
  CHECK(x.type_scalar == DataType::kFloat32);
}

TEST_CASE("C and D of cublasLtMatmul may share a layout") {
  LtProduct product;
  const cublasLtMatrixLayout_t kept = product.c;
  product.c = product.d;
  CHECK(product.offered());
  CHECK(product.arguments().ldc == 14);
  product.c = kept;
}

TEST_CASE("cublasLtMatmul answers what the kernels do") {
  LtProduct product;
  fake_own().answer = CUBLAS_STATUS_EXECUTION_FAILED;
  CHECK(product.call() == CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK(fake_cublas_lt()->calls.empty());
}

TEST_CASE("batches of cublasLtMatmul") {
  LtProduct product;
  std::int64_t stride = 1000;
  for (cublasLtMatrixLayout_t layout : {product.a, product.b, product.c, product.d}) {
    LtProduct::set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{9});
    LtProduct::set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride++);
  }
  REQUIRE(product.offered());
  const GemmArguments& x = product.arguments();
  CHECK(x.batched);
  CHECK(x.batch_count == 9);
  CHECK(std::vector<std::int64_t>{x.stride_a, x.stride_b, x.stride_c, x.stride_d} ==
        std::vector<std::int64_t>{1000, 1001, 1002, 1003});
  LtProduct::set(product.b, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{8});
  CHECK_FALSE(product.offered());
  LtProduct::set(product.b, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{9});
  constexpr auto kBatchMode = static_cast<cublasLtMatrixLayoutAttribute_t>(8);  // since CUDA 12.9
  LtProduct::set(product.b, kBatchMode, std::uint32_t{0});
  CHECK(product.offered());
  LtProduct::set(product.b, kBatchMode, std::uint32_t{1});  // arrays of pointers
  CHECK_FALSE(product.offered());
}

TEST_CASE("types of cublasLtMatmul") {
  CHECK(LtProduct(CUDA_R_16F, CUDA_R_16F).offered());
  CHECK(LtProduct(CUDA_R_16F, CUDA_R_32F).offered());
  CHECK(LtProduct(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC).offered());
  CHECK_FALSE(LtProduct(CUDA_R_32F, CUDA_R_16F).offered());
  CHECK_FALSE(LtProduct(CUDA_R_16BF, CUDA_R_16BF).offered());
  CHECK_FALSE(LtProduct(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32).offered());
  CHECK_FALSE(LtProduct(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F).offered());
  CHECK_FALSE(LtProduct(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_16F).offered());
  LtProduct mixed(CUDA_R_16F, CUDA_R_16F);
  LtProduct::set(mixed.c, CUBLASLT_MATRIX_LAYOUT_TYPE, std::int32_t{CUDA_R_32F});
  CHECK_FALSE(mixed.offered());
}

TEST_CASE("FP32 is cublasLt's where NVIDIA's variables let it be less", "[.own-process]") {
  CHECK_FALSE(LtProduct().offered());
  CHECK(LtProduct(CUDA_R_16F, CUDA_R_32F).offered());
}

TEST_CASE("epilogues of cublasLtMatmul") {
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_DEFAULT, FG_ACTIVATION_NONE, false));
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_BIAS, FG_ACTIVATION_NONE, true));
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_RELU, FG_ACTIVATION_RELU, false));
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_RELU_BIAS, FG_ACTIVATION_RELU, true));
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_GELU, FG_ACTIVATION_GELU, false));
  CHECK(offered_with_epilogue(CUBLASLT_EPILOGUE_GELU_BIAS, FG_ACTIVATION_GELU, true));
  for (const std::uint32_t epilogue :
       {CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_DRELU,
        CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB}) {
    CHECK_FALSE(offered_with_epilogue(epilogue, FG_ACTIVATION_NONE, false));
  }
}

TEST_CASE("the bias of cublasLtMatmul has the type of D") {
  LtProduct product(CUDA_R_16F, CUDA_R_16F);
  product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_BIAS});
  CHECK_FALSE(product.offered());  // none given: cublasLt says what it thinks of that
  product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address(0x900));
  product.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{77});
  REQUIRE(product.offered());
  CHECK(product.arguments().stride_bias == 77);
  product.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t{CUDA_R_16F});
  CHECK(product.offered());
  product.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t{CUDA_R_32F});
  CHECK_FALSE(product.offered());
}

TEST_CASE("whatever else a descriptor of cublasLtMatmul asks is cublasLt's") {
  CHECK(LtProduct().set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE}).offered());
  CHECK(fake_own().offers.back().arguments.pointer_mode == FG_POINTER_MODE_DEVICE);
  for (const int mode : {CUBLASLT_POINTER_MODE_DEVICE_VECTOR, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO,
                         CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST}) {
    CHECK_FALSE(LtProduct().set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{mode}).offered());
  }
  CHECK_FALSE(LtProduct().set(CUBLASLT_MATMUL_DESC_TRANSC, std::int32_t{CUBLAS_OP_T}).offered());
  CHECK_FALSE(LtProduct().set(CUBLASLT_MATMUL_DESC_FILL_MODE, std::int32_t{CUBLAS_FILL_MODE_LOWER}).offered());
  for (const auto name : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                          CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
                          CUBLASLT_MATMUL_DESC_AMAX_D_POINTER}) {
    CHECK_FALSE(LtProduct().set(name, address(0x900)).offered());
  }
  // CUDA 12's counters of parts that are there, which later headers do not name.
  for (const int counters : {29, 30}) {
    const auto name = static_cast<cublasLtMatmulDescAttributes_t>(counters);
    CHECK(LtProduct().set(name, address(0)).offered());
    CHECK_FALSE(LtProduct().set(name, address(0x900)).offered());
  }
}

TEST_CASE("layouts of cublasLtMatmul") {
  LtProduct rows;
  LtProduct::set(rows.b, CUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t{CUBLASLT_ORDER_ROW});
  CHECK_FALSE(rows.offered());
  LtProduct other_k;
  LtProduct::set(other_k.b, CUBLASLT_MATRIX_LAYOUT_ROWS, std::uint64_t{4});
  CHECK_FALSE(other_k.offered());
  LtProduct other_n;
  LtProduct::set(other_n.c, CUBLASLT_MATRIX_LAYOUT_COLS, std::uint64_t{8});
  CHECK_FALSE(other_n.offered());
  LtProduct plain_a;  // 3 x 5, which no longer gives 5 rows
  plain_a.set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_N});
  CHECK_FALSE(plain_a.offered());
  LtProduct no_desc;
  const cublasLtMatmulDesc_t kept = no_desc.desc;
  no_desc.desc = nullptr;
  CHECK_FALSE(no_desc.offered());
  no_desc.desc = kept;
}
