// The subcommands of `fastgemm`. Each adds itself to the parser and sets the action that runs when it was asked for.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace fastgemm::cli {

// Exit codes of every subcommand.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;   // something ran and was wrong, or could not be finished
inline constexpr int kExitBadUsage = 2;  // arguments that make no sense

// Runs the chosen subcommand; its value is the exit code. Arguments that only then turn out wrong: ParseError.
using Action = std::function<int()>;

void add_info(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action, const std::string& command_line);
void add_explain(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);

}  // namespace fastgemm::cli
