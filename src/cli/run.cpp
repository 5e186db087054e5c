// `fastgemm run`: sets a few variables and becomes the program.
#include "src/cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "src/cli/bench/shapes.h"
#include "src/cli/commands.h"
#include "src/cli/library_path.h"

namespace fastgemm::cli {
namespace {

// As a shell has it.
constexpr int kExitCannotRun = 126;
constexpr int kExitNotFound = 127;

// In the order in which they are preloaded.
std::vector<std::string> libraries_of(const RunOptions& options, const std::string& library) {
  const bool blas = options.blas || !options.cublas;
  if (!blas && (options.verify || !options.host_blas.empty())) {
    throw ParseError("--verify and --host-blas are for host BLAS calls: add --blas to --cublas");
  }
  std::vector<std::string> libraries;
  if (blas) libraries.push_back(library);
  if (options.cublas) libraries.push_back(cublas_library_beside(library));
  return libraries;
}

int run(const RunOptions& options) {
  const char* preloaded = getenv("LD_PRELOAD");
  const std::string library = std::filesystem::absolute(library_path()).string();
  if (options.cublas && !std::filesystem::exists(cublas_library_beside(library))) {
    std::cerr << "fastgemm: there is no " << cublas_library_beside(library) << "\n";
    return kExitCannotRun;
  }
  for (const auto& [name, value] : run_variables(options, library, preloaded == nullptr ? "" : preloaded)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : options.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  std::cerr << "fastgemm: cannot run \"" << options.command[0] << "\": " << strerror(error) << "\n";
  return error == ENOENT ? kExitNotFound : kExitCannotRun;
}

}  // namespace

std::string cublas_library_beside(const std::string& library) {
  const std::filesystem::path path(library);
  std::string name = path.filename().string();
  const std::string_view stem = "libfastgemm";
  if (name.starts_with(stem)) name.insert(stem.size(), "_cublas");
  return (path.parent_path() / name).string();
}

Variables run_variables(const RunOptions& options, const std::string& library, const std::string& preloaded_already) {
  if (library.find_first_of(" \t\n:") != std::string::npos) {
    throw ParseError("\"" + library + "\" cannot be preloaded: blanks and colons end a name in LD_PRELOAD");
  }
  std::string preloaded;
  for (const std::string& name : libraries_of(options, library)) preloaded += preloaded.empty() ? name : ":" + name;
  if (!preloaded_already.empty()) preloaded = preloaded + ":" + preloaded_already;
  Variables variables = {{"LD_PRELOAD", preloaded}, {"FASTGEMM_DROPIN", options.verify ? "verify" : "on"}};
  if (options.stats) variables.emplace_back("FASTGEMM_STATS", "1");
  if (!options.log.empty()) variables.emplace_back("FASTGEMM_LOG", options.log);
  if (!options.log_file.empty()) variables.emplace_back("FASTGEMM_LOG_FILE", options.log_file);
  if (!options.host_blas.empty()) variables.emplace_back("FASTGEMM_HOST_BLAS", options.host_blas);
  return variables;
}

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "run", "Run a program with its sgemm calls on the GPU where that is faster, or with our kernels for its cuBLAS calls");
  auto options = std::make_shared<RunOptions>();
  command->add_flag("--blas", options->blas, "Take calls of a host BLAS: the default where --cublas is not given");
  command->add_flag("--cublas", options->cublas,
                    "Take calls of cuBLAS, of programs that keep their matrices on the GPU; both with --blas --cublas");
  command->add_flag("--stats", options->stats, "Print at exit what became of the calls");
  command->add_flag("--verify", options->verify, "Compute offloaded products on the host, too, and report differences");
  command->add_option("--log", options->log, "error, info, or trace: a line a product")
      ->check(CLI::IsMember({"off", "error", "info", "trace"}));
  command->add_option("--log-file", options->log_file, "Where log and statistics go instead of standard error");
  command->add_option("--host-blas", options->host_blas, "BLAS for calls whose caller has none of its own");
  command->prefix_command();  // the program's own options are its own
  command->callback([&action, options, command] {
    options->command = command->remaining();
    if (options->command.empty()) throw CLI::RequiredError("a program to run");
    action = [options] { return run(*options); };
  });
}

}  // namespace fastgemm::cli
