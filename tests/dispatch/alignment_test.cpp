// How far an operand's columns are aligned.
#include "kernels/alignment.h"

#include "tests/support/catch.h"

using namespace fastgemm;

static_assert(alignment_of(0) == 16);
static_assert(alignment_of(24) == 8);
static_assert(alignment_of(7) == 1);

TEST_CASE("address, leading dimension and stride all count", "[kernels][alignment]") {
  struct Row {
    std::uint64_t address;
    std::int64_t ld, stride;
    DataType type;
    std::int64_t batch;
    int alignment;
  };
  const DataType f32 = DataType::kFloat32, f16 = DataType::kFloat16;
  const Row rows[] = {
      {0x100, 64, 0, f32, 1, 16},  {0x104, 64, 0, f32, 1, 4},   {0x108, 64, 0, f32, 1, 8},
      {0x100, 63, 0, f32, 1, 4},   {0x100, 62, 0, f32, 1, 8},   {0x100, 64, 0, f16, 1, 16},
      {0x100, 63, 0, f16, 1, 2},   {0x102, 64, 0, f16, 1, 2},   {0x100, 68, 0, f16, 1, 8},
      {0x100, 64, 65, f16, 1, 16}, {0x100, 64, 65, f16, 2, 2},  {0x100, 64, -64, f16, 2, 16},
      {0x100, 64, -2, f32, 2, 8},  {0x1000, std::int64_t{1} << 40, 0, f16, 5, 16},
  };
  for (const Row& row : rows) {
    INFO(row.address << " " << row.ld << " " << row.stride);
    CHECK(operand_alignment(row.address, row.ld, row.stride, row.type, row.batch) == row.alignment);
  }
}

TEST_CASE("pointer arrays promise no more than an element", "[kernels][alignment]") {
  const void* entry = nullptr;
  const Operand operand{.pointers = &entry, .ld = 64};
  CHECK(operand_alignment(operand, DataType::kFloat32, 3) == 4);
  CHECK(operand_alignment(operand, DataType::kFloat16, 3) == 2);
}

TEST_CASE("an operand's own address is taken", "[kernels][alignment]") {
  alignas(16) unsigned char memory[64];
  for (int offset = 0; offset < 16; offset += 2) {
    const Operand operand{.data = memory + offset, .ld = 64};
    const int expected = offset == 0 ? 16 : offset & -offset;
    CHECK(operand_alignment(operand, DataType::kFloat16, 1) == expected);
  }
}
