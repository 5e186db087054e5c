// Conversions, ldmatrix and mma of the overlay against the PTX ISA's definitions.
#include <cuda_fp16.h>

#include <bit>
#include <cmath>
#include <vector>

#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

std::uint16_t half_bits(float value) { return ptx::f16_from_f32(value); }

std::uint32_t pack(float low, float high) { return ptx::f16x2_from_f32(low, high); }

// Fragment coordinates as the PTX ISA writes them down, for register element i of a lane.
struct Place {
  int row;
  int column;
};
Place place_a(int lane, int i) {  // 16 x 16; elements 0 to 3 are also those of 16 x 8
  const int row = i == 0 || i == 1 || i == 4 || i == 5 ? lane >> 2 : (lane >> 2) + 8;
  const int column = i < 4 ? (lane % 4) * 2 + (i & 1) : (lane % 4) * 2 + (i & 1) + 8;
  return {row, column};
}
Place place_b(int lane, int i) {  // 16 x 8; elements 0 and 1 are also those of 8 x 8
  return {i < 2 ? (lane % 4) * 2 + (i & 1) : (lane % 4) * 2 + (i & 1) + 8, lane >> 2};
}
Place place_c(int lane, int i) { return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1)}; }

float entry_a(int row, int k) { return static_cast<float>((row * 7 + k * 3) % 13 - 6); }
float entry_b(int k, int column) { return static_cast<float>((k * 5 + column * 11) % 17 - 8); }
float entry_c(int row, int column) { return static_cast<float>(row * 8 + column); }

float expected(int row, int column, int depth) {
  float sum = entry_c(row, column);
  for (int k = 0; k < depth; ++k) sum += entry_a(row, k) * entry_b(k, column);
  return sum;
}

void load_c(float (&d)[4]) {
  for (int i = 0; i < 4; ++i) d[i] = entry_c(place_c(ptx::lane_index(), i).row, place_c(ptx::lane_index(), i).column);
}

int wrong_elements(const float (&d)[4], int depth) {
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    const Place at = place_c(ptx::lane_index(), i);
    wrong += d[i] != expected(at.row, at.column, depth);
  }
  return wrong;
}

std::uint32_t pair_a(int lane, int i) {
  return pack(entry_a(place_a(lane, i).row, place_a(lane, i).column),
              entry_a(place_a(lane, i + 1).row, place_a(lane, i + 1).column));
}
std::uint32_t pair_b(int lane, int i) {
  return pack(entry_b(place_b(lane, i).row, place_b(lane, i).column),
              entry_b(place_b(lane, i + 1).row, place_b(lane, i + 1).column));
}

}  // namespace

