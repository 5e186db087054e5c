// GPUs played on the host. What is enqueued on a stream runs later, a few operations at a time and in an order drawn
// from a seed, whenever an event is asked for: so a missing wait, or a buffer that is used again too early, shows in
// the result. Device memory starts as NaN, every address is checked against what was allocated, and any call or operation
// can be made to fail.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "src/dropin/engine/gpu_runtime.h"

namespace fastgemm::dropin::test {

struct FakeGpuOptions {
  int devices = 1;
  std::size_t free_bytes = std::size_t{1} << 30;  // of each device
  unsigned seed = 1;
};

class FakeGpu final : public GpuRuntime {
 public:
  explicit FakeGpu(const FakeGpuOptions& options = {});
  ~FakeGpu() override;

  // The call of this number, from 1, of all that are made from now on answers `error`; where `lasting`, so do all
  // that come after, as on a device whose context is lost.
  void fail_call(int number, cudaError_t error, bool lasting);
  // The operation of this number that a device runs fails instead, and the device with it.
  void fail_operation(int number);
  int calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  int operations() const { return operations_; }
  bool failed() const { return failed_; }  // has what was asked for happened?

  // Memory of the test's own that is to be found in a certain place.
  void add_memory(const void* data, std::size_t bytes, const PlaceResult& place);

  // Products take no time and compute nothing.
  void skip_products(bool skip) { skip_products_ = skip; }

  // From now on counts products that read an element which was never written, which takes its time.
  void watch_operands() { watch_operands_ = true; }
  int unwritten_operands() const { return unwritten_operands_; }

  // Calls that were wrong in themselves: addresses outside what was allocated, the wrong device, an unknown stream.
  int faults() const { return faults_; }
  std::size_t largest_allocation() const { return largest_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }  // that products were last opened with
  int products() const { return products_; }
  int products_on(int device) const { return devices_[static_cast<std::size_t>(device)].products; }

  cudaError_t count_devices(int* count) override;
  cudaError_t enter_device(int device) override;
  cudaError_t describe_device(int device, GpuDescription* description) override;
  cudaError_t memory_info(std::size_t* free_bytes, std::size_t* total_bytes) override;
  cudaError_t allocate_device(void** memory, std::size_t bytes) override;
  cudaError_t release_device(void* memory) override;
  cudaError_t allocate_pinned(void** memory, std::size_t bytes) override;
  cudaError_t create_stream(cudaStream_t* stream) override;
  cudaError_t create_event(cudaEvent_t* event) override;
  cudaError_t record(cudaEvent_t event, cudaStream_t stream) override;
  cudaError_t wait(cudaStream_t stream, cudaEvent_t event) override;
  cudaError_t query(cudaEvent_t event) override;
  cudaError_t copy_in(const CopyRect& rect, cudaStream_t stream) override;
  cudaError_t copy_out(const CopyRect& rect, cudaStream_t stream) override;
  cudaError_t locate(const void* data, std::size_t bytes, PlaceResult* result) override;
  cudaError_t synchronize() override;
  cudaError_t open_products(std::size_t workspace_bytes, std::string* error) override;
  cudaError_t add_product_stream(cudaStream_t stream, std::string* error) override;
  cudaError_t multiply(const DeviceGemm& gemm, cudaStream_t stream, std::string* error) override;

 private:
  struct Event {
    int device = 0;
    int recorded = 0;  // how often
    int passed = 0;
  };
  struct Operation {
    std::function<void()> run;
    Event* wait_for = nullptr;  // run when it has passed `wait_count` times
    int wait_count = 0;
  };
  struct Stream {
    int device = 0;
    bool multiplies = false;
    std::deque<Operation> operations;
  };
  struct Device {
    std::size_t free_bytes = 0;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Event>> events;
    cudaError_t lost = cudaSuccess;  // what all calls answer once an operation has failed
    int products = 0;
    bool open = false;
  };
  struct Memory {
    std::size_t bytes = 0;
    PlaceResult place;
    bool owned = false;
  };

  cudaError_t begin_call(bool of_a_device);
  Device& current();
  cudaError_t wrong();
  void enqueue(cudaStream_t stream, Operation operation);
  bool run_one(Device& device);
  const Memory* memory_of(const void* data, std::size_t bytes) const;
  bool on_device(const float* data, std::int64_t ld, std::int64_t rows, std::int64_t columns) const;
  bool pinned(const float* data, std::int64_t ld, std::int64_t rows, std::int64_t columns) const;
  cudaError_t copy(const CopyRect& rect, bool in, cudaStream_t stream);
  void* allocate(std::size_t bytes, const PlaceResult& place);

  mutable std::mutex mutex_;
  std::mt19937 random_;
  std::vector<Device> devices_;
  std::map<std::thread::id, int> device_of_;
  std::map<const char*, Memory> memory_;
  int calls_ = 0, operations_ = 0, faults_ = 0, products_ = 0;
  std::size_t largest_ = 0, workspace_bytes_ = 0;
  int fail_call_ = 0, fail_operation_ = 0;
  cudaError_t call_error_ = cudaSuccess;
  bool lasting_ = false, failed_ = false, skip_products_ = false, watch_operands_ = false;
  int unwritten_operands_ = 0;
};

}  // namespace fastgemm::dropin::test
