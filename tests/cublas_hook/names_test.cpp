// Every name with a preloaded library whose kernels are played by fake_own: what is offered, what is passed on as it
// came. The program is linked to a libcublas with versioned names, as real programs are.
#include <dlfcn.h>

#include "src/cublas_hook/entries.h"
#include "tests/cublas_hook/fake_cublas.h"
#include "tests/cublas_hook/fake_own.h"
#include "tests/support/catch.h"

using fastgemm::DataType;
using fastgemm::GemmArguments;
using fastgemm::hook::Offer;

namespace {

const auto kHandle = reinterpret_cast<cublasHandle_t>(std::uintptr_t{0x4000});
const auto kStream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x7000});

// What a call's type arguments are; integers and pointers are made from their positions.
struct Types {
  cudaDataType_t a = CUDA_R_32F;
  cudaDataType_t b = CUDA_R_32F;
  cudaDataType_t c = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT;
};

std::int64_t number_at(std::size_t position) { return 100 + static_cast<std::int64_t>(position); }
const void* address_at(std::size_t position) { return reinterpret_cast<const void*>(0x10000 * (position + 1)); }

class Arguments {
 public:
  explicit Arguments(const Types& types, bool wide) : types_(types), wide_(wide) {}

  template <class Parameter>
  Parameter next() {
    const std::size_t position = position_++;
    if constexpr (std::is_same_v<Parameter, cublasHandle_t>) return kHandle;
    else if constexpr (std::is_same_v<Parameter, cublasOperation_t>) return position == 1 ? CUBLAS_OP_T : CUBLAS_OP_C;
    else if constexpr (std::is_same_v<Parameter, cudaDataType_t>) return next_type();
    else if constexpr (std::is_same_v<Parameter, cublasComputeType_t>) return types_.compute;
    else if constexpr (std::is_same_v<Parameter, cublasGemmAlgo_t>) return types_.algorithm;
    else if constexpr (std::is_pointer_v<Parameter>) return (Parameter)address_at(position);
    else return static_cast<Parameter>(number_at(position) + (wide_ && sizeof(Parameter) == 8 ? kWideOffset : 0));
  }

  static constexpr std::int64_t kWideOffset = std::int64_t{1} << 40;

 private:
  cudaDataType_t next_type() {
    const cudaDataType_t all[] = {types_.a, types_.b, types_.c};
    return all[type_++];
  }

  Types types_;
  bool wide_;
  std::size_t position_ = 0;
  std::size_t type_ = 0;
};

// Where the parameters of one form are, the handle being number 0; -1: it has none.
struct Positions {
  int a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch_count;
};
constexpr Positions kPlain = {7, 8, -1, 9, 10, -1, 11, 12, 13, -1, -1};
constexpr Positions kStrided = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
constexpr Positions kBatched = {7, 8, -1, 9, 10, -1, 11, 12, 13, -1, 14};
constexpr Positions kEx = {7, 9, -1, 10, 12, -1, 13, 14, 16, -1, -1};
constexpr Positions kStridedEx = {7, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20};
constexpr Positions kBatchedEx = {7, 9, -1, 10, 12, -1, 13, 14, 16, -1, 17};

void reset() {
  *fake_cublas() = {};
  *fake_cublas_lt() = {};
  fake_own() = {};
}

