// A file as the system finds it under a path: its content, and what tells whether a later look finds the same file
// unchanged.
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

// Equal for all names of one file or folder.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

struct SeenFile {
  enum class Kind : std::uint8_t {
    Missing,   // no such name, or a folder
    Readable,  // a regular file
    Unusable,  // there, and `problem` says why its content is unknown: "is a FIFO", "cannot be read (...)"
  };
  Kind kind = Kind::Missing;
  std::string problem;
  bool is_endless = false;  // Unusable, and who opens it may wait, or read on, without end: a FIFO, more than 1 GiB
  FileIdentity identity;
  FileIdentity folder;  // the one in which the path names the file
  std::uint64_t size = 0;
  FileTime modified;
  FileTime changed;           // content, name, owner or mode: the system's clock, which no user can set back
  std::string linked_folder;  // where the path is a link to a file in another folder: that folder's path
  std::string text;
};

// Opens the path as it is spelled, follows links, and reads through the one descriptor. Never waits for a FIFO, never
// opens a device. A file of more than `largest` bytes is Unusable.
SeenFile read_seen_file(const std::string& path, std::uint64_t largest);

// The same without the text.
SeenFile see_file(const std::string& path);

// Of a folder, links followed; zeros where there is none.
FileIdentity folder_identity(const std::string& path);

// "/a" of "/a/b", "/" of "/a".
std::string folder_of(const std::string& path);

// The process's working folder, absolute; empty where it was removed.
std::string working_folder();

FileTime clock_now();

}  // namespace graft::base
