// The `fastgemm` command.
#include <exception>
#include <iostream>

#include "fastgemm/fastgemm.h"
#include "src/cli/bench/shapes.h"
#include "src/cli/commands.h"

namespace {

constexpr const char* kFooter = R"(Exit code: 0 all right, 1 something failed or was wrong, 2 wrong arguments.

Examples:
  fastgemm info
  fastgemm bench --sizes 1024,4096,8192 --types f32 --ops NN,NT,TN,TT
  fastgemm bench --shapes shapes.csv --json result.json
  fastgemm explain --mnk 4096x16x4096 --gpu sm_80
  fastgemm run --stats ./program --its-own-options
`fastgemm COMMAND --help` says more about each command.)";

// The command line as it was typed, for the record; arguments with spaces in quotes.
std::string joined(int argc, char** argv) {
  std::string line = "fastgemm";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    line += argument.find(' ') == std::string::npos && !argument.empty() ? " " + argument : " '" + argument + "'";
  }
  return line;
}

std::string version_text() {
  return "fastgemm " + std::to_string(FG_VERSION_MAJOR) + "." + std::to_string(FG_VERSION_MINOR) + "." +
         std::to_string(FG_VERSION_PATCH);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fastgemm::cli;
  CLI::App app("Matrix multiplication on NVIDIA GPUs: what is here, how fast it is, why, and whether it is right.",
               "fastgemm");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  Action action;
  add_info(app, action);
  add_bench(app, action, joined(argc, argv));
  add_explain(app, action);
  add_check(app, action);
  add_run(app, action);
  const auto is_named = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty()) {
    std::cerr << "fastgemm: \"" << argv[1] << "\" is no command; there are info, bench, explain, check and run\n";
    return kExitBadUsage;
  }
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitBadUsage;
  } catch (const ParseError& error) {
    std::cerr << "fastgemm: " << error.what() << "\n";
    return kExitBadUsage;
  } catch (const std::exception& error) {
    std::cerr << "fastgemm: " << error.what() << "\n";
    return kExitFailure;
  }
}
