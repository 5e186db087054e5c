// One GPU of the offload engine: its memory, its lane, and the products it is given, one after another. Belongs to the
// thread that opened it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "src/dropin/engine/block_run.h"
#include "src/dropin/host_gemm.h"

namespace fastgemm::dropin {

struct DeviceOptions {
  CutSizes cut;
  LaneSizes lane;
  std::size_t workspace_bytes = std::size_t{32} << 20;  // of products, a stream
  std::size_t workspace_most = 0;  // or up to so much, where it is no more than a 64th part of the free memory
  std::size_t keep_bytes = std::size_t{4} << 30;  // of device memory between products; more is given back
};

// A matrix in the program's memory.
struct StoredShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t ld = 0;
};

// What became of a product.
struct ShareResult {
  bool failed = false;          // the device is not to be used again
  bool no_room = false;         // too little of its memory is free just now
  std::string error;
  std::vector<Rect> unwritten;  // parts of C that are to be computed elsewhere
  int lies_on = -1;             // nothing was done: a matrix is in the memory of that other device
  bool host_can_finish = true;  // false: a matrix is in device memory
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
};

class Device {
 public:
  Device(GpuRuntime& runtime, CopyPool& pool, int ordinal, const DeviceOptions& options)
      : runtime_(runtime), pool_(pool), ordinal_(ordinal), options_(options) {}

  // Binds the calling thread to the GPU and makes what products need. Throws GpuFailure.
  void open();

  // Computes `gemm` (m, n, k > 0). result->unwritten has room for one rectangle.
  void multiply(const HostGemm& gemm, ShareResult* result) noexcept;

  // Are all matrices where the host can read them? Throws GpuFailure.
  bool host_can_read(const HostGemm& gemm);

  // For measurements: room for so many elements, and a plan over it. Throw GpuFailure.
  float* reserve(std::int64_t elements);
  void run_plan(const Block& block, BlockPlan plan);

  int ordinal() const { return ordinal_; }
  const DeviceOptions& options() const { return options_; }

 private:
  Block whole_block(const HostGemm& gemm, ShareResult* result);
  BlockMatrix place(const float* data, const StoredShape& stored, Route* route, ShareResult* result);
  std::vector<Rect> reserve_blocks(const BlockShape& shape);
  void run_blocks(const Block& whole, const std::vector<Rect>& blocks, ShareResult* result);
  void run_block(const Block& block, const Rect& rect, std::size_t blocks_left, ShareResult* result);
  std::int64_t spare_elements();
  std::size_t workspace_bytes();
  bool allocate_arena(std::int64_t elements);
  void release_arena();

  GpuRuntime& runtime_;
  CopyPool& pool_;
  const int ordinal_;
  const DeviceOptions options_;
  Lane lane_;
  float* arena_ = nullptr;  // A, B and C of one block
  std::int64_t arena_elements_ = 0;
};

}  // namespace fastgemm::dropin
