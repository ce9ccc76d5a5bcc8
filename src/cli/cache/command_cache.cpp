// `graft cache`: the parent of the commands that manage the kernels on disk (command_cache.hpp).
#include <CLI/CLI.hpp>

#include "cli/cache/command_cache.hpp"
#include "cli/commands/commands.hpp"

namespace graft::cli {

void add_cache(CLI::App& program) {
  CLI::App* const cache = program.add_subcommand(
      "cache", "Manage the kernels on disk: list, check, prune, and copy them to other machines");
  cache->require_subcommand(1);
  for (const auto add : {add_cache_dir, add_cache_list, add_cache_stats, add_cache_verify, add_cache_prune,
                         add_cache_clear, add_cache_export, add_cache_import, add_cache_explain})
    add(*cache);
}

}  // namespace graft::cli
