// `fastgemm explain`: the kernel that would run a product, and why.
#include <iostream>
#include <memory>

#include "src/cli/commands.h"
#include "src/cli/explain_text.h"
#include "src/cli/plan.h"
#include "src/cli/shape_options.h"

namespace fastgemm::cli {
namespace {

struct Arguments {
  ShapeOptions shape;
  std::string gpu;
  int sm_count = 0;
  std::string kernel;
  std::string math = "default";
};

// Destroys the handle however the command ends.
struct Handle {
  fg_handle_t handle = nullptr;
  ~Handle() {
    if (handle != nullptr) fg_destroy(handle);
  }
};

int explain_here(const std::vector<Shape>& shapes, const Arguments& arguments) {
  const GpuList list = find_gpus();
  if (list.gpus.empty()) {
    std::cerr << "fastgemm: " << list.reason << "; give --gpu to plan for one that is not here (" << model_gpu_names()
              << ")\n";
    return kExitFailure;
  }
  Handle owner;
  fg_status_t status = fg_create(&owner.handle);
  if (status == FG_STATUS_SUCCESS) status = fg_set_math_mode(owner.handle, public_math(parse_math(arguments.math)));
  if (status == FG_STATUS_SUCCESS && arguments.sm_count > 0) {
    status = fg_set_sm_count_target(owner.handle, arguments.sm_count);
  }
  if (status == FG_STATUS_SUCCESS && !arguments.kernel.empty()) {
    status = fg_set_kernel(owner.handle, arguments.kernel.c_str());
  }
  if (status != FG_STATUS_SUCCESS) {
    std::cerr << "fastgemm: " << fg_status_name(status) << ": " << fg_last_error() << "\n";
    return status == FG_STATUS_INVALID_VALUE ? kExitBadUsage : kExitFailure;
  }
  for (const Shape& shape : shapes) {
    const ExplainResult result =
        explain_on_gpu(owner.handle, shape, planning_address(0), planning_address(1), planning_address(2));
    if (result.status != FG_STATUS_SUCCESS) {
      std::cerr << "fastgemm: " << result.text << "\n";
      return kExitFailure;
    }
    std::cout << result.text;
  }
  return kExitOk;
}

int explain_planned(const std::vector<Shape>& shapes, const Arguments& arguments) {
  const std::optional<Gpu> gpu = model_gpu(arguments.gpu, arguments.sm_count);
  if (!gpu) throw ParseError("--gpu: \"" + arguments.gpu + "\" is not one of " + model_gpu_names());
  for (const Shape& shape : shapes) {
    std::cout << explain_for(shape, parse_math(arguments.math), *gpu, arguments.kernel);
  }
  return kExitOk;
}

int run(const Arguments& arguments) {
  const ShapeDefaults defaults = shape_defaults(arguments.shape, {DataType::kFloat32});
  std::vector<std::string> sizes = arguments.shape.sizes;
  sizes.insert(sizes.end(), arguments.shape.mnk.begin(), arguments.shape.mnk.end());
  if (sizes.empty()) throw ParseError("name a product with --mnk MxNxK or --sizes N");
  std::vector<Shape> shapes = shapes_from_sizes(sizes, defaults);
  round_scalars(shapes);
  return arguments.gpu.empty() ? explain_here(shapes, arguments) : explain_planned(shapes, arguments);
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explain", "Which kernel would run a product, and why");
  auto arguments = std::make_shared<Arguments>();
  add_shape_options(*command, arguments->shape);
  command->add_option("--gpu", arguments->gpu, "Plan for a GPU that need not be here: " + model_gpu_names());
  command->add_option("--sms", arguments->sm_count, "SMs to plan for (default: all of the GPU's)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--kernel", arguments->kernel, "Force this kernel; cublas stands for the fallback");
  command->add_option("--math", arguments->math, "default, fp32_sequential, fp32_tensor or tf32")
      ->check(CLI::IsMember({"default", "fp32_sequential", "fp32_tensor", "tf32"}));
  command->footer("Without --gpu the GPU that is here is asked.");
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace fastgemm::cli
