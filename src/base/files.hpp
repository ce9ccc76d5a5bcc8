// Writes whole files, and makes temporary folders whose owner removes them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/descriptor.hpp"
#include "base/read_file.hpp"

namespace graft::base {

// Creates or replaces the file. Returns false and sets errno when not all bytes could be written; the content of the
// file is undefined in this case.
bool write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Writes all bytes to an open file, and repeats calls that a signal interrupts. Returns false and sets errno on
// failure. A failure raises no signal: neither SIGXFSZ at a limit on file sizes nor SIGPIPE at a closed pipe.
bool write_all(int file, std::span<const std::byte> bytes);

// A new folder under TMPDIR (or /tmp) that only this user can enter. The destructor removes the folder with its
// content. If the process is killed before the destructor runs, the next process that makes a TemporaryFolder under the
// same parent removes the folder. The constructor throws std::filesystem::filesystem_error when it cannot make a
// folder.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  // Not copyable, because a second owner would remove the folder twice.
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

  // Returns the folder in which temporary folders are made: TMPDIR if it is an absolute path, otherwise /tmp.
  static std::filesystem::path parent();

 private:
  std::filesystem::path path_;
  // The open folder, on which this object holds a lock (flock).
  Descriptor lock_;
};

}  // namespace graft::base
