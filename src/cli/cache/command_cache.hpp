// The subcommands of `graft cache`. Each function adds one subcommand to `graft cache`, as each function of
// commands.hpp adds one command to `graft`.
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

void add_cache_dir(CLI::App& cache);
void add_cache_list(CLI::App& cache);
void add_cache_stats(CLI::App& cache);
void add_cache_verify(CLI::App& cache);
void add_cache_prune(CLI::App& cache);
void add_cache_clear(CLI::App& cache);
void add_cache_export(CLI::App& cache);
void add_cache_import(CLI::App& cache);
void add_cache_explain(CLI::App& cache);

}  // namespace graft::cli
