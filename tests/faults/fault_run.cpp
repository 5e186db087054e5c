// The rules, for a call that fails once within an fg_ call:
// - that call answers the status and text that tell of it, keeps nothing it had taken, and does its work when repeated;
// - or the failure does not matter: then the call has the same effect as without it;
// - or fg_create makes a handle that lacks a kernel or cuBLAS, and what needs them says why.
// Always: no pending CUDA error, the program's device and capture mode as before, all memory given back at the end.
#include "tests/faults/fault_run.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/exec/fake_cublas.h"
#include "tests/faults/documented_errors.h"
#include "tests/faults/fake_cuda.h"

namespace fastgemm::test {
namespace {

constexpr unsigned kSecondsUntilHang = 60;

FakeCublas* cublas = nullptr;

std::string text_of(const Effect& x) {
  return "status " + std::to_string(x.status) + ", " + std::to_string(x.launches) + " launches, " +
         std::to_string(x.products) + " cuBLAS products, " + std::to_string(x.allocations) + " allocations, " +
         std::to_string(x.cublas_handles) + " cuBLAS handles, " + std::to_string(x.kernels) + " kernels, cuBLAS " +
         std::to_string(x.cublas);
}

class Run {
 public:
  Run(const Scenario& scenario, const Fault& fault, const RunReport* undisturbed, RunReport* report)
      : scenario_(scenario), fault_(fault), undisturbed_(undisturbed), report_(*report) {}
  void execute();

 private:
  Effect observe(const Step& step, bool armed);
  void check_environment(bool fault_here);
  void check_undisturbed_step(std::size_t index, const Effect& effect);
  void check_disturbed_step(std::size_t index, const Effect& before, const Effect& effect);
  void check_tolerated(std::size_t index, const Effect& effect);
  void check_refused(std::size_t index, const Effect& before, const Effect& effect);
  void check_degraded(const Effect& right, const Effect& effect);
  void check_end(long blocks_before);
  bool text_is_right() const { return text_tells(fg_last_error(), function(), fault_.error); }
  std::string_view function() const { return call_counter().log[fault_.call].function; }
  void fail(const std::string& what);

