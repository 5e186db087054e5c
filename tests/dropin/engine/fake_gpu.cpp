#include "tests/dropin/engine/fake_gpu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace fastgemm::dropin::test {

namespace {

// One chain of fused multiply-adds an element, as FP32_SEQUENTIAL has it.
void run_gemm(const DeviceGemm& g) {
  for (std::int64_t j = 0; j < g.n; ++j) {
    for (std::int64_t i = 0; i < g.m; ++i) {
      float sum = 0.0f;
      for (std::int64_t p = 0; p < g.k; ++p) {
        const float a = g.transa == 'T' ? g.a[p + i * g.lda] : g.a[i + p * g.lda];
        const float b = g.transb == 'T' ? g.b[j + p * g.ldb] : g.b[p + j * g.ldb];
        sum = std::fmaf(a, b, sum);
      }
      float& c = g.c[i + j * g.ldc];
      c = g.beta == 0.0f ? g.alpha * sum : std::fmaf(g.alpha, sum, g.beta * c);
    }
  }
}

// Memory that nothing was written to is NaN.
bool written(const float* data, std::int64_t ld, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (std::isnan(data[row + column * ld])) return false;
    }
  }
  return true;
}

bool operands_written(const DeviceGemm& g) {
  return (g.transa == 'T' ? written(g.a, g.lda, g.k, g.m) : written(g.a, g.lda, g.m, g.k)) &&
         (g.transb == 'T' ? written(g.b, g.ldb, g.n, g.k) : written(g.b, g.ldb, g.k, g.n));
}

std::size_t extent_bytes(std::int64_t ld, std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>((columns - 1) * ld + rows) * sizeof(float);
}

}  // namespace

FakeGpu::FakeGpu(const FakeGpuOptions& options) : random_(options.seed), devices_(options.devices) {
  for (Device& device : devices_) device.free_bytes = options.free_bytes;
}

FakeGpu::~FakeGpu() {
  for (const auto& [data, memory] : memory_) {
    if (memory.owned) std::free(const_cast<char*>(data));
  }
}

void FakeGpu::fail_call(int number, cudaError_t error, bool lasting) {
  const std::lock_guard lock(mutex_);
  calls_ = 0;
  failed_ = false;
  fail_call_ = number;
  call_error_ = error;
  lasting_ = lasting;
}

void FakeGpu::fail_operation(int number) {
  const std::lock_guard lock(mutex_);
  operations_ = 0;
  failed_ = false;
  fail_operation_ = number;
}

void FakeGpu::add_memory(const void* data, std::size_t bytes, const PlaceResult& place) {
  const std::lock_guard lock(mutex_);
  memory_[static_cast<const char*>(data)] = {bytes, place, false};
}

// Counts a call; the error that it is to answer.
cudaError_t FakeGpu::begin_call(bool of_a_device) {
  ++calls_;
  if (fail_call_ > 0 && (calls_ == fail_call_ || (lasting_ && calls_ > fail_call_))) {
    failed_ = true;
    return call_error_;
  }
  if (!of_a_device) return cudaSuccess;
  if (device_of_.count(std::this_thread::get_id()) == 0) return wrong();
  return current().lost;
}

FakeGpu::Device& FakeGpu::current() {
  return devices_[static_cast<std::size_t>(device_of_.at(std::this_thread::get_id()))];
}

cudaError_t FakeGpu::wrong() {
  ++faults_;
  return cudaErrorInvalidValue;
}

const FakeGpu::Memory* FakeGpu::memory_of(const void* data, std::size_t bytes) const {
  const auto* const first = static_cast<const char*>(data);
  auto found = memory_.upper_bound(first);
  if (found == memory_.begin()) return nullptr;
  --found;
  return first + bytes <= found->first + found->second.bytes ? &found->second : nullptr;
}

bool FakeGpu::on_device(const float* data, std::int64_t ld, std::int64_t rows, std::int64_t columns) const {
  const Memory* const memory = memory_of(data, extent_bytes(ld, rows, columns));
  const int device = device_of_.at(std::this_thread::get_id());
  return memory != nullptr && memory->place.place == Place::kDevice &&
         (memory->place.device == device || memory->place.device < 0);
}

