#include "src/dropin/engine/lane.h"

#include "src/dropin/engine/failure.h"

namespace fastgemm::dropin {

namespace {

cudaStream_t make_stream(GpuRuntime& runtime) {
  cudaStream_t stream = nullptr;
  check(runtime.create_stream(&stream), "cudaStreamCreateWithFlags");
  return stream;
}

cudaEvent_t make_event(GpuRuntime& runtime) {
  cudaEvent_t event = nullptr;
  check(runtime.create_event(&event), "cudaEventCreateWithFlags");
  return event;
}

void make_slots(GpuRuntime& runtime, const LaneSizes& sizes, std::deque<Slot>* slots) {
  void* memory = nullptr;
  const auto elements = static_cast<std::size_t>(sizes.slots * sizes.slot_elements);
  check(runtime.allocate_pinned(&memory, elements * sizeof(float)), "cudaHostAlloc");
  for (int index = 0; index < sizes.slots; ++index) {
    Slot& slot = slots->emplace_back();
    slot.buffer = static_cast<float*>(memory) + index * sizes.slot_elements;
    slot.event = make_event(runtime);
  }
}

}  // namespace

void Lane::open(GpuRuntime& runtime, const LaneSizes& sizes) {
  in = make_stream(runtime);
  out = make_stream(runtime);
  for (int index = 0; index < sizes.compute_streams; ++index) compute.push_back(make_stream(runtime));
  arrived = make_event(runtime);
  make_slots(runtime, sizes, &in_slots);
  make_slots(runtime, sizes, &out_slots);
}

cudaEvent_t Lane::computed(GpuRuntime& runtime, std::size_t step) {
  while (computed_.size() <= step) computed_.push_back(make_event(runtime));
  return computed_[step];
}

}  // namespace fastgemm::dropin
