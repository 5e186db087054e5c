// Every kernel row in every number of parts of k, on named shapes: what the cost model's figures for split launches are
// read off. Launches are direct, past the dispatcher. Results are compared with those of the first row, bit by bit, on
// integers that every order of summation adds exactly.
//   fg_split_bench FILE [PREFIX]     FILE: lines "f32 NN 256 256 65536 [pad]"; PREFIX: of the rows' names
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/split_params.h"

using namespace fastgemm;

namespace {

constexpr int kTrials = 7;
constexpr int kFlags = 4096;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr std::size_t kFlushBytes = std::size_t{256} << 20;
constexpr int kSplits[] = {1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14,  16,  20,  24,  28, 33,
                           40, 44, 50, 60, 66, 80, 96, 110, 132, 160, 198, 264, 330, 396, 528};

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// Integers from -4 to 4, by a hash of the index.
__global__ void fill_integers(void* data, std::int64_t count, bool half, std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + seed;
    x = (x ^ x >> 15) * 2246822519u;
    const int value = static_cast<int>((x >> 13) % 9) - 4;
    if (half) {
      constexpr std::uint16_t kHalves[] = {0xc400, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400};
      static_cast<std::uint16_t*>(data)[i] = kHalves[value + 4];
    } else {
      static_cast<float*>(data)[i] = static_cast<float>(value);
    }
  }
}

__global__ void count_differing(const std::uint16_t* x, const std::uint16_t* y, std::int64_t count,
                                unsigned* differing) {
  unsigned own = 0;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    own += x[i] != y[i] ? 1 : 0;
  }
  if (own > 0) atomicAdd(differing, own);
}

struct Shape {
  DataType type = DataType::kFloat32;
  std::string ops;
  std::int64_t m = 0, n = 0, k = 0, pad = 0;
};

