// `graft cache prune` and `graft cache clear`: remove entries from the user's own cache folder. They never change the
// read-only layers, which are the further folders that GRAFT_CACHE_PATH names.
//
// Both commands are safe while programs run, because a program that has an entry open can still read it to the end.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/format.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/output/output.hpp"
#include "cli/output/size_text.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "store/maintenance.hpp"
#include "store/place.hpp"

namespace graft::cli {
namespace {

struct PruneRequest {
  std::string most;
  std::string age;
  bool as_json = false;
};

void tell(const store::Sweep& sweep, bool as_json) {
  if (as_json)
    print_json({{"removed", sweep.removed},
                {"removed_bytes", sweep.bytes_removed},
                {"temporary_files_removed", sweep.temporaries_removed},
                {"failed", sweep.failed},
                {"entries", sweep.entries},
                {"bytes", sweep.bytes},
                {"problem", sweep.problem}});
  else
    print(base::format("removed {} ({}) and {} temporary files; left: {} ({})\n", kernels_text(sweep.removed),
                       size_text(sweep.bytes_removed), sweep.temporaries_removed, kernels_text(sweep.entries),
                       size_text(sweep.bytes)));
}

// Prints what the sweep, the removal of cache entries and temporary files, has removed. If the folder does not exist
// yet, prints that nothing was removed. If another process is sweeping the folder, this sweep has not run. The command
// then fails, because the other process may remove fewer entries than this command was asked to remove.
void tell_or_fail(const store::Store& store, const store::Sweep& sweep, bool as_json) {
  if (!sweep.ran && !sweep.problem.empty())
    fail(ErrorCode::FileUnreadable, sweep.problem,
         "Give the folder to this user alone, or name another folder with GRAFT_CACHE_DIR.");
  const bool is_there = store::open_folder(store.disk(), store.settings().folder, store::Access::Own).is_open();
  if (!sweep.ran && is_there)
    fail(ErrorCode::FileUnreadable, "another process is cleaning this cache", "Try again when it has finished.");
  tell(sweep, as_json);
  if (!sweep.problem.empty()) fail_if_any({sweep.problem});
}

void prune(const PruneRequest& request) {
  const auto most = store::parse_bytes(request.most);
  const auto age = parse_age(request.age);
  if (!request.most.empty() && !most)
    throw CLI::ValidationError("--max-bytes",
                               request.most + " is not a size: give bytes, or a number with k, M or G: 500M");
  if (!request.age.empty() && !age)
    throw CLI::ValidationError("--older-than",
                               request.age + " is not a duration: give a number with s, m, h or d: 12h, 30d");
  const store::Store store(cache_place(true));
  tell_or_fail(store, store.sweep(most.value_or(store.settings().limit), std::chrono::hours(1), age), request.as_json);
}

void clear(bool as_json) {
  const store::Store store(cache_place(true));
  tell_or_fail(store, store::clear(store), as_json);
}

}  // namespace

void add_cache_prune(CLI::App& cache) {
  auto request = std::make_shared<PruneRequest>();
  CLI::App* const command =
      cache.add_subcommand("prune", "Remove the least recently used kernels when the cache is over its size limit");
  command->add_option(
      "--max-bytes", request->most,
      "Size limit: 500M, 1G; a larger cache shrinks to 90 % of the limit (default: GRAFT_CACHE_MAX_BYTES or 1G)");
  command->add_option("--older-than", request->age,
                      "Also remove kernels that were not used for this long: 12h, 30d (default: age does not matter)");
  command->add_flag("--json", request->as_json, "Print what was removed as JSON");
  command->callback([request] { prune(*request); });
}

void add_cache_clear(CLI::App& cache) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* const command =
      cache.add_subcommand("clear", "Remove all kernels and temporary files, except in read-only layers");
  command->add_flag("--json", *as_json, "Print what was removed as JSON");
  command->callback([as_json] { clear(*as_json); });
}

}  // namespace graft::cli
