// One way of computing a product on the GPU that a bench run times.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/cli/bench/shapes.h"

namespace fastgemm::cli {

// A product in device memory: C := alpha op(A) op(B) + beta C. alpha and beta are values of the shape's type.
struct Operands {
  Shape shape;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  cudaStream_t stream = nullptr;
};

// Launches something on the stream; empty, or what went wrong.
using Launch = std::function<std::string()>;
// Median time in milliseconds of each of some launches, under the run's protocol; a negative time: it failed.
using QuickTimes = std::function<std::vector<double>(const std::vector<Launch>&, int tries)>;

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual bool ours() const { return false; }
  // Makes ready for a shape; whatever takes long happens here. Empty, or why this contender has to sit out.
  virtual std::string prepare(const Operands& operands, const QuickTimes& quick_times) = 0;
  // Enqueues the product that was prepared.
  virtual std::string launch() = 0;
  // What runs, in a word: a kernel, an algorithm.
  virtual std::string detail() const { return name(); }
};

}  // namespace fastgemm::cli
