// A program that is linked to cuBLAS: 8 threads of 100 products each, then a fork whose child makes 10 more.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/cublas_hook/fake_cublas.h"

namespace {

int wrong_answers(int calls) {
  const float one = 1.0f;
  float c = 0.0f;
  int wrong = 0;
  const auto handle = reinterpret_cast<cublasHandle_t>(std::uintptr_t{0x4000});
  for (int i = 0; i < calls; ++i) {
    wrong += cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, 1, &one, 1, &one, &c, 1) != 0;
  }
  return wrong;
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (int& count : wrong) threads.emplace_back([&count] { count = wrong_answers(100); });
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (const int count : wrong) sum += count;
  std::printf("wrong %d, reached %zu\n", sum, fake_cublas()->calls.size());
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) std::exit(wrong_answers(10));
  int status = 1;
  waitpid(child, &status, 0);
  std::printf("child %d\n", status);
}
