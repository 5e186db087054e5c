// What the fallback asks of cuBLAS and of the epilogue pass, over fakes that record.
#include <atomic>
#include <thread>

#include "tests/exec/fallback_fixture.h"

using namespace fastgemm;
using namespace fastgemm::test;

TEST_CASE_METHOD(FallbackFixture, "the fallback tells where cuBLAS came from", "[exec][fallback]") {
  open();
  CHECK_THAT(fallback->path(), ContainsSubstring("fake_cublas"));
  CHECK(fallback->version() == 130199);
}

TEST_CASE_METHOD(FallbackFixture, "each math mode keeps cuBLAS to its arithmetic", "[exec][fallback]") {
  struct Row {
    DataType type;
    MathMode mode;
    cublasMath_t math;
    cublasComputeType_t compute;
  };
  const auto no_reduced = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  const Row rows[] = {
      {DataType::kFloat32, MathMode::kDefault, CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F_PEDANTIC},
      {DataType::kFloat32, MathMode::kFp32Tensor, CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F_PEDANTIC},
      {DataType::kFloat32, MathMode::kTf32, CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F_FAST_TF32},
      {DataType::kFloat16, MathMode::kDefault, no_reduced, CUBLAS_COMPUTE_32F},
      {DataType::kFloat16, MathMode::kTf32, no_reduced, CUBLAS_COMPUTE_32F},
  };
  open();
  for (const Row& row : rows) {
    cublas.calls.clear();
    GemmProblem problem = fake_problem(row.type);
    problem.math_mode = row.mode;
    REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
    const auto calls = calls_of("cublasGemmEx_64");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].math_mode == row.math);
    CHECK(calls[0].compute == row.compute);
    CHECK(calls[0].type_a == (row.type == DataType::kFloat32 ? CUDA_R_32F : CUDA_R_16F));
    CHECK(calls[0].type_c == calls[0].type_a);
  }
}

TEST_CASE_METHOD(FallbackFixture, "the workspace is set after the stream, aligned and inside the launch's",
                 "[exec][fallback]") {
  open();
  const std::size_t skip = GENERATE(0, 1, 255);
  LaunchContext launch = context();
  launch.workspace = static_cast<char*>(launch.workspace) + skip;
  launch.workspace_bytes -= skip;
  REQUIRE(fallback->run(fake_problem(DataType::kFloat32), launch).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == 1);
  CHECK_FALSE(calls[0].workspace_reset);
  CHECK(calls[0].stream == stream);
  CHECK(reinterpret_cast<std::uintptr_t>(calls[0].workspace) % 256 == 0);
  CHECK(calls[0].workspace >= launch.workspace);
  const auto* end = static_cast<const char*>(calls[0].workspace) + calls[0].workspace_bytes;
  CHECK(end <= static_cast<const char*>(launch.workspace) + launch.workspace_bytes);
  CHECK(calls[0].workspace_bytes >= memory.size() - 512);
}

TEST_CASE_METHOD(FallbackFixture, "a launch without workspace still gives cuBLAS some", "[exec][fallback]") {
  open();
  REQUIRE(runtime.live.size() == 1);
  const FakeAllocation reserve = runtime.live[0];
  const std::size_t bytes = GENERATE(0, 100, 100000);
  LaunchContext launch = context();
  launch.workspace_bytes = bytes;
  if (bytes == 0) launch.workspace = nullptr;
  REQUIRE(fallback->run(fake_problem(DataType::kFloat32), launch).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].workspace == reserve.data);
  CHECK(calls[0].workspace_bytes == reserve.bytes);
}

