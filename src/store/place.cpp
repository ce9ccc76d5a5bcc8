// Chooses the cache's folder and its read-only layers from environment variables. choose_folder gets the values of the
// variables from a function that the caller passes, so a test can set them.
#include "store/place.hpp"

#include <charconv>
#include <limits>

#include "base/format.hpp"

namespace graft::store {
namespace fs = std::filesystem;

Place choose_folder(const Environment& environment) {
  struct Choice {
    const char* variable;
    const char* below;
  };
  for (const Choice& choice : {Choice{"GRAFT_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "graft"}, {"HOME", ".cache/graft"}}) {
    const fs::path base = environment(choice.variable);
    const bool is_ours = choice.below[0] == '\0';
    if (is_ours && base.is_relative() && !base.empty())
      return {{}, base::format("{} is \"{}\", which is not an absolute path", choice.variable, base.string())};
    if (base.is_absolute()) return {is_ours ? base : base / choice.below, {}};
  }
  return {{}, "none of GRAFT_CACHE_DIR, XDG_CACHE_HOME and HOME is set to an absolute path"};
}

std::vector<fs::path> read_layers(std::string_view cache_path) {
  std::vector<fs::path> layers;
  while (!cache_path.empty()) {
    const std::size_t end = cache_path.find(':');
    if (const fs::path layer = cache_path.substr(0, end); layer.is_absolute()) layers.push_back(layer);
    cache_path.remove_prefix(end == std::string_view::npos ? cache_path.size() : end + 1);
  }
  return layers;
}

fs::path without_trailing_slash(fs::path path) {
  while (path.has_parent_path() && path.has_relative_path() && (path.filename().empty() || path.filename() == "."))
    path = path.parent_path();
  return path;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || end - rest > 1) return std::nullopt;
  if (rest == end) return number;
  const std::size_t power = std::string_view("kMG").find(*rest == 'K'   ? 'k'
                                                         : *rest == 'm' ? 'M'
                                                         : *rest == 'g' ? 'G'
                                                                        : *rest);
  if (power == std::string_view::npos) return std::nullopt;
  const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace graft::store
