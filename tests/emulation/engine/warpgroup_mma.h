// The wgmma products of a block. A warp computes its own 16 of the 64 rows; the accumulators hold NaN from the issue of
// a product to the wait that covers it, and operands stay in use until then.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/emulation/engine/collective.h"

namespace fastgemm::emulation {

class Block;
struct Thread;

struct WgmmaShape {
  int n = 0;
  bool bfloat16 = false;
  bool a_mn_major = false;
  bool b_mn_major = false;
  bool operator==(const WgmmaShape&) const = default;
};

struct WgmmaLane {
  Thread* thread;
  float* d;
  std::uint64_t a;
  std::uint64_t b;
  bool accumulate;
};

class WarpgroupMma {
 public:
  explicit WarpgroupMma(Block& block) : block_(block) {}
  void start_block();

  // All lanes of a warp at once.
  void fence(const Thread& thread);
  void multiply(Lanes<WgmmaLane> lanes, const WgmmaShape& shape, const char* operation);
  void commit(const Thread& thread);
  void wait(Lanes<Thread> lanes, int pending);

  // A thread, and then its block, ends.
  void end_thread(const Thread& thread) const;
  void end_block(const Thread& last) const;

 private:
  struct Product {
    WgmmaShape shape;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    bool accumulate = false;
    int group = 0;
    std::size_t accumulators = 0;
    bool operator==(const Product& other) const {
      return shape == other.shape && a == other.a && b == other.b && accumulate == other.accumulate;
    }
  };
  // The registers of one accumulator array while products on it are under way.
  struct Accumulators {
    float* d[kWarpSize] = {};
    int count = 0;     // a lane
    int products = 0;  // under way; 0: the entry is free
    std::vector<float> values;  // (lane, register)
  };
  struct Warp {
    std::vector<Product> products;  // under way, oldest first
    std::vector<Accumulators> accumulators;
    int groups = 0;                 // closed so far
    bool fenced = false;
    std::size_t issued = 0;
  };

  Warp& warp_of(const Thread& thread);
  std::size_t take_accumulators(Lanes<WgmmaLane> lanes, const WgmmaShape& shape, const char* operation);
  void check_same_as_warpgroup(const Thread& thread, const Product& product, const char* operation);
  void finish(const Thread& reader, Warp& warp, const Product& product);
  void hand_over(const Thread& thread, Accumulators& accumulators) const;

  Block& block_;
  std::vector<Warp> warps_;
  std::vector<std::vector<Product>> issued_;  // by warpgroup, in order
};

}  // namespace fastgemm::emulation
