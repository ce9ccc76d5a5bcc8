#include "base/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/files.hpp"

namespace graft::base {
namespace {

void require(bool succeeded, const char* call) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), call);
}

void rewind(const Descriptor& file) {
  require(::lseek(file.get(), 0, SEEK_SET) == 0, "lseek");
}

}  // namespace

MemoryFile::MemoryFile(const char* name, std::span<const std::byte> bytes)
    : file_(above_standard_streams(Descriptor(::memfd_create(name, MFD_CLOEXEC)))) {
  require(file_.is_open(), "memfd_create");
  require(write_all(file_.get(), bytes), "write");
  rewind(file_);
}

FileContent MemoryFile::content(std::uint64_t limit) const {
  rewind(file_);
  return read_open_file(file_.get(), limit);
}

void MemoryFile::clear() const {
  require(::ftruncate(file_.get(), 0) == 0, "ftruncate");
  rewind(file_);
}

}  // namespace graft::base
