#include "tests/emulation/engine/warpgroup_mma.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/emulation/engine/block.h"
#include "tests/emulation/engine/half.h"
#include "tests/emulation/engine/tensor_map.h"

namespace fastgemm::emulation {

namespace {

constexpr int kDepth = 16;
constexpr int kRows = 16;  // a warp's
constexpr int kWarpsPerGroup = 4;
constexpr int kChunkElements = 8;
constexpr std::uint32_t kChunk = 16;
const float kPoison = std::bit_cast<float>(0x7fc0deadu);

// An operand of a product as its descriptor gives it.
struct Operand {
  std::uint32_t address = 0;
  std::uint32_t leading = 0;
  std::uint32_t stride = 0;
  int span = 0;  // bytes of a swizzled row
  bool mn_major = false;

  Operand(std::uint64_t descriptor, bool is_mn_major) : mn_major(is_mn_major) {
    constexpr int kSpans[] = {0, 128, 64, 32};
    address = static_cast<std::uint32_t>(descriptor & 0x3fff) << 4;
    leading = static_cast<std::uint32_t>(descriptor >> 16 & 0x3fff) << 4;
    stride = static_cast<std::uint32_t>(descriptor >> 32 & 0x3fff) << 4;
    span = kSpans[descriptor >> 62];
  }

