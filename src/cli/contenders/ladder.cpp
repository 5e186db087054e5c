#include "src/cli/contenders/ladder.h"

#include <span>
#include <sstream>

#include "kernels/hgemm_mma/ladder.h"

namespace fastgemm::cli {
namespace {

// FASTGEMM_HAS_HGEMM_LADDER: this build's architectures include one that the ladder is compiled for.
std::span<const LadderRung> rungs() {
#ifdef FASTGEMM_HAS_HGEMM_LADDER
  return hgemm_ladder();
#else
  return {};
#endif
}

class LadderContender final : public Contender {
 public:
  LadderContender(const LadderRung& rung, const Gpu& gpu, Workspace workspace)
      : rung_(rung), device_(gpu.device), workspace_(workspace) {}

  std::string name() const override { return "rung " + std::to_string(rung_.number); }
  bool ours() const override { return true; }
  std::string detail() const override { return rung_.title; }

  std::string prepare(const Operands& operands, const QuickTimes&) override {
    operands_ = operands;
    const KernelEntry& entry = rung_.entry;
    if (device_.compute_capability < entry.min_compute_capability ||
        device_.compute_capability > entry.max_compute_capability) {
      return "not for this GPU";
    }
    const cudaError_t error = entry.prepare();
    if (error != cudaSuccess) {
      cudaGetLastError();  // no failure of the run: this build has no code for the GPU
      return cudaGetErrorString(error);
    }
    return entry.supports(problem()) ? "" : "does not take this product";
  }

  std::string launch() override {
    LaunchContext context;
    context.device = &device_;
    context.stream = operands_.stream;
    context.workspace = workspace_.data;
    context.workspace_bytes = workspace_.bytes;
    context.sm_count = device_.sm_count;
    const cudaError_t error = rung_.entry.launch(problem(), context);
    return error == cudaSuccess ? "" : cudaGetErrorString(error);
  }

 private:
  GemmProblem problem() const {
    const Shape& s = operands_.shape;
    GemmProblem problem;
    problem.type_ab = problem.type_cd = s.type;
    problem.op_a = s.op_a;
    problem.op_b = s.op_b;
    problem.m = s.m;
    problem.n = s.n;
    problem.k = s.k;
    problem.alpha.value = s.alpha;
    problem.beta.value = s.beta;
    problem.a = {operands_.a, nullptr, s.lda, 0};
    problem.b = {operands_.b, nullptr, s.ldb, 0};
    problem.c = {operands_.c, nullptr, s.ldc, 0};
    problem.d = {operands_.c, nullptr, s.ldc, 0};
    return problem;
  }

  const LadderRung& rung_;
  DeviceInfo device_;
  Workspace workspace_;
  Operands operands_;
};

}  // namespace

std::vector<std::unique_ptr<Contender>> make_ladder(const Gpu& gpu, Workspace workspace) {
  std::vector<std::unique_ptr<Contender>> contenders;
  for (const LadderRung& rung : rungs()) {
    contenders.push_back(std::make_unique<LadderContender>(rung, gpu, workspace));
  }
  return contenders;
}

std::string ladder_table() {
  if (rungs().empty()) return "This build has no kernels, so no ladder either.\n";
  std::ostringstream out;
  out << "| rung | technique | tile | stages | threads | shared memory, bytes |\n|---:|---|---|---:|---:|---:|\n";
  for (const LadderRung& rung : rungs()) {
    const KernelEntry& entry = rung.entry;
    out << "| " << rung.number << " | " << rung.title << " | " << entry.tile.m << "x" << entry.tile.n << "x"
        << entry.tile.k << " | " << entry.stages << " | " << entry.threads << " | " << entry.shared_bytes << " |\n";
  }
  return out.str();
}

}  // namespace fastgemm::cli
