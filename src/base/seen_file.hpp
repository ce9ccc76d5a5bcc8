// A file as the system finds it at a path: its content, and the state that tells whether a later look finds the same
// file unchanged (inode, size, times).
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace graft::base {

struct FileTime {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  auto operator<=>(const FileTime&) const = default;
};

// Device and inode: equal for all names of one file or folder.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

struct SeenFile {
  enum class Kind : std::uint8_t {
    Missing,   // the path does not exist, or is a folder
    Readable,  // a regular file
    Unusable,  // the file exists but was not read; `problem` says why: "is a FIFO", "cannot be read (...)"
  };
  Kind kind = Kind::Missing;
  std::string problem;
  bool is_endless = false;  // Unusable, and a compiler that opens it may hang: a FIFO, or more than 1 GiB
  FileIdentity identity;
  FileIdentity folder;  // the folder that the path names, before links are followed
  std::uint64_t size = 0;
  FileTime modified;
  FileTime changed;           // st_ctime: the last change to content, name, owner or mode; users cannot set it
  std::string linked_folder;  // when the path is a symbolic link to a file in another folder: that folder's path
  std::string text;
};

// Opens the path as it is spelled, follows links, and reads content and state through one descriptor. Never blocks on a
// FIFO and never opens a device. A file of more than `largest` bytes is Unusable.
SeenFile read_seen_file(const std::string& path, std::uint64_t largest);

// The same without reading the text.
SeenFile see_file(const std::string& path);

// The identity of a folder, links followed; all zero when there is no such folder.
FileIdentity folder_identity(const std::string& path);

// "/a" for "/a/b", "/" for "/a", "." for "a".
std::string folder_of(const std::string& path);

// The absolute path of the process's working folder; empty when the folder was removed.
std::string working_folder();

FileTime clock_now();

}  // namespace graft::base
