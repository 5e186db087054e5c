// The product of kernel.cuh on a GPU of compute capability 9.0: exact in all four majornesses, or exit code 1.
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

#include "tests/emulation/wgmma_tile/tile.h"

using namespace fastgemm;
using namespace fastgemm::wgmma_tile;

namespace {

template <class Element>
Element* on_device(const std::vector<Element>& host) {
  void* data = nullptr;
  cudaMalloc(&data, host.size() * sizeof(Element));
  cudaMemcpy(data, host.data(), host.size() * sizeof(Element), cudaMemcpyHostToDevice);
  return static_cast<Element*>(data);
}

std::vector<__half> numbers(int count, unsigned state) {
  std::vector<__half> result;
  for (int at = 0; at < count; ++at) {
    state = state * 1664525u + 1013904223u;
    result.push_back(__float2half(static_cast<float>(state >> 16) / 8192.0f - 4.0f >= 0 ? 1.0f * (state >> 29)
                                                                                      : -1.0f * (state >> 30)));
  }
  return result;
}

int wrong_elements(int k, Major major_a, Major major_b) {
  const std::vector<__half> a = numbers(kM * k, 1u + k);
  const std::vector<__half> b = numbers(kN * k, 2u + k);
  std::vector<float> d(kM * kN, -1.0f);
  std::vector<__half> d_half(kM * kN, __float2half(-1.0f));
  float* const device_d = on_device(d);
  __half* const device_d_half = on_device(d_half);
  const Problem problem{on_device(a), on_device(b), device_d, device_d_half, k, major_a, major_b};
  cudaError_t error = multiply(problem);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return -1;
  }
  cudaMemcpy(d.data(), device_d, d.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(d_half.data(), device_d_half, d_half.size() * sizeof(__half), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int m = 0; m < kM; ++m) {
    for (int n = 0; n < kN; ++n) {
      float wanted = 0;
      for (int i = 0; i < k; ++i) {
        wanted += __half2float(a[major_a == Major::kK ? m * k + i : i * kM + m]) *
                  __half2float(b[major_b == Major::kK ? n * k + i : i * kN + n]);
      }
      wrong += d[m * kN + n] != wanted || __half2float(d_half[m * kN + n]) != __half2float(__float2half(wanted));
    }
  }
  return wrong;
}

}  // namespace

int main() {
  int failures = 0;
  for (const Major major_a : {Major::kK, Major::kMn}) {
    for (const Major major_b : {Major::kK, Major::kMn}) {
      for (const int k : {8, 64, 72, 320, 1024}) {
        const int wrong = wrong_elements(k, major_a, major_b);
        std::printf("A %s-major, B %s-major, k %d: %d wrong of %d\n", major_a == Major::kK ? "k" : "m",
                    major_b == Major::kK ? "k" : "n", k, wrong, kM * kN);
        failures += wrong != 0;
      }
    }
  }
  return failures == 0 ? 0 : 1;
}
