// Blocks that talk through words in device memory.
#include "kernels/ptx/global.cuh"
#include "kernels/ptx/inter_block.cuh"
#include "kernels/ptx/shared.cuh"
#include "tests/emulation/engine/device_array.h"
#include "tests/emulation/selftest/run.h"
#include "tests/support/catch.h"

using namespace fastgemm;
using namespace fastgemm::emulation;

namespace {

constexpr int kBlocks = 6;
constexpr int kThreads = 64;

// A counter and a flag a block, zeroed; and a row of numbers a block.
struct Memory {
  DeviceArray<std::uint32_t> words{1 + kBlocks, Access::kReadWrite, "words"};
  DeviceArray<float> rows{kBlocks * kThreads, Access::kReadWrite, "rows"};
  void clear() {
    for (std::size_t at = 0; at < words.size(); ++at) words[at] = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) rows[at] = 0;
  }
};

struct Chain {
  bool barrier_before_release = true;
  bool barrier_after_acquire = true;
  bool waits = true;
  bool waits_for_higher = false;
};

// Blocks take tickets; each adds 1 to the row of the block before and hands it on.
void run_chain(Memory& memory, const Chain& chain) {
  std::uint32_t* words = memory.words.data();
  const int thread = ptx::thread_index();
  if (thread == 0) ptx::st_shared_u32(ptx::shared_base(), ptx::atomic_add_gpu_u32(words, 1));
  ptx::barrier_sync();
  const auto ticket = static_cast<int>(ptx::ld_shared_u32(ptx::shared_base()));
  float value = 0;
  const int source = chain.waits_for_higher ? ticket + 1 : ticket - 1;
  if (source >= 0 && source < kBlocks) {
    if (thread == 0 && chain.waits) {
      while (ptx::ld_acquire_gpu_u32(words + 1 + source) == 0) {
      }
    }
    if (chain.barrier_after_acquire) ptx::barrier_sync();
    value = ptx::ld_global_f32(memory.rows.data() + source * kThreads + (kThreads - 1 - thread));
  }
  ptx::st_global_f32(memory.rows.data() + ticket * kThreads + thread, value + 1);
  ptx::fence_gpu();
  if (chain.barrier_before_release) ptx::barrier_sync();
  if (thread == 0) ptx::st_release_gpu_u32(words + 1 + ticket, 1);
}

Outcome run(Memory& memory, std::uint64_t seed, const Chain& chain) {
  memory.clear();
  const ScopedOptions scope(Options::from_seed(seed));
  try {
    run_grid(nullptr, {kBlocks, kThreads, 64}, [&] { run_chain(memory, chain); });
  } catch (const Violation& violation) {
    return {violation.fault, violation.what()};
  }
  return {};
}

}  // namespace

TEST_CASE("a chain of blocks hands on what each wrote, however many are resident", "[emulation]") {
  Memory memory;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CHECK(run(memory, seed, {}).text == "");
    for (int block = 0; block < kBlocks; ++block) {
      CHECK(memory.rows[static_cast<std::size_t>(block * kThreads + 17)] == static_cast<float>(block + 1));
    }
  }
}

TEST_CASE("a chain with a link missing stops under every seed", "[emulation]") {
  Memory memory;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    CHECK(run(memory, seed, {.barrier_before_release = false}).fault == Fault::kRace);
    CHECK(run(memory, seed, {.barrier_after_acquire = false}).fault == Fault::kRace);
    CHECK(run(memory, seed, {.waits = false}).fault == Fault::kRace);
  }
}

TEST_CASE("waiting for a later ticket deadlocks where it is not resident", "[emulation]") {
  Memory memory;
  Options options;
  options.resident_blocks = 2;
  const ScopedOptions scope(options);
  memory.clear();
  const auto body = [&] { run_chain(memory, {.waits_for_higher = true}); };
  CHECK_THROWS_WITH(run_grid(nullptr, {kBlocks, kThreads, 64}, body), ContainsSubstring("ld_acquire_gpu_u32"));
  options.resident_blocks = kBlocks;
  const ScopedOptions all_resident(options);
  memory.clear();
  CHECK(run_grid(nullptr, {kBlocks, kThreads, 64}, body) == cudaSuccess);
}

TEST_CASE("an addition gives each block another number", "[emulation]") {
  Memory memory;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    memory.clear();
    std::uint32_t seen = 0;
    const ScopedOptions scope(Options::from_seed(seed));
    REQUIRE(run_grid(nullptr, {kBlocks, 32, 0}, [&] {
              if (ptx::lane_index() == 0) seen |= 1u << ptx::atomic_add_gpu_u32(memory.words.data(), 1);
            }) == cudaSuccess);
    CHECK(seen == (1u << kBlocks) - 1);
    CHECK(memory.words[0] == kBlocks);
  }
}

TEST_CASE("plain accesses to a word that blocks share are races", "[emulation]") {
  Memory memory;
  const auto fault = [&](auto first, auto second) {
    memory.clear();
    return run_block_often(64, 0, [&] {
             if (ptx::thread_index() == 0) first(memory.words.data());
             if (ptx::thread_index() == 40) second(memory.words.data());
           }).fault;
  };
  const auto release = [](std::uint32_t* word) { ptx::st_release_gpu_u32(word, 1); };
  const auto acquire = [](std::uint32_t* word) { ptx::ld_acquire_gpu_u32(word); };
  const auto store = [](std::uint32_t* word) { ptx::st_global_f32(reinterpret_cast<float*>(word), 1); };
  CHECK(fault(release, acquire) == std::nullopt);
  CHECK(fault(release, release) == std::nullopt);
  CHECK(fault(release, store) == Fault::kRace);
}

TEST_CASE("threads of a block may exchange device memory across a barrier", "[emulation]") {
  Memory memory;
  const auto fault = [&](bool barrier) {
    return run_block_often(64, 0, [&, barrier] {
             ptx::st_global_f32(memory.rows.data() + ptx::thread_index(), 1);
             if (barrier) ptx::barrier_sync();
             ptx::ld_global_f32(memory.rows.data() + (ptx::thread_index() + 32) % 64);
           }).fault;
  };
  CHECK(fault(true) == std::nullopt);
  CHECK(fault(false) == Fault::kRace);
}
