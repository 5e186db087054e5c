#include "tests/emulation/engine/fragments.h"

#include <array>
#include <memory>

#include "tests/emulation/engine/half.h"

namespace fastgemm::emulation {

namespace {

constexpr std::uint32_t kRowBytes = 16;

float float_of(std::uint32_t register_value, int half) {
  static const auto table = [] {
    auto values = std::make_unique<std::array<float, 65536>>();
    for (std::uint32_t bits = 0; bits < values->size(); ++bits) {
      (*values)[bits] = float_from_half(static_cast<std::uint16_t>(bits));
    }
    return values;
  }();
  return (*table)[register_value >> (16 * half) & 0xffffu];
}

}  // namespace

// Each lane counts as the reader of the elements it receives; the lane that named the row answers for its address.
void load_matrices(Lanes<LdmatrixLane> lanes, bool transposed, const char* operation) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    for (int row = 0; row < 8; ++row) {
      const LdmatrixLane& source = *lanes[8 * matrix + row];
      source.thread->block->shared().check_range(*source.thread, source.row, kRowBytes, operation);
    }
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Thread& reader = *lanes[lane]->thread;
    for (int matrix = 0; matrix < 4; ++matrix) {
      std::uint32_t value = 0;
      for (int element = 0; element < 2; ++element) {
        const int major = lane / 4;
        const int minor = 2 * (lane % 4) + element;
        const int row = transposed ? minor : major;
        const int column = transposed ? major : minor;
        const std::uint32_t address = lanes[8 * matrix + row]->row + 2u * static_cast<std::uint32_t>(column);
        const auto half = reader.block->shared().load<std::uint16_t>(reader, address, operation);
        value |= static_cast<std::uint32_t>(half) << (16 * element);
      }
      (*lanes[lane]->r)[matrix] = value;
    }
  }
}

// The lane that names a row is its writer.
void store_matrices(Lanes<StmatrixLane> lanes, bool transposed, const char* operation) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Thread& writer = *lanes[lane]->thread;
    std::array<std::uint16_t, 8> row;
    for (int column = 0; column < 8; ++column) {
      const int major = transposed ? column : lane % 8;
      const int minor = transposed ? lane % 8 : column;
      const std::uint32_t pair = (*lanes[4 * major + minor / 2]->r)[lane / 8];
      row[static_cast<std::size_t>(column)] = static_cast<std::uint16_t>(pair >> (16 * (minor % 2)));
    }
    writer.block->shared().store(writer, lanes[lane]->row, row, operation);
  }
}

template <int kK>
void multiply(Lanes<MmaLane> lanes) {
  float a[16][kK];
  float b[kK][8];
  float d[16][8];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int group = lane / 4;
    const int pair = 2 * (lane % 4);
    for (int half = 0; half < 2; ++half) {
      for (int block = 0; block < kK / 8; ++block) {
        a[group][8 * block + pair + half] = float_of(lanes[lane]->a[2 * block], half);
        a[group + 8][8 * block + pair + half] = float_of(lanes[lane]->a[2 * block + 1], half);
        b[8 * block + pair + half][group] = float_of(lanes[lane]->b[block], half);
      }
      d[group][pair + half] = lanes[lane]->d[half];
      d[group + 8][pair + half] = lanes[lane]->d[2 + half];
    }
  }
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < kK; ++k) {
      for (int column = 0; column < 8; ++column) d[row][column] += a[row][k] * b[k][column];
    }
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int group = lane / 4;
    const int pair = 2 * (lane % 4);
    for (int half = 0; half < 2; ++half) {
      lanes[lane]->d[half] = d[group][pair + half];
      lanes[lane]->d[2 + half] = d[group + 8][pair + half];
    }
  }
}

template void multiply<8>(Lanes<MmaLane> lanes);
template void multiply<16>(Lanes<MmaLane> lanes);

}  // namespace fastgemm::emulation
