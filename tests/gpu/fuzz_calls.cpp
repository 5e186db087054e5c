#include "tests/gpu/fuzz_calls.h"

#include <random>

namespace fastgemm::gpu_tests {

using namespace fastgemm::cli;

namespace {

// Spreads seed and index over 64 bits (the finaliser of splitmix64), so that neighbours have nothing in common.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + index;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::int64_t below(std::mt19937_64* random, std::uint64_t bound) {
  return static_cast<std::int64_t>((*random)() % bound);
}

// random_case stays under 600 a side. A few are longer, so that plans with many tiles, many waves or many parts of k
// are met as well; a few are empty.
void set_unusual_size(Case* c, std::mt19937_64* random) {
  std::int64_t* const sides[] = {&c->m, &c->n, &c->k};
  switch (below(random, 50)) {
    case 0:
      *sides[below(random, 2)] = 0;
      break;
    case 1:
    case 2:
      *sides[below(random, 3)] += 1000 + below(random, 8000);
      break;
    case 3:
      if (below(random, 2) == 0) c->batch = 1;
      if (c->batch == 1) {
        for (std::int64_t* const side : sides) *side = 300 + below(random, 1200);
      }
      break;
    default:
      break;
  }
}

}  // namespace

FuzzCall draw_fuzz_call(std::uint64_t seed, std::int64_t index, const std::vector<KernelInfo>& kernels) {
  std::mt19937_64 random(mixed(seed, static_cast<std::uint64_t>(index)));
  FuzzCall call{random_case(&random, kernels), static_cast<int>(below(&random, kFuzzLanes))};
  Case& c = call.the_case;
  if (c.kernel.empty()) {
    set_unusual_size(&c, &random);
    // Small integers are exact in TF32 as well.
    if (c.type_ab == DataType::kFloat32 && below(&random, 16) == 0) c.math = FG_MATH_TF32;
  }
  c.captured = below(&random, 5) == 0;
  c.seed = static_cast<std::uint64_t>(index) + 1;
  return call;
}

}  // namespace fastgemm::gpu_tests
