// Times sgemm on matrices in host memory, through a BLAS that is loaded by file name: so the same program measures
// OpenBLAS, NVBLAS and libfastgemm.so's drop-in. host_sgemm.py runs it for each and compares.
//
//   host_sgemm FILE [--beside FILE] [--symbol sgemm_] [--pinned] [--seconds 1] SHAPE...
//
// SHAPE: MxNxK or N, then optionally :TT and :beta. Memory is ordinary (pageable), or pinned. One line a shape: shape,
// median seconds, fastest, calls, largest error of sampled elements in units of what FP32 allows; and with --beside,
// whose library takes turns with the first one call by call, its median.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace {

using Sgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*, std::size_t,
                       std::size_t);
using Clock = std::chrono::steady_clock;

struct Shape {
  std::string text;
  int m = 0, n = 0, k = 0;
  char transa = 'N', transb = 'N';
  float beta = 0.0f;
};

bool parse(const char* text, Shape* shape) {
  shape->text = text;
  const std::string size = shape->text.substr(0, shape->text.find(':'));
  if (std::sscanf(size.c_str(), "%dx%dx%d", &shape->m, &shape->n, &shape->k) != 3) {
    if (std::sscanf(size.c_str(), "%d", &shape->m) != 1) return false;
    shape->n = shape->k = shape->m;
  }
  const std::size_t ops = shape->text.find(':');
  if (ops == std::string::npos) return true;
  if (shape->text.size() < ops + 3) return false;
  shape->transa = shape->text[ops + 1];
  shape->transb = shape->text[ops + 2];
  const std::size_t beta = shape->text.find(':', ops + 1);
  if (beta != std::string::npos) shape->beta = std::strtof(shape->text.c_str() + beta + 1, nullptr);
  return true;
}

// Values in [-1, 1) that repeat only after a prime number of elements, so that no two columns are alike.
std::vector<float> random_matrix(std::size_t elements, std::uint64_t seed) {
  constexpr std::size_t kPeriod = 1048583;
  std::vector<float> values(elements);
  for (std::size_t index = 0; index < std::min(elements, kPeriod); ++index) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    values[index] = static_cast<float>(static_cast<std::int32_t>(seed >> 32)) * 0x1p-31f;
  }
  for (std::size_t done = kPeriod; done < elements; done += kPeriod) {
    std::memcpy(&values[done], values.data(), std::min(kPeriod, elements - done) * sizeof(float));
  }
  return values;
}

struct Matrices {
  std::vector<float> a, b, c, c_before;
};

// The matrices' memory is pinned as long as this lives.
class Pinned {
 public:
  explicit Pinned(Matrices& x) : x_(x) {
    for (std::vector<float>* matrix : {&x_.a, &x_.b, &x_.c}) {
      if (cudaHostRegister(matrix->data(), matrix->size() * sizeof(float), cudaHostRegisterPortable) != cudaSuccess) {
        std::fprintf(stderr, "host_sgemm: memory cannot be pinned\n");
        std::exit(1);
      }
    }
  }
  ~Pinned() {
    for (std::vector<float>* matrix : {&x_.a, &x_.b, &x_.c}) cudaHostUnregister(matrix->data());
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  Matrices& x_;
};

// The largest |C - exact| / ((k + 3) u (|A||B| + |C before|)) of some elements: over 1 is wrong.
double sampled_error(const Shape& s, const Matrices& x) {
  constexpr int kSamples = 64;
  double worst = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const std::int64_t i = std::int64_t{7919} * sample % s.m, j = (std::int64_t{104729} * sample + s.n - 1) % s.n;
    double exact = static_cast<double>(s.beta) * x.c_before[i + j * s.m], scale = std::abs(exact);
    for (std::int64_t p = 0; p < s.k; ++p) {
      const double product = static_cast<double>(s.transa == 'T' ? x.a[p + i * s.k] : x.a[i + p * s.m]) *
                             static_cast<double>(s.transb == 'T' ? x.b[j + p * s.n] : x.b[p + j * s.k]);
      exact += product;
      scale += std::abs(product);
    }
    const double error = std::abs(x.c[i + j * s.m] - exact) / ((s.k + 3.0) * 0x1p-24 * scale);
    worst = error <= worst ? worst : error;  // NaN is kept
  }
  return worst;
}

