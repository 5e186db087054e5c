// A valid call is drawn first; then, mostly, a few of its arguments are moved to or over the edge of a rule.
#include <algorithm>
#include <limits>

#include "tests/fuzz/fuzz_call.h"

namespace fastgemm::test {
namespace {

using Int = std::int64_t;

constexpr Int kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr Int kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr Int kInt64Max = std::numeric_limits<Int>::max();
constexpr Int kInt64Min = std::numeric_limits<Int>::min();

constexpr Int kSizes[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4096};
constexpr Int kLargeSizes[] = {65535, 65536, 65537, 100'000'000, kInt32Max - 1, kInt32Max};
constexpr Int kEdges[] = {0, 1, -1, 2, -2, 4, 1 << 20, 65536, kInt32Max - 1, kInt32Max, kInt32Max + 1, kInt32Min,
                          kInt32Min - 1, Int{1} << 32, Int{1} << 33, Int{1} << 53, Int{1} << 60, Int{1} << 61,
                          Int{1} << 62, kInt64Max / 4, kInt64Max / 4 + 1, kInt64Max / 2, kInt64Max - 1, kInt64Max,
                          kInt64Min, kInt64Min + 1};
constexpr Int kBatches[] = {0, 1, 1, 2, 2, 3, 10, 65535, 65536, 65537};
constexpr int kEnums[] = {0, 1, 2, 2, 3, 4, -1, 111, 112, std::numeric_limits<int>::max(),
                          std::numeric_limits<int>::min()};
constexpr std::uint32_t kHalves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x0001, 0x7c00, 0x7e00, 0x3555};
constexpr std::uint32_t kFloats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000,
                                     0x00000001, 0x7f800000, 0x7fc00000, 0x3eaaaaab};
constexpr std::uintptr_t kAddresses[] = {0x10000, 0x20000, 0x30000, 0x40010, 0x50008, 0x60004, 0x7f0000000000};

Int saturated(Int128 value) {
  return static_cast<Int>(std::clamp<Int128>(value, kInt64Min, kInt64Max));
}