TEST_CASE_METHOD(FallbackFixture, "arguments reach cuBLAS in their places", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32, std::int64_t{3} << 31, 30, 20);
  problem.op_a = Op::kT;
  problem.a.ld = 21;
  problem.b.ld = 22;
  problem.a.batch_stride = 0;
  problem.b.batch_stride = -700;
  problem.c.batch_stride = problem.d.batch_stride = std::int64_t{1} << 40;
  problem.batch_count = 70000;
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmStridedBatchedEx_64");
  REQUIRE(calls.size() == 1);
  const FakeCublasCall& call = calls[0];
  CHECK(call.op_a == CUBLAS_OP_T);
  CHECK(call.op_b == CUBLAS_OP_N);
  CHECK(call.m == std::int64_t{3} << 31);
  CHECK(call.n == 30);
  CHECK(call.k == 20);
  CHECK(call.alpha == 2.0f);
  CHECK(call.beta == 0.5f);
  CHECK(call.a == problem.a.data);
  CHECK(call.b == problem.b.data);
  CHECK(call.c == problem.d.data);
  CHECK(call.lda == 21);
  CHECK(call.ldb == 22);
  CHECK(call.ldc == problem.d.ld);
  CHECK(call.stride_a == 0);
  CHECK(call.stride_b == -700);
  CHECK(call.stride_c == std::int64_t{1} << 40);
  CHECK(call.batch == 70000);
  CHECK(runtime.passes.empty());
}

TEST_CASE_METHOD(FallbackFixture, "pointer arrays go to the pointer-batched entry", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat16);
  const void* const* inputs = reinterpret_cast<const void* const*>(0x9000);
  void* const* outputs = reinterpret_cast<void* const*>(0xa000);
  problem.a = {.pointers = inputs, .ld = 40};
  problem.b = {.pointers = inputs + 8, .ld = 20};
  problem.c = {.pointers = const_cast<const void* const*>(outputs), .ld = 40};
  problem.d = {.pointers = outputs, .ld = 40};
  problem.batch_count = GENERATE(1, 5);
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmBatchedEx_64");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].a == inputs);
  CHECK(calls[0].b == inputs + 8);
  CHECK(calls[0].c == outputs);
  CHECK(calls[0].batch == problem.batch_count);
}

TEST_CASE_METHOD(FallbackFixture, "without a product cuBLAS is not called", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32, 40, 30, 0);
  problem.a = problem.b = {};
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  CHECK(cublas.calls.empty());
  REQUIRE(runtime.passes.size() == 1);
  CHECK(runtime.passes[0].problem.k == 0);
  CHECK(runtime.passes[0].problem.beta.value == 0.5f);
  CHECK(runtime.pass_streams[0] == stream);
}

TEST_CASE_METHOD(FallbackFixture, "C is copied into a D of its own, and only where beta reads it", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32);
  problem.d = {.data = reinterpret_cast<void*>(0x50000), .ld = 64};
  problem.beta.value = GENERATE(0.0f, -0.0f, 0.5f);
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].c == problem.d.data);
  CHECK(calls[0].ldc == 64);
  CHECK(calls[0].beta == problem.beta.value);
  REQUIRE(runtime.passes.size() == (problem.beta.value == 0.0f ? 0u : 1u));
  if (runtime.passes.empty()) return;
  const GemmProblem& copy = runtime.passes[0].problem;
  CHECK(copy.k == 0);
  CHECK(copy.beta.value == 1.0f);
  CHECK(copy.c.data == problem.c.data);
  CHECK(copy.d.data == problem.d.data);
}

TEST_CASE_METHOD(FallbackFixture, "FP32 bias and activation are a pass over D", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32);
  problem.bias = reinterpret_cast<const void*>(0x70000);
  problem.activation = Activation::kRelu;
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].alpha == 2.0f);
  CHECK(calls[0].beta == 0.5f);
  REQUIRE(runtime.passes.size() == 1);
  const ApplyParams& pass = runtime.passes[0];
  CHECK(pass.product == problem.d.data);
  CHECK(pass.product_ld == problem.d.ld);
  CHECK(pass.problem.alpha.value == 1.0f);
  CHECK(pass.problem.beta.value == 0.0f);
  CHECK(pass.problem.bias == problem.bias);
  CHECK(pass.problem.activation == Activation::kRelu);
}

