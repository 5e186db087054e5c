// Right products of small integers through sgemm_ and cblas_sgemm, checked by a loop:
//   callers products N      N of each
//   callers threads N       the same from 16 threads at once
//   callers unset N         N of each, after LD_PRELOAD has been taken out of the environment
//   callers fork            before, in and after a child
//   callers fork-busy       in children that are made while 4 threads are calling
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*, long, long);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
}

namespace {

constexpr int kNoTranspose = 111, kTranspose = 112;

// Row-major cblas of C^T is column-major Fortran of C: both must give the same C.
bool product(unsigned seed) {
  const int m = 1 + static_cast<int>(seed % 23), n = 1 + static_cast<int>(seed / 7 % 19);
  const int k = static_cast<int>(seed / 3 % 29), lda = m + 1, ldb = n + 2, ldc = m + 3;
  const float alpha = 2.0f, beta = static_cast<float>(seed % 3);
  std::vector<float> a(static_cast<std::size_t>(lda * k + 1)), b(static_cast<std::size_t>(ldb * k + 1));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>((i * 5 + seed) % 13) - 6.0f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>((i * 3 + seed) % 11) - 5.0f;
  std::vector<float> expected(static_cast<std::size_t>(ldc * n), 4.0f), fortran = expected, row_major = expected;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      float sum = 0.0f;
      for (int p = 0; p < k; ++p) sum += a[i + p * lda] * b[j + p * ldb];
      expected[i + j * ldc] = alpha * sum + beta * 4.0f;
    }
  }
  sgemm_("N", "T", &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, fortran.data(), &ldc, 1, 1);
  cblas_sgemm(101, kTranspose, kNoTranspose, n, m, k, alpha, b.data(), ldb, a.data(), lda, beta, row_major.data(), ldc);
  return fortran == expected && row_major == expected;
}

int products(unsigned count, unsigned seed) {
  int wrong = 0;
  for (unsigned i = 0; i < count; ++i) wrong += !product(seed + i * 31);
  return wrong;
}

int threads(unsigned count) {
  std::atomic<int> wrong{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> all;
  for (unsigned t = 0; t < 16; ++t) {
    all.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      wrong += products(count, t * 1000);
    });
  }
  go = true;
  for (std::thread& thread : all) thread.join();
  return wrong;
}

// `status` of a child that runs `work` and leaves through exit or _exit.
template <class Work>
int in_child(Work work, bool at_once) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    const int result = work();
    at_once ? _exit(result) : std::exit(result);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return status;
}

int fork_once() {
  int wrong = products(3, 1);
  wrong += in_child([] { return products(5, 2); }, false) != 0;
  return wrong + products(2, 3);
}

int fork_busy() {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (unsigned t = 0; t < 4; ++t) {
    all.emplace_back([&, t] {
      while (!stop) wrong += products(10, t * 77);
    });
  }
  for (unsigned i = 0; i < 40; ++i) wrong += in_child([i] { return products(4, i); }, true) != 0;
  stop = true;
  for (std::thread& thread : all) thread.join();
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const unsigned count = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  int wrong = -1;
  if (std::strcmp(mode, "products") == 0) wrong = products(count, 0);
  if (std::strcmp(mode, "unset") == 0 && unsetenv("LD_PRELOAD") == 0) wrong = products(count, 0);
  if (std::strcmp(mode, "threads") == 0) wrong = threads(count);
  if (std::strcmp(mode, "fork") == 0) wrong = fork_once();
  if (std::strcmp(mode, "fork-busy") == 0) wrong = fork_busy();
  std::printf("wrong: %d\n", wrong);
  return wrong != 0;
}
