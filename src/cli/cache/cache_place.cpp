// Resolves the cache settings as an engine does, except for the policy, which the variable GRAFT_CACHE selects.
// GRAFT_CACHE=off and =memory have no effect on the commands, because these values only keep programs from using the
// disk. GRAFT_CACHE=read-only and =forbid-compiling also forbid the commands to change the disk.
#include "cli/cache/cache_place.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "base/environment.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "core/fail.hpp"
#include "engine/cache_settings.hpp"

namespace graft::cli {

store::Settings cache_place(bool changes) {
  const engine::CacheSettings used = engine::resolve({}, base::environment);
  const bool is_writable = used.policy != CachePolicy::ReadOnly && used.policy != CachePolicy::ForbidCompiling;
  CacheOptions options;
  options.policy = CachePolicy::ReadWrite;
  engine::CacheSettings settings = engine::resolve(options, base::environment);
  settings.store.is_writable = is_writable;
  const bool has_none = settings.store.folder.empty() && (changes || settings.store.layers.empty());
  if (has_none)
    fail(ErrorCode::FileUnreadable, "there is no folder for a cache: " + settings.problem,
         "Set GRAFT_CACHE_DIR to an absolute path.");
  if (changes && !is_writable)
    refuse("GRAFT_CACHE (read-only or forbid-compiling) forbids this command to change the cache",
           "Unset GRAFT_CACHE for this command.");
  return std::move(settings.store);
}

void fail_if_any(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) complain("graft: " + printable(problem));
  if (!problems.empty()) throw CLI::RuntimeError(kWorkFailed);
}

}  // namespace graft::cli
