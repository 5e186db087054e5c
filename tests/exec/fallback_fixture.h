// An open fallback over the fake libcublas and the fake runtime, and problems to give it.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>

#include "src/exec/cublas_fallback.h"
#include "src/exec/execute.h"
#include "tests/exec/fake_cublas.h"
#include "tests/exec/fake_runtime.h"
#include "tests/support/catch.h"

namespace fastgemm::test {

// The state inside the fake library, which dlopen gives us once however often it is opened.
inline FakeCublas& loaded_fake_cublas(const char* path = FASTGEMM_FAKE_CUBLAS) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto state = reinterpret_cast<FakeCublas* (*)()>(dlsym(library, "fake_cublas"));
  REQUIRE(state != nullptr);
  return *state();
}

struct FallbackFixture {
  FallbackFixture() : runtime(reset_fake_runtime()), cublas(loaded_fake_cublas()) { cublas = FakeCublas{}; }

  void open() {
    std::string error;
    fallback = CublasFallback::open({.library = FASTGEMM_FAKE_CUBLAS, .runtime = &fake_runtime()}, &error);
    INFO(error);
    REQUIRE(fallback != nullptr);
    cublas.calls.clear();
  }

  // The calls of one entry point since open().
  std::vector<FakeCublasCall> calls_of(const std::string& function) const {
    std::vector<FakeCublasCall> found;
    for (const FakeCublasCall& call : cublas.calls) {
      if (call.function == function) found.push_back(call);
    }
    return found;
  }

  LaunchContext context() {
    LaunchContext result;
    result.stream = stream;
    result.workspace = memory.data();
    result.workspace_bytes = memory.size();
    return result;
  }

  FakeRuntime& runtime;
  FakeCublas& cublas;
  std::unique_ptr<CublasFallback> fallback;
  cudaStream_t stream = reinterpret_cast<cudaStream_t>(0x5150);
  struct alignas(256) Block {
    unsigned char bytes[256];
  };
  struct Memory {
    std::vector<Block> blocks = std::vector<Block>(4096);  // 1 MiB
    void* data() { return blocks.data(); }
    std::size_t size() const { return blocks.size() * sizeof(Block); }
  } memory;
};

// D = C, m x n x k, tight leading dimensions, alpha 2, beta 0.5; addresses that nobody follows.
inline GemmProblem fake_problem(DataType type, std::int64_t m = 40, std::int64_t n = 30, std::int64_t k = 20) {
  GemmProblem problem;
  problem.type_ab = problem.type_cd = type;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.alpha.value = 2.0f;
  problem.beta.value = 0.5f;
  problem.a = {.data = reinterpret_cast<const void*>(0x10000), .ld = m};
  problem.b = {.data = reinterpret_cast<const void*>(0x20000), .ld = k};
  problem.c = {.data = reinterpret_cast<const void*>(0x30000), .ld = m};
  problem.d = {.data = reinterpret_cast<void*>(0x30000), .ld = m};
  return problem;
}

}  // namespace fastgemm::test
