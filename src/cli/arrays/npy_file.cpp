// Reads and writes .npy files. A header is checked against the size of its file before memory is allocated for the
// data, so a forged header cannot make graft allocate more than the file holds.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"
#include "cli/arrays/npy.hpp"
#include "cli/output/new_file.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr std::size_t kAlignment = 64;
// Computing a larger size could overflow, and no machine has so much memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, std::string remedy) {
  graft::fail(ErrorCode::FileUnreadable, base::format("{}: {}", path.string(), what), std::move(remedy));
}

[[noreturn]] void fail_by_errno(const std::filesystem::path& path, const char* what, std::string remedy) {
  fail(path, base::format("{}: {}", what, std::generic_category().message(errno)), std::move(remedy));
}

}  // namespace

void AlignedBytes::Free::operator()(std::byte* bytes) const noexcept {
  std::free(bytes);
}

AlignedBytes::AlignedBytes(std::uint64_t count, std::size_t element_size, const std::string& name)
    : size_(static_cast<std::size_t>(count) * element_size) {
  const bool is_possible = count <= kMostBytes / element_size;
  const std::size_t whole = std::max((size_ + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  if (is_possible) bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, whole)));
  if (!bytes_)
    throw std::runtime_error(
        base::format("graft: not enough memory for {}: {} elements of {} bytes", name, count, element_size));
  std::memset(bytes_.get(), 0, whole);
}

NpyArray read_npy(const std::filesystem::path& path) {
  const char* const remedy = "Give a file that numpy.save wrote, and that this user may read.";
  const base::Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // O_NONBLOCK: do not wait for the writer of a FIFO
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) fail_by_errno(path, "it cannot be read", remedy);
  if (const char* const problem = base::problem_of_kind(status.st_mode)) fail(path, problem, remedy);
  if (!S_ISREG(status.st_mode)) fail(path, "it is a pipe, not a regular file", remedy);

  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  base::Bytes begin(static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, kMaxNpyHeader)));
  if (!base::read_at(file.get(), begin, 0)) fail_by_errno(path, "it cannot be read", remedy);
  NpyArray array{parse_npy_header(begin, file_bytes, path.string()), {}};
  array.data = AlignedBytes(array.header.count, array.header.type.size, path.string());
  if (!base::read_at(file.get(), array.data.bytes(), array.header.data_offset))
    fail_by_errno(path, "it cannot be read to its end", remedy);
  return array;
}

void write_npy(const std::filesystem::path& path, const std::string& descr, const std::vector<std::uint64_t>& shape,
               std::span<const std::byte> data) {
  write_new_file(path, {base::as_bytes(npy_front(descr, shape)), data});
}

}  // namespace graft::cli