TEST_CASE_METHOD(FallbackFixture, "FP16 with bias goes through an FP32 product, rounded once", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat16, 3000, 1000, 20);  // 12 MB of product, 0.75 MB of room
  problem.bias = reinterpret_cast<const void*>(0x70000);
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() > 10);
  REQUIRE(runtime.passes.size() == calls.size());
  std::int64_t columns = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const FakeCublasCall& call = calls[i];
    CHECK(call.type_a == CUDA_R_16F);
    CHECK(call.type_c == CUDA_R_32F);
    CHECK(call.alpha == 1.0f);
    CHECK(call.beta == 0.0f);
    CHECK(call.m == 3000);
    CHECK(call.b == static_cast<const char*>(problem.b.data) + columns * problem.b.ld * 2);
    const auto* product = static_cast<const char*>(call.c);
    const auto* cublas_end = static_cast<const char*>(call.workspace) + call.workspace_bytes;
    CHECK(product >= cublas_end);
    CHECK(product + call.m * call.n * 4 <= static_cast<const char*>(memory.data()) + memory.size());
    const ApplyParams& pass = runtime.passes[i];
    CHECK(pass.product == call.c);
    CHECK(pass.problem.alpha.value == 2.0f);
    CHECK(pass.problem.beta.value == 0.5f);
    CHECK(pass.problem.type_cd == DataType::kFloat16);
    CHECK(pass.problem.d.data == static_cast<char*>(problem.d.data) + columns * problem.d.ld * 2);
    columns += call.n;
  }
  CHECK(columns == 1000);
}

TEST_CASE_METHOD(FallbackFixture, "FP32 output of FP16 operands needs no product buffer", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat16);
  problem.type_cd = DataType::kFloat32;
  problem.activation = Activation::kGelu;
  REQUIRE(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].type_c == CUDA_R_32F);
  CHECK(calls[0].c == problem.d.data);
}