bool FakeGpu::pinned(const float* data, std::int64_t ld, std::int64_t rows, std::int64_t columns) const {
  const Memory* const memory = memory_of(data, extent_bytes(ld, rows, columns));
  return memory != nullptr && memory->place.place == Place::kPinned;
}

void* FakeGpu::allocate(std::size_t bytes, const PlaceResult& place) {
  void* const data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(data, 0xff, bytes);  // NaN in every float
  memory_[static_cast<const char*>(data)] = {bytes, place, true};
  return data;
}

// Runs the first operation of one of the streams that can go on; false where none can.
bool FakeGpu::run_one(Device& device) {
  std::vector<Stream*> ready;
  for (const auto& stream : device.streams) {
    if (stream->operations.empty()) continue;
    const Operation& next = stream->operations.front();
    if (next.wait_for == nullptr || next.wait_for->passed >= next.wait_count) ready.push_back(stream.get());
  }
  if (ready.empty() || device.lost != cudaSuccess) return false;
  Stream& stream = *ready[random_() % ready.size()];
  const Operation operation = std::move(stream.operations.front());
  stream.operations.pop_front();
  if (++operations_ == fail_operation_) {
    failed_ = true;
    device.lost = cudaErrorIllegalAddress;
    for (const auto& each : device.streams) each->operations.clear();
    return true;
  }
  if (operation.run) operation.run();
  return true;
}

void FakeGpu::enqueue(cudaStream_t stream, Operation operation) {
  reinterpret_cast<Stream*>(stream)->operations.push_back(std::move(operation));
}

cudaError_t FakeGpu::count_devices(int* count) {
  const std::lock_guard lock(mutex_);
  *count = 0;
  if (const cudaError_t error = begin_call(false); error != cudaSuccess) return error;
  *count = static_cast<int>(devices_.size());
  return cudaSuccess;
}

cudaError_t FakeGpu::enter_device(int device) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(false); error != cudaSuccess) return error;
  if (device < 0 || device >= static_cast<int>(devices_.size())) return wrong();
  device_of_[std::this_thread::get_id()] = device;
  return cudaSuccess;
}

cudaError_t FakeGpu::describe_device(int device, GpuDescription* description) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(false); error != cudaSuccess) return error;
  *description = {"fake GPU " + std::to_string(device), 4};
  return cudaSuccess;
}

cudaError_t FakeGpu::memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  *free_bytes = *total_bytes = current().free_bytes;
  return cudaSuccess;
}

cudaError_t FakeGpu::allocate_device(void** memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  if (bytes > current().free_bytes) return cudaErrorMemoryAllocation;
  largest_ = std::max(largest_, bytes);
  *memory = allocate(bytes, {Place::kDevice, device_of_.at(std::this_thread::get_id()), false});
  return cudaSuccess;
}

cudaError_t FakeGpu::release_device(void* memory) {
  const std::lock_guard lock(mutex_);
  const cudaError_t error = begin_call(true);
  const auto found = memory_.find(static_cast<const char*>(memory));
  if (found == memory_.end() || !found->second.owned) return wrong();
  std::free(memory);
  memory_.erase(found);
  return error;
}

cudaError_t FakeGpu::allocate_pinned(void** memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  *memory = allocate(bytes, {Place::kPinned, -1, true});
  return cudaSuccess;
}

cudaError_t FakeGpu::create_stream(cudaStream_t* stream) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  auto& made = current().streams.emplace_back(std::make_unique<Stream>());
  made->device = device_of_.at(std::this_thread::get_id());
  *stream = reinterpret_cast<cudaStream_t>(made.get());
  return cudaSuccess;
}

cudaError_t FakeGpu::create_event(cudaEvent_t* event) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  auto& made = current().events.emplace_back(std::make_unique<Event>());
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  return cudaSuccess;
}

cudaError_t FakeGpu::record(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  Event* const recorded = reinterpret_cast<Event*>(event);
  const int count = ++recorded->recorded;
  enqueue(stream, {.run = [=] { recorded->passed = std::max(recorded->passed, count); }});
  return cudaSuccess;
}