TEST_CASE("FP16 conversions agree with CUDA's own on the host", "[emulation]") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto number = static_cast<std::uint16_t>(bits);
    const float wide = __half2float(std::bit_cast<__half>(number));
    const float ours = ptx::f32_from_f16(number);
    if (std::isnan(wide)) {
      wrong += !std::isnan(ours);
      continue;
    }
    wrong += std::bit_cast<std::uint32_t>(wide) != std::bit_cast<std::uint32_t>(ours);
    // Every number, both its neighbours in FP32, and the same around the middle to the next FP16 number.
    const float middle = wide + 0.5f * (ptx::f32_from_f16(static_cast<std::uint16_t>(number ^ 1)) - wide);
    for (const float start : {wide, middle}) {
      for (const float value : {start, std::nextafter(start, -1e9f), std::nextafter(start, 1e9f)}) {
        if (std::isnan(value)) continue;
        wrong += std::bit_cast<std::uint16_t>(__float2half_rn(value)) != ptx::f16_from_f32(value);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(ptx::f16_from_f32(65519.0f) == 0x7bff);
  CHECK(ptx::f16_from_f32(65520.0f) == 0x7c00);
  CHECK(ptx::f16_from_f32(-1e30f) == 0xfc00);
  CHECK((ptx::f16_from_f32(std::nanf("")) & 0x7fff) > 0x7c00);
  CHECK(pack(1.0f, -2.0f) == 0xc0003c00u);
}

TEST_CASE("FP32 operations round once each", "[emulation]") {
  const float a = 1.0f + 0x1p-12f;
  CHECK(ptx::fma_rn(a, a, -1.0f) == 0x1p-11f + 0x1p-24f);
  volatile float product = ptx::mul_rn(a, a);
  CHECK(ptx::add_rn(product, -1.0f) == 0x1p-11f);
}

TEST_CASE("ldmatrix spreads four matrices over the lanes", "[emulation]") {
  for (const bool transposed : {false, true}) {
    int wrong = 0;
    const Outcome outcome = run_block_often(32, 4 * 8 * 16, [&] {
      // Row j of matrix i lies at a scattered place; element (i, j, c) is 64 i + 8 j + c.
      const int lane = ptx::lane_index();
      const auto row_at = [](int row) {
        return ptx::shared_base() + 16u * static_cast<std::uint32_t>((row * 13 + 5) % 32);
      };
      const auto number = [](int matrix, int row, int column) {
        return static_cast<float>(64 * matrix + 8 * row + column);
      };
      for (int pair = 0; pair < 4; ++pair) {
        ptx::st_shared_u32(row_at(lane) + 4u * static_cast<std::uint32_t>(pair),
                           pack(number(lane / 8, lane % 8, 2 * pair), number(lane / 8, lane % 8, 2 * pair + 1)));
      }
      ptx::warp_sync();
      std::uint32_t r[4];
      if (transposed) {
        ptx::ldmatrix_x4_trans(r, row_at(lane));
      } else {
        ptx::ldmatrix_x4(r, row_at(lane));
      }
      for (int matrix = 0; matrix < 4; ++matrix) {
        const int major = lane / 4;
        const int minor = 2 * (lane % 4);
        const std::uint32_t wanted = transposed ? pack(number(matrix, minor, major), number(matrix, minor + 1, major))
                                                : pack(number(matrix, major, minor), number(matrix, major, minor + 1));
        wrong += r[matrix] != wanted;
      }
    });
    CHECK(outcome.text == "");
    CHECK(wrong == 0);
  }
}

TEST_CASE("ldmatrix checks each row's address and waits for writers", "[emulation]") {
  const auto run = [](std::uint32_t bad_row, bool sync) {
    return run_block_often(32, 512, [=] {
      const auto lane = static_cast<std::uint32_t>(ptx::lane_index());
      ptx::st_shared_u32x4(ptx::shared_base() + 16 * lane, uint4{});
      if (sync) ptx::warp_sync();
      std::uint32_t r[4];
      ptx::ldmatrix_x4(r, ptx::shared_base() + (lane == 9 ? bad_row : 16 * lane));
    }).fault;
  };
  CHECK(run(16, true) == std::nullopt);
  CHECK(run(24, true) == Fault::kAlignment);
  CHECK(run(512, true) == Fault::kBounds);
  CHECK(run(16, false) == Fault::kRace);
}

TEST_CASE("mma multiplies fragments laid out as the PTX ISA says", "[emulation]") {
  int wrong = 0;
  const Outcome outcome = run_block_often(64, 0, [&] {
    const int lane = ptx::lane_index();
    float d[4];
    load_c(d);
    ptx::mma_m16n8k8_f16(d, {pair_a(lane, 0), pair_a(lane, 2)}, pair_b(lane, 0));
    wrong += wrong_elements(d, 8);
    load_c(d);
    ptx::mma_m16n8k16_f16(d, {pair_a(lane, 0), pair_a(lane, 2), pair_a(lane, 4), pair_a(lane, 6)},
                          {pair_b(lane, 0), pair_b(lane, 2)});
    wrong += wrong_elements(d, 16);
  });
  CHECK(outcome.text == "");
  CHECK(wrong == 0);
}

TEST_CASE("mma keeps products exact and handles subnormals, infinities and NaN", "[emulation]") {
  const auto first_element = [](float a, float b) {
    float result = 0;
    run_block(32, 0, [&] {
      float d[4] = {0, 0, 0, 0};
      const bool corner = ptx::lane_index() == 0;  // holds a(0, 0) and b(0, 0)
      ptx::mma_m16n8k8_f16(d, {corner ? half_bits(a) : 0u, 0u}, corner ? half_bits(b) : 0u);
      if (corner) result = d[0];
    });
    return result;
  };
  CHECK(first_element(1.0f + 0x1p-10f, 1.0f + 0x1p-10f) == 1.0f + 0x1p-9f + 0x1p-20f);
  CHECK(first_element(0x1p-24f, 0x1p-24f) == 0x1p-48f);
  CHECK(first_element(65504.0f, 65504.0f) == 65504.0f * 65504.0f);
  CHECK(std::isinf(first_element(INFINITY, 2.0f)));
  CHECK(std::isnan(first_element(INFINITY, 0.0f)));
}

TEST_CASE("a warp-wide matrix instruction needs all its lanes", "[emulation]") {
  const Outcome outcome = run_block_often(64, 0, [] {
    float d[4] = {};
    if (ptx::thread_index() != 35) ptx::mma_m16n8k8_f16(d, {0u, 0u}, 0u);
  });
  CHECK(outcome.fault == Fault::kDeadlock);
  CHECK_THAT(outcome.text, ContainsSubstring("warp 1 from lane 0 in mma_m16n8k8_f16"));
}
