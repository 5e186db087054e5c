#include "src/cli/verify_plan.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace fastgemm::cli {
namespace {

struct ScalarPair {
  float alpha;
  float beta;
};

// All exact in FP16 and with the integer data; (0, 0) and a zero in either place must not read what it multiplies.
constexpr ScalarPair kScalars[] = {{1, 0}, {1, 1}, {-1, 0.5f}, {2, -1}, {0, 0.5f}, {0.5f, 0}, {1, -0.0f}, {0, 0}};
constexpr char kOps[] = {'N', 'T', 'C'};
constexpr std::int64_t kOffsets[] = {0, 1, 2, 4, 7, 3};

// ld of a matrix with `rows` rows, as an amount over rows: tight; odd; a multiple of 8 with room between.
std::int64_t padding(int level, std::int64_t rows) {
  if (level == 0) return 0;
  if (level == 1) return rows % 2 == 0 ? 1 : 2;
  return (rows + 7) / 8 * 8 + 8 - rows;
}

std::int64_t stored_rows_a(const Case& c) { return std::max<std::int64_t>(c.trans_a == 'N' ? c.m : c.k, 1); }
std::int64_t stored_rows_b(const Case& c) { return std::max<std::int64_t>(c.trans_b == 'N' ? c.k : c.n, 1); }

void set_padding(Case* c, int level) {
  c->pad_a = padding(level, stored_rows_a(*c));
  c->pad_b = padding(level, stored_rows_b(*c));
  c->pad_c = padding(level, std::max<std::int64_t>(c->m, 1));
  c->pad_d = padding((level + 1) % 3, std::max<std::int64_t>(c->m, 1));
}

void set_offsets(Case* c, int a, int b, int cd) {
  c->offset_a = kOffsets[a % std::ssize(kOffsets)];
  c->offset_b = kOffsets[b % std::ssize(kOffsets)];
  c->offset_c = kOffsets[cd % std::ssize(kOffsets)];
  c->offset_d = c->offset_c;
}

// What takes turns from case to case, with periods that have no common factor with the loops around.
void set_turn(Case* c, std::uint64_t turn) {
  const ScalarPair& scalars = kScalars[turn % std::size(kScalars)];
  c->alpha = scalars.alpha;
  c->beta = scalars.beta;
  c->device_scalars = turn % 5 == 1 || turn % 5 == 3;
  c->unread = turn % 7 < 4 ? Content::kNan : Content::kInfinity;
  c->null_unread = turn % 11 == 5 && !c->device_scalars;
  c->seed = turn + 1;
}

Case base_case(const KernelInfo& kernel) {
  Case c;
  c.kernel = kernel.name;
  c.type_ab = kernel.type;
  c.type_cd = kernel.type;
  c.math = kernel.math;
  return c;
}

std::vector<Case> lengthened(std::vector<Case> cases, const KernelInfo& kernel) {
  for (Case& c : cases) c.k += c.k > 0 ? kernel.least_k : 0;
  return cases;
}

struct Size {
  std::int64_t m, n, k;
};

std::vector<Size> quick_sizes(const TileShape& t, int stages) {
  const std::int64_t deep = static_cast<std::int64_t>(stages + 1) * t.k + 3;
  return {{1, 1, 1},           {1, t.n + 1, t.k},         {t.m + 1, 1, t.k + 1},
          {3, 5, 67},          {t.m - 1, t.n - 1, t.k - 1}, {t.m, t.n, t.k},
          {t.m, t.n, 4 * t.k}, {t.m + 1, t.n + 1, t.k + 1}, {2 * t.m + 3, t.n - 1, deep},
          {17, 3 * t.n + 5, deep}, {t.m, t.n, 0}};
}

std::vector<Case> quick_shapes(const KernelInfo& kernel) {
  std::vector<Case> cases;
  std::uint64_t turn = 0;
  for (const Size& size : quick_sizes(kernel.tile, kernel.stages)) {
    for (int ops = 0; ops < 9; ++ops) {
      for (int level = 0; level < 3; ++level, ++turn) {
        Case c = base_case(kernel);
        c.trans_a = kOps[ops / 3];
        c.trans_b = kOps[ops % 3];
        c.m = size.m;
        c.n = size.n;
        c.k = size.k;
        set_turn(&c, turn);
        set_padding(&c, level);
        // Every fourth case is aligned all through, so that the fast path is met with every ld level.
        const int t = static_cast<int>(turn);
        if (t % 4 != 0) set_offsets(&c, t, t / 2, t / 3);
        cases.push_back(c);
      }
    }
  }
  return cases;
}

std::vector<Case> thorough_shapes(const KernelInfo& kernel) {
  const TileShape& t = kernel.tile;
  const std::int64_t deep = static_cast<std::int64_t>(kernel.stages + 1) * t.k + 3;
  const std::int64_t ms[] = {1, t.m - 1, t.m, t.m + 1, 2 * t.m + 3};
  const std::int64_t ns[] = {1, t.n - 1, t.n, t.n + 1, 2 * t.n + 3};
  const std::int64_t ks[] = {0, 1, t.k - 1, t.k, t.k + 1, deep};
  std::vector<Case> cases;
  std::uint64_t turn = 0;
  for (int ops = 0; ops < 9; ++ops) {
    for (const std::int64_t m : ms) {
      for (const std::int64_t n : ns) {
        for (const std::int64_t k : ks) {
          for (int level = 0; level < 3; ++level) {
            for (int offset = 0; offset < 3; ++offset, ++turn) {
              Case c = base_case(kernel);
              c.trans_a = kOps[ops / 3];
              c.trans_b = kOps[ops % 3];
              c.m = m;
              c.n = n;
              c.k = k;
              set_turn(&c, turn / 3 + turn);
              set_padding(&c, level);
              if (offset == 1) set_offsets(&c, 3, 3, 3);
              if (offset == 2) set_offsets(&c, static_cast<int>(turn), static_cast<int>(turn / 9 + 1), 4);
              cases.push_back(c);
            }
          }
        }
      }
    }
  }
  return cases;
}

// Batches: dense, with gaps, shared factors, backwards, through pointers, in 32- and 64-bit forms.
void add_batches(const KernelInfo& kernel, std::vector<Case>* cases) {
  constexpr CallEntry kEntries[] = {CallEntry::kStrided, CallEntry::kStrided64, CallEntry::kPointer,
                                    CallEntry::kPointer64, CallEntry::kEx};
  std::uint64_t turn = 0;
  for (const CallEntry entry : kEntries) {
    for (int ops = 0; ops < 4; ++ops) {
      for (int variant = 0; variant < 5; ++variant, ++turn) {
        Case c = base_case(kernel);
        c.entry = entry;
        c.trans_a = kOps[ops / 2];
        c.trans_b = kOps[ops % 2];
        c.m = variant == 0 ? 5 : kernel.tile.m + 1;
        c.n = variant == 1 ? 3 : kernel.tile.n - 1;
        c.k = kernel.tile.k + variant;
        c.batch = variant == 0 ? 11 : 3;
        set_turn(&c, turn);
        set_padding(&c, variant % 3);
        set_offsets(&c, variant, variant + 1, variant);
        c.gap = variant == 2 ? 5 : 0;
        c.broadcast_a = variant == 3;
        c.broadcast_b = variant == 1;
        c.negative_strides = variant == 4;
        cases->push_back(c);
      }
    }
  }
}

// The 64-bit plain form and the descriptor form with everything that only it has.
void add_descriptors(const KernelInfo& kernel, std::vector<Case>* cases) {
  constexpr fg_activation_t kActivations[] = {FG_ACTIVATION_NONE, FG_ACTIVATION_RELU, FG_ACTIVATION_GELU};
  std::uint64_t turn = 0;
  for (int ops = 0; ops < 4; ++ops) {
    for (int variant = 0; variant < 16; ++variant, ++turn) {
      Case c = base_case(kernel);
      c.entry = variant == 0 ? CallEntry::kGemm64 : CallEntry::kEx;
      c.trans_a = kOps[ops / 2];
      c.trans_b = kOps[ops % 2];
      c.m = kernel.tile.m + (variant % 3) - 1;
      c.n = kernel.tile.n + (variant / 3 % 3) - 1;
      c.k = variant % 5 == 4 ? 0 : 2 * kernel.tile.k + variant;
      c.batch = variant == 15 ? 3 : 1;
      set_turn(&c, turn);
      set_padding(&c, variant % 3);
      if (variant % 2 == 1) set_offsets(&c, variant, variant, variant + 1);
      if (c.entry == CallEntry::kEx) {
        c.bias = variant % 2 == 1;
        c.separate_d = variant % 4 >= 2;
        c.activation = kActivations[variant % 3];
        if (kernel.type == DataType::kFloat16 && variant % 8 >= 4) c.type_cd = DataType::kFloat32;
      }
      cases->push_back(c);
    }
  }
}

constexpr int kManyParts = 30;  // more than are summed by one block

// k in parts: few, many, and so many that their sums are summed in groups, or the most that the kernel takes; a part of
// one k step, and a k tail.
void add_splits(const KernelInfo& kernel, std::vector<Case>* cases) {
  std::uint64_t turn = 0;
  for (const int parts : {2, 3, 7, std::min(kernel.max_parts, kManyParts)}) {
    if (parts < 2 || parts > kernel.max_parts) continue;
    for (int ops = 0; ops < 4; ++ops) {
      for (int variant = 0; variant < 4; ++variant, ++turn) {
        Case c = base_case(kernel);
        c.kernel.append("/").append(std::to_string(parts));
        c.entry = variant % 2 == 0 ? CallEntry::kEx : CallEntry::kStrided;
        c.trans_a = kOps[ops / 2];
        c.trans_b = kOps[ops % 2];
        c.m = kernel.tile.m + (variant == 0 ? 0 : variant * 5 - 9);
        c.n = kernel.tile.n + (variant == 1 ? 1 : -variant);
        c.k = parts * kernel.tile.k + (variant == 3 ? 3 * kernel.tile.k - 5 : variant);
        c.batch = variant == 1 ? 3 : 1;
        set_turn(&c, turn);
        set_padding(&c, variant % 3);
        if (variant == 3) set_offsets(&c, ops, ops + 1, ops + 2);
        c.bias = c.entry == CallEntry::kEx && variant == 2;
        cases->push_back(c);
      }
    }
  }
}

// Uniform below a bound.
struct Random {
  std::mt19937_64* engine;
  std::int64_t operator()(std::uint64_t bound) const { return static_cast<std::int64_t>((*engine)() % bound); }
};

// Drawn below a bound that is itself drawn, so that small and lopsided problems are common.
std::int64_t random_size(const Random& below) {
  constexpr std::uint64_t kBounds[] = {4, 20, 70, 140, 300, 300, 600};
  return below(kBounds[below(std::size(kBounds))]);
}

void set_random_batch(Case* c, const Random& below) {
  c->batch = below(3) == 0 ? 1 + below(40) : 1 + below(4);
  if (c->batch > 5) {
    c->m = 1 + c->m % 70;
    c->n = 1 + c->n % 70;
  }
  c->gap = below(4) == 0 ? below(9) : 0;
  c->broadcast_a = below(6) == 0;
  c->broadcast_b = below(6) == 0;
  c->negative_strides = below(6) == 0;
}

}  // namespace

