// Which offers our kernels take, and with what memory: kernels that are host loops (tests/api/host_device.h), on a
// machine without a GPU.
#include "src/cublas_hook/own_device.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/api/host_device.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::hook;
using fastgemm::test::host_device_counts;

namespace {

const auto kStream = reinterpret_cast<cudaStream_t>(std::uintptr_t{0x7000});

cudaStream_t stream_number(std::uintptr_t number) { return reinterpret_cast<cudaStream_t>(0x10000 + 0x100 * number); }

struct Memory {
  int allocated = 0;
  int refused = 0;
  bool out_of_memory = false;
  std::vector<void*> all;
} memory;

cudaError_t allocate(void** address, std::size_t bytes) {
  if (memory.out_of_memory) {
    ++memory.refused;
    return cudaErrorMemoryAllocation;
  }
  ++memory.allocated;
  *address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return cudaSuccess;
}

const RuntimeCalls& runtime() {
  static const RuntimeCalls calls = {.allocate = allocate,
                                     .release = [](void* address) { return std::free(address), cudaSuccess; },
                                     .zero = [](void* address, std::size_t bytes) {
                                       std::memset(address, 0, bytes);
                                       return cudaSuccess;
                                     },
                                     .mark_context = [] { return ContextMark{}; },
                                     .context_alive = [](const ContextMark&) { return true; },
                                     .exchange_capture_mode = [](cudaStreamCaptureMode*) { return true; }};
  return calls;
}

Capture capture = Capture::kNo;

// Rows that the dispatcher always, or never, finds faster than cuBLAS.
KernelEntry fast_row() {
  KernelEntry row = test::host_f32_kernel();
  row.flops_per_clock_sm = 1e6;
  return row;
}
KernelEntry slow_row() {
  KernelEntry row = test::host_f32_kernel();
  row.flops_per_clock_sm = 1e-3;
  return row;
}
KernelEntry chained_row() {  // uses workspace and flags wherever it has more tiles than SMs
  KernelEntry row = fast_row();
  row.chained = true;
  return row;
}

// The device under test: one row, 4 SMs.
class Fixture {
 public:
  explicit Fixture(const KernelEntry& row, fg_math_mode_t math_mode = FG_MATH_DEFAULT) : row_(row) {
    memory = {};
    host_device_counts() = {};
    capture = Capture::kNo;
    const DeviceInfo info = {.ordinal = -1, .compute_capability = 90, .sm_count = 4, .shared_bytes_per_block = 232448,
                             .l2_bytes = 50 << 20, .clock_ghz = 1.98, .memory_gbps = 4800.0};
    const std::vector<const KernelEntry*> rows = {&row_};
    auto handle = std::make_unique<fg_handle>(info, rows, std::size_t{2} << 20, runtime());
    handle->math_mode = math_mode;
    device_ = std::make_unique<OwnDevice>(std::move(handle), [](cudaStream_t) { return capture; });
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = static_cast<float>(i % 7) - 3.0f;
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = static_cast<float>(i % 5) - 2.0f;
    std::fill(c_.begin(), c_.end(), 1.0f);
  }

  // 64 x 48 = 12 tiles of the rows above; k = 40.
  Offer offer(cudaStream_t stream = kStream) {
    Offer made;
    made.arguments = {.m = 64, .n = 48, .k = 40, .alpha = &alpha_, .beta = &beta_, .a = a_.data(), .b = b_.data(),
                      .c = c_.data(), .lda = 64, .ldb = 40, .ldc = 64};
    made.stream = stream;
    return made;
  }
  std::optional<cublasStatus_t> run(const Offer& made) { return device_->run(made); }
  const LaunchContext& context() const { return host_device_counts().last_context; }
  const GemmProblem& problem() const { return host_device_counts().last_problem; }