void check_offer(const Offer& offer, const Positions& at, bool wide, DataType type, DataType scalar_type) {
  const GemmArguments& x = offer.arguments;
  const auto number = [&](int position, bool is_64_bit) {
    return number_at(static_cast<std::size_t>(position)) + (is_64_bit ? Arguments::kWideOffset : 0);
  };
  const auto address = [](int position) { return address_at(static_cast<std::size_t>(position)); };
  CHECK(x.transa == CUBLAS_OP_T);
  CHECK(x.transb == CUBLAS_OP_C);
  CHECK(x.m == number(3, wide));
  CHECK(x.n == number(4, wide));
  CHECK(x.k == number(5, wide));
  CHECK(x.alpha == address(6));
  CHECK(x.a == address(at.a));
  CHECK(x.lda == number(at.lda, wide));
  CHECK(x.b == address(at.b));
  CHECK(x.ldb == number(at.ldb, wide));
  CHECK(x.beta == address(at.beta));
  CHECK(x.c == address(at.c));
  CHECK(x.ldc == number(at.ldc, wide));
  CHECK(x.d == nullptr);
  CHECK(x.batched == (at.batch_count >= 0));
  CHECK(x.pointer_batched == (at.batch_count >= 0 && at.stride_a < 0));
  if (at.batch_count >= 0) CHECK(x.batch_count == number(at.batch_count, wide));
  if (at.stride_a >= 0) {
    CHECK(x.stride_a == number(at.stride_a, wide));
    CHECK(x.stride_b == number(at.stride_b, wide));
    CHECK(x.stride_c == number(at.stride_c, wide));
  }
  CHECK(x.type_ab == type);
  CHECK(x.type_cd == type);
  CHECK(x.type_scalar == scalar_type);
  CHECK(x.activation == FG_ACTIVATION_NONE);
  CHECK(x.bias == nullptr);
}

template <class... Parameters>
cublasStatus_t call(cublasStatus_t (*function)(Parameters...), const Types& types, bool wide,
                    std::vector<std::uint64_t>* words) {
  Arguments arguments(types, wide);
  const std::tuple<Parameters...> values{arguments.next<Parameters>()...};  // braces: from left to right
  std::apply([&](auto... value) { *words = {as_word(value)...}; }, values);
  return std::apply(function, values);
}

// One entry: passed on where it is left, answered where it is taken.
template <class... Parameters>
void check_entry(const char* name, cublasStatus_t (*function)(Parameters...), const Positions& at, DataType type,
                 DataType scalar_type) {
  INFO(name);
  const bool wide = std::string(name).ends_with("_64");
  Types types;
  if (type == DataType::kFloat16) types.a = types.b = types.c = CUDA_R_16F;
  std::vector<std::uint64_t> words;

  reset();
  fake_cublas()->answer = CUBLAS_STATUS_ARCH_MISMATCH;
  CHECK(call(function, types, wide, &words) == CUBLAS_STATUS_ARCH_MISMATCH);
  REQUIRE(fake_cublas()->calls.size() == 1);
  CHECK(fake_cublas()->calls[0].name == name);
  CHECK(fake_cublas()->calls[0].arguments == words);
  REQUIRE(fake_own().offers.size() == 1);
  check_offer(fake_own().offers[0], at, wide, type, scalar_type);

  reset();
  fake_own().answer = CUBLAS_STATUS_EXECUTION_FAILED;
  fake_cublas()->stream = kStream;
  fake_cublas()->sm_count_target = 44;
  fake_cublas()->pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
  CHECK(call(function, types, wide, &words) == CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK(fake_cublas()->calls.empty());
  REQUIRE(fake_own().offers.size() == 1);
  CHECK(fake_own().offers[0].stream == kStream);
  CHECK(fake_own().offers[0].sm_count_target == 44);
  CHECK(fake_own().offers[0].arguments.pointer_mode == FG_POINTER_MODE_DEVICE);
}

template <class... Parameters>
void check_fp32(const char* name, cublasStatus_t (*function)(Parameters...), const Positions& at) {
  check_entry(name, function, at, DataType::kFloat32, DataType::kFloat32);
}
template <class... Parameters>
void check_fp16(const char* name, cublasStatus_t (*function)(Parameters...), const Positions& at) {
  check_entry(name, function, at, DataType::kFloat16, DataType::kFloat16);
}
template <class... Parameters>
void check_both(const char* name, cublasStatus_t (*function)(Parameters...), const Positions& at) {
  check_entry(name, function, at, DataType::kFloat32, DataType::kFloat32);
  check_entry(name, function, at, DataType::kFloat16, DataType::kFloat32);
}

// cublas_api.h gives C++ a second cublasGemmEx and so on, with the computation as a cudaDataType.
using GemmExFunction = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                          const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                                          const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
using StridedExFunction = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                             const void*, const void*, cudaDataType, int, long long, const void*,
                                             cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                             long long, int, cublasComputeType_t, cublasGemmAlgo_t);
