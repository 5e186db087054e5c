// wgmma: when accumulators and operands are whose, and what stops.
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/shared.cuh"
#include "kernels/ptx/wgmma_bf16.cuh"
#include "kernels/ptx/wgmma_f16.cuh"
#include "tests/emulation/engine/half.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr std::int64_t kShared = 24 * 1024;
constexpr int kOffsetB = 8192;

std::uint32_t tile(int offset) {
  return (ptx::shared_base() + 1023) / 1024 * 1024 + static_cast<std::uint32_t>(offset);
}

int value_a(int row, int k) { return (row * 3 + k) % 7 - 3; }
int value_b(int column, int k) { return (column + 5 * k) % 5 - 2; }

// One swizzled K-major row of 64 numbers.
template <class Value>
void write_row(int offset, int row, bool bfloat16, Value value) {
  for (int k = 0; k < 64; k += 2) {
    const auto bits = [&](int at) {
      const auto number = static_cast<float>(value(row, at));
      const std::uint32_t half = bfloat16 ? std::bit_cast<std::uint32_t>(number) >> 16 : half_from_float(number);
      return half;
    };
    ptx::st_shared_u32(tile(offset + row * 128 + ((k / 8) ^ row % 8) * 16 + k % 8 * 2), bits(k) | bits(k + 1) << 16);
  }
}

// A is 64 x 64, B 64 x n; one row a thread.
void write_operands(int n, bool bfloat16 = false, bool fence = true) {
  const int thread = ptx::thread_index();
  if (thread < 64) write_row(0, thread, bfloat16, value_a);
  if (thread < n) write_row(kOffsetB, thread, bfloat16, value_b);
  if (fence) ptx::fence_proxy_async();
  ptx::barrier_sync();
}

std::uint64_t descriptor_a(int step = 0) { return swizzled_tile_descriptor<Major::kK>(tile(32 * step)); }
std::uint64_t descriptor_b(int step = 0) { return swizzled_tile_descriptor<Major::kK>(tile(kOffsetB + 32 * step)); }

void multiply(float (&d)[16], int step = 0, bool accumulate = false) {
  ptx::wgmma_m64n32k16_f16<Major::kK, Major::kK>(d, descriptor_a(step), descriptor_b(step), accumulate);
}

int wrong_in(const float* d, int count, int first_k, int last_k) {
  int wrong = 0;
  for (int index = 0; index < count; ++index) {
    int wanted = 0;
    for (int k = first_k; k < last_k; ++k) {
      wanted +=
          value_a(wgmma_row(ptx::thread_index(), index), k) * value_b(wgmma_column(ptx::thread_index(), index), k);
    }
    wrong += d[index] != static_cast<float>(wanted);
  }
  return wrong;
}

template <class Body>
Outcome run(Body body) {
  return run_block_often(128, kShared, [&] {
    write_operands(32);
    body();
  });
}

// Products with the given function, 64 x n.
template <int kN, bool kBfloat16, class Multiply>
int wrong_of(Multiply multiply_n) {
  int wrong = 0;
  const Outcome outcome = run_block_often(128, 8192 + kN * 128 + 1024, [&] {
    write_operands(kN < 128 ? kN : 128, kBfloat16);
    if (kN > 128 && ptx::thread_index() < kN - 128) {
      write_row(kOffsetB, 128 + ptx::thread_index(), kBfloat16, value_b);
      ptx::fence_proxy_async();
    }
    ptx::barrier_sync();
    float d[kN / 2];
    ptx::wgmma_fence();
    multiply_n(d, descriptor_a(0), descriptor_b(0), false);
    multiply_n(d, descriptor_a(3), descriptor_b(3), true);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    float first[kN / 2];
    for (int index = 0; index < kN / 2; ++index) {
      int later = 0;
      for (int k = 48; k < 64; ++k) {
        later += value_a(wgmma_row(ptx::thread_index(), index), k) *
                 value_b(wgmma_column(ptx::thread_index(), index), k);
      }
      first[index] = d[index] - static_cast<float>(later);
    }
    wrong += wrong_in(first, kN / 2, 0, 16);
  });
  INFO(outcome.text);
  CHECK(outcome.text == "");
  return wrong;
}

}  // namespace

