// Device memory, blocks, and the way of one product.
#include "src/dropin/engine/device.h"

#include <algorithm>
#include <exception>

#include "src/dropin/engine/failure.h"

namespace fastgemm::dropin {

namespace {

constexpr std::int64_t kArenaStep = std::int64_t{4} << 20;  // elements: products of about one size share an allocation

void note_error(ShareResult* result, const std::exception& failure) noexcept {
  try {
    result->error = failure.what();
  } catch (const std::exception&) {
    result->error.clear();  // the failure counts, its text does not
  }
}

void note_failure(ShareResult* result, const std::exception& failure) noexcept {
  result->failed = true;
  note_error(result, failure);
}

// The part of `whole` that computes `rect` of C, its operands from `arena` on.
Block cut_out(const Block& whole, const Rect& rect, const BlockShape& largest, float* arena) {
  Block block = whole;
  BlockShape& shape = block.shape;
  shape.m = rect.rows;
  shape.n = rect.columns;
  const auto shift = [](BlockMatrix* matrix, Route route, const Rect& to, std::int64_t rows) {
    matrix->host += to.row + to.column * matrix->host_ld;
    if (route == Route::kStay) matrix->device += to.row + to.column * matrix->device_ld;
    matrix->rows = rows;
  };
  shift(&block.a, shape.a, shape.transa ? Rect{0, rect.row} : Rect{rect.row, 0}, shape.transa ? shape.k : shape.m);
  shift(&block.b, shape.b, shape.transb ? Rect{rect.column, 0} : Rect{0, rect.column},
        shape.transb ? shape.n : shape.k);
  shift(&block.c, shape.c_out, rect, shape.m);
  const auto lay = [&arena](BlockMatrix* matrix, Route route, std::int64_t room) {
    if (route == Route::kStay) return;
    matrix->device = arena;
    matrix->device_ld = device_ld(matrix->rows);
    arena += room;
  };
  BlockShape only_a = largest, only_b = largest;
  only_a.b = only_a.c_out = only_b.a = only_b.c_out = Route::kStay;
  lay(&block.a, shape.a, device_elements(only_a));
  lay(&block.b, shape.b, device_elements(only_b));
  lay(&block.c, shape.c_out, 0);
  return block;
}

}  // namespace

void Device::open() {
  check(runtime_.enter_device(ordinal_), "cudaSetDevice");
  lane_.open(runtime_, options_.lane);
  std::string error;
  const cudaError_t opened = runtime_.open_products(workspace_bytes(), &error);
  if (opened != cudaSuccess) throw GpuFailure(error);
  for (const cudaStream_t stream : lane_.compute) {
    const cudaError_t added = runtime_.add_product_stream(stream, &error);
    if (added != cudaSuccess) throw GpuFailure(error);
  }
}

void Device::multiply(const HostGemm& gemm, ShareResult* result) noexcept {
  bool begun = false;  // from here on run_blocks keeps account of what is written
  try {
    const Block whole = whole_block(gemm, result);
    if (result->lies_on >= 0) return;
    const std::vector<Rect> blocks = reserve_blocks(whole.shape);
    result->unwritten.reserve(blocks.size());
    begun = true;
    run_blocks(whole, blocks, result);
    if (arena_elements_ * static_cast<std::int64_t>(sizeof(float)) > static_cast<std::int64_t>(options_.keep_bytes)) {
      release_arena();
    }
  } catch (const NoRoom& error) {
    result->no_room = true;
    result->unwritten.push_back({0, 0, gemm.m, gemm.n});
    note_error(result, error);
  } catch (const std::exception& error) {
    if (!begun) result->unwritten.push_back({0, 0, gemm.m, gemm.n});
    note_failure(result, error);
  }
}

BlockMatrix Device::place(const float* data, const StoredShape& stored, Route* route, ShareResult* result) {
  BlockMatrix matrix;
  matrix.host = const_cast<float*>(data);
  matrix.host_ld = stored.ld;
  matrix.rows = stored.rows;
  const auto elements = static_cast<std::size_t>((stored.columns - 1) * stored.ld + stored.rows);
  PlaceResult found;
  check(runtime_.locate(data, elements * sizeof(float), &found), "cudaPointerGetAttributes");
  if (found.place == Place::kPageable) return matrix;
  *route = Route::kDirect;
  if (found.place == Place::kPinned) return matrix;
  *route = Route::kStay;
  matrix.device = matrix.host;
  matrix.device_ld = stored.ld;
  if (!found.host_can_read) result->host_can_finish = false;
  if (found.device >= 0 && found.device != ordinal_) result->lies_on = found.device;
  return matrix;
}

Block Device::whole_block(const HostGemm& gemm, ShareResult* result) {
  Block whole;
  BlockShape& shape = whole.shape;
  shape.m = gemm.m;
  shape.n = gemm.n;
  shape.k = gemm.k;
  shape.transa = gemm.transa == 'T';
  shape.transb = gemm.transb == 'T';
  shape.read_c = gemm.beta != 0.0f;
  whole.alpha = gemm.alpha;
  whole.beta = gemm.beta;
  const StoredShape a = {gemm.m, gemm.k, gemm.lda}, a_transposed = {gemm.k, gemm.m, gemm.lda};
  const StoredShape b = {gemm.k, gemm.n, gemm.ldb}, b_transposed = {gemm.n, gemm.k, gemm.ldb};
  whole.a = place(gemm.a, shape.transa ? a_transposed : a, &shape.a, result);
  whole.b = place(gemm.b, shape.transb ? b_transposed : b, &shape.b, result);
  whole.c = place(gemm.c, {gemm.m, gemm.n, gemm.ldc}, &shape.c_in, result);
  // A direct copy that breaks off leaves part of C overwritten, and the host would need what beta multiplies.
  shape.c_out = shape.c_in == Route::kDirect && shape.read_c ? Route::kRing : shape.c_in;
  const bool in_place = shape.a == Route::kStay || shape.b == Route::kStay || shape.c_in == Route::kStay;
  // What the program has enqueued may still be writing there.
  if (in_place) check(runtime_.synchronize(), "cudaDeviceSynchronize");
  return whole;
}

std::size_t Device::workspace_bytes() {
  if (options_.workspace_most <= options_.workspace_bytes) return options_.workspace_bytes;
  std::size_t free_bytes = 0, total_bytes = 0;
  check(runtime_.memory_info(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return std::max(options_.workspace_bytes, std::min(options_.workspace_most, free_bytes / 64));
}

bool Device::host_can_read(const HostGemm& gemm) {
  ShareResult found;
  whole_block(gemm, &found);
  return found.host_can_finish;
}

std::int64_t Device::spare_elements() {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(runtime_.memory_info(&free_bytes, &total_bytes), "cudaMemGetInfo");
  // A thirty-second part is left to the program, to other processes and to fragmentation.
  const std::size_t margin = total_bytes / 32;
  const std::size_t usable = free_bytes > margin ? free_bytes - margin : 0;
  return static_cast<std::int64_t>(usable / sizeof(float)) + arena_elements_;
}

bool Device::allocate_arena(std::int64_t elements) {
  release_arena();
  void* memory = nullptr;
  const cudaError_t error = runtime_.allocate_device(&memory, static_cast<std::size_t>(elements) * sizeof(float));
  if (error == cudaErrorMemoryAllocation) return false;
  check(error, "cudaMalloc");
  arena_ = static_cast<float*>(memory);
  arena_elements_ = elements;
  return true;
}

void Device::release_arena() {
  if (arena_ == nullptr) return;
  float* const arena = arena_;
  arena_ = nullptr;
  arena_elements_ = 0;
  check(runtime_.release_device(arena), "cudaFree");
}

// Room for a block as large as memory allows, and the blocks of that size.
std::vector<Rect> Device::reserve_blocks(const BlockShape& shape) {
  if (device_elements(shape) <= arena_elements_) return {{0, 0, shape.m, shape.n}};
  std::int64_t limit = spare_elements();
  for (;;) {
    std::vector<Rect> blocks = cut_blocks(shape, limit);
    if (blocks.empty()) throw NoRoom();
    BlockShape largest = shape;
    largest.m = blocks.front().rows;
    largest.n = blocks.front().columns;
    const std::int64_t wanted = device_elements(largest);
    if (wanted <= arena_elements_) return blocks;
    const std::int64_t rounded = (wanted + kArenaStep - 1) / kArenaStep * kArenaStep;
    if (allocate_arena(std::min(rounded, std::max(wanted, limit)))) return blocks;
    limit = wanted / 2;
  }
}

void Device::run_blocks(const Block& whole, const std::vector<Rect>& blocks, ShareResult* result) {
  BlockShape largest = whole.shape;
  largest.m = blocks.front().rows;
  largest.n = blocks.front().columns;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    if (result->failed) {
      result->unwritten.push_back(blocks[index]);
      continue;
    }
    Block block = cut_out(whole, blocks[index], largest, arena_);
    const bool a_is_there = index > 0 && blocks[index - 1].row == blocks[index].row;
    if (a_is_there) block.shape.a = Route::kStay;
    try {
      run_block(block, blocks[index], blocks.size() - index, result);
    } catch (const std::exception& error) {
      note_failure(result, error);
      result->unwritten.push_back(blocks[index]);
    }
  }
}

// Throws only where nothing of the block has been written.
void Device::run_block(const Block& block, const Rect& rect, std::size_t blocks_left, ShareResult* result) {
  BlockRun run(runtime_, lane_, pool_, block, plan_block(block.shape, options_.cut));
  result->unwritten.reserve(run.out_chunks() + blocks_left);
  try {
    run.run();
  } catch (const std::exception& error) {
    note_failure(result, error);
    const std::size_t first = result->unwritten.size();
    run.append_unwritten(&result->unwritten);
    for (std::size_t index = first; index < result->unwritten.size(); ++index) {
      result->unwritten[index].row += rect.row;
      result->unwritten[index].column += rect.column;
    }
  }
  result->bytes_in += run.elements_in() * static_cast<std::int64_t>(sizeof(float));
  result->bytes_out += run.elements_out() * static_cast<std::int64_t>(sizeof(float));
}

float* Device::reserve(std::int64_t elements) {
  if (elements > arena_elements_ && !allocate_arena(elements)) {
    throw NoRoom();
  }
  return arena_;
}

void Device::run_plan(const Block& block, BlockPlan plan) {
  BlockRun(runtime_, lane_, pool_, block, std::move(plan)).run();
}

}  // namespace fastgemm::dropin
