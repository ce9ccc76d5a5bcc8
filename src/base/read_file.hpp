// Reads a whole file, or says why the file cannot be read.
//
// Opens only regular files and pipes: a device can be endless, can hang, and can have an effect when it is opened.
// Every read has a limit, because a pipe can be endless too. A caller that knows its files by their first bytes can
// give a limit for each beginning, so that an endless pipe of other bytes is not read up to the largest limit.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace graft::base {

enum class ReadFault : std::uint8_t {
  None,
  // The system refused to read the file, or the file is a device, a folder or a socket.
  Unreadable,
  // The file has more bytes than the limit.
  TooLarge,
  // There is not enough memory for the bytes.
  NoMemory,
};

// The result of a read: the bytes of the file, or what went wrong (a fault and its description). Used like
// std::optional<std::string>.
class [[nodiscard]] FileContent {
 public:
  FileContent(std::string bytes) : bytes_(std::move(bytes)) {}
  FileContent(ReadFault fault, std::string problem) : fault_(fault), problem_(std::move(problem)) {}

  explicit operator bool() const noexcept { return fault_ == ReadFault::None; }
  ReadFault fault() const noexcept { return fault_; }
  // Says what is wrong with the file: "it is a device", "No such file or directory". Empty when nothing is wrong.
  const std::string& problem() const noexcept { return problem_; }

  // The operators * and -> give the bytes of the file. Use them only when the read succeeded.
  std::string& operator*() noexcept { return bytes_; }
  const std::string& operator*() const noexcept { return bytes_; }
  std::string* operator->() noexcept { return &bytes_; }
  const std::string* operator->() const noexcept { return &bytes_; }
  // Returns the bytes of the file. Throws std::runtime_error with problem() when the read failed.
  std::string value() const;
  std::string value_or(std::string_view other) const { return *this ? bytes_ : std::string(other); }
  // Converts to the bytes, or to nothing if the read failed. This is for callers that do not need to know what went
  // wrong.
  operator std::optional<std::string>() && {
    if (!*this) return std::nullopt;
    return std::move(bytes_);
  }

  friend bool operator==(const FileContent& content, std::string_view text) { return content && *content == text; }

 private:
  ReadFault fault_ = ReadFault::None;
  std::string bytes_;
  std::string problem_;
};

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// The number of bytes after which a LimitFor is asked.
inline constexpr std::size_t kBeginning = std::size_t{1} << 16;

// Given the first kBeginning bytes of a longer file, returns the most bytes that a file with this beginning may have.
// Returns 0 if the caller can use no such file: the read then ends, and returns these first bytes alone, which are
// enough for the caller to say what is wrong with them.
using LimitFor = std::function<std::uint64_t(std::string_view beginning)>;

// Reads a regular file or a pipe of at most `limit` bytes. Opening a FIFO blocks until the FIFO has a writer.
FileContent read_file(const std::filesystem::path& path, std::uint64_t limit = kGibibyte,
                      const LimitFor& limit_for = {});

// Returns why read_file refuses a file of this kind: "it is a device", "it is a folder", "it is a socket". Returns null
// for regular files and pipes. `mode` is st_mode from stat.
const char* problem_of_kind(mode_t mode) noexcept;

// Reads an open file of any kind, including a terminal, from its current position to its end.
FileContent read_open_file(int file, std::uint64_t limit, const LimitFor& limit_for = {});

// Fills `bytes` from the open file, beginning at `offset`. Does not move the file's position. Returns false and sets
// errno if the read fails, or if the file ends before `bytes` is full (ENODATA).
bool read_at(int file, std::span<std::byte> bytes, std::uint64_t offset);

}  // namespace graft::base
