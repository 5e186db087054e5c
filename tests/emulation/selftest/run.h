// Kernels written as lambdas, for the tests of the emulation itself.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/emulation/engine/grid.h"
#include "tests/emulation/engine/options.h"
#include "tests/emulation/engine/violation.h"

namespace fastgemm::emulation {

struct Outcome {
  std::optional<Fault> fault;
  std::string text;
};

// Runs one block of `threads`.
inline Outcome run_block(int threads, std::int64_t shared_bytes, const std::function<void()>& body) {
  try {
    if (run_grid(nullptr, {1, threads, shared_bytes}, body) != cudaSuccess) return {Fault::kLaunch, "refused"};
  } catch (const Violation& violation) {
    return {violation.fault, violation.what()};
  }
  return {};
}

// Runs it under many seeds; what they all came to, or a text that says that they differ.
inline Outcome run_block_often(int threads, std::int64_t shared_bytes, const std::function<void()>& body) {
  Outcome first;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const ScopedOptions scope(Options::from_seed(seed));
    Outcome outcome = run_block(threads, shared_bytes, body);
    if (seed == 1) first = outcome;
    if (outcome.fault != first.fault) return {Fault::kLaunch, "seeds differ: " + first.text + " / " + outcome.text};
  }
  return first;
}

}  // namespace fastgemm::emulation