using BatchedExFunction = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                             const void*, const void* const[], cudaDataType, int, const void* const[],
                                             cudaDataType, int, const void*, void* const[], cudaDataType, int, int,
                                             cublasComputeType_t, cublasGemmAlgo_t);
const GemmExFunction gemm_ex = cublasGemmEx;
const StridedExFunction gemm_strided_batched_ex = cublasGemmStridedBatchedEx;
const BatchedExFunction gemm_batched_ex = cublasGemmBatchedEx;

// Was a cublasGemmEx with these types offered? Passed on it was in any case, since nothing is taken.
bool offered(const Types& types) {
  reset();
  std::vector<std::uint64_t> words;
  CHECK(call(gemm_ex, types, false, &words) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(fake_cublas()->calls.size() == 1);
  CHECK(fake_cublas()->calls[0].arguments == words);
  return !fake_own().offers.empty();
}

bool sgemm_offered_in(int math_mode) {
  reset();
  fake_cublas()->math_mode = static_cast<cublasMath_t>(math_mode);
  std::vector<std::uint64_t> words;
  CHECK(call(cublasSgemm_v2, {}, false, &words) == CUBLAS_STATUS_SUCCESS);
  CHECK(fake_cublas()->calls.size() == 1);
  return !fake_own().offers.empty();
}

}  // namespace

TEST_CASE("the preloaded library answers for names of a versioned libcublas") {
  Dl_info info{};
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "cublasSgemm_v2"), &info) != 0);
  CHECK(std::string(info.dli_fname).find("fg_hook_preload") != std::string::npos);
}

TEST_CASE("every entry is offered, and passed on untouched where it is not taken") {
  check_fp32("cublasSgemm_v2", cublasSgemm_v2, kPlain);
  check_fp32("cublasSgemm_v2_64", cublasSgemm_v2_64, kPlain);
  check_fp16("cublasHgemm", cublasHgemm, kPlain);
  check_fp16("cublasHgemm_64", cublasHgemm_64, kPlain);
  check_fp32("cublasSgemmStridedBatched", cublasSgemmStridedBatched, kStrided);
  check_fp32("cublasSgemmStridedBatched_64", cublasSgemmStridedBatched_64, kStrided);
  check_fp16("cublasHgemmStridedBatched", cublasHgemmStridedBatched, kStrided);
  check_fp16("cublasHgemmStridedBatched_64", cublasHgemmStridedBatched_64, kStrided);
  check_fp32("cublasSgemmBatched", cublasSgemmBatched, kBatched);
  check_fp32("cublasSgemmBatched_64", cublasSgemmBatched_64, kBatched);
  check_fp16("cublasHgemmBatched", cublasHgemmBatched, kBatched);
  check_fp16("cublasHgemmBatched_64", cublasHgemmBatched_64, kBatched);
  check_both("cublasSgemmEx", cublasSgemmEx, kEx);
  check_both("cublasSgemmEx_64", cublasSgemmEx_64, kEx);
  check_both("cublasGemmEx", gemm_ex, kEx);
  check_both("cublasGemmEx_64", cublasGemmEx_64, kEx);
  check_both("cublasGemmStridedBatchedEx", gemm_strided_batched_ex, kStridedEx);
  check_both("cublasGemmStridedBatchedEx_64", cublasGemmStridedBatchedEx_64, kStridedEx);
  check_both("cublasGemmBatchedEx", gemm_batched_ex, kBatchedEx);
  check_both("cublasGemmBatchedEx_64", cublasGemmBatchedEx_64, kBatchedEx);
}

