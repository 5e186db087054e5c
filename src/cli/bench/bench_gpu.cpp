// The bench on a GPU: every contender on every shape, its result judged first, then timed.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

#include "src/cli/bench/bench.h"
#include "src/cli/bench/error_bound.h"
#include "src/cli/bench/fp64_check.h"
#include "src/cli/bench/operand_buffers.h"
#include "src/cli/bench/progress.h"
#include "src/cli/bench/random_data.h"
#include "src/cli/bench/statistics.h"
#include "src/cli/contenders/cublas.h"
#include "src/cli/contenders/empty_kernel.h"
#include "src/cli/contenders/fastgemm.h"
#include "src/cli/contenders/ladder.h"

namespace fastgemm::cli {
namespace {

std::int64_t workspace_bytes(const BenchOptions& options) {
  return std::int64_t{options.workspace_mb > 0 ? options.workspace_mb : kDefaultWorkspaceMb} << 20;
}

using Contenders = std::vector<std::unique_ptr<Contender>>;

struct StreamOwner {
  cudaStream_t stream = nullptr;
  StreamOwner() { require(cudaStreamCreate(&stream), "cudaStreamCreate"); }
  ~StreamOwner() { cudaStreamDestroy(stream); }
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;
};

class GpuBench {
 public:
  GpuBench(const BenchOptions& options, Report& report, MarkdownWriter& writer);
  void run();

 private:
  Workspace workspace() const;
  Workspace own_workspace() const;
  Contenders make_contenders(DataType type);
  void add_all_kernels(DataType type, Contenders& contenders);
  void add_cublas(DataType type, Contenders& contenders);
  Contenders& contenders(DataType type);
  Row measure(const Shape& shape);
  std::vector<bool> prepare(const OperandBuffers& buffers, const Contenders& contenders, Row& row);
  void verify(const OperandBuffers& buffers, const Contenders& contenders, const std::vector<bool>& ready, Row& row);
  void judge(const OperandBuffers& buffers, const Fp64Check& fp64, bool have_reference, Result& result);
  void time(const OperandBuffers& buffers, const Contenders& contenders, const std::vector<bool>& ready, Row& row);
  void show(const Shape& shape, const std::string& what);

