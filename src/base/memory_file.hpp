// A MemoryFile is a file in memory that has no path (memfd_create). A process passes the file's descriptor to a child
// process, to send the child a message or to collect what the child writes. A child that writes to a file never blocks,
// unlike a child that writes to a full pipe, so the parent need not read while it waits for the child.
//
// All functions throw std::system_error if a system call fails. what() begins with the name of the system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/descriptor.hpp"
#include "base/read_file.hpp"

namespace graft::base {

// Move-only, as a Descriptor is.
class MemoryFile {
 public:
  // Makes a file with these bytes. The file's position is at the beginning, so that a child reads the bytes. `name` is
  // what /proc shows for the file in the list of a process's open files.
  explicit MemoryFile(const char* name, std::span<const std::byte> bytes = {});

  // The file's descriptor, which is not one of the standard streams. A child's copy of the descriptor shares the file's
  // position.
  int descriptor() const noexcept { return file_.get(); }

  // Reads the whole file, and leaves the position at the file's end. A file of more than `limit` bytes is not read
  // (ReadFault::TooLarge).
  FileContent content(std::uint64_t limit = kGibibyte) const;

  // Empties the file. The next write starts at the file's beginning.
  void clear() const;

 private:
  Descriptor file_;
};

}  // namespace graft::base
