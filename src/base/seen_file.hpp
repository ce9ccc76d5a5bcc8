// A SeenFile describes the file that the system found at a path: its content, its size and its identity.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace graft::base {

// Device and inode number. All names of one file or folder have the same identity.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

struct SeenFile {
  enum class Kind : std::uint8_t {
    // The path does not exist, or is a folder.
    Missing,
    // The path is a regular file.
    Readable,
    // The file exists but was not read. `problem` says why: "is a FIFO", "cannot be read (...)".
    Unusable,
  };
  Kind kind = Kind::Missing;
  std::string problem;
  // True if the file is Unusable because it is a FIFO or has more than 1 GiB. A compiler that opens such a file may
  // hang.
  bool is_endless = false;
  FileIdentity identity;
  // The identity of the folder that contains the path's last component. If that component is a symbolic link, this is
  // the folder of the link and not of the link's target.
  FileIdentity folder;
  std::uint64_t size = 0;
  // If the path is a symbolic link to a file in another folder, the path of that other folder. Otherwise empty.
  std::string linked_folder;
  std::string text;
};

// Reads the file at the path. The path is not normalised, and symbolic links are followed.
// Never blocks on a FIFO and never opens a device. A file of more than `largest` bytes is Unusable.
SeenFile read_seen_file(const std::string& path, std::uint64_t largest);

// Like read_seen_file, without reading the text.
SeenFile see_file(const std::string& path);

// Returns the identity of a folder, after following symbolic links. All members are zero when there is no such folder.
FileIdentity folder_identity(const std::string& path);

// Returns the folder part of a path: "/a" for "/a/b", "/" for "/a", "." for "a".
std::string folder_of(const std::string& path);

// Returns the absolute path of the process's working folder. Empty when the folder was removed.
std::string working_folder();

}  // namespace graft::base
