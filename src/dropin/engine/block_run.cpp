// The round in which every chunk moves on.
#include "src/dropin/engine/block_run.h"

#include <string>
#include <utility>

#include "src/dropin/engine/failure.h"

namespace fastgemm::dropin {

namespace {

float* at(float* data, std::int64_t ld, const Rect& rect) { return data + rect.row + rect.column * ld; }

// Rectangles with the same gap on both sides are one run of memory; the gap travels along.
CopyRect joined(const CopyRect& rect) {
  if (rect.columns <= 1 || rect.to_ld != rect.from_ld) return rect;
  CopyRect run = rect;
  run.rows = rect.to_ld * (rect.columns - 1) + rect.rows;
  run.columns = 1;
  run.to_ld = run.from_ld = run.rows;
  return run;
}

}  // namespace

BlockRun::BlockRun(GpuRuntime& runtime, Lane& lane, CopyPool& pool, const Block& block, BlockPlan plan)
    : runtime_(runtime), lane_(lane), pool_(pool), block_(block), plan_(std::move(plan)),
      fills_past_cache_(plan_.in.size() <= 2 * lane.in_slots.size()) {}

void BlockRun::run() {
  try {
    while (written_ < plan_.out.size() || launched_ < plan_.products.size() || passed_in_ < plan_.in.size()) {
      moved_ = false;
      advance();
      if (!moved_) spin_pause();
    }
  } catch (...) {
    drain();
    throw;
  }
}

void BlockRun::advance() {
  while (pass_in()) moved_ = true;
  while (fill()) moved_ = true;
  while (issue_in()) moved_ = true;
  while (issue_out()) moved_ = true;
  while (land()) moved_ = true;
  while (collect()) moved_ = true;
}

bool BlockRun::passed(cudaEvent_t event) {
  const cudaError_t error = runtime_.query(event);
  if (error == cudaErrorNotReady) return false;
  check(error, "a product of the drop-in on the device");
  return true;
}

const BlockMatrix& BlockRun::matrix(Matrix which) const {
  if (which == Matrix::kA) return block_.a;
  return which == Matrix::kB ? block_.b : block_.c;
}

Route BlockRun::route_in(const Chunk& chunk) const {
  if (chunk.matrix == Matrix::kA) return block_.shape.a;
  return chunk.matrix == Matrix::kB ? block_.shape.b : block_.shape.c_in;
}

// Columns that reach over the whole height of a matrix keep the device's gap in the buffer, so that they travel as one
// run: the copy engine is slow on short columns.
std::int64_t BlockRun::buffer_ld(const Chunk& chunk) const {
  const BlockMatrix& m = matrix(chunk.matrix);
  return chunk.rect.rows == m.rows ? m.device_ld : chunk.rect.rows;
}

CopyRect BlockRun::to_buffer(const Chunk& chunk, Slot& slot) const {
  const BlockMatrix& m = matrix(chunk.matrix);
  return {slot.buffer, buffer_ld(chunk), at(m.host, m.host_ld, chunk.rect), m.host_ld, chunk.rect.rows,
          chunk.rect.columns, fills_past_cache_};
}

CopyRect BlockRun::to_device(const Chunk& chunk, Slot& slot) const {
  const BlockMatrix& m = matrix(chunk.matrix);
  CopyRect rect = {at(m.device, m.device_ld, chunk.rect), m.device_ld, slot.buffer, buffer_ld(chunk), chunk.rect.rows,
                   chunk.rect.columns};
  if (route_in(chunk) == Route::kRing) return joined(rect);
  rect.from = at(m.host, m.host_ld, chunk.rect);
  rect.from_ld = m.host_ld;
  return rect;
}

CopyRect BlockRun::to_host_buffer(const Chunk& chunk, Slot& slot) const {
  const BlockMatrix& m = block_.c;
  CopyRect rect = {slot.buffer, buffer_ld(chunk), at(m.device, m.device_ld, chunk.rect), m.device_ld, chunk.rect.rows,
                   chunk.rect.columns};
  if (block_.shape.c_out == Route::kRing) return joined(rect);
  rect.to = at(m.host, m.host_ld, chunk.rect);
  rect.to_ld = m.host_ld;
  return rect;
}

CopyRect BlockRun::to_result(const Chunk& chunk, Slot& slot) const {
  const BlockMatrix& m = block_.c;
  return {at(m.host, m.host_ld, chunk.rect), m.host_ld, slot.buffer, buffer_ld(chunk), chunk.rect.rows,
          chunk.rect.columns, true};
}

bool BlockRun::pass_in() {
  if (passed_in_ == issued_in_ || !passed(in_slot(passed_in_).event)) return false;
  ++passed_in_;
  return true;
}

bool BlockRun::fill() {
  if (filling_ == plan_.in.size() || filling_ - passed_in_ == lane_.in_slots.size()) return false;
  const Chunk& chunk = plan_.in[filling_];
  Slot& slot = in_slot(filling_);
  const bool ring = route_in(chunk) == Route::kRing;
  slot.ready = !ring;
  ++filling_;
  if (ring) pool_.submit(to_buffer(chunk, slot), &slot.ready);
  return true;
}

bool BlockRun::issue_in() {
  if (launch_products()) return true;
  if (issued_in_ == filling_) return false;
  const Chunk& chunk = plan_.in[issued_in_];
  Slot& slot = in_slot(issued_in_);
  if (!slot.ready.load(std::memory_order_acquire)) return false;
  check(runtime_.copy_in(to_device(chunk, slot), lane_.in), "copying to the device");
  check(runtime_.record(slot.event, lane_.in), "cudaEventRecord");
  elements_in_ += chunk.rect.rows * chunk.rect.columns;
  ++issued_in_;
  return true;
}

// The next step's product, if all that it waits for has been issued.
bool BlockRun::launch_products() {
  if (launched_ == plan_.products.size()) return false;
  const bool all_issued = issued_in_ == plan_.in.size() || plan_.in[issued_in_].step > static_cast<int>(launched_);
  if (!all_issued) return false;
  if (!plan_.products[launched_].empty()) launch(launched_);
  ++launched_;
  return true;
}

void BlockRun::launch(std::size_t step) {
  const Rect& rect = plan_.products[step];
  const BlockMatrix &a = block_.a, &b = block_.b, &c = block_.c;
  const DeviceGemm gemm = {
      .transa = block_.shape.transa ? 'T' : 'N', .transb = block_.shape.transb ? 'T' : 'N',
      .m = rect.rows, .n = rect.columns, .k = block_.shape.k,
      .alpha = block_.alpha,
      .a = a.device + (block_.shape.transa ? rect.row * a.device_ld : rect.row), .lda = a.device_ld,
      .b = b.device + (block_.shape.transb ? rect.column : rect.column * b.device_ld), .ldb = b.device_ld,
      .beta = block_.beta,
      .c = c.device + rect.row + rect.column * c.device_ld, .ldc = c.device_ld};
  const cudaStream_t stream = lane_.compute[step % lane_.compute.size()];
  check(runtime_.record(lane_.arrived, lane_.in), "cudaEventRecord");
  check(runtime_.wait(stream, lane_.arrived), "cudaStreamWaitEvent");
  std::string error;
  const cudaError_t launched = runtime_.multiply(gemm, stream, &error);
  if (launched != cudaSuccess) throw GpuFailure(error);
  check(runtime_.record(lane_.computed(runtime_, step), stream), "cudaEventRecord");
}

bool BlockRun::issue_out() {
  if (issued_out_ == plan_.out.size() || issued_out_ - written_ == lane_.out_slots.size()) return false;
  const Chunk& chunk = plan_.out[issued_out_];
  if (chunk.step >= static_cast<int>(launched_)) return false;
  Slot& slot = out_slot(issued_out_);
  if (out_waits_for_ != chunk.step) {
    check(runtime_.wait(lane_.out, lane_.computed(runtime_, static_cast<std::size_t>(chunk.step))),
          "cudaStreamWaitEvent");
    out_waits_for_ = chunk.step;
  }
  if (block_.shape.c_out != Route::kStay) {
    check(runtime_.copy_out(to_host_buffer(chunk, slot), lane_.out), "copying from the device");
    elements_out_ += chunk.rect.rows * chunk.rect.columns;
  }
  check(runtime_.record(slot.event, lane_.out), "cudaEventRecord");
  ++issued_out_;
  return true;
}

bool BlockRun::land() {
  if (landed_ == issued_out_ || !passed(out_slot(landed_).event)) return false;
  const Chunk& chunk = plan_.out[landed_];
  Slot& slot = out_slot(landed_);
  const bool ring = block_.shape.c_out == Route::kRing;
  slot.ready = !ring;
  ++landed_;
  if (ring) pool_.submit(to_result(chunk, slot), &slot.ready);
  return true;
}

bool BlockRun::collect() {
  if (written_ == landed_ || !out_slot(written_).ready.load(std::memory_order_acquire)) return false;
  ++written_;
  return true;
}

// What has landed is right and is still written; nothing else is. Then both sides let go of the memory.
void BlockRun::drain() {
  for (std::size_t chunk = issued_in_; chunk < filling_; ++chunk) {
    while (!in_slot(chunk).ready.load(std::memory_order_acquire)) spin_pause();
  }
  while (written_ < landed_) {
    if (!collect()) spin_pause();
  }
  runtime_.synchronize();  // an error here is the one that is being reported, or a later one of a device given up
}

void BlockRun::append_unwritten(std::vector<Rect>* rects) const {
  if (written_ == 0) {
    rects->push_back({0, 0, block_.shape.m, block_.shape.n});
    return;
  }
  for (std::size_t chunk = written_; chunk < plan_.out.size(); ++chunk) rects->push_back(plan_.out[chunk].rect);
}

}  // namespace fastgemm::dropin
