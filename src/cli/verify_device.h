// The device half of the case engine: writes a case's guarded matrices in one launch, and judges them in another.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/contract.h"

namespace fastgemm::cli {

enum class Content : std::uint8_t { kIntegers, kNan, kInfinity };

// A batch of matrices inside a guarded stretch of memory. Element `start` of the stretch is the first of the first
// matrix. Elements of the matrices hold `content`; all others (guards, rows between rows and ld, gaps between batch
// entries) hold NaNs whose payload depends on where they stand, so that a stray read shows in the result and a stray
// write here.
struct MatrixImage {
  void* base = nullptr;
  DataType type = DataType::kFloat32;
  Content content = Content::kIntegers;
  int range = 8;  // of the integers
  std::uint64_t seed = 0;
  std::int64_t total = 0;  // elements of the stretch
  std::int64_t start = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;  // > 0, and large enough that entries do not overlap
  std::int64_t batch_count = 1;
};

enum MatrixRole { kMatrixA, kMatrixB, kMatrixC, kMatrixD, kMatrixBias, kMatrixCount };

// Memory of one case. A matrix with total == 0 is absent. In place (D is C) only D is there. Where pointer arrays are
// set, entry b of the call is written as the address of stored entry batch_count - 1 - b, so that order matters.
struct CaseImage {
  MatrixImage matrices[kMatrixCount];
  void** pointers[3] = {};  // of A, B and D, batch_count each; or null
  float scalars[2] = {};    // alpha, beta: written to scalar_memory in scalar_type, 4 bytes apart
  DataType scalar_type = DataType::kFloat32;
  void* scalar_memory = nullptr;
};

// Elements that are wrong, per matrix, the complement of the first one's index in its stretch, and one of them for
// show. Starts as zeros.
struct CaseVerdict {
  unsigned long long wrong[kMatrixCount];
  unsigned long long last_first[kMatrixCount];
  unsigned long long sample;  // index + 1 of one wrong element of D; the next two are its
  double got;
  double wanted;
};

cudaError_t prepare_case(const CaseImage& image, cudaStream_t stream);

// D inside its matrices must be `expected` (FP64; entry b of the call at b * rows * columns, ld = rows) rounded to its
// type, bit by bit except for the sign of zero, or within tolerance * (1 + |expected|); everything else must still be
// what prepare_case wrote.
cudaError_t check_case(const CaseImage& image, const double* expected, double tolerance, CaseVerdict* verdict,
                       cudaStream_t stream);

}  // namespace fastgemm::cli
