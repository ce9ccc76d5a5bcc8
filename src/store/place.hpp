// Finds the cache's folder from environment variables: GRAFT_CACHE_DIR, otherwise $XDG_CACHE_HOME/graft, otherwise
// $HOME/.cache/graft. The read-only layers are the folders in GRAFT_CACHE_PATH, separated by colons as in PATH.
//
// Relative paths are not used, because they would name another folder after each change of the working folder. A
// relative GRAFT_CACHE_DIR is an error, and other relative paths are skipped. Pure functions.
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
  // The cache's folder. Empty when the variables give no folder.
  std::filesystem::path folder;
  // Why the variables give no folder. Empty when they give one.
  std::string why_none;
};

Place choose_folder(const Environment& environment);
std::vector<std::filesystem::path> read_layers(std::string_view cache_path);

// Removes a trailing slash: returns "/a/b" for "/a/b/" and "/a/b/.". Each folder then has one spelling, and the last
// component of the path is the folder's name.
std::filesystem::path without_trailing_slash(std::filesystem::path path);

// Parses a size in bytes such as "1073741824", "512k", "200M" or "1G". The units are powers of 1,024. Returns nothing
// for any other text.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace graft::store
