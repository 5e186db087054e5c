// The formula of cost_model.h, term by term.
#include "src/dispatch/cost_model.h"

#include <algorithm>
#include <cmath>

#include "kernels/alignment.h"
#include "kernels/splits.h"
#include "src/dispatch/calibration.h"
#include "src/dispatch/filter.h"
#include "src/dispatch/select.h"

namespace fastgemm {

namespace {

constexpr double kLaunchUs = 2.5;             // of a pass before the product
constexpr double kFillUs = 0.7;               // first loads of a tile: one trip to device memory
constexpr double kPassShare = 0.92;           // of the nominal bandwidth that such a pass reaches
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

bool has_odd_stores(const GemmProblem& problem) {
  const Operand d{.data = problem.d.data, .ld = problem.d.ld, .batch_stride = problem.d.batch_stride};
  return operand_alignment(d, problem.type_cd, problem.batch_count) < 16;
}

bool reads_c(const GemmProblem& problem) { return problem.beta.device != nullptr || problem.beta.value != 0.0f; }

// Tiles that the busiest SM works through, weighted by how well its resident ones fill it.
double blocks_on_busiest_sm(double tiles, int sm_count, int blocks_per_sm, double exponent) {
  const double resident = std::max(blocks_per_sm, 1);
  const double on_sm = std::ceil(tiles / std::max(sm_count, 1));
  const double full = std::floor(on_sm / resident) * resident;
  const double rest = on_sm - full;
  return rest > 0.0 ? full + rest / std::pow(rest / resident, exponent) : full;
}

// A chained row hands accumulators from SM to SM only where tiles do not come out even.
bool hands_on_tiles(const KernelEntry& entry, double tiles, int sm_count) {
  const double sms = std::max(sm_count, 1);
  return entry.chained && tiles > sms && std::fmod(tiles, sms) != 0.0;
}

// In how many parts a chained row cuts a tile on average, where `splits` is the most: its shares end anywhere in tiles.
double mean_parts(double tiles, int sm_count, int splits) { return std::min(sm_count / tiles, splits - 1.0); }

WorkspaceNeed own_workspace(const GemmProblem& problem, const KernelEntry& entry) {
  return entry.workspace != nullptr ? entry.workspace(problem) : WorkspaceNeed{};
}

double tile_count(const GemmProblem& problem, const KernelEntry& entry) {
  return tiles_over(problem.m, entry.tile.m) * tiles_over(problem.n, entry.tile.n) *
         static_cast<double>(problem.batch_count);
}

// The measured rate. A row that has none yet gets a guess: what the pipe could do, less the share that a tile
// with few operations a loaded element (tile m * n / (m + n)) waits for loads.
double flops_per_clock(const KernelEntry& entry, const Calibration& figures) {
  if (figures.flops_per_clock_sm > 0.0) return figures.flops_per_clock_sm;
  const bool is_f32 = entry.type_ab == DataType::kFloat32;
  const double peak = is_f32 ? 256.0 : 2048.0;
  const double half_rate_intensity = is_f32 ? 16.0 : 32.0;
  const double tile_m = std::max(entry.tile.m, 1);
  const double tile_n = std::max(entry.tile.n, 1);
  const double intensity = tile_m * tile_n / (tile_m + tile_n);
  return peak * intensity / (intensity + half_rate_intensity);
}

// Microseconds an SM needs for one block's part of a tile, while it runs at its measured rate.
double block_us(const GemmProblem& problem, const KernelEntry& entry, const Calibration& figures, double clock_ghz,
                bool aligned, int splits) {
  const std::size_t ops = 2 * static_cast<std::size_t>(problem.op_a) + static_cast<std::size_t>(problem.op_b);
  const double rate =
      flops_per_clock(entry, figures) * figures.ops_factor[ops] * (aligned ? 1.0 : figures.unaligned_factor);
  const double tile_area = static_cast<double>(entry.tile.m) * entry.tile.n;
  // A chained row works on the steps of k that are there, others on whole tiles of it.
  const double whole_steps = std::ceil(tiles_over(problem.k, entry.tile.k) / splits);
  const double steps = entry.chained ? static_cast<double>(problem.k) / std::max(entry.tile.k, 1) : whole_steps;
  const double product_clocks = steps * 2.0 * tile_area * entry.tile.k / rate;
  const double size_cd = static_cast<double>(element_size(problem.type_cd));
  const double store_bytes = tile_area * (splits > 1 ? sizeof(float) : size_cd * (reads_c(problem) ? 2.0 : 1.0));
  const double store_rate = figures.store_bytes_per_clock * (has_odd_stores(problem) ? figures.odd_store_factor : 1.0);
  return (product_clocks + store_bytes / store_rate) / (clock_ghz * 1e3);
}

// What the last block of a tile does after its part of k, for all tiles that one SM sums.
double sum_us(const GemmProblem& problem, const KernelEntry& entry, const Calibration& figures, double clock_ghz,
              const CostEstimate& cost, int sm_count) {
  const double tile_area = static_cast<double>(entry.tile.m) * entry.tile.n;
  const double size_cd = static_cast<double>(element_size(problem.type_cd));
  const double parts = entry.chained ? mean_parts(cost.tiles, sm_count, cost.splits) + 1.0 : cost.splits;
  const double clocks = tile_area * parts * sizeof(float) / figures.sum_bytes_per_clock +
                        tile_area * size_cd * (reads_c(problem) ? 2.0 : 1.0) / figures.store_bytes_per_clock;
  return figures.sum_us + std::ceil(cost.tiles / std::max(sm_count, 1)) * clocks / (clock_ghz * 1e3);
}

// How a launch works where its own workspace is short: panels of D, each a product of its own after a pass.
struct Panels {
  double count = 1.0;
  double passed = 1.0;  // how often operands are passed over
  double tiles = 0.0;   // of one panel
  double part_of_k = 1.0;  // that one is a product of
};

// A chained row cuts one operand and passes over it once. The others cut D into rows and columns of square panels for
// which the packed rows of A and columns of B fit, and pass over B again for each row of panels.
Panels panels_of(const GemmProblem& problem, const KernelEntry& entry, std::size_t workspace_bytes, double tiles) {
  const double fastest = static_cast<double>(own_workspace(problem, entry).fastest);
  const double workspace = static_cast<double>(std::max(workspace_bytes, std::size_t{1}));
  if (fastest <= workspace) return {.tiles = tiles};
  if (entry.fp32_tensor) {  // all of D in stretches of k, each a pass over it
    const double count = std::ceil(fastest / workspace);
    return {.count = count, .tiles = tiles, .part_of_k = 1.0 / count};
  }
  if (entry.chained || problem.batch_count > 1) {
    const double count = std::ceil(fastest / workspace);
    return {.count = count, .tiles = tiles / count};
  }
  const double m = static_cast<double>(problem.m);
  const double n = static_cast<double>(problem.n);
  const double side = std::max(workspace / (2.0 * fastest / (m + n)), 1.0);
  const double rows = std::ceil(m / side);
  const double columns = std::ceil(n / side);
  const double tiles_of_panel = std::ceil(m / rows / std::max(entry.tile.m, 1)) *
                                std::ceil(n / columns / std::max(entry.tile.n, 1));
  return {.count = rows * columns, .passed = 0.5 * (1.0 + rows), .tiles = tiles_of_panel};
}

double prepass_us(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                  const Panels& panels) {
  const double fastest = static_cast<double>(own_workspace(problem, entry).fastest);
  if (fastest == 0.0) return 0.0;
  const double size_d = static_cast<double>(problem.m) * static_cast<double>(problem.n) * sizeof(float);
  const double again = panels.part_of_k < 1.0 ? 2.0 * (panels.count - 1.0) * size_d : 0.0;  // through D
  const double bytes = 2.0 * fastest * panels.passed + again;
  const double copy_us = device.memory_gbps > 0.0 ? bytes / (kPassShare * device.memory_gbps * 1e3) : 0.0;
  return copy_us + (2.0 * panels.count - 1.0) * kLaunchUs;
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

std::size_t kernel_workspace_bytes(const GemmProblem& problem, const KernelEntry& entry, int sm_count, int splits) {
  std::size_t bytes = own_workspace(problem, entry).fastest + split_workspace_bytes(problem, entry.tile, splits);
  if (hands_on_tiles(entry, tile_count(problem, entry), sm_count)) {
    bytes += static_cast<std::size_t>(std::max(sm_count, 1)) * static_cast<std::size_t>(entry.tile.m) *
             static_cast<std::size_t>(entry.tile.n) * sizeof(float);
  }
  return bytes;
}

const char* split_refusal(const GemmProblem& problem, const KernelEntry& entry, const LaunchResources& resources,
                          int splits) {
  if (splits <= 1) return nullptr;
  if (splits > entry.max_splits) return "does not cut k into so many parts";
  if (needs_sequential(problem)) return "cannot cut k: the math mode asks for one chain in ascending k";
  if (tiles_over(problem.k, entry.tile.k) < splits) return "has fewer steps of k than parts";
  if (entry.chained && (splits < 3 || tile_count(problem, entry) >= resources.sm_count)) {
    return "cuts tiles into parts to be added only where they are fewer than SMs, and into three or more";
  }
  if (tile_count(problem, entry) > resources.flag_count) return "has fewer flags than tiles to sum";
  const std::size_t parts = split_workspace_bytes(problem, entry.tile, splits);
  if (parts + own_workspace(problem, entry).least > resources.workspace_bytes) return "has no workspace for the parts";
  return nullptr;
}

CostEstimate estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                      const LaunchResources& resources, int splits) {
  CostEstimate cost;
  const Calibration figures = calibration_of(entry, device);
  const int sm_count = std::max(resources.sm_count, 1);
  const double clock_ghz = device.clock_ghz > 0.0 ? device.clock_ghz : kDefaultClockGhz;
  cost.splits = splits;
  cost.aligned = meets_alignment(problem, entry);
  cost.tiles = tile_count(problem, entry);
  cost.waves = cost.tiles * splits / (sm_count * std::max(entry.blocks_per_sm, 1));
  const std::size_t parts_bytes = split_workspace_bytes(problem, entry.tile, splits);
  const Panels panels = panels_of(problem, entry, resources.workspace_bytes - parts_bytes, cost.tiles);
  double blocks = panels.count * panels.part_of_k *
                  blocks_on_busiest_sm(panels.tiles * splits, sm_count, entry.blocks_per_sm, figures.few_blocks_exponent);
  double fills = std::ceil(cost.waves);
  if (entry.chained) {
    const bool hands_on = hands_on_tiles(entry, cost.tiles, sm_count) && resources.flag_count > sm_count &&
                          resources.workspace_bytes >= kernel_workspace_bytes(problem, entry, sm_count);
    if (hands_on) blocks = cost.tiles / sm_count;
    if (splits > 1) blocks = 1.0 / mean_parts(cost.tiles, sm_count, splits);
    fills = hands_on || splits > 1 ? 2.0 : 1.0;
    if (splits > 1) cost.waves = std::min(cost.tiles * (splits - 1) / sm_count, 1.0);
  }
  cost.launch_us = figures.start_us;
  cost.prepass_us = prepass_us(problem, entry, device, panels);
  const int cut = entry.chained ? 1 : splits;  // a chained row's blocks count in tiles, whole or not
  cost.compute_us = blocks * block_us(problem, entry, figures, clock_ghz, cost.aligned, cut) + fills * kFillUs;
  if (splits > 1) cost.compute_us += sum_us(problem, entry, figures, clock_ghz, cost, sm_count);
  // GB/s are 1e3 bytes a microsecond.
  if (device.memory_gbps > 0.0) {
    cost.memory_us = minimal_bytes(problem) / (figures.memory_share * device.memory_gbps * 1e3);
  }
  cost.total_us = cost.launch_us + cost.prepass_us + std::max(cost.compute_us, cost.memory_us);
  return cost;
}

CostEstimate best_estimate(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device,
                           const LaunchResources& resources) {
  CostEstimate best = estimate(problem, entry, device, resources);
  // A quarter more each time: a finer choice gains less than the estimate is good for.
  for (int splits = entry.chained ? 3 : 2; splits <= entry.max_splits; splits += (splits + 3) / 4) {
    const int parts = entry.parts != nullptr ? entry.parts(splits) : splits;
    if (split_refusal(problem, entry, resources, parts) != nullptr) break;  // so it is for more parts
    const CostEstimate cost = estimate(problem, entry, device, resources, parts);
    if (cost.total_us < best.total_us) best = cost;
  }
  return best;
}

double predict_us(const GemmProblem& problem, const KernelEntry& entry, const DeviceInfo& device, int sm_count) {
  return best_estimate(problem, entry, device, {.sm_count = sm_count}).total_us;
}

}  // namespace fastgemm