TEST_CASE_METHOD(FallbackFixture, "what cuBLAS answers becomes our status, with the call's name", "[exec][fallback]") {
  struct Row {
    const char* function;
    cublasStatus_t answer;
    fg_status_t status;
  };
  const Row row = GENERATE(values<Row>({
      {"cublasSetStream_v2", CUBLAS_STATUS_NOT_INITIALIZED, FG_STATUS_NOT_INITIALIZED},
      {"cublasSetWorkspace_v2", CUBLAS_STATUS_INVALID_VALUE, FG_STATUS_INTERNAL_ERROR},
      {"cublasSetMathMode", CUBLAS_STATUS_NOT_INITIALIZED, FG_STATUS_NOT_INITIALIZED},
      {"cublasGemmEx_64", CUBLAS_STATUS_ALLOC_FAILED, FG_STATUS_ALLOC_FAILED},
      {"cublasGemmEx_64", CUBLAS_STATUS_INVALID_VALUE, FG_STATUS_INTERNAL_ERROR},
      {"cublasGemmEx_64", CUBLAS_STATUS_ARCH_MISMATCH, FG_STATUS_ARCH_MISMATCH},
      {"cublasGemmEx_64", CUBLAS_STATUS_MAPPING_ERROR, FG_STATUS_MAPPING_ERROR},
      {"cublasGemmEx_64", CUBLAS_STATUS_EXECUTION_FAILED, FG_STATUS_EXECUTION_FAILED},
      {"cublasGemmEx_64", CUBLAS_STATUS_INTERNAL_ERROR, FG_STATUS_INTERNAL_ERROR},
      {"cublasGemmEx_64", CUBLAS_STATUS_NOT_SUPPORTED, FG_STATUS_NOT_SUPPORTED},
      {"cublasGemmEx_64", CUBLAS_STATUS_LICENSE_ERROR, FG_STATUS_INTERNAL_ERROR},
  }));
  open();
  cublas.fail_function = row.function;
  cublas.fail_status = row.answer;
  GemmProblem problem = fake_problem(DataType::kFloat32);
  problem.activation = Activation::kRelu;
  const ExecuteResult result = fallback->run(problem, context());
  CHECK(result.status == row.status);
  const std::string name = row.function;
  CHECK_THAT(result.error, ContainsSubstring(name.substr(0, name.find("_v2"))));
  CHECK(runtime.passes.empty());
  CHECK(runtime.capture_mode == cudaStreamCaptureModeGlobal);
  cublas.fail_function.clear();
  CHECK(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
}

TEST_CASE_METHOD(FallbackFixture, "a pass that cannot be launched is an error", "[exec][fallback]") {
  open();
  runtime.apply_error = cudaErrorLaunchOutOfResources;
  GemmProblem problem = fake_problem(GENERATE(DataType::kFloat32, DataType::kFloat16));
  problem.activation = Activation::kRelu;
  const ExecuteResult result = fallback->run(problem, context());
  CHECK(result.status == FG_STATUS_EXECUTION_FAILED);
  CHECK_THAT(result.error, ContainsSubstring("epilogue pass"));
}

TEST_CASE_METHOD(FallbackFixture, "without code for the pass, plain products still run", "[exec][fallback]") {
  runtime.prepare_error = cudaErrorNoKernelImageForDevice;
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32);
  CHECK(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  GemmProblem biased = problem;
  biased.bias = problem.a.data;
  CHECK(fallback->run(biased, context()).status == FG_STATUS_NOT_SUPPORTED);
  GemmProblem apart = problem;
  apart.d.data = reinterpret_cast<void*>(0x50000);
  CHECK(fallback->run(apart, context()).status == FG_STATUS_NOT_SUPPORTED);
  GemmProblem scaling = problem;
  scaling.k = 0;
  CHECK(fallback->run(scaling, context()).status == FG_STATUS_NOT_SUPPORTED);
  CHECK(runtime.passes.empty());
}

TEST_CASE_METHOD(FallbackFixture, "device scalars and pointers with an epilogue are declined", "[exec][fallback]") {
  open();
  GemmProblem problem = fake_problem(DataType::kFloat32);
  SECTION("alpha") { problem.alpha.device = &problem; }
  SECTION("beta") { problem.beta.device = &problem; }
  SECTION("pointers with bias") {
    problem.d = {.pointers = reinterpret_cast<void* const*>(0xa000), .ld = 40};
    problem.bias = problem.a.data;
  }
  SECTION("pointers with D apart") {
    problem.c = {.pointers = reinterpret_cast<const void* const*>(0xb000), .ld = 40};
    problem.d = {.pointers = reinterpret_cast<void* const*>(0xa000), .ld = 40};
  }
  CHECK_FALSE(CublasFallback::supports(problem));
  CHECK(fallback->run(problem, context()).status == FG_STATUS_NOT_SUPPORTED);
  CHECK(cublas.calls.empty());
}

TEST_CASE_METHOD(FallbackFixture, "a call relaxes the capture mode and puts it back", "[exec][fallback]") {
  open();
  runtime.capture_modes.clear();
  REQUIRE(fallback->run(fake_problem(DataType::kFloat32), context()).status == FG_STATUS_SUCCESS);
  CHECK(runtime.capture_modes ==
        std::vector<cudaStreamCaptureMode>{cudaStreamCaptureModeRelaxed, cudaStreamCaptureModeGlobal});
}

TEST_CASE_METHOD(FallbackFixture, "a call allocates nothing", "[exec][fallback]") {
  open();
  const std::size_t before = runtime.live.size();
  runtime.allocate_error = cudaErrorMemoryAllocation;
  GemmProblem problem = fake_problem(DataType::kFloat16);
  problem.activation = Activation::kRelu;
  CHECK(fallback->run(problem, context()).status == FG_STATUS_SUCCESS);
  CHECK(runtime.live.size() == before);
}

TEST_CASE_METHOD(FallbackFixture, "threads keep their own stream and workspace", "[exec][fallback]") {
  open();
  constexpr int kThreads = 8;
  constexpr int kCalls = 200;
  std::atomic<int> failures{0};
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      LaunchContext launch;
      launch.stream = reinterpret_cast<cudaStream_t>(std::intptr_t{0x1000} * (t + 1));
      launch.workspace = reinterpret_cast<void*>(std::intptr_t{0x1000000} * (t + 1));
      launch.workspace_bytes = 1 << 20;
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      for (int i = 0; i < kCalls; ++i) {
        if (fallback->run(fake_problem(DataType::kFloat32), launch).status != FG_STATUS_SUCCESS) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(cublas.overlaps == 0);
  const auto calls = calls_of("cublasGemmEx_64");
  REQUIRE(calls.size() == kThreads * kCalls);
  for (const FakeCublasCall& call : calls) {
    REQUIRE(reinterpret_cast<std::uintptr_t>(call.workspace) == reinterpret_cast<std::uintptr_t>(call.stream) * 0x1000);
  }
}
