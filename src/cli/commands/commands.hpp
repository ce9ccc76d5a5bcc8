// The commands of the program `graft` and their exit codes. Each function adds one command to the program, with its
// arguments, its help, and the function that runs when the user chooses the command.
//
// A command prints only its result, and prints the whole result at the end. It reports problems by throwing:
// graft::Error when the work failed (kWorkFailed), CLI::ValidationError for invalid arguments (kWrongUsage). To choose
// an exit code itself, a command throws CLI::RuntimeError.
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

// Scripts rely on these values: do not change them.
inline constexpr int kGood = 0;
inline constexpr int kWorkFailed = 1;  // standard error says why
inline constexpr int kWrongUsage = 2;

inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 success; 1 the work failed, standard error says why; 2 wrong usage.";

void add_doctor(CLI::App& program);
void add_inspect(CLI::App& program);
void add_apply(CLI::App& program);
void add_bench(CLI::App& program);
void add_tune(CLI::App& program);
void add_reduce(CLI::App& program);
void add_precompile(CLI::App& program);
void add_cache(CLI::App& program);
void add_warm(CLI::App& program);

// Adds the commands with which graft starts itself as a child process (child/hidden_commands.cpp). The help does not
// show them.
void add_hidden_commands(CLI::App& program);

}  // namespace graft::cli
