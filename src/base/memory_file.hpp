// A file in memory that has no path (memfd_create). A process gives such a file to a child process as a descriptor, to
// send it a message or to collect what it writes. A child that writes to a file never blocks, unlike a child that
// writes to a full pipe, so the parent need not read while it waits for the child.
//
// All functions throw std::system_error if the system refuses a call. what() begins with the call's name.
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
  // Makes a file with these bytes. Its position is the beginning, so that a child reads the bytes. The list of a
  // process's open files in /proc shows `name`.
  explicit MemoryFile(const char* name, std::span<const std::byte> bytes = {});

  // The file's descriptor, which is not one of the standard streams. The child's copy of it shares the file's position.
  int descriptor() const noexcept { return file_.get(); }

  // Reads the whole file. Leaves the position at its end.
  FileContent content(std::uint64_t limit = kGibibyte) const;

  // Empties the file. The next write starts at its beginning.
  void clear() const;

 private:
  Descriptor file_;
};

}  // namespace graft::base
