// Times the offload engine on this machine's GPU with each of its sizes varied around their defaults.
//
//   offload_tune [--only TEXT]... [N ...]      sizes of square products; default: 1024 2048 4096 8192
//
// Prints what the calibration finds, then milliseconds a product: a row a variation (those with a TEXT in their names
// and the default), a column a size. FASTGEMM_MATH counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "src/dropin/engine/engine.h"
#include "src/dropin/engine/settings.h"

using namespace fastgemm::dropin;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct NoHost final : HostBlas {
  void sgemm(const HostGemm&) const override { std::printf("the host was asked for a product\n"); }
  const std::string& name() const override { return text; }
  std::string text = "none";
};

struct Variation {
  std::string name;
  std::function<void(EngineOptions*)> change;
  int threads = 0;  // 0: as calibrated
  Place place = Place::kPageable;
};

// Pinned memory shows what the copies by the CPU cost, device memory what is left without any.
std::vector<Variation> variations() {
  const auto nothing = [](EngineOptions*) {};
  std::vector<Variation> all = {{"default", nothing},
                                {"pinned memory", nothing, 0, Place::kPinned},
                                {"device memory", nothing, 0, Place::kDevice}};
  for (const std::int64_t panel : {512, 1024, 2048, 4096}) {
    all.push_back({"pinned memory, panel " + std::to_string(panel), [=](EngineOptions* o) {
                     o->device.cut.panel = o->device.cut.small_panel = panel;
                   }, 0, Place::kPinned});
  }
  for (const int threads : {2, 4, 6, 8, 10, 12, 14}) {
    all.push_back({"threads " + std::to_string(threads), nothing, threads});
  }
  for (const std::int64_t panel : {256, 512, 768, 1024, 2048}) {
    all.push_back({"panel " + std::to_string(panel), [=](EngineOptions* o) {
                     o->device.cut.panel = o->device.cut.small_panel = panel;
                   }});
  }
  for (const std::int64_t kib : {512, 2048}) {
    all.push_back({"chunk " + std::to_string(kib) + " KiB", [=](EngineOptions* o) {
                     o->device.cut.chunk_elements = o->device.lane.slot_elements = kib * 256;
                   }});
  }
  for (const std::int64_t pieces : {1, 12, 48, 96}) {
    all.push_back({"pieces " + std::to_string(pieces), [=](EngineOptions* o) { o->device.cut.pieces = pieces; }});
  }
  for (const std::size_t mib : {32, 128, 2048}) {
    all.push_back({"workspace " + std::to_string(mib) + " MiB", [=](EngineOptions* o) {
                     o->device.workspace_bytes = mib << 20;
                     o->device.workspace_most = 0;
                   }});
  }
  for (const int slots : {8, 16, 64}) {
    all.push_back({"slots " + std::to_string(slots), [=](EngineOptions* o) { o->device.lane.slots = slots; }});
  }
  for (const int streams : {1, 2, 4}) {
    all.push_back({"streams " + std::to_string(streams), [=](EngineOptions* o) {
                     o->device.lane.compute_streams = streams;
                   }});
  }
  return all;
}

struct Matrices {
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
};

// The values of `values`, in memory of some place.
float* place_matrix(const std::vector<float>& values, Place place) {
  const std::size_t bytes = values.size() * sizeof(float);
  void* memory = nullptr;
  if (place == Place::kPageable) {
    memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  } else if ((place == Place::kPinned ? cudaHostAlloc(&memory, bytes, cudaHostAllocDefault)
                                      : cudaMalloc(&memory, bytes)) != cudaSuccess) {
    std::printf("no memory\n");
    std::exit(1);
  }
  cudaMemcpy(memory, values.data(), bytes, cudaMemcpyDefault);
  return static_cast<float*>(memory);
}

double median_ms(Engine& engine, std::int64_t size, const Matrices& x) {
  const NoHost host;
  const HostGemm gemm = {.m = size, .n = size, .k = size, .a = x.a, .lda = size, .b = x.b, .ldb = size, .c = x.c,
                         .ldc = size};
  std::vector<double> times;
  engine.multiply(gemm, host);
  double total = 0;
  while (times.size() < 3 || (total < 0.1 && times.size() < 25)) {
    const Clock::time_point start = Clock::now();
    engine.multiply(gemm, host);
    times.push_back(since(start));
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return 1e3 * times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> sizes;
  std::vector<std::string> only;
  for (int index = 1; index < argc; ++index) {
    if (std::string(argv[index]) == "--only" && index + 1 < argc) {
      only.push_back(argv[++index]);
    } else {
      sizes.push_back(std::atoll(argv[index]));
    }
  }
  if (sizes.empty()) sizes = {1024, 2048, 4096, 8192};
  const std::int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::vector<float> operand(static_cast<std::size_t>(largest * largest));
  for (std::size_t index = 0; index < operand.size(); ++index) {
    operand[index] = static_cast<float>(static_cast<int>(index * 2654435761u >> 16 & 0xffff) - 32768) * 0x1p-15f;
  }
  Matrices in_place[3];
  for (const Place place : {Place::kPageable, Place::kPinned, Place::kDevice}) {
    for (float* Matrices::*each : {&Matrices::a, &Matrices::b, &Matrices::c}) {
      in_place[static_cast<int>(place)].*each = place_matrix(operand, place);
    }
  }
  CopyPool& pool = *new CopyPool;  // its threads never end
  char folder[] = "/tmp/offload-tune-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  std::vector<std::unique_ptr<Engine>> engines;  // what they hold on the device stays until the end
  for (const Variation& variation : variations()) {
    const bool named = only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& text) {
      return variation.name.find(text) != std::string::npos;
    });
    if (variation.name != "default" && !named) continue;
    EngineOptions options = engine_options(fastgemm::environment(), [](const char* name) -> const char* {
      return std::getenv(name);
    }, 1);
    options.devices = {0};
    options.cache = folder;
    variation.change(&options);
    std::string error;
    const Clock::time_point start = Clock::now();
    engines.push_back(Engine::start(cuda_gpu_runtime(), pool, options, &error));
    if (engines.back() == nullptr) {
      std::printf("%s: %s\n", variation.name.c_str(), error.c_str());
      return 1;
    }
    Engine& engine = *engines.back();
    if (engines.size() == 1) {
      const Calibration& c = engine.calibration();
      std::printf("start and calibration %.3f s; GB/s in %.1f, out %.1f, %d threads; TFLOP/s %.1f; latency %.0f us\n",
                  since(start), c.in_bytes_per_s * 1e-9, c.out_bytes_per_s * 1e-9, c.copy_threads,
                  c.flops_per_s * 1e-12, c.latency_s * 1e6);
    }
    pool.grow(variation.threads);
    pool.use(variation.threads > 0 ? variation.threads : engine.calibration().copy_threads);
    std::printf("%-26s", variation.name.c_str());
    for (const std::int64_t size : sizes) {
      std::printf(" %9.3f", median_ms(engine, size, in_place[static_cast<int>(variation.place)]));
    }
    const Calibration& c = engine.calibration();
    std::printf("   (start %.3f s; GB/s in %.1f, out %.1f)\n", since(start), c.in_bytes_per_s * 1e-9,
                c.out_bytes_per_s * 1e-9);
    std::fflush(stdout);
  }
  return 0;
}