  const BenchOptions& options_;
  Report& report_;
  MarkdownWriter& writer_;
  StreamOwner stream_;
  Timer timer_;
  RandomData random_;
  DeviceBuffer workspace_;
  std::shared_ptr<const CublasLibrary> cublas_;
  std::shared_ptr<const CublasLtLibrary> cublas_lt_;
  std::map<DataType, Contenders> contenders_;
  Progress progress_;
  std::string stop_;  // why no further shape can be measured
};

GpuBench::GpuBench(const BenchOptions& options, Report& report, MarkdownWriter& writer)
    : options_(options),
      report_(report),
      writer_(writer),
      timer_(options.timing, stream_.stream),
      random_(options.seed, stream_.stream),
      workspace_(workspace_bytes(options)) {
  std::string reason;
  cublas_ = CublasLibrary::open(&reason);
  if (cublas_ != nullptr) {
    report_.cublas_version = cublas_->version;
    report_.cublas_path = cublas_->path;
    cublas_lt_ = CublasLtLibrary::open(&reason);
  }
  if (cublas_lt_ == nullptr) std::cerr << "fastgemm: without all of cuBLAS: " << reason << "\n";
  report_.protocol.workspace_bytes = workspace_bytes(options);
  report_.protocol.data = random_.description();
}

Workspace GpuBench::workspace() const {
  return {workspace_.data(), static_cast<std::size_t>(workspace_bytes(options_))};
}

// What our handles are given in place of their own.
Workspace GpuBench::own_workspace() const { return options_.workspace_mb > 0 ? workspace() : Workspace{}; }

Contenders& GpuBench::contenders(DataType type) {
  const auto found = contenders_.find(type);
  if (found != contenders_.end()) return found->second;
  return contenders_.emplace(type, make_contenders(type)).first->second;
}

Contenders GpuBench::make_contenders(DataType type) {
  Contenders contenders;
  if (options_.ladder) {
    contenders = make_ladder(*report_.gpu, workspace());
    if (contenders.empty()) throw std::runtime_error("this build has no ladder (FASTGEMM_ARCHITECTURES)");
  } else {
    for (const std::string& kernel : options_.kernels) {
      std::string reason;
      auto ours = make_fastgemm(kernel, options_.math, own_workspace(), &reason);
      if (ours == nullptr) throw std::runtime_error(reason);
      contenders.push_back(std::move(ours));
    }
    if (options_.all_kernels) add_all_kernels(type, contenders);
  }
  add_cublas(type, contenders);
  if (options_.timing.regime == Regime::kHost) contenders.push_back(make_empty_kernel());
  return contenders;
}

void GpuBench::add_all_kernels(DataType type, Contenders& contenders) {
  for (const KernelEntry* entry : kernel_table()) {
    if (entry->type_ab != type) continue;
    for (int splits = 1; splits <= entry->max_splits; splits *= 2) {
      std::string reason;  // why the GPU has no code for it
      auto ours = make_fastgemm(entry->name + ("/" + std::to_string(splits)), options_.math, own_workspace(), &reason);
      if (ours != nullptr) contenders.push_back(std::move(ours));
    }
  }
}

void GpuBench::add_cublas(DataType type, Contenders& contenders) {
  const auto add = [&](const char* what, std::unique_ptr<Contender> made, const std::string& reason) {
    if (made != nullptr) {
      contenders.push_back(std::move(made));
    } else {
      std::cerr << "fastgemm: without " << what << ": " << reason << "\n";
    }
  };
  std::string reason;
  if (cublas_ != nullptr) {
    auto gemm = make_cublas_gemm(cublas_, type, options_.math, workspace(), &reason);
    add("cublas gemm", std::move(gemm), reason);
    auto gemm_ex = make_cublas_gemm_ex(cublas_, options_.math, workspace(), &reason);
    add("cublasGemmEx", std::move(gemm_ex), reason);
  }
  if (cublas_lt_ != nullptr) {
    auto lt = make_cublas_lt(cublas_lt_, options_.math, workspace(), &reason);
    add("cublasLt", std::move(lt), reason);
  }
}

void GpuBench::show(const Shape& shape, const std::string& what) {
  progress_.show("[" + std::to_string(report_.rows.size() + 1) + "/" + std::to_string(options_.shapes.size()) + "] " +
                 describe(shape) + ": " + what);
}

void GpuBench::run() {
  writer_.preamble(report_);
  for (const Shape& shape : options_.shapes) {
    Row row = measure(shape);
    progress_.clear();
    report_.rows.push_back(row);
    if (options_.ladder) {
      writer_.ladder(row);
    } else {
      writer_.row(report_, row);
    }
    if (!stop_.empty()) throw std::runtime_error("stopped at " + describe(shape) + ": " + stop_);
  }
}

Row GpuBench::measure(const Shape& shape) {
  Row row;
  row.shape = shape;
  const Contenders& all = contenders(shape.type);
  for (const auto& contender : all) {
    row.results.push_back({});
    row.results.back().contender = contender->name();
    row.results.back().ours = contender->ours();
  }
  try {
    show(shape, "data");
    const OperandBuffers buffers(shape, random_, stream_.stream);
    const std::vector<bool> ready = prepare(buffers, all, row);
    verify(buffers, all, ready, row);
    time(buffers, all, ready, row);
  } catch (const CudaFailure& failure) {
    const bool too_large = failure.code == cudaErrorMemoryAllocation;
    if (too_large) cudaGetLastError();  // the device works on
    const std::string why =
        too_large ? "out of GPU memory (" + std::to_string(OperandBuffers::bytes(shape) >> 20) + " MiB of operands)"
                  : failure.what();
    for (Result& result : row.results) {
      if (result.measured() && result.ms == 0.0) result.skipped = why;
    }
    if (!too_large) stop_ = why;
  }
  return row;
}

std::vector<bool> GpuBench::prepare(const OperandBuffers& buffers, const Contenders& contenders, Row& row) {
  std::vector<bool> ready;
  const QuickTimes quick = [&](const std::vector<Launch>& launches, int tries) {
    return timer_.quick_times(launches, buffers.restore_for_timing(), tries);
  };
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    show(row.shape, contenders[i]->name() + ", making ready");
    row.results[i].skipped = contenders[i]->prepare(buffers.operands(), quick);
    row.results[i].detail = contenders[i]->detail();
    ready.push_back(row.results[i].measured());
  }
  return ready;
}

void GpuBench::verify(const OperandBuffers& buffers, const Contenders& contenders, const std::vector<bool>& ready,
                      Row& row) {
  show(row.shape, "FP64 reference");
  const Fp64Check fp64(buffers);
  row.checked_part = fp64.part();
  // Bits are compared with the cuBLAS call that sums as we do, in FP32; it goes first.
  const std::string reference = row.shape.type == DataType::kFloat32 ? "cublasSgemm" : "cublasGemmEx";
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    order.insert(contenders[i]->name() == reference ? order.begin() : order.end(), i);
  }
  bool have_reference = false;
  for (const std::size_t i : order) {
    if (!ready[i] || contenders[i]->name() == kEmptyKernelName) continue;
    Result& result = row.results[i];
    show(row.shape, result.contender + ", result");
    std::string error = buffers.restore_c();
    if (error.empty()) error = contenders[i]->launch();
    const cudaError_t finished = cudaStreamSynchronize(stream_.stream);
    if (finished != cudaSuccess) {
      result.wrong = std::string("its launch failed on the GPU: ") + cudaGetErrorString(finished);
      throw CudaFailure(result.contender, finished);
    }
    if (!error.empty()) {
      result.skipped = error;
      if (result.ours) result.wrong = error;
      continue;
    }
    if (result.contender == reference) have_reference = buffers.keep_as_reference().empty();
    judge(buffers, fp64, have_reference, result);
  }
}

