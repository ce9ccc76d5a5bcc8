// Opens the folder of a cache and checks that it can be trusted. Each operation of the store does this anew, to notice
// a folder that was removed or whose owner or mode changed.
//
//     <folder>/v2/<key's hash>.entry         a cache entry (format/cache_entry.hpp), never changed under this name
//     <folder>/v2/<...>.tmp                  a cache entry that is being written, or whose writer died
//     <folder>/v2/<...>.aside                a non-empty folder that had an entry's name: renamed, never deleted
//     <folder>/v2/locks                      an empty file; byte 0 is the lock of the sweep, the others are keys' locks
//
// `v2` is the version of the entries' format. Versions of graft share a folder and leave each other's entries alone.
#pragma once

#include <filesystem>
#include <string>

#include "store/file.hpp"

namespace graft::store {

enum class Access {
  Make,   // the user's own folder; it is made if it is missing
  Own,    // the user's own folder; a missing folder counts as empty
  Layer,  // a read-only folder of the user or of root; a missing folder counts as empty
};

struct Folder {
  File versioned;       // the open version folder; not open when the folder is missing or cannot be used
  std::string problem;  // why the folder cannot be used; empty when it is only missing

  bool is_open() const noexcept { return versioned.is_open(); }
};

// Opens <path>/v2. Refuses a symbolic link in place of either folder, a file that is not a folder, and a folder that
// other users own or can write to. "path/" and "path/." mean the same as "path".
Folder open_folder(Disk& disk, const std::filesystem::path& path, Access access);

// Why a folder or a file in it must not be trusted: "belongs to another user", "can be written by other users". Empty
// when it can be trusted. Entries are checked as well as folders: another user may have written an entry while the
// folder was writable by others.
std::string objection_to(const FileState& state, Disk& disk, Access access);

// "v2", from the version of the entries' format.
std::string version_folder();

inline constexpr const char* kEntrySuffix = ".entry";
inline constexpr const char* kTemporarySuffix = ".tmp";
inline constexpr const char* kAsideSuffix = ".aside";
inline constexpr const char* kLocks = "locks";

}  // namespace graft::store
