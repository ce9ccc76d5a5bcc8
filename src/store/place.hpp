// Where the environment puts the cache: GRAFT_CACHE_DIR, else $XDG_CACHE_HOME/graft, else $HOME/.cache/graft. The
// read-only layers are the folders of GRAFT_CACHE_PATH, separated by colons as in PATH.
//
// Relative paths are not used, because they would name another folder after each change of the working folder: a
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
  std::filesystem::path folder;  // empty when there is none
  std::string why_none;          // why there is no folder
};

Place choose_folder(const Environment& environment);
std::vector<std::filesystem::path> read_layers(std::string_view cache_path);

// "/a/b" for "/a/b/" and "/a/b/.", so that a folder has one spelling, and its own name is the last component.
std::filesystem::path without_trailing_slash(std::filesystem::path path);

// Parses "1073741824", "512k", "200M" or "1G", in powers of 1,024. Nothing for any other text.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace graft::store
