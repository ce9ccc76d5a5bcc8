// The commands of `graft`. Each function adds one command to the program: its arguments, its help, and the callback
// that runs when the command is chosen.
//
// A command prints only its result, and prints the whole result at the end. It reports problems by throwing:
// graft::Error when the work failed (exit code 1), CLI::ValidationError for invalid arguments (exit code 2).
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

void add_doctor(CLI::App& program);
void add_inspect(CLI::App& program);
void add_apply(CLI::App& program);
void add_precompile(CLI::App& program);
void add_cache(CLI::App& program);
void add_warm(CLI::App& program);

// Commands that graft runs for itself; they are hidden from the help. `__build` and `__precompile` do one piece of work
// in a child process (child.hpp), `__warm` builds one kernel after another into the cache (worker.hpp).
void add_build(CLI::App& program);

}  // namespace graft::cli
