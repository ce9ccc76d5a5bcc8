// The folder of a cache, opened and judged anew for each operation, so that one which vanished, or was put in another's
// hands, is noticed.
//
//     <folder>/v2/<key's hash>.entry         an entry (format/cache_entry.hpp), never changed once it has this name
//     <folder>/v2/<...>.tmp                  one that is being written, or whose writer died
//     <folder>/v2/<...>.aside                a folder that had an entry's name and was not empty; left to its owner
//     <folder>/v2/locks                      an empty file whose bytes are locked: one for each key, and the sweeper's
//
// `v2` is the version of the entries' format: versions of graft share a folder and leave each other's entries alone.
#pragma once

#include <filesystem>
#include <string>

#include "store/file.hpp"

namespace graft::store {

enum class Access {
  Make,   // the user's own, made where it is missing
  Own,    // the user's own; a missing one is empty
  Layer,  // read-only: the user's own or root's; a missing one is empty
};

struct Folder {
  File versioned;       // open, or there is nothing to use
  std::string problem;  // why not; empty when it is merely missing

  bool is_open() const noexcept { return versioned.is_open(); }
};

// Refused: a symbolic link in place of the folder, what is no folder, one that others can write to, one owned by
// somebody else. "path/" and "path/." are `path`.
Folder open_folder(Disk& disk, const std::filesystem::path& path, Access access);

// Why a folder, or a file in it, may not be trusted: "belongs to another user", "can be written by other users". Empty
// when it may. Every entry is judged too, since it may have been put there while the folder was open to others.
std::string objection_to(const FileState& state, Disk& disk, Access access);

// "v2": of the entries' format.
std::string version_folder();

inline constexpr const char* kEntrySuffix = ".entry";
inline constexpr const char* kTemporarySuffix = ".tmp";
inline constexpr const char* kAsideSuffix = ".aside";
inline constexpr const char* kLocks = "locks";

}  // namespace graft::store