  float expected(std::size_t i, std::size_t j) const {
    float sum = 0.0f;
    for (std::size_t l = 0; l < 40; ++l) sum += a_[i + l * 64] * b_[l + j * 40];
    return alpha_ * sum + beta_;
  }
  bool right() const {
    for (std::size_t j = 0; j < 48; ++j) {
      for (std::size_t i = 0; i < 64; ++i) {
        if (c_[i + j * 64] != expected(i, j)) return false;
      }
    }
    return true;
  }

  std::vector<float> a_ = std::vector<float>(64 * 40);
  std::vector<float> b_ = std::vector<float>(40 * 48);
  std::vector<float> c_ = std::vector<float>(64 * 48);
  std::vector<float> d_ = std::vector<float>(64 * 48);

 private:
  KernelEntry row_;
  float alpha_ = 2.0f, beta_ = 3.0f;
  std::unique_ptr<OwnDevice> device_;
};

}  // namespace

TEST_CASE("a product that a kernel does faster is run") {
  Fixture f(fast_row());
  Offer offer = f.offer();
  offer.sm_count_target = 3;
  CHECK(f.run(offer) == CUBLAS_STATUS_SUCCESS);
  CHECK(host_device_counts().launches == 1);
  CHECK(f.right());
  CHECK(f.context().stream == kStream);
  CHECK(f.context().sm_count == 3);
  offer.sm_count_target = 1000;
  CHECK(f.run(offer) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().sm_count == 4);
}

TEST_CASE("what cuBLAS does faster is left, with device scalars, an epilogue or D apart from C as without") {
  Fixture f(slow_row());
  CHECK(f.run(f.offer()) == std::nullopt);
  Offer device_scalars = f.offer();
  device_scalars.arguments.pointer_mode = FG_POINTER_MODE_DEVICE;
  CHECK(f.run(device_scalars) == std::nullopt);
  Offer apart = f.offer();
  apart.arguments.d = f.d_.data();
  apart.arguments.ldd = 64;
  CHECK(f.run(apart) == std::nullopt);
  apart.arguments.bias = f.a_.data();
  apart.arguments.activation = FG_ACTIVATION_RELU;
  CHECK(f.run(apart) == std::nullopt);
  CHECK(host_device_counts().launches == 0);
  CHECK(f.c_ == std::vector<float>(64 * 48, 1.0f));
}

TEST_CASE("device scalars, an epilogue and D apart from C reach the kernel") {
  Fixture f(fast_row());
  Offer offer = f.offer();
  offer.arguments.pointer_mode = FG_POINTER_MODE_DEVICE;
  offer.arguments.d = f.d_.data();
  offer.arguments.ldd = 64;
  offer.arguments.bias = f.a_.data();
  offer.arguments.activation = FG_ACTIVATION_RELU;
  CHECK(f.run(offer) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.problem().alpha.device == offer.arguments.alpha);
  CHECK(f.problem().beta.device == offer.arguments.beta);
  CHECK(f.problem().d.data == f.d_.data());
  CHECK(f.d_[3] == std::max(0.0f, f.expected(3, 0) + f.a_[3]));
  CHECK(f.c_ == std::vector<float>(64 * 48, 1.0f));
}

TEST_CASE("wrong arguments and empty products are cuBLAS's") {
  Fixture f(fast_row());
  Offer wrong = f.offer();
  wrong.arguments.lda = 63;
  CHECK(f.run(wrong) == std::nullopt);
  Offer empty = f.offer();
  empty.arguments.m = 0;
  CHECK(f.run(empty) == std::nullopt);
  Offer no_kernel = f.offer();
  no_kernel.arguments.type_ab = no_kernel.arguments.type_cd = DataType::kFloat16;
  CHECK(f.run(no_kernel) == std::nullopt);
  CHECK(host_device_counts().launches == 0);
}

