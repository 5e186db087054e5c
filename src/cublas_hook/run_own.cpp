// From the current CUDA context to what this library has there.
#include <cudaTypedefs.h>
#include <cxxabi.h>
#include <pthread.h>

#include <atomic>
#include <mutex>

#include "src/base/log.h"
#include "src/cublas_hook/own_device.h"
#include "src/exec/cuda_status.h"

namespace fastgemm::hook {
namespace {

// Contexts, not devices: a program may make its own, and cudaDeviceReset begins a new one. What was there before stays
// as it is; its memory is gone with its context.
struct Place {
  unsigned long long context;
  std::unique_ptr<OwnDevice> device;  // null: nothing to run
};
constexpr std::size_t kMaxPlaces = 64;
std::array<std::atomic<Place*>, kMaxPlaces> places;
std::mutex places_mutex;
std::atomic<bool> forked{false};

PFN_cuCtxGetId_v12000 find_context_id() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error =
      answered(cudaGetDriverEntryPointByVersion("cuCtxGetId", &entry, 12000, cudaEnableDefault, &found));
  const bool there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return there ? reinterpret_cast<PFN_cuCtxGetId_v12000>(entry) : nullptr;
}

// 0 where there is no driver, or one that cannot tell.
unsigned long long current_context() {
  static const PFN_cuCtxGetId_v12000 get_id = find_context_id();
  unsigned long long id = 0;
  if (get_id == nullptr) return 0;
  if (get_id(nullptr, &id) == CUDA_SUCCESS) return id;
  // A thread that has not used the runtime yet: this makes its device's context current.
  int device = 0;
  if (answered(cudaGetDevice(&device)) != cudaSuccess || answered(cudaSetDevice(device)) != cudaSuccess) return 0;
  return get_id(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

// The place of a context, or the free one where it belongs; kMaxPlaces where all are taken.
std::size_t index_of(unsigned long long context) {
  std::size_t index = 0;
  for (; index < kMaxPlaces; ++index) {
    const Place* place = places[index].load(std::memory_order_acquire);
    if (place == nullptr || place->context == context) break;
  }
  return index;
}

[[gnu::noinline]] OwnDevice* add_place(unsigned long long context) {
  const std::lock_guard lock(places_mutex);
  const std::size_t index = index_of(context);
  if (index == kMaxPlaces) return nullptr;
  if (const Place* there = places[index].load(std::memory_order_acquire); there != nullptr) return there->device.get();
  static const int watched = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  static_cast<void>(watched);
  auto place = std::make_unique<Place>(context);
  if (auto handle = make_own_handle(); handle != nullptr) {
    place->device = std::make_unique<OwnDevice>(std::move(handle), &capture_of);
  }
  OwnDevice* device = place->device.get();
  places[index].store(place.release(), std::memory_order_release);  // kept for ever: threads may be about to use it
  return device;
}

OwnDevice* current_device() {
  const unsigned long long context = current_context();
  if (context == 0 || forked.load(std::memory_order_relaxed)) return nullptr;
  const std::size_t index = index_of(context);
  const Place* place = index < kMaxPlaces ? places[index].load(std::memory_order_acquire) : nullptr;
  return place != nullptr ? place->device.get() : add_place(context);
}

}  // namespace

std::optional<cublasStatus_t> run_own(const Offer& offer) {
  try {
    OwnDevice* device = current_device();
    return device != nullptr ? device->run(offer) : std::nullopt;
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_cancel: swallowing it ends the program
  } catch (...) {
    return std::nullopt;  // out of host memory, before anything was launched
  }
}

}  // namespace fastgemm::hook
