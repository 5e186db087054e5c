// What goes wrong on a real device: no memory left, a device that was reset.
#include "tests/gpu/support.h"

using namespace fastgemm;
using namespace fastgemm::gpu_tests;

namespace {

// All the device memory there is, in ever smaller pieces.
class AllMemory {
 public:
  AllMemory() {
    for (std::size_t piece = std::size_t{1} << 34; piece >= std::size_t{1} << 20;) {
      void* data = nullptr;
      if (cudaMalloc(&data, piece) == cudaSuccess) {
        pieces_.push_back(data);
      } else {
        cudaGetLastError();
        piece /= 2;
      }
    }
  }
  ~AllMemory() {
    for (void* piece : pieces_) cudaFree(piece);
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;

 private:
  std::vector<void*> pieces_;
};

}  // namespace

TEST_CASE("without device memory fg_create answers ALLOC_FAILED, and a handle that is there still works", "[errors]") {
  constexpr std::int64_t kN = 257;
  const Stream stream;
  const Handle handle(stream);
  const Buffer<float> a(std::vector<float>(kN * kN, 1.0f)), b(std::vector<float>(kN * kN, 2.0f)), d(kN * kN);
  {
    const AllMemory everything;
    fg_handle_t second = nullptr;
    CHECK(fg_create(&second) == FG_STATUS_ALLOC_FAILED);
    CHECK(second == nullptr);
    CHECK_FALSE(std::string(fg_last_error()).empty());
    CHECK(cudaGetLastError() == cudaSuccess);
    for (const char trans : {'N', 'T'}) {
      const fg_operation_t op = trans == 'N' ? FG_OP_N : FG_OP_T;
      require_ok(run_sgemm(handle, tight_problem(DataType::kFloat32, op, op, {kN, kN, kN}, a.get(), b.get(), d.get())));
      stream.wait();
    }
  }
  CHECK(d.read() == std::vector<float>(kN * kN, 2.0f * kN));
  const Handle third(stream);  // and all is well again
}

TEST_CASE("a wrong argument leaves C as it is and has a text", "[errors]") {
  const Handle handle;
  const Buffer<float> a(std::vector<float>(64, 1.0f)), c(std::vector<float>(64, 7.0f));
  const float one = 1.0f;
  CHECK(fg_sgemm(handle, FG_OP_N, FG_OP_N, 8, 8, 8, &one, a.get(), 8, a.get(), 8, &one, c.get(), 7) ==
        FG_STATUS_INVALID_VALUE);
  CHECK(std::string(fg_last_error()).find("ldc") != std::string::npos);
  CHECK(fg_set_kernel(handle, "no_such_kernel") == FG_STATUS_INVALID_VALUE);
  require_cuda(cudaDeviceSynchronize());
  CHECK(c.read() == std::vector<float>(64, 7.0f));
}

TEST_CASE("after cudaDeviceReset calls answer a status and nothing crashes", "[errors]") {
  CHECK(run_child("device_reset") == 0);
}