TEST_CASE("FASTGEMM_MATH decides how FP32 is computed") {
  Fixture sequential(fast_row(), FG_MATH_FP32_SEQUENTIAL);
  CHECK(sequential.run(sequential.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(sequential.problem().math_mode == MathMode::kFp32Sequential);
  Fixture tf32(fast_row(), FG_MATH_TF32);
  CHECK(tf32.run(tf32.offer()) == std::nullopt);
}

TEST_CASE("a failed launch is the call's answer") {
  KernelEntry row = fast_row();
  row.launch = [](const GemmProblem&, const LaunchContext&) { return cudaErrorLaunchFailure; };
  Fixture f(row);
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_EXECUTION_FAILED);
}

TEST_CASE("only plans that want memory get some: that of their stream") {
  Fixture plain(fast_row());
  CHECK(plain.run(plain.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(plain.context().workspace == nullptr);
  CHECK(plain.context().flags == nullptr);
  Fixture f(chained_row());
  CHECK(f.run(f.offer(stream_number(1))) == CUBLAS_STATUS_SUCCESS);
  const LaunchContext first = f.context();
  CHECK(first.workspace != nullptr);
  CHECK(first.flags != nullptr);
  CHECK(f.run(f.offer(stream_number(2))) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().workspace != first.workspace);
  CHECK(f.run(f.offer(stream_number(1))) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().workspace == first.workspace);
  CHECK(memory.allocated == 2);
}

TEST_CASE("what is captured uses no memory but the caller's own") {
  Fixture f(chained_row());
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().flags != nullptr);
  capture = Capture::kYes;
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().workspace == nullptr);
  CHECK(f.context().flags == nullptr);
  alignas(256) static unsigned char lent[4096];
  Offer with_workspace = f.offer();
  with_workspace.workspace = lent;
  with_workspace.workspace_bytes = sizeof lent;
  CHECK(f.run(with_workspace) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().workspace == lent);
  CHECK(f.context().workspace_bytes == sizeof lent);
  CHECK(f.context().flags == nullptr);
  with_workspace.workspace = lent + 16;  // not aligned as cuBLAS asks
  CHECK(f.run(with_workspace) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().workspace == nullptr);
  capture = Capture::kUnknown;
  CHECK(f.run(f.offer()) == std::nullopt);
}

TEST_CASE("a stream's memory is not made in a capture, but after it") {
  Fixture f(chained_row());
  capture = Capture::kYes;
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(memory.allocated == 0);
  CHECK(f.context().flags == nullptr);
  capture = Capture::kNo;
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(memory.allocated == 1);
  CHECK(f.context().flags != nullptr);
}

TEST_CASE("without memory to be had, products go without, and it is not asked for again") {
  Fixture f(chained_row());
  memory.out_of_memory = true;
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.run(f.offer()) == CUBLAS_STATUS_SUCCESS);
  CHECK(memory.refused == 1);
  CHECK(f.context().flags == nullptr);
  CHECK(f.right() == false);  // beta was applied twice
}

TEST_CASE("streams without end do not take memory without end") {
  Fixture f(chained_row());
  for (std::uintptr_t i = 0; i < 100; ++i) CHECK(f.run(f.offer(stream_number(i))) == CUBLAS_STATUS_SUCCESS);
  CHECK(memory.allocated == 16);
  CHECK(f.run(f.offer(cudaStreamPerThread)) == CUBLAS_STATUS_SUCCESS);
  CHECK(f.context().flags == nullptr);
}

TEST_CASE("the stream of each thread has no memory of its own") {
  Fixture f(chained_row());
  CHECK(f.run(f.offer(cudaStreamPerThread)) == CUBLAS_STATUS_SUCCESS);
  CHECK(memory.allocated == 0);
  CHECK(f.context().flags == nullptr);
}

TEST_CASE("threads that share a stream's memory take turns") {
  static std::atomic<int> inside{0};
  static std::atomic<int> met{0};
  KernelEntry row = chained_row();
  row.launch = [](const GemmProblem&, const LaunchContext&) {
    if (inside.fetch_add(1) != 0) met.fetch_add(1);
    std::this_thread::yield();
    inside.fetch_sub(1);
    return cudaSuccess;
  };
  Fixture f(row);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 200; ++call) f.run(f.offer());
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(met == 0);
}
