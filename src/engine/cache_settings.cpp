// Each setting comes from CacheOptions if the application set it there, and otherwise from its environment variable. If
// both are unset, the setting has its default value. A variable with an invalid value counts as unset and is reported
// in CacheSettings::problem. So a typing mistake in the environment adds a line to the report, and graft still builds
// the kernel.
#include "engine/cache_settings.hpp"

#include <utility>

#include "base/format.hpp"
#include "core/enumerators.hpp"

namespace graft::engine {
namespace {

constexpr std::pair<std::string_view, CachePolicy> kWords[] = {{"off", CachePolicy::Off},
                                                               {"memory", CachePolicy::MemoryOnly},
                                                               {"read-only", CachePolicy::ReadOnly},
                                                               {"read-write", CachePolicy::ReadWrite},
                                                               {"forbid-compiling", CachePolicy::ForbidCompiling}};

CachePolicy policy_from(const std::string& word, std::string& problem) {
  if (word.empty()) return CachePolicy::ReadWrite;
  for (const auto& [name, policy] : kWords)
    if (name == word) return policy;
  problem = base::format(
      "GRAFT_CACHE is \"{}\", which is not a cache policy (off, memory, read-only, read-write, forbid-compiling): "
      "using read-write",
      word);
  return CachePolicy::ReadWrite;
}

std::uint64_t limit_from(const std::string& text, std::string& problem) {
  if (text.empty()) return store::kUsualLimit;
  const auto bytes = store::parse_bytes(text);
  if (!bytes)
    problem = base::format("GRAFT_CACHE_MAX_BYTES is \"{}\", which is not a size (like 512M): using 1G", text);
  return bytes.value_or(store::kUsualLimit);
}

}  // namespace

std::string_view word(CachePolicy policy) {
  for (const auto& [name, other] : kWords)
    if (other == policy) return name;
  return {};
}

CacheSettings resolve(const CacheOptions& options, const store::Environment& environment) {
  if (options.policy) check_enumerator(*options.policy, CachePolicy::ForbidCompiling, "CacheOptions::policy");
  CacheSettings settings;
  settings.policy = options.policy ? *options.policy : policy_from(environment("GRAFT_CACHE"), settings.problem);
  settings.exact_tools = options.exact_tools;
  if (!settings.uses_disk()) return settings;
  store::Settings& disk = settings.store;
  disk.is_writable = settings.policy == CachePolicy::ReadWrite;
  disk.lock_wait = options.lock_wait;
  disk.limit =
      options.max_bytes != 0 ? options.max_bytes : limit_from(environment("GRAFT_CACHE_MAX_BYTES"), settings.problem);
  disk.layers = options.layers ? *options.layers : store::read_layers(environment("GRAFT_CACHE_PATH"));
  for (std::filesystem::path& layer : disk.layers) layer = store::without_trailing_slash(std::move(layer));
  disk.folder = store::without_trailing_slash(options.folder);
  if (!disk.folder.empty()) return settings;
  store::Place place = store::choose_folder(environment);
  disk.folder = store::without_trailing_slash(std::move(place.folder));
  if (!place.why_none.empty()) settings.problem = "kernels are kept in memory only: " + place.why_none;
  return settings;
}

}  // namespace graft::engine
