// The commands of `graft`. Each adds itself to the program: its words, its help, and what it does when it is chosen.
//
// A command prints its result, the whole of it at the end, and nothing else. What goes wrong it throws: graft::Error
// for work that failed (exit code 1), CLI::ValidationError for words that have no meaning (exit code 2).
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

// Hidden from the help. `__build` and `__precompile` work in a process of their own for the others (child.hpp),
// `__warm` puts one after another into the cache (worker.hpp); `__crash` shows what becomes of a crash there.
void add_build(CLI::App& program);
void add_crash(CLI::App& program);

}  // namespace graft::cli