bool parse_kernel_name(const std::string& name, KernelInfo* info) {
  info->name = name;
  bool has_tile = false;
  std::istringstream parts(name);
  std::string part;
  while (std::getline(parts, part, '_')) {
    int end = 0;
    TileShape tile;
    if (part == "tensor") {
      info->math = FG_MATH_FP32_TENSOR;
      info->least_k = 256;
    }
    if (part == "f16") info->type = DataType::kFloat16;
    if (part == "f32") info->type = DataType::kFloat32;
    if (std::sscanf(part.c_str(), "%dx%dx%d%n", &tile.m, &tile.n, &tile.k, &end) == 3 &&
        end == static_cast<int>(part.size())) {
      info->tile = tile;
      has_tile = true;
    }
    int stages = 0;
    if (std::sscanf(part.c_str(), "s%d%n", &stages, &end) == 1 && end == static_cast<int>(part.size())) {
      info->stages = stages;
    }
  }
  return has_tile;
}

std::vector<KernelInfo> list_kernels(fg_handle_t handle) {
  std::vector<KernelInfo> kernels;
  for (int i = 0; fg_kernel_name(i) != nullptr; ++i) {
    KernelInfo info;
    if (!parse_kernel_name(fg_kernel_name(i), &info)) info.tile = {64, 64, 32};
    int available = 0;
    if (handle != nullptr && fg_get_kernel_available(handle, info.name.c_str(), &available) == FG_STATUS_SUCCESS) {
      info.available = available != 0;
      for (int parts = kManyParts; info.available && parts > 1 && info.max_parts == 1; --parts) {
        const std::string in_parts = info.name + "/" + std::to_string(parts);
        if (fg_set_kernel(handle, in_parts.c_str()) == FG_STATUS_SUCCESS) info.max_parts = parts;
      }
    }
    kernels.push_back(info);
  }
  if (handle != nullptr) fg_set_kernel(handle, nullptr);
  return kernels;
}