TEST_CASE("only types and computations that are ours are offered") {
  CHECK(offered({}));
  CHECK(offered({.compute = CUBLAS_COMPUTE_32F_PEDANTIC}));
  CHECK(offered({.algorithm = CUBLAS_GEMM_DEFAULT_TENSOR_OP}));
  CHECK(offered({.a = CUDA_R_16F, .b = CUDA_R_16F, .c = CUDA_R_32F}));
  CHECK(fake_own().offers[0].arguments.type_ab == DataType::kFloat16);
  CHECK(fake_own().offers[0].arguments.type_cd == DataType::kFloat32);

  CHECK_FALSE(offered({.c = CUDA_R_16F}));
  CHECK_FALSE(offered({.a = CUDA_R_16F}));
  CHECK_FALSE(offered({.a = CUDA_R_16BF, .b = CUDA_R_16BF, .c = CUDA_R_16BF}));
  CHECK_FALSE(offered({.a = CUDA_R_8I, .b = CUDA_R_8I, .c = CUDA_R_32F}));
  CHECK_FALSE(offered({.a = CUDA_R_64F, .b = CUDA_R_64F, .c = CUDA_R_64F, .compute = CUBLAS_COMPUTE_64F}));
  CHECK_FALSE(offered({.a = CUDA_C_32F, .b = CUDA_C_32F, .c = CUDA_C_32F}));
  for (const cublasComputeType_t compute :
       {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF,
        CUBLAS_COMPUTE_32F_FAST_TF32}) {
    CHECK_FALSE(offered({.compute = compute}));
  }
  CHECK_FALSE(offered({.a = CUDA_R_16F, .b = CUDA_R_16F, .c = CUDA_R_16F, .compute = CUBLAS_COMPUTE_16F}));
  CHECK_FALSE(offered({.algorithm = CUBLAS_GEMM_ALGO3}));
}

TEST_CASE("a math mode that lets FP32 be less is cuBLAS's") {
  CHECK(sgemm_offered_in(CUBLAS_DEFAULT_MATH));
  CHECK(sgemm_offered_in(CUBLAS_PEDANTIC_MATH));
  CHECK(sgemm_offered_in(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  CHECK_FALSE(sgemm_offered_in(CUBLAS_TF32_TENSOR_OP_MATH));
  CHECK_FALSE(sgemm_offered_in(CUBLAS_TF32_TENSOR_OP_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  CHECK_FALSE(sgemm_offered_in(1));  // CUBLAS_TENSOR_OP_MATH, deprecated
  CHECK_FALSE(sgemm_offered_in(4));  // CUBLAS_FP32_EMULATED_BF16X9_MATH, since CUDA 12.9
  reset();  // FP16 is summed in FP32 in each of them
  fake_cublas()->math_mode = CUBLAS_TF32_TENSOR_OP_MATH;
  std::vector<std::uint64_t> words;
  CHECK(call(cublasHgemm, {}, false, &words) == CUBLAS_STATUS_SUCCESS);
  CHECK(fake_own().offers.size() == 1);
}

TEST_CASE("FP32 is cuBLAS's where NVIDIA's variables let it be less", "[.own-process]") {
  CHECK_FALSE(offered({}));
  CHECK(offered({.a = CUDA_R_16F, .b = CUDA_R_16F, .c = CUDA_R_16F}));
}

TEST_CASE("cuBLAS answers for a handle that cannot be asked") {
  reset();
  fake_cublas()->answer = CUBLAS_STATUS_NOT_INITIALIZED;
  const float one = 1.0f;
  float c = 0.0f;
  CHECK(cublasSgemm_v2(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, 1, &one, 1, &one, &c, 1) ==
        CUBLAS_STATUS_NOT_INITIALIZED);
  CHECK(fake_own().offers.empty());
  CHECK(fake_cublas()->calls.size() == 1);
  reset();
  fake_cublas()->pointer_mode = static_cast<cublasPointerMode_t>(5);
  std::vector<std::uint64_t> words;
  CHECK(call(cublasSgemm_v2, {}, false, &words) == CUBLAS_STATUS_SUCCESS);
  CHECK(fake_own().offers.empty());
}

TEST_CASE("what libcublas asks of cublasLt inside a call is not offered") {
  reset();
  fake_cublas()->calls_lt = true;
  fake_own().answer = std::nullopt;
  std::vector<std::uint64_t> words;
  CHECK(call(cublasSgemm_v2, {}, false, &words) == CUBLAS_STATUS_SUCCESS);
  CHECK(fake_own().offers.size() == 1);  // the call itself
  REQUIRE(fake_cublas_lt()->calls.size() == 1);
  CHECK(fake_cublas_lt()->calls[0].name == "cublasLtMatmul");
  CHECK(fake_cublas_lt()->calls[0].arguments[8] == as_word(address_at(12)));
}