  // The chunk that holds element (mn, k); consecutive elements along the major axis share it. Layouts: PTX ISA,
  // "Strides" of "Asynchronous warpgroup level matrix instructions".
  std::uint32_t chunk(int mn, int k) const {
    const auto row = static_cast<std::uint32_t>(mn_major ? k : mn);
    const auto element = static_cast<std::uint32_t>(mn_major ? mn : k);
    const auto row_elements = static_cast<std::uint32_t>(span / 2);
    std::uint32_t offset = row / 8 * stride;
    if (span == 0) {
      offset += row % 8 * kChunk + element / kChunkElements * leading;
    } else {
      offset += row % 8 * static_cast<std::uint32_t>(span) + element / row_elements * leading +
                element % row_elements / kChunkElements * kChunk;
    }
    return swizzled(address + offset, span);
  }
};

// A descriptor's 18 bits of an address, in the thread's own block.
std::uint32_t in_block_of(const Thread& thread, std::uint32_t address) {
  return address + static_cast<std::uint32_t>(thread.rank) * SharedMemory::kRankStride;
}

// Calls visit(mn, k, address) for each chunk of rows first_mn .. first_mn + count - 1.
template <class Visit>
void for_each_chunk(const Operand& operand, int first_mn, int count, Visit visit) {
  const int step_mn = operand.mn_major ? kChunkElements : 1;
  const int step_k = operand.mn_major ? 1 : kChunkElements;
  for (int mn = first_mn; mn < first_mn + count; mn += step_mn) {
    for (int k = 0; k < kDepth; k += step_k) visit(mn, k, operand.chunk(mn, k));
  }
}

void check_descriptor(const Thread& thread, std::uint64_t descriptor, bool mn_major, const char* operation) {
  const Operand operand(descriptor, mn_major);
  if ((descriptor >> 49 & 7) != 0) fail(thread, Fault::kLaunch, operation, "a descriptor with a base offset");
  if (operand.span == 0 && mn_major) {
    fail(thread, Fault::kLaunch, operation, "the emulation does not know MN-major operands without a swizzle");
  }
  const std::uint32_t line = operand.address % (8u * static_cast<std::uint32_t>(operand.span == 0 ? 2 : operand.span));
  if (operand.span != 0 && (mn_major ? line != 0 : line >= static_cast<std::uint32_t>(operand.span))) {
    fail(thread, Fault::kAlignment, operation,
         "the operand at base + " + std::to_string(operand.address - SharedMemory::kBase) +
             " does not begin where the swizzle's pattern does");
  }
}

float element_value(const unsigned char* chunk, int index, bool bfloat16) {
  std::uint16_t bits;
  std::memcpy(&bits, chunk + 2 * index, sizeof bits);
  return bfloat16 ? float_from_bfloat16(bits) : float_from_half(bits);
}

}  // namespace

void WarpgroupMma::start_block() {
  const auto warps = static_cast<std::size_t>(block_.threads() / kWarpSize);
  warps_.assign(warps, Warp{});
  issued_.assign((warps + kWarpsPerGroup - 1) / kWarpsPerGroup, {});
}

WarpgroupMma::Warp& WarpgroupMma::warp_of(const Thread& thread) {
  return warps_[static_cast<std::size_t>(thread.warp())];
}

void WarpgroupMma::fence(const Thread& thread) { warp_of(thread).fenced = true; }

void WarpgroupMma::commit(const Thread& thread) { ++warp_of(thread).groups; }

void WarpgroupMma::check_same_as_warpgroup(const Thread& thread, const Product& product, const char* operation) {
  const int group = thread.warp() / kWarpsPerGroup;
  if ((group + 1) * kWarpsPerGroup > static_cast<int>(warps_.size())) {
    fail(thread, Fault::kDivergence, operation, "its warpgroup has fewer than four warps");
  }
  auto& issued = issued_[static_cast<std::size_t>(group)];
  Warp& warp = warp_of(thread);
  if (warp.issued == issued.size()) issued.push_back(product);
  if (!(issued[warp.issued] == product)) {
    fail(thread, Fault::kDivergence, operation, "another warp of the warpgroup multiplies something else");
  }
  ++warp.issued;
}

std::size_t WarpgroupMma::take_accumulators(Lanes<WgmmaLane> lanes, const WgmmaShape& shape, const char* operation) {
  Warp& warp = warp_of(*lanes[0]->thread);
  const auto in_use = [&](const Accumulators& entry) { return entry.products > 0 && entry.d[0] == lanes[0]->d; };
  auto found = std::find_if(warp.accumulators.begin(), warp.accumulators.end(), in_use);
  if (found == warp.accumulators.end()) {
    if (!warp.fenced) {
      fail(*lanes[0]->thread, Fault::kRegisters, operation, "no wgmma_fence since the accumulators were last free");
    }
    found = std::find_if(warp.accumulators.begin(), warp.accumulators.end(),
                         [](const Accumulators& entry) { return entry.products == 0; });
    if (found == warp.accumulators.end()) found = warp.accumulators.emplace(found);
    found->count = shape.n / 2;
    found->values.resize(static_cast<std::size_t>(kWarpSize * found->count));
    for (int lane = 0; lane < kWarpSize; ++lane) {
      found->d[lane] = lanes[lane]->d;
      std::copy_n(lanes[lane]->d, found->count, &found->values[static_cast<std::size_t>(lane * found->count)]);
      std::fill_n(lanes[lane]->d, found->count, kPoison);
    }
  }
  if (found->count != shape.n / 2) {
    fail(*lanes[0]->thread, Fault::kRegisters, operation, "the accumulators are in use by a product of another shape");
  }
  ++found->products;
  return static_cast<std::size_t>(found - warp.accumulators.begin());
}

void WarpgroupMma::multiply(Lanes<WgmmaLane> lanes, const WgmmaShape& shape, const char* operation) {
  const Thread& first = *lanes[0]->thread;
  for (const WgmmaLane* lane : lanes) {
    if (lane->a != lanes[0]->a || lane->b != lanes[0]->b || lane->accumulate != lanes[0]->accumulate) {
      fail(*lane->thread, Fault::kDivergence, operation, "lanes of the warp give different descriptors");
    }
  }
  check_descriptor(first, lanes[0]->a, shape.a_mn_major, operation);
  check_descriptor(first, lanes[0]->b, shape.b_mn_major, operation);
  Product product{shape, lanes[0]->a, lanes[0]->b, lanes[0]->accumulate, warp_of(first).groups, 0};
  check_same_as_warpgroup(first, product, operation);
  product.accumulators = take_accumulators(lanes, shape, operation);
  // The product is the warp's, so what any lane knows to be there counts.
  std::vector<std::uint32_t> row(block_.row_size(), 0u);
  for (const WgmmaLane* lane : lanes) block_.join_row(row.data(), lane->thread->clock);
  Thread reader;
  reader.block = &block_;
  reader.index = first.index;
  reader.rank = first.rank;
  reader.clock = row.data();
  reader.proxied = row.data() + (first.proxied - first.clock);
  const auto start = [&](int, int, std::uint32_t address) {
    block_.shared().start_bulk_read(reader, in_block_of(reader, address), kChunk, operation);
  };
  for_each_chunk(Operand(product.a, shape.a_mn_major), first.warp() % kWarpsPerGroup * kRows, kRows, start);
  for_each_chunk(Operand(product.b, shape.b_mn_major), 0, shape.n, start);
  warp_of(first).products.push_back(product);
}

void WarpgroupMma::wait(Lanes<Thread> lanes, int pending) {
  Warp& warp = warp_of(*lanes[0]);
  const auto is_done = [&](const Product& product) { return product.group < warp.groups - pending; };
  const auto first_open = std::find_if_not(warp.products.begin(), warp.products.end(), is_done);
  if (first_open == warp.products.begin()) return;
  for (auto product = warp.products.begin(); product != first_open; ++product) finish(*lanes[0], warp, *product);
  warp.products.erase(warp.products.begin(), first_open);
  for (Accumulators& entry : warp.accumulators) {
    if (entry.products == 0 && entry.count > 0) hand_over(*lanes[0], entry);
  }
  warp.fenced = false;
  // The reads count as lane 0's; all lanes know of them.
  const Thread& first = *lanes[0];
  for (Thread* lane : lanes) lane->clock[first.index] = std::max(lane->clock[first.index], first.clock[first.index]);
  block_.advance(*lanes[0]);
}

void WarpgroupMma::finish(const Thread& reader, Warp& warp, const Product& product) {
  const int n = product.shape.n;
  const int first_row = reader.warp() % kWarpsPerGroup * kRows;
  std::vector<float> a(static_cast<std::size_t>(kRows * kDepth));
  std::vector<float> b(static_cast<std::size_t>(kDepth * n));  // (k, n), n contiguous
  const auto load = [&](const Operand& operand, auto place) {
    return [&, place](int mn, int k, std::uint32_t address) {
      const unsigned char* chunk = block_.shared().end_bulk_read(reader, in_block_of(reader, address), kChunk);
      for (int index = 0; index < kChunkElements; ++index) {
        const float value = element_value(chunk, index, product.shape.bfloat16);
        place(operand.mn_major ? mn + index : mn, operand.mn_major ? k : k + index) = value;
      }
    };
  };
  const Operand operand_a(product.a, product.shape.a_mn_major);
  const Operand operand_b(product.b, product.shape.b_mn_major);
  for_each_chunk(operand_a, first_row, kRows, load(operand_a, [&](int row, int k) -> float& {
                   return a[static_cast<std::size_t>((row - first_row) * kDepth + k)];
                 }));
  for_each_chunk(operand_b, 0, n, load(operand_b, [&](int column, int k) -> float& {
                   return b[static_cast<std::size_t>(k * n + column)];
                 }));
  Accumulators& accumulators = warp.accumulators[product.accumulators];
  std::vector<float> sums(static_cast<std::size_t>(n));
  for (int row = 0; row < kRows; ++row) {
    const auto value = [&](int column) -> float& {
      const int lane = row % 8 * 4 + column % 8 / 2;
      const int index = column / 8 * 4 + row / 8 * 2 + column % 2;
      return accumulators.values[static_cast<std::size_t>(lane * accumulators.count + index)];
    };
    for (int column = 0; column < n; ++column) sums[column] = product.accumulate ? value(column) : 0.0f;
    for (int k = 0; k < kDepth; ++k) {
      const float factor = a[static_cast<std::size_t>(row * kDepth + k)];
      const float* line = &b[static_cast<std::size_t>(k * n)];
      for (int column = 0; column < n; ++column) sums[column] += factor * line[column];
    }
    for (int column = 0; column < n; ++column) value(column) = sums[column];
  }
  --accumulators.products;
}

void WarpgroupMma::hand_over(const Thread& thread, Accumulators& accumulators) const {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int index = 0; index < accumulators.count; ++index) {
      float& d = accumulators.d[lane][index];
      if (std::bit_cast<std::uint32_t>(d) != std::bit_cast<std::uint32_t>(kPoison)) {
        fail(thread, Fault::kRegisters, "wgmma_wait", "an accumulator was written while its product was under way");
      }
      d = accumulators.values[static_cast<std::size_t>(lane * accumulators.count + index)];
    }
  }
  accumulators.count = 0;
}

void WarpgroupMma::end_thread(const Thread& thread) const {
  const Warp& warp = warps_[static_cast<std::size_t>(thread.warp())];
  if (!warp.products.empty()) {
    fail(thread, Fault::kRegisters, "the end of the thread", "products of wgmma that no wait has covered");
  }
}

void WarpgroupMma::end_block(const Thread& last) const {
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    if (warps_[warp].issued == issued_[warp / kWarpsPerGroup].size()) continue;
    fail(last, Fault::kDivergence, "the end of the block",
         "warp " + std::to_string(warp) + " has multiplied less than others of its warpgroup");
  }
}

}  // namespace fastgemm::emulation