void GpuBench::judge(const OperandBuffers& buffers, const Fp64Check& fp64, bool have_reference, Result& result) {
  const Operands& operands = buffers.operands();
  const Shape& s = operands.shape;
  if (have_reference) {
    Difference difference;
    require(compare(operands.c, s.ldc, buffers.reference_c(), s.ldc, s.type, s.m, s.n, &difference, stream_.stream),
            "comparing with cuBLAS");
    result.compared = true;
    result.differing = difference.differing;
    result.max_difference = difference.max_absolute;
    if (result.ours && difference.non_finite != 0) {
      result.wrong =
          std::to_string(difference.non_finite) + " elements are not finite where cuBLAS's are, or the reverse";
    }
  }
  const Difference error = fp64.compare_c();
  result.checked = true;
  result.max_error = error.max_absolute;
  result.error_bound = error_bound(s.type, options_.math, s.k);
  if (!result.ours || !result.wrong.empty()) return;  // cublasHgemm sums in FP16: shown, not judged
  if (error.non_finite != 0) {
    result.wrong = std::to_string(error.non_finite) + " elements are not finite where FP64's are, or the reverse";
  } else if (error_is_relative(s.type, s.k) && !(error.max_absolute <= result.error_bound)) {
    char text[96];
    std::snprintf(text, sizeof text, "error %.2e to FP64 where %.2e is allowed", error.max_absolute,
                  result.error_bound);
    result.wrong = text;
  }
}

void GpuBench::time(const OperandBuffers& buffers, const Contenders& contenders, const std::vector<bool>& ready,
                    Row& row) {
  show(row.shape, "timing");
  std::vector<Launch> launches;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!ready[i] || !row.results[i].measured()) continue;
    index.push_back(i);
    launches.push_back([contender = contenders[i].get()] { return contender->launch(); });
  }
  const Timer::Times times = timer_.measure(launches, buffers.restore_for_timing());
  for (std::size_t j = 0; j < launches.size(); ++j) {
    Result& result = row.results[index[j]];
    result.skipped = times.errors[j];
    const std::vector<double>& ms = times.times[j];
    if (ms.empty()) continue;
    result.ms = median(ms);
    result.ms_min = *std::min_element(ms.begin(), ms.end());
    result.ms_max = *std::max_element(ms.begin(), ms.end());
    result.trials = static_cast<int>(ms.size());
  }
}

}  // namespace

void bench_on_gpu(const BenchOptions& options, Report& report, MarkdownWriter& writer) {
  GpuBench(options, report, writer).run();
}

}  // namespace fastgemm::cli
