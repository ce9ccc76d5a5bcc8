// Whole files through the C++ streams, which report a failed read or write only when asked: every call asks.
#include "base/files.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/environment.hpp"

namespace graft::base {
namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::nullopt;  // opens well, and its first read throws
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0)
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return std::nullopt;
  return text;
}

bool write_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();  // a full disk may show only here
  return file.good();
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

fs::path TemporaryFolder::parent() {
  const std::string wanted = environment("TMPDIR");
  return wanted.starts_with('/') ? fs::path(wanted) : fs::path("/tmp");
}

TemporaryFolder::TemporaryFolder() {
  std::string name = parent() / "graft-XXXXXX";
  if (!::mkdtemp(name.data()))  // mode 0700, a name that nobody had
    throw fs::filesystem_error("cannot make a temporary folder", parent(),
                               std::error_code(errno, std::generic_category()));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace graft::base