std::vector<KernelInfo> fallback_rows() {
  return {{"cublas", DataType::kFloat32, {128, 128, 16}, 2, true},
          {"cublas", DataType::kFloat16, {128, 128, 32}, 2, true}};
}

std::vector<Case> shape_cases(const KernelInfo& kernel, PlanSize size) {
  return lengthened(size == PlanSize::kQuick ? quick_shapes(kernel) : thorough_shapes(kernel), kernel);
}

std::vector<Case> entry_cases(const KernelInfo& kernel) {
  std::vector<Case> cases;
  add_batches(kernel, &cases);
  add_descriptors(kernel, &cases);
  add_splits(kernel, &cases);
  return lengthened(std::move(cases), kernel);
}

std::vector<Case> kernel_cases(const KernelInfo& kernel, PlanSize size) {
  std::vector<Case> cases = shape_cases(kernel, size);
  for (Case& c : entry_cases(kernel)) cases.push_back(std::move(c));
  return cases;
}

Case random_case(std::mt19937_64* random, const std::vector<KernelInfo>& kernels) {
  const Random below{random};
  Case c;
  c.entry = static_cast<CallEntry>(below(7));
  c.type_ab = c.type_cd = below(2) == 0 ? DataType::kFloat32 : DataType::kFloat16;
  std::vector<const KernelInfo*> fitting;
  for (const KernelInfo& kernel : kernels) {
    if (kernel.available && kernel.type == c.type_ab) fitting.push_back(&kernel);
  }
  std::int64_t least_k = 0;
  if (!fitting.empty() && below(2) == 0) {
    const KernelInfo& kernel = *fitting[static_cast<std::size_t>(below(fitting.size()))];
    c.kernel = kernel.name;
    c.math = kernel.math;
    least_k = kernel.least_k;
  }
  if (c.kernel.empty() && c.type_ab == DataType::kFloat32 && below(6) == 0) c.math = FG_MATH_FP32_SEQUENTIAL;
  if (c.kernel.empty() && c.type_ab == DataType::kFloat32 && below(6) == 0) c.math = FG_MATH_FP32_TENSOR;
  c.trans_a = kOps[below(3)];
  c.trans_b = kOps[below(3)];
  c.m = 1 + random_size(below);
  c.n = 1 + random_size(below);
  c.k = random_size(below) + least_k;
  set_turn(&c, (*random)());
  set_padding(&c, static_cast<int>(below(3)));
  if (below(3) != 0) {
    const int turn = static_cast<int>(below(1000));
    set_offsets(&c, turn, turn / 6, turn / 36);
  }
  if (is_strided(c) || is_pointer_batched(c)) set_random_batch(&c, below);
  if (c.entry == CallEntry::kEx) {
    c.separate_d = below(2) == 0;
    c.bias = below(2) == 0;
    c.activation = static_cast<fg_activation_t>(below(3));
    if (c.type_ab == DataType::kFloat16 && below(3) == 0) c.type_cd = DataType::kFloat32;
  }
  if (c.type_cd == DataType::kFloat16 && c.activation == FG_ACTIVATION_NONE && below(4) == 0) c.range = 8;
  return c;
}

}  // namespace fastgemm::cli