  const Scenario& scenario_;
  const Fault fault_;
  const RunReport* undisturbed_;
  RunReport& report_;
  Session session_;
  const char* step_ = "";
  bool fault_seen_ = false;
  bool degraded_ = false;           // the handle lacks something, and said why
  bool ended_in_doubt_ = false;     // fg_destroy could not tell whether the context still stood
  std::string last_error_;
};

void Run::fail(const std::string& what) {
  if (report_.failure[0] != '\0') return;
  std::string text = "step \"" + std::string(step_) + "\": " + what;
  if (!last_error_.empty()) text += " (fg_last_error: \"" + last_error_ + "\")";
  std::strncpy(report_.failure, text.c_str(), sizeof report_.failure - 1);
}

Effect Run::observe(const Step& step, bool armed) {
  FakeCuda& cuda = fake_cuda();
  const int launches = cuda.launches, products = cublas->products;
  step_ = step.name;
  call_counter().armed = armed;
  const fg_status_t status = step.run(session_);
  call_counter().armed = false;
  last_error_ = fg_last_error();
  Effect effect = {.status = status, .launches = cuda.launches - launches, .products = cublas->products - products,
                   .allocations = cuda.allocations(), .cublas_handles = cublas->handles};
  if (std::string_view(step.name) == "destroy") session_.handle = nullptr;
  if (session_.handle == nullptr) return effect;
  for (int i = 0; fg_kernel_name(i) != nullptr; ++i) {
    int available = 0;
    fg_get_kernel_available(session_.handle, fg_kernel_name(i), &available);
    effect.kernels += available;
  }
  fg_get_kernel_available(session_.handle, "cublas", &effect.cublas);
  return effect;
}

void Run::check_environment(bool fault_here) {
  FakeCuda& cuda = fake_cuda();
  if (cuda.faults != 0) fail("CUDA was called wrongly");
  if (cuda.streams != 0) fail("a stream leaks");
  if (cuda.pending != cudaSuccess) fail(std::string(error_name(cuda.pending)) + " was left for cudaGetLastError");
  // Where the call that failed was the one that would have put things back, nobody can.
  const bool mode_is_lost = fault_here && function() == "cudaThreadExchangeStreamCaptureMode" &&
                            cuda.mode_at_failure != cudaStreamCaptureModeGlobal;
  if (cuda.mode != cudaStreamCaptureModeGlobal && !mode_is_lost) fail("the thread's capture mode has changed");
  cuda.mode = cudaStreamCaptureModeGlobal;
}

// A status that is not SUCCESS, for a fault of this step.
void Run::check_refused(std::size_t index, const Effect& before, const Effect& effect) {
  const Step& step = scenario_.steps[index];
  const bool asks_for_device = function() == "cudaGetDeviceCount" || function() == "cudaGetDevice";
  const bool creating = step.run == scenario_.steps[0].run;
  const bool right = effect.status == status_owed(function(), fault_.error) ||
                     (creating && asks_for_device && effect.status == FG_STATUS_NOT_INITIALIZED) ||
                     (creating && effect.status == FG_STATUS_NOT_SUPPORTED);  // FASTGEMM_KERNEL=cublas, and none
  if (!right) {
    fail("answered " + std::string(fg_status_name(static_cast<fg_status_t>(effect.status))) + " instead of " +
         fg_status_name(status_owed(function(), fault_.error)));
  }
  if (!text_tells(last_error_, function(), fault_.error)) fail("the text does not tell of the error");
  if (effect.allocations != before.allocations || effect.cublas_handles != before.cublas_handles) {
    fail("a failed call keeps something: " + text_of(effect));
  }
  if (creating && session_.handle != nullptr) fail("a failed fg_create left a handle");
  if (step.run == scenario_.steps.back().run && !creating) return;  // the handle is gone
  const Effect again = observe(step, false);
  check_environment(false);
  if (again != undisturbed_->effects[index]) fail("repeated, it has another effect: " + text_of(again));
}

// SUCCESS with less than an undisturbed fg_create gives.
void Run::check_degraded(const Effect& right, const Effect& effect) {
  degraded_ = true;
  if (effect.cublas < right.cublas) {
    const fg_status_t status = fg_set_kernel(session_.handle, "cublas");
    last_error_ = fg_last_error();
    if (status != FG_STATUS_NOT_SUPPORTED || !text_is_right()) fail("the handle does not say why it has no cuBLAS");
  }
  const fg_status_t owed = status_owed(function(), fault_.error);
  const bool lacks_code = owed == FG_STATUS_ARCH_MISMATCH || fault_.error == cudaErrorInvalidValue;
  const bool lacks_function = function() == "cudaGetDriverEntryPointByVersion";  // as with an old driver
  if (effect.kernels < right.kernels && !lacks_function && !(function() == "cudaFuncSetAttribute" && lacks_code)) {
    fail("a kernel was given up for an error that does not say that its code is missing");
  }
  if (effect.launches != right.launches || effect.products != right.products) fail("other effect: " + text_of(effect));
}

// The expected status in spite of a fault of this step.
void Run::check_tolerated(std::size_t index, const Effect& effect) {
  const Effect& right = undisturbed_->effects[index];
  if (effect == right) return;
  const std::string_view name = scenario_.steps[index].name;
  if (name == "create" && effect.status == FG_STATUS_SUCCESS) return check_degraded(right, effect);
  const bool asks_for_context = function() == "cudaGetDevice" || function() == "cudaSetDevice" ||
                                function() == "cudaGetDriverEntryPointByVersion" || function() == "cuCtxGetId";
  if ((name == "destroy" || right.status != FG_STATUS_SUCCESS) && asks_for_context) {
    ended_in_doubt_ = true;  // memory of a context that may be gone is left alone
    return;
  }
  fail("silent: undisturbed it is " + text_of(right) + ", now " + text_of(effect));
}

void Run::check_disturbed_step(std::size_t index, const Effect& before, const Effect& effect) {
  if (effect.status == undisturbed_->effects[index].status) return check_tolerated(index, effect);
  check_refused(index, before, effect);
}

void Run::check_undisturbed_step(std::size_t index, const Effect& effect) {
  if (undisturbed_ == nullptr) {
    if (effect.status != scenario_.steps[index].right) fail("undisturbed it answers " + text_of(effect));
    return;
  }
  if (effect == undisturbed_->effects[index]) return;
  if (degraded_ && effect.status == FG_STATUS_SUCCESS) return;
  // A handle without cuBLAS, or cuBLAS without the epilogue pass.
  if (fault_seen_ && effect.status == FG_STATUS_NOT_SUPPORTED && text_is_right()) return;
  fail("after the fault: undisturbed it is " + text_of(undisturbed_->effects[index]) + ", now " + text_of(effect));
}

void Run::check_end(long blocks_before) {
  report_.host_blocks = live_host_blocks() - blocks_before;
  if (fake_cuda().allocations() != 0 && !ended_in_doubt_) fail("device memory leaks");
  if (cublas->handles != 0 && !ended_in_doubt_) fail("a cuBLAS handle leaks");
  if (undisturbed_ != nullptr && report_.host_blocks > undisturbed_->host_blocks) fail("host memory leaks");
}

void Run::execute() {
  const long blocks_before = live_host_blocks();
  call_counter().fail_at = fault_.call;
  call_counter().error = fault_.error;
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    const int device = i == 0 ? 0 : scenario_.program_device;
    fake_cuda().device = device;
    Effect before;
    before.allocations = fake_cuda().allocations();
    before.cublas_handles = cublas->handles;
    const Effect effect = observe(scenario_.steps[i], i >= scenario_.first_armed);
    const bool fault_here = call_counter().failed && !fault_seen_;
    fault_seen_ = call_counter().failed;
    report_.effects[i] = effect;
    const bool device_is_lost = fault_here && fake_cuda().device_at_failure != device;
    if (fake_cuda().device != device && !device_is_lost) fail("the current device has changed");
    fake_cuda().device = device;
    check_environment(fault_here);
    if (fault_here) {
      check_disturbed_step(i, before, effect);
    } else {
      check_undisturbed_step(i, effect);
    }
  }
  std::string().swap(last_error_);  // an assignment would keep its memory
  if (fault_.call >= 0 && !fault_seen_) fail("the call that was to fail was not made");
  check_end(blocks_before);
  report_.calls = call_counter().calls;
  std::memcpy(report_.log, call_counter().log, sizeof report_.log);
  report_.finished = true;
}

cublasStatus_t intercept(const char* function) { return static_cast<cublasStatus_t>(count_call(function, nullptr)); }

[[noreturn]] void child(const Scenario& scenario, const Fault& fault, const RunReport* undisturbed, RunReport* report) {
  alarm(kSecondsUntilHang);
  for (const char* name : {"FASTGEMM_KERNEL", "FASTGEMM_MATH", "FASTGEMM_LOG", "FASTGEMM_WORKSPACE_MB"}) unsetenv(name);
  for (const Variable& variable : scenario.environment) setenv(variable.name, variable.value, 1);
  setenv("FASTGEMM_CUBLAS", FASTGEMM_FAKE_CUBLAS, 1);
  void* library = dlopen(FASTGEMM_FAKE_CUBLAS, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) _exit(2);
  cublas = reinterpret_cast<FakeCublas* (*)()>(dlsym(library, "fake_cublas"))();
  cublas->intercept = intercept;
  fake_cuda().compute_capability = scenario.compute_capability;
  fake_cuda().device_count = scenario.device_count;
  Run(scenario, fault, undisturbed, report).execute();
  _exit(0);
}

}  // namespace

std::string run_in_child(const Scenario& scenario, const Fault& fault, const RunReport* undisturbed,
                         RunReport* report) {
  const pid_t process = fork();
  if (process == 0) child(scenario, fault, undisturbed, report);
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process) return "no child process";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "hangs";
  if (WIFSIGNALED(status)) return "ends with signal " + std::to_string(WTERMSIG(status));
  if (report->failure[0] != '\0') return report->failure;
  return report->finished ? std::string() : "ends early with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace fastgemm::test