TEST_CASE("products of every width are exact", "[emulation]") {
  CHECK(wrong_of<8, false>([](auto&&... x) { ptx::wgmma_m64n8k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<16, false>([](auto&&... x) { ptx::wgmma_m64n16k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<32, false>([](auto&&... x) { ptx::wgmma_m64n32k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<64, false>([](auto&&... x) { ptx::wgmma_m64n64k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<96, false>([](auto&&... x) { ptx::wgmma_m64n96k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<128, false>([](auto&&... x) { ptx::wgmma_m64n128k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<176, false>([](auto&&... x) { ptx::wgmma_m64n176k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<192, false>([](auto&&... x) { ptx::wgmma_m64n192k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<256, false>([](auto&&... x) { ptx::wgmma_m64n256k16_f16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<64, true>([](auto&&... x) { ptx::wgmma_m64n64k16_bf16<Major::kK, Major::kK>(x...); }) == 0);
  CHECK(wrong_of<256, true>([](auto&&... x) { ptx::wgmma_m64n256k16_bf16<Major::kK, Major::kK>(x...); }) == 0);
}

TEST_CASE("accumulators are there after the wait that covers them, and not before", "[emulation]") {
  int early = 0;
  int wrong = 0;
  const Outcome outcome = run([&] {
    float d[16] = {};
    float e[16] = {};
    ptx::wgmma_fence();
    multiply(d);
    ptx::wgmma_commit();
    multiply(e, 1);
    ptx::wgmma_commit();
    early += std::isnan(d[3]) && std::isnan(e[3]);
    ptx::wgmma_wait<1>();
    wrong += wrong_in(d, 16, 0, 16);
    early += std::isnan(e[3]);
    ptx::wgmma_wait<0>();
    wrong += wrong_in(e, 16, 16, 32);
  });
  CHECK(outcome.text == "");
  CHECK(early == 24 * 128 * 2);
  CHECK(wrong == 0);
}

TEST_CASE("a wgmma fence, commit or wait that is missing stops", "[emulation]") {
  const auto order = [](bool fence, bool commit, bool wait, bool fence_again) {
    return run([=] {
             float d[16] = {};
             for (int round = 0; round < 2; ++round) {
               if (round == 0 ? fence : fence_again) ptx::wgmma_fence();
               multiply(d, round, round > 0);
               if (commit) ptx::wgmma_commit();
               if (wait) ptx::wgmma_wait<0>();
             }
           }).fault;
  };
  CHECK(order(true, true, true, true) == std::nullopt);
  CHECK(order(false, true, true, true) == Fault::kRegisters);
  CHECK(order(true, false, true, true) == Fault::kRegisters);
  CHECK(order(true, true, false, true) == Fault::kRegisters);
  CHECK(order(true, true, true, false) == Fault::kRegisters);
  CHECK(run([] {
          float d[16] = {};
          ptx::wgmma_fence();
          multiply(d);
          ptx::wgmma_commit();
          d[5] = 1;
          ptx::wgmma_wait<0>();
        }).fault == Fault::kRegisters);
}

TEST_CASE("operands stay in use until the wait", "[emulation]") {
  const auto overwrite = [](bool waits) {
    return run([waits] {
             float d[16];
             ptx::wgmma_fence();
             multiply(d);
             ptx::wgmma_commit();
             if (waits) ptx::wgmma_wait<0>();
             ptx::barrier_sync();
             if (ptx::thread_index() == 0) ptx::st_shared_f32(tile(0), 1);
             ptx::wgmma_wait<0>();
           }).fault;
  };
  CHECK(overwrite(true) == std::nullopt);
  CHECK(overwrite(false) == Fault::kCopyInFlight);
  // One warp has waited, but the others may still read.
  CHECK(run([] {
          float d[16];
          ptx::wgmma_fence();
          multiply(d);
          ptx::wgmma_commit();
          ptx::wgmma_wait<0>();
          if (ptx::thread_index() == 0) ptx::st_shared_f32(tile(kOffsetB), 1);
        }).fault.has_value());
}

TEST_CASE("operands that threads wrote need a proxy fence and a barrier", "[emulation]") {
  const auto body = [](bool fence, bool barrier) {
    return run_block_often(128, kShared, [=] {
             if (barrier) {
               write_operands(32, false, fence);
             } else {
               write_operands(32);
               if (ptx::thread_index() == 70) ptx::st_shared_f32(tile(0), 0);
               ptx::fence_proxy_async();
             }
             float d[16];
             ptx::wgmma_fence();
             multiply(d);
             ptx::wgmma_commit();
             ptx::wgmma_wait<0>();
           }).fault;
  };
  CHECK(body(true, true) == std::nullopt);
  CHECK(body(false, true) == Fault::kProxy);
  CHECK(body(true, false).has_value());
}

TEST_CASE("warpgroups that do not agree, and descriptors that do not fit, stop", "[emulation]") {
  const auto with = [](auto descriptors) {
    return run([&] {
             float d[16];
             const auto [a, b] = descriptors();
             ptx::wgmma_fence();
             ptx::wgmma_m64n32k16_f16<Major::kK, Major::kK>(d, a, b, false);
             ptx::wgmma_commit();
             ptx::wgmma_wait<0>();
           }).fault;
  };
  CHECK(with([] { return std::pair(descriptor_a(), descriptor_b()); }) == std::nullopt);
  CHECK(with([] { return std::pair(descriptor_a(ptx::warp_index() == 2 ? 1 : 0), descriptor_b()); }) ==
        Fault::kDivergence);
  CHECK(with([] { return std::pair(descriptor_a(ptx::lane_index() == 2 ? 1 : 0), descriptor_b()); }) ==
        Fault::kDivergence);
  CHECK(with([] { return std::pair(descriptor_a() + (128 >> 4), descriptor_b()); }) == Fault::kAlignment);
  CHECK(with([] { return std::pair(descriptor_a(), descriptor_b() + (16 * 1024 >> 4)); }) == Fault::kBounds);
  CHECK(run([] {
          if (ptx::warp_index() == 3) return;
          float d[16];
          ptx::wgmma_fence();
          multiply(d);
          ptx::wgmma_commit();
          ptx::wgmma_wait<0>();
        }).fault == Fault::kDivergence);
}
