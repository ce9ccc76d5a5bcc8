// Whole files, and folders that do not outlive their owner.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/read_file.hpp"

namespace graft::base {

// Creates or replaces the file. False with errno when it could not be written whole; what is there then is undefined.
bool write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Writes all of it to an open file, whatever interrupts. False with errno where that fails; no signal says so, neither
// for a limit on the size of files nor for a closed pipe.
bool write_all(int file, std::span<const std::byte> bytes);

// A new folder under TMPDIR (or the system's folder for temporary files) that only this user can enter, removed with
// all that is in it when its owner goes. When the process is killed before, the next one that makes such a folder in
// the same place removes it. Throws std::filesystem::filesystem_error when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;  // one owner: a second one would remove it twice
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

  // Where they are made.
  static std::filesystem::path parent();

 private:
  std::filesystem::path path_;
  int lock_;  // the folder, open and locked
};

}  // namespace graft::base