class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t number) : random_(seed, number) {}

  FuzzCall draw() {
    draw_form();
    draw_shape();
    draw_memory();
    draw_scalars();
    const std::uint32_t mutations = random_.pick({0u, 0u, 0u, 1u, 1u, 1u, 1u, 2u, 3u, 8u});
    for (std::uint32_t i = 0; i < mutations; ++i) mutate();
    narrow();
    return x_;
  }

 private:
  void draw_form() {
    x_.form = random_.pick({Form::kPlain, Form::kStrided, Form::kStrided, Form::kPointers, Form::kDescriptor,
                            Form::kDescriptor, Form::kDescriptor});
    x_.wide = x_.form == Form::kDescriptor || random_.one_in(2);
    x_.half = random_.one_in(2);
    x_.pointer_mode = random_.one_in(4);
    x_.math_mode = static_cast<int>(random_.below(4));
    x_.type_ab = x_.half ? FG_R_16F : FG_R_32F;
    x_.type_cd = x_.half && !(x_.form == Form::kDescriptor && random_.one_in(3)) ? FG_R_16F : FG_R_32F;
    x_.transa = static_cast<int>(random_.below(3));
    x_.transb = static_cast<int>(random_.below(3));
    if (x_.form != Form::kDescriptor) return;
    x_.activation = static_cast<int>(random_.below(3));
    x_.use_handle_math_mode = random_.pick({0, 1, 1, 7});
    x_.own_math_mode = x_.use_handle_math_mode == 0 ? static_cast<int>(random_.below(4)) : random_.pick(kEnums);
  }

  Int size() { return random_.one_in(12) ? random_.pick(kLargeSizes) : random_.pick(kSizes); }

  Int least_ld(Int rows) { return std::max<Int>(1, rows); }
  Int rows_a() const { return x_.transa == FG_OP_N ? x_.m : x_.k; }
  Int rows_b() const { return x_.transb == FG_OP_N ? x_.k : x_.n; }

  // A matrix's first to last element, for a stride at its edge.
  Int extent(Int ld) const { return saturated(Int128{ld} * (Int128{x_.n} - 1) + x_.m); }

  Int padded(Int least) { return saturated(static_cast<Int128>(least) + random_.pick({0, 0, 0, 1, 2, 8, 1000})); }

  void draw_shape() {
    x_.m = size();
    x_.n = size();
    x_.k = size();
    if (x_.batched()) x_.batch_count = random_.pick(kBatches);
    x_.lda = padded(least_ld(rows_a()));
    x_.ldb = padded(least_ld(rows_b()));
    x_.ldc = padded(least_ld(x_.m));
    x_.ldd = random_.one_in(2) ? x_.ldc : padded(least_ld(x_.m));
    x_.stride_a = random_.pick({Int{0}, Int{1}, Int{-1000}, Int{4096}, Int{1} << 33});
    x_.stride_b = random_.pick({Int{0}, Int{-1}, Int{1000}, Int{-4096}, -(Int{1} << 33)});
    const Int sign = random_.one_in(3) ? -1 : 1;
    x_.stride_c = sign * extent(x_.ldc);
    x_.stride_d = random_.one_in(2) ? x_.stride_c : sign * extent(x_.ldd);
    x_.stride_bias = random_.pick({Int{0}, Int{0}, x_.m, Int{-7}});
  }

  void draw_memory() {
    x_.a = random_.pick(kAddresses);
    x_.b = random_.pick(kAddresses);
    x_.c = random_.pick(kAddresses);
    if (x_.form == Form::kPointers) {  // arrays of pointers
      for (std::uintptr_t* address : {&x_.a, &x_.b, &x_.c}) *address &= ~std::uintptr_t{7};
    }
    if (x_.form != Form::kDescriptor) return;
    x_.d = random_.pick({std::uintptr_t{0}, x_.c, random_.pick(kAddresses)});
    if (x_.d == 0) x_.ldd = random_.pick({Int{0}, x_.ldc});
    if (x_.d == x_.c && !random_.one_in(8)) x_.ldd = x_.ldc, x_.stride_d = x_.stride_c;
    x_.bias = random_.one_in(2) ? 0 : random_.pick(kAddresses);
  }

  void draw_scalars() {
    const bool halves = x_.half && x_.form != Form::kDescriptor;
    x_.alpha_bits = halves ? random_.pick(kHalves) : random_.pick(kFloats);
    x_.beta_bits = halves ? random_.pick(kHalves) : random_.pick(kFloats);
    x_.device_alpha = random_.pick(kAddresses);
    x_.device_beta = random_.pick(kAddresses);
  }

  std::uintptr_t bad_address(std::uintptr_t address) {
    return random_.pick({std::uintptr_t{0}, std::uintptr_t{0}, address + 1, address + 2, address + 4, address + 8});
  }

  Int bad_ld(Int least) {
    return random_.one_in(3) ? random_.pick(kEdges) : saturated(Int128{least} + random_.pick({-1, 0, 1}));
  }

  // A stride of the output about its least size, either sign.
  Int bad_output_stride(Int ld) {
    const Int near = saturated(static_cast<Int128>(extent(ld)) + random_.pick({-1, 0, 1}));
    return random_.one_in(3) ? random_.pick(kEdges) : random_.one_in(2) ? near : saturated(-Int128{near});
  }

  void mutate() {
    if (x_.form == Form::kDescriptor && random_.one_in(4)) return mutate_descriptor();
    switch (random_.below(18)) {
      case 0: x_.null_handle = random_.one_in(4); break;
      case 1: x_.transa = random_.pick(kEnums); break;
      case 2: x_.transb = random_.pick(kEnums); break;
      case 3: x_.m = random_.pick(kEdges); break;
      case 4: x_.n = random_.pick(kEdges); break;
      case 5: x_.k = random_.pick(kEdges); break;
      case 6: x_.null_alpha = true; break;
      case 7: x_.device_alpha = bad_address(x_.device_alpha); break;
      case 8: x_.a = bad_address(x_.a); break;
      case 9: x_.lda = bad_ld(least_ld(rows_a())); break;
      case 10: x_.stride_a = random_.pick(kEdges); break;
      case 11: x_.b = bad_address(x_.b); break;
      case 12: x_.ldb = bad_ld(least_ld(rows_b())); break;
      case 13: x_.stride_b = random_.pick(kEdges); break;
      case 14: x_.null_beta = true; x_.device_beta = bad_address(x_.device_beta); break;
      case 15: x_.c = bad_address(x_.c); break;
      case 16: random_.one_in(2) ? x_.ldc = bad_ld(least_ld(x_.m)) : x_.stride_c = bad_output_stride(x_.ldc); break;
      case 17: x_.batch_count = random_.pick(kEdges); break;
    }
  }

  void mutate_descriptor() {
    switch (random_.below(12)) {
      case 0: x_.null_descriptor = true; break;
      case 1: x_.struct_size = random_.pick({std::size_t{0}, sizeof(fg_gemm_desc) - 1, sizeof(fg_gemm_desc) + 8}); break;
      case 2: x_.type_ab = random_.pick(kEnums); break;
      case 3: x_.type_cd = random_.pick(kEnums); break;
      case 4: x_.use_handle_math_mode = 0; x_.own_math_mode = random_.pick(kEnums); break;
      case 5: x_.d = bad_address(x_.d); break;
      case 6: x_.ldd = bad_ld(least_ld(x_.m)); break;
      case 7: x_.stride_d = bad_output_stride(x_.ldd); break;
      case 8: x_.activation = random_.pick(kEnums); break;
      case 9: x_.bias = bad_address(x_.bias); break;
      case 10: x_.stride_bias = random_.pick(kEdges); break;
      case 11: x_.d = x_.c; break;
    }
  }

  // What the parameters of the entry point can hold, and what its signature does not have.
  void narrow() {
    if (!x_.batched()) x_.batch_count = 1;
    if (x_.form == Form::kPlain || x_.form == Form::kPointers) x_.stride_a = x_.stride_b = x_.stride_c = 0;
    if (x_.form != Form::kDescriptor) x_.d = 0, x_.ldd = 0, x_.stride_d = 0, x_.bias = 0, x_.stride_bias = 0;
    if (x_.wide) return;
    for (Int* value : {&x_.m, &x_.n, &x_.k, &x_.lda, &x_.ldb, &x_.ldc, &x_.batch_count}) {
      *value = static_cast<std::int32_t>(*value);
    }
  }

  CounterRandom random_;
  FuzzCall x_;
};

}  // namespace

FuzzCall draw_call(std::uint64_t seed, std::uint64_t number) { return Drawing(seed, number).draw(); }

}  // namespace fastgemm::test
