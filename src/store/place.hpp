// Where the cache lies, by the environment: GRAFT_CACHE_DIR, else $XDG_CACHE_HOME/graft, else $HOME/.cache/graft; and
// the read-only layers of GRAFT_CACHE_PATH, separated by colons as in PATH. Relative paths are left out: they would
// name another folder after each change of the working folder. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::store {

using Environment = std::function<std::string(const char*)>;

struct Place {
  std::filesystem::path folder;  // empty when the environment names none
  std::string why_none;
};

Place choose_folder(const Environment& environment);
std::vector<std::filesystem::path> read_layers(std::string_view cache_path);

// "/a/b" for "/a/b/" and "/a/b/.": the same folder under one name, and a path whose last component is the folder
// itself.
std::filesystem::path without_trailing_slash(std::filesystem::path path);

// "1073741824", "512k", "200M", "1G", in powers of 1,024; nothing for another text.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace graft::store
