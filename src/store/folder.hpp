// Opens the folder of a cache and checks that it can be trusted. Each operation of the store opens and checks the
// folder anew, to notice a folder that was removed or whose owner or mode changed.
//
//     <folder>/v3/<key's hash>.entry   a cache entry (format/cache_entry.hpp); its content never changes
//     <folder>/v3/<key's hash>.code    the compiled code of own kernels, without callbacks (own_kernels/packed.hpp)
//     <folder>/v3/<...>.tmp            a cache entry that a process is writing, or did not finish because it died
//     <folder>/v3/<...>.aside          a non-empty folder that had the name of an entry; the store renamed the
//                                      folder instead of deleting it, because somebody may need its files
//     <folder>/tuning/<GPU>.json       what `graft tune` measured on a GPU (store/tuning_place.hpp)
//     <folder>/v3/locks                an empty file whose bytes serve as locks: byte 0 for the sweep, which removes
//                                      old entries, and one of the other bytes for each key
//
// `v3` is the version of the entries' format. Versions of graft with different formats share <folder>, and leave each
// other's entries alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "store/file.hpp"

namespace graft::store {

// Whose folder is opened, and what happens if the folder is missing.
enum class Access {
  // The user's own folder. A missing folder is made.
  Make,
  // The user's own folder. A missing folder counts as empty.
  Own,
  // A folder that graft only reads. It belongs to the user or to root. A missing folder counts as empty.
  Layer,
};

struct Folder {
  // The open version folder. Not open when the folder is missing or cannot be used.
  File versioned;
  // Why the folder cannot be used. Empty when the folder can be used, and when it is only missing.
  std::string problem;

  bool is_open() const noexcept { return versioned.is_open(); }
};

// The name of the version folder: "v3", from the version of the entries' format.
std::string version_folder();

// Opens <path>/v3, or the folder `name` in its place. Refuses a symbolic link in place of either folder, a file that is
// not a folder, and a folder that another user owns or can write to. "path/" and "path/." mean the same as "path".
Folder open_folder(Disk& disk, const std::filesystem::path& path, Access access,
                   const std::string& name = version_folder());

// Returns why a folder or a file must not be trusted: "belongs to another user", "can be written by other users". Empty
// when it can be trusted. The store checks entries as well as folders, because another user may have written an entry
// at a time when the folder was writable by others.
std::string objection_to(const FileState& state, Disk& disk, Access access);

// Returns a file name that begins like the entry's name and that no other thread or process uses. The name is unique
// also after a reboot and on other machines that share the folder.
std::string unique_name(std::string_view entry, const char* suffix);

inline constexpr const char* kEntrySuffix = ".entry";
inline constexpr const char* kCodeSuffix = ".code";
inline constexpr const char* kTemporarySuffix = ".tmp";
inline constexpr const char* kAsideSuffix = ".aside";
inline constexpr const char* kLocks = "locks";

}  // namespace graft::store