cudaError_t FakeGpu::wait(cudaStream_t stream, cudaEvent_t event) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  Event* const awaited = reinterpret_cast<Event*>(event);
  enqueue(stream, {.run = nullptr, .wait_for = awaited, .wait_count = awaited->recorded});
  return cudaSuccess;
}

cudaError_t FakeGpu::query(cudaEvent_t event) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  for (unsigned count = random_() % 4; count > 0 && run_one(current()); --count) {
  }
  if (current().lost != cudaSuccess) return current().lost;
  const Event* const asked = reinterpret_cast<Event*>(event);
  return asked->passed >= asked->recorded ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t FakeGpu::copy(const CopyRect& rect, bool in, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  const bool from_sound = in ? pinned(rect.from, rect.from_ld, rect.rows, rect.columns)
                             : on_device(rect.from, rect.from_ld, rect.rows, rect.columns);
  const bool to_sound = in ? on_device(rect.to, rect.to_ld, rect.rows, rect.columns)
                           : pinned(rect.to, rect.to_ld, rect.rows, rect.columns);
  if (!from_sound || !to_sound || rect.rows < 1 || rect.columns < 1) return wrong();
  enqueue(stream, {.run = [rect] {
    for (std::int64_t column = 0; column < rect.columns; ++column) {
      std::copy_n(rect.from + column * rect.from_ld, rect.rows, rect.to + column * rect.to_ld);
    }
  }});
  return cudaSuccess;
}

cudaError_t FakeGpu::copy_in(const CopyRect& rect, cudaStream_t stream) { return copy(rect, true, stream); }
cudaError_t FakeGpu::copy_out(const CopyRect& rect, cudaStream_t stream) { return copy(rect, false, stream); }

cudaError_t FakeGpu::locate(const void* data, std::size_t bytes, PlaceResult* result) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  const Memory* const memory = memory_of(data, bytes);
  if (memory != nullptr) *result = memory->place;
  return cudaSuccess;
}

cudaError_t FakeGpu::synchronize() {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t error = begin_call(true); error != cudaSuccess) return error;
  while (run_one(current())) {
  }
  return current().lost;
}

cudaError_t FakeGpu::open_products(std::size_t workspace_bytes, std::string* error) {
  const std::lock_guard lock(mutex_);
  workspace_bytes_ = workspace_bytes;
  if (const cudaError_t failure = begin_call(true); failure != cudaSuccess) {
    *error = "no products";
    return failure;
  }
  current().open = true;
  return cudaSuccess;
}

cudaError_t FakeGpu::add_product_stream(cudaStream_t stream, std::string* error) {
  const std::lock_guard lock(mutex_);
  if (const cudaError_t failure = begin_call(true); failure != cudaSuccess) {
    *error = "no product stream";
    return failure;
  }
  reinterpret_cast<Stream*>(stream)->multiplies = true;
  return cudaSuccess;
}

cudaError_t FakeGpu::multiply(const DeviceGemm& g, cudaStream_t stream, std::string* error) {
  const std::lock_guard lock(mutex_);
  *error = "the product failed";
  if (const cudaError_t failure = begin_call(true); failure != cudaSuccess) return failure;
  const bool a_sound = g.transa == 'T' ? on_device(g.a, g.lda, g.k, g.m) : on_device(g.a, g.lda, g.m, g.k);
  const bool b_sound = g.transb == 'T' ? on_device(g.b, g.ldb, g.n, g.k) : on_device(g.b, g.ldb, g.k, g.n);
  const bool sound = a_sound && b_sound && on_device(g.c, g.ldc, g.m, g.n) && current().open &&
                     reinterpret_cast<Stream*>(stream)->multiplies && g.m > 0 && g.n > 0 && g.k > 0;
  if (!sound) return wrong();
  ++products_;
  ++current().products;
  enqueue(stream, {.run = [this, g] {
    if (watch_operands_ && !operands_written(g)) ++unwritten_operands_;
    if (!skip_products_) run_gemm(g);
  }});
  return cudaSuccess;
}

}  // namespace fastgemm::dropin::test
