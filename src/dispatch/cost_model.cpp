// The formula of cost_model.h, term by term.
#include "src/dispatch/cost_model.h"

#include <algorithm>
#include <cmath>

#include "kernels/alignment.h"
#include "src/dispatch/select.h"

namespace fastgemm {

namespace {

constexpr double kLaunchUs = 2.5;             // from the launch to the first instruction, device idle
constexpr double kFillUs = 0.7;               // first loads of a tile: one trip to device memory
constexpr double kStoreBytesPerClock = 32.0;  // stores one SM sustains to L2
constexpr double kDefaultClockGhz = 1.0;      // a device that does not tell its clock

// How many tiles of `tile` cover `extent`, as a double: products of such counts pass 2^63.
double tiles_over(std::int64_t extent, int tile) {
  const std::int64_t size = std::max(tile, 1);
  return static_cast<double>(extent / size + (extent % size != 0 ? 1 : 0));
}

bool meets_alignment(const GemmProblem& problem, const KernelEntry& entry) {
  if (problem.k == 0) return true;
  return operand_alignment(problem.a, problem.type_ab, problem.batch_count) >= entry.fast_alignment &&
         operand_alignment(problem.b, problem.type_ab, problem.batch_count) >= entry.fast_alignment;
}

bool reads_c(const GemmProblem& problem) { return problem.beta.device != nullptr || problem.beta.value != 0.0f; }

// Tiles that the busiest SM works through, weighted by how well its resident ones fill it.
double blocks_on_busiest_sm(double tiles, int sm_count, int blocks_per_sm) {
  const double resident = std::max(blocks_per_sm, 1);
  const double on_sm = std::ceil(tiles / std::max(sm_count, 1));
  const double full = std::floor(on_sm / resident) * resident;
  return full + std::sqrt((on_sm - full) * resident);
}

// A chained row hands accumulators from SM to SM only where tiles do not come out even.
bool hands_on_tiles(const KernelEntry& entry, double tiles, int sm_count) {
  const double sms = std::max(sm_count, 1);
  return entry.chained && tiles > sms && std::fmod(tiles, sms) != 0.0;
}

double tile_count(const GemmProblem& problem, const KernelEntry& entry) {
  return tiles_over(problem.m, entry.tile.m) * tiles_over(problem.n, entry.tile.n) *
         static_cast<double>(problem.batch_count);
}

// The row's measured rate. A row that has none yet gets a guess: what the pipe could do, less the share that a tile
// with few operations a loaded element (tile m * n / (m + n)) waits for loads.
double flops_per_clock(const KernelEntry& entry) {
  if (entry.flops_per_clock_sm > 0.0) return entry.flops_per_clock_sm;
  const bool is_f32 = entry.type_ab == DataType::kFloat32;
  const double peak = is_f32 ? 256.0 : 2048.0;
  const double half_rate_intensity = is_f32 ? 16.0 : 32.0;
  const double tile_m = std::max(entry.tile.m, 1);
  const double tile_n = std::max(entry.tile.n, 1);
  const double intensity = tile_m * tile_n / (tile_m + tile_n);
  return peak * intensity / (intensity + half_rate_intensity);
}

// Microseconds an SM needs for one tile, while it runs at its measured rate.
double block_us(const GemmProblem& problem, const KernelEntry& entry, double clock_ghz, bool aligned) {
  const double rate = flops_per_clock(entry) * (aligned ? 1.0 : entry.unaligned_factor);
  const double tile_area = static_cast<double>(entry.tile.m) * entry.tile.n;
  const double steps = tiles_over(problem.k, entry.tile.k);
  const double product_clocks = steps * 2.0 * tile_area * entry.tile.k / rate;
  const double size_cd = static_cast<double>(element_size(problem.type_cd));
  const double store_bytes = tile_area * size_cd * (reads_c(problem) ? 2.0 : 1.0);
  return (product_clocks + store_bytes / kStoreBytesPerClock) / (clock_ghz * 1e3);
}

}  // namespace

double minimal_bytes(const GemmProblem& problem) {
  const double m = static_cast<double>(problem.m);
  const double n = static_cast<double>(problem.n);
  const double k = static_cast<double>(problem.k);
  const double size_ab = static_cast<double>(element_size(problem.type_ab));
  const double size_cd = static_cast<double>(element_size(problem.type_cd));
  const auto copies = [&](const Operand& operand) {  // a broadcast operand is read once
    const bool broadcast = operand.pointers == nullptr && operand.batch_stride == 0;
    return broadcast ? 1.0 : static_cast<double>(problem.batch_count);
  };
  const double batch = static_cast<double>(problem.batch_count);
  double bytes = size_ab * (m * k * copies(problem.a) + k * n * copies(problem.b));
  bytes += size_cd * m * n * batch * (reads_c(problem) ? 2.0 : 1.0);
  if (problem.bias != nullptr) bytes += size_cd * m * (problem.bias_stride == 0 ? 1.0 : batch);
  return bytes;
}

std::size_t kernel_workspace_bytes(const GemmProblem& problem, const KernelEntry& entry, int sm_count) {
  if (!hands_on_tiles(entry, tile_count(problem, entry), sm_count)) return 0;
  return static_cast<std::size_t>(std::max(sm_count, 1)) * static_cast<std::size_t>(entry.tile.m) *
         static_cast<std::size_t>(entry.tile.n) * sizeof(float);
}

CostEstimate estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count,
                      std::size_t workspace_bytes) {
  CostEstimate cost;
  const double clock_ghz = device.clock_ghz > 0.0 ? device.clock_ghz : kDefaultClockGhz;
  cost.aligned = meets_alignment(problem, entry);
  cost.tiles = tile_count(problem, entry);
  const double resident = std::max(entry.blocks_per_sm, 1);
  cost.waves = cost.tiles / (std::max(sm_count, 1) * resident);
  double blocks = blocks_on_busiest_sm(cost.tiles, sm_count, entry.blocks_per_sm);
  double fills = std::ceil(cost.waves);
  if (entry.chained) {
    const bool hands_on = hands_on_tiles(entry, cost.tiles, sm_count) &&
                          workspace_bytes >= kernel_workspace_bytes(problem, entry, sm_count);
    if (hands_on) blocks = cost.tiles / std::max(sm_count, 1);
    fills = hands_on ? 2.0 : 1.0;
  }
  cost.launch_us = kLaunchUs;
  cost.compute_us = blocks * block_us(problem, entry, clock_ghz, cost.aligned) + fills * kFillUs;
  // GB/s are 1e3 bytes a microsecond.
  if (device.memory_gbps > 0.0) cost.memory_us = minimal_bytes(problem) / (device.memory_gbps * 1e3);
  cost.total_us = cost.launch_us + std::max(cost.compute_us, cost.memory_us);
  return cost;
}

double predict_us(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count) {
  return estimate(problem, entry, device, sm_count).total_us;
}

}  // namespace fastgemm