double call(Sgemm sgemm, const Shape& s, Matrices* x) {
  const float alpha = 1.0f;
  const int lda = s.transa == 'T' ? s.k : s.m, ldb = s.transb == 'T' ? s.n : s.k;
  const Clock::time_point start = Clock::now();
  sgemm(&s.transa, &s.transb, &s.m, &s.n, &s.k, &alpha, x->a.data(), &lda, x->b.data(), &ldb, &s.beta, x->c.data(),
        &s.m, 1, 1);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Options {
  const char* symbol = "sgemm_";
  const char* beside = nullptr;
  bool pinned = false;
  double seconds = 1;
};

// One contender's times, or both's by turns, each of them first in every other turn.
void take_turns(Sgemm sgemm, Sgemm beside, const Shape& shape, double seconds, Matrices* x, std::vector<double>* times,
                std::vector<double>* beside_times) {
  constexpr std::size_t kMost = 10001;
  const std::size_t least = beside == nullptr ? 3 : 41;  // two medians are to be compared to a percent
  double total = 0;
  const auto turn = [&](Sgemm function, std::vector<double>* taken) {
    if (function == nullptr) return;
    taken->push_back(call(function, shape, x));
    total += taken->back();
  };
  while (times->size() < least || (total < seconds && times->size() < kMost)) {
    const bool first = times->size() % 2 == 0;
    if (!first) turn(beside, beside_times);
    turn(sgemm, times);
    if (first) turn(beside, beside_times);
  }
}

void measure(Sgemm sgemm, Sgemm beside, const Shape& shape, const Options& options) {
  const auto size = [](std::int64_t rows, std::int64_t columns) { return static_cast<std::size_t>(rows * columns); };
  Matrices x = {random_matrix(size(shape.m, shape.k), 1), random_matrix(size(shape.k, shape.n), 2),
                random_matrix(size(shape.m, shape.n), 3), {}};
  x.c_before = x.c;
  const std::optional<Pinned> pinned = options.pinned ? std::optional<Pinned>(std::in_place, x) : std::nullopt;
  constexpr double kSlow = 2;  // seconds, which starting the GPU does not take: the first call is all there is time for
  std::vector<double> times = {call(sgemm, shape, &x)}, beside_times;
  const double error = sampled_error(shape, x);
  if (times[0] < kSlow || beside != nullptr) {
    times.clear();
    take_turns(sgemm, beside, shape, options.seconds, &x, &times, &beside_times);
  }
  const double middle = median(times);
  std::printf("%s %.9g %.9g %zu %.3g", shape.text.c_str(), middle, times.front(), times.size(), error);
  if (beside != nullptr) std::printf(" %.9g", median(beside_times));
  std::printf("\n");
  std::fflush(stdout);
}

Sgemm load(const char* file, const char* symbol) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const auto sgemm = library == nullptr ? nullptr : reinterpret_cast<Sgemm>(dlsym(library, symbol));
  if (sgemm == nullptr) std::fprintf(stderr, "host_sgemm: %s\n", dlerror());
  return sgemm;
}

int usage() {
  std::fprintf(stderr,
               "usage: host_sgemm FILE [--beside FILE] [--symbol NAME] [--pinned] [--seconds S] SHAPE...\n");
  return 2;
}

bool read_arguments(int argc, char** argv, Options* options, std::vector<Shape>* shapes) {
  for (int index = 2; index < argc; ++index) {
    const std::string argument = argv[index];
    if (argument == "--symbol" && index + 1 < argc) {
      options->symbol = argv[++index];
    } else if (argument == "--beside" && index + 1 < argc) {
      options->beside = argv[++index];
    } else if (argument == "--seconds" && index + 1 < argc) {
      options->seconds = std::strtod(argv[++index], nullptr);
    } else if (argument == "--pinned") {
      options->pinned = true;
    } else if (Shape shape; parse(argv[index], &shape)) {
      shapes->push_back(shape);
    } else {
      return false;
    }
  }
  return argc >= 3;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<Shape> shapes;
  if (!read_arguments(argc, argv, &options, &shapes)) return usage();
  const Sgemm sgemm = load(argv[1], options.symbol);
  const Sgemm beside = options.beside == nullptr ? nullptr : load(options.beside, options.symbol);
  if (sgemm == nullptr || (options.beside != nullptr && beside == nullptr)) return 1;
  for (const Shape& shape : shapes) measure(sgemm, beside, shape, options);
  return 0;
}
