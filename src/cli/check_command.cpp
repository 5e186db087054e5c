// `fastgemm check`: the options; the work is in check.cpp.
#include <memory>

#include "src/cli/check.h"
#include "src/cli/commands.h"

namespace fastgemm::cli {

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "check", "Is every kernel right on this GPU? Exact integers, guard zones around every buffer, FP64 references");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("--kernel", options->kernel, "Check this kernel only; cublas stands for the fallback");
  command->add_flag("--thorough", options->thorough, "More sizes and every combination: minutes instead of seconds");
  command->add_option("--case", options->only_case, "Repeat one case, spelled as a failure printed it");
  command->add_flag("--one-by-one", options->one_by_one, "Wait after every case, so that a crash names its case");
  command->add_option("--json", options->json_file, "Write the counts to this file, too");
  command->callback([&action, options] { action = [options] { return run_check(*options); }; });
}

}  // namespace fastgemm::cli
