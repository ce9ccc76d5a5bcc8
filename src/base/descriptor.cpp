#include "base/descriptor.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace graft::base {

Descriptor above_standard_streams(Descriptor file) {
  if (!file.is_open() || file.get() > STDERR_FILENO) return file;
  Descriptor higher(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!higher.is_open()) throw std::system_error(errno, std::generic_category(), "fcntl");
  return higher;
}

}  // namespace graft::base