struct Plan {
  const KernelEntry* row = nullptr;
  int splits = 1;
  std::vector<float> us;
  unsigned differing = 0;
  float median() const {
    std::vector<float> sorted = us;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

class Bench {
 public:
  Bench() {
    int sms = 0;
    require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SM count");
    device_.compute_capability = 90;
    device_.sm_count = sms;
    require(cudaMalloc(&flush_, kFlushBytes), "flush");
    require(cudaMalloc(&workspace_, kWorkspaceBytes), "workspace");
    require(cudaMalloc(reinterpret_cast<void**>(&flags_), (kFlags + 1) * sizeof(std::uint32_t)), "flags");
    require(cudaMemset(flags_, 0, (kFlags + 1) * sizeof(std::uint32_t)), "flags");
    require(cudaEventCreate(&start_), "event");
    require(cudaEventCreate(&stop_), "event");
  }

  void run(const Shape& shape, const std::string& prefix) {
    const GemmProblem problem = make_problem(shape);
    std::vector<Plan> plans = make_plans(problem, prefix);
    has_reference_ = false;
    for (int trial = -1; trial < kTrials; ++trial) {
      for (Plan& plan : plans) time(plan, problem, trial);
    }
    std::sort(plans.begin(), plans.end(), [](const Plan& x, const Plan& y) { return x.median() < y.median(); });
    const char* type = shape.type == DataType::kFloat32 ? "f32" : "f16";
    for (const Plan& plan : plans) {
      std::printf("%s,%s,%lld,%lld,%lld,%lld,%s,%d,%.2f%s\n", type, shape.ops.c_str(), static_cast<long long>(shape.m),
                  static_cast<long long>(shape.n), static_cast<long long>(shape.k), static_cast<long long>(shape.pad),
                  plan.row->name, plan.splits, plan.median(), plan.differing > 0 ? ",WRONG" : "");
    }
    std::fflush(stdout);
    for (void* data : {a_, b_, d_, reference_}) require(cudaFree(data), "free");
  }

 private:
  GemmProblem make_problem(const Shape& shape) {
    GemmProblem p;
    p.type_ab = p.type_cd = shape.type;
    p.op_a = shape.ops[0] == 'N' ? Op::kN : Op::kT;
    p.op_b = shape.ops[1] == 'N' ? Op::kN : Op::kT;
    p.m = shape.m, p.n = shape.n, p.k = shape.k;
    p.alpha.value = 1.0f;
    p.a.ld = (p.op_a == Op::kN ? p.m : p.k) + shape.pad;
    p.b.ld = (p.op_b == Op::kN ? p.k : p.n) + shape.pad;
    p.d.ld = p.c.ld = p.m + shape.pad;
    const std::int64_t size = element_size(shape.type);
    const std::int64_t count_a = p.a.ld * (p.op_a == Op::kN ? p.k : p.m);
    const std::int64_t count_b = p.b.ld * (p.op_b == Op::kN ? p.n : p.k);
    d_bytes_ = p.d.ld * p.n * size;
    require(cudaMalloc(&a_, count_a * size), "A");
    require(cudaMalloc(&b_, count_b * size), "B");
    require(cudaMalloc(&d_, d_bytes_), "D");
    require(cudaMalloc(&reference_, d_bytes_), "reference");
    require(cudaMemset(reference_, 0, d_bytes_), "reference");
    const bool half = shape.type == DataType::kFloat16;
    fill_integers<<<1024, 256>>>(a_, count_a, half, 1);
    fill_integers<<<1024, 256>>>(b_, count_b, half, 7);
    p.a.data = a_, p.b.data = b_, p.c.data = d_, p.d.data = d_;
    return p;
  }

  std::vector<Plan> make_plans(const GemmProblem& problem, const std::string& prefix) {
    std::vector<Plan> plans;
    for (const KernelEntry* row : kernel_table()) {
      const bool fits = row->type_ab == problem.type_ab && row->supports(problem) &&
                        row->min_compute_capability <= 90 && row->max_compute_capability >= 90 &&
                        std::strncmp(row->name, prefix.c_str(), prefix.size()) == 0;
      if (!fits || row->prepare() != cudaSuccess) continue;
      for (const int splits : kSplits) {
        const std::int64_t tiles = tiles_of(problem, row->tile);
        if (splits > row->max_splits || (splits > 1 && splits * std::int64_t{row->tile.k} > problem.k)) continue;
        if (splits > 1 && tiles > kFlags) continue;
        if (split_workspace_bytes(problem, row->tile, splits) > kWorkspaceBytes) continue;
        if (splits > 1 && tiles * splits > 3LL * device_.sm_count * row->blocks_per_sm) continue;
        plans.push_back({row, splits, {}, 0});
      }
    }
    return plans;
  }

  void time(Plan& plan, const GemmProblem& problem, int trial) {
    LaunchContext context{.device = &device_,
                          .workspace = workspace_,
                          .workspace_bytes = kWorkspaceBytes,
                          .sm_count = device_.sm_count,
                          .flags = flags_,
                          .flag_count = kFlags,
                          .splits = plan.splits};
    if (trial < 0) require(cudaMemsetAsync(d_, 0xff, d_bytes_), "poison");
    require(cudaMemsetAsync(flush_, trial, kFlushBytes), "flush");
    require(cudaEventRecord(start_), "record");
    require(plan.row->launch(problem, context), plan.row->name);
    require(cudaEventRecord(stop_), "record");
    require(cudaEventSynchronize(stop_), plan.row->name);
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start_, stop_), "elapsed");
    if (trial >= 0) plan.us.push_back(ms * 1e3f);
    if (trial < 0) compare(plan);
  }

  // The word after the flags counts elements that differ from the first plan's.
  void compare(Plan& plan) {
    if (!has_reference_) require(cudaMemcpyAsync(reference_, d_, d_bytes_, cudaMemcpyDeviceToDevice), "reference");
    has_reference_ = true;
    require(cudaMemset(flags_ + kFlags, 0, 4), "count");
    count_differing<<<1024, 256>>>(static_cast<std::uint16_t*>(d_), static_cast<std::uint16_t*>(reference_),
                                   d_bytes_ / 2, flags_ + kFlags);
    require(cudaMemcpy(&plan.differing, flags_ + kFlags, 4, cudaMemcpyDeviceToHost), "count");
    std::vector<std::uint32_t> flags(kFlags);
    require(cudaMemcpy(flags.data(), flags_, kFlags * 4, cudaMemcpyDeviceToHost), "flags");
    for (const std::uint32_t flag : flags) plan.differing += flag != 0 ? 1 : 0;
  }

  DeviceInfo device_;
  void* flush_ = nullptr;
  void* workspace_ = nullptr;
  std::uint32_t* flags_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* d_ = nullptr;
  void* reference_ = nullptr;
  std::int64_t d_bytes_ = 0;
  bool has_reference_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1]);
  Bench bench;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string type;
    Shape shape;
    if (!(words >> type >> shape.ops >> shape.m >> shape.n >> shape.k)) continue;
    words >> shape.pad;
    shape.type = type == "f16" ? DataType::kFloat16 : DataType::kFloat32;
    bench.run(shape, argc > 2 ? argv[2] : "");
  }
  return 0;
}
