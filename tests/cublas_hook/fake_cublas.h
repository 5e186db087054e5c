// A libcublas and a libcublasLt that only write down what they are asked.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

struct FakeCall {
  std::string name;
  std::vector<std::uint64_t> arguments;  // the handle included
};

struct FakeCublas {
  std::vector<FakeCall> calls;
  cublasStatus_t answer = CUBLAS_STATUS_SUCCESS;
  bool calls_lt = false;  // do as libcublas does: hand a product on to cublasLtMatmul
  // What the handle says; a null handle answers NOT_INITIALIZED.
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int sm_count_target = 0;
};

// Of the libcublas that this name is bound to; that of cublasLt below is one of its own.
extern "C" FakeCublas* fake_cublas();
extern "C" FakeCublas* fake_cublas_lt();

template <class Value>
std::uint64_t as_word(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

template <class... Arguments>
cublasStatus_t write_down(FakeCublas* fake, const char* name, Arguments... arguments) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  fake->calls.push_back({name, {as_word(arguments)...}});
  return fake->answer;
}
