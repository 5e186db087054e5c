// One block's way through its device: copy in, multiply, copy out, all at once. The thread of the device moves every
// chunk on by one state a round; the copy pool fills and empties the pinned buffers meanwhile.
//
//   in:   waits -> filled by the pool -> issued to the device -> passed (buffer free)
//   out:  waits for its product -> issued -> landed in the buffer -> written to C by the pool (buffer free)
#pragma once

#include <cstdint>
#include <vector>

#include "src/dropin/engine/block_plan.h"
#include "src/dropin/engine/copy_pool.h"
#include "src/dropin/engine/lane.h"

namespace fastgemm::dropin {

// A block's part of a matrix as stored.
struct BlockMatrix {
  float* host = nullptr;  // of A and B only read
  std::int64_t host_ld = 0;
  std::int64_t rows = 0;
  float* device = nullptr;
  std::int64_t device_ld = 0;
};

struct Block {
  BlockShape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  BlockMatrix a, b, c;
};

class BlockRun {
 public:
  BlockRun(GpuRuntime& runtime, Lane& lane, CopyPool& pool, const Block& block, BlockPlan plan);

  // Returns when C is written and nothing moves any more. Or throws GpuFailure; then, too, nothing of this run uses its
  // memory any more.
  void run();

  // The parts of C, within the block, that a run that failed did not write. They hold what they held before, save that
  // a direct copy out may have reached part of them.
  void append_unwritten(std::vector<Rect>* rects) const;
  std::size_t out_chunks() const { return plan_.out.size(); }

  std::int64_t elements_in() const { return elements_in_; }
  std::int64_t elements_out() const { return elements_out_; }

 private:
  void advance();
  bool pass_in();
  bool fill();
  bool issue_in();
  bool launch_products();
  bool issue_out();
  bool land();
  bool collect();
  void drain();

  const BlockMatrix& matrix(Matrix which) const;
  Route route_in(const Chunk& chunk) const;
  bool passed(cudaEvent_t event);
  void launch(std::size_t step);
  CopyRect to_buffer(const Chunk& chunk, Slot& slot) const;
  CopyRect to_device(const Chunk& chunk, Slot& slot) const;
  CopyRect to_host_buffer(const Chunk& chunk, Slot& slot) const;
  CopyRect to_result(const Chunk& chunk, Slot& slot) const;
  std::int64_t buffer_ld(const Chunk& chunk) const;

  Slot& in_slot(std::size_t chunk) { return lane_.in_slots[chunk % lane_.in_slots.size()]; }
  Slot& out_slot(std::size_t chunk) { return lane_.out_slots[chunk % lane_.out_slots.size()]; }

  GpuRuntime& runtime_;
  Lane& lane_;
  CopyPool& pool_;
  const Block& block_;
  const BlockPlan plan_;
  // Results are written past the cache, and the ring is filled so while it is gone round once or twice. Milliseconds on
  // an H200, NN cubes, with neither, results, and both so:
  //   1024 0.61, 0.58, 0.45    2048 1.38, 1.33, 1.31    4096 4.60, 4.48, 4.68    8192 24.1, 24.0, 25.1
  const bool fills_past_cache_;
  // How far chunks have come, in the order of the states above.
  std::size_t filling_ = 0, issued_in_ = 0, passed_in_ = 0;
  std::size_t launched_ = 0;  // steps
  std::size_t issued_out_ = 0, landed_ = 0, written_ = 0;
  int out_waits_for_ = -1;  // the step whose product the out stream has last been told to wait for
  bool moved_ = false;
  std::int64_t elements_in_ = 0, elements_out_ = 0;
};

}  // namespace fastgemm::dropin
