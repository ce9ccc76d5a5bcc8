// Reads a whole file, or says why it cannot be read.
//
// Only regular files and pipes are opened: a device can be endless, can hang, and can act when it is opened. Every read
// has a limit, because a pipe can be endless too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace graft::base {

enum class ReadFault : std::uint8_t {
  None,
  Unreadable,  // the system refused, or the file is a device, a folder or a socket
  TooLarge,    // the file has more bytes than the limit
  NoMemory,    // the bytes do not fit into memory
};

// A file's bytes, or the fault and the problem. Used like std::optional<std::string>.
class [[nodiscard]] FileContent {
 public:
  FileContent(std::string bytes) : bytes_(std::move(bytes)) {}
  FileContent(ReadFault fault, std::string problem) : fault_(fault), problem_(std::move(problem)) {}

  explicit operator bool() const noexcept { return fault_ == ReadFault::None; }
  ReadFault fault() const noexcept { return fault_; }
  // A clause about the file: "it is a device", "No such file or directory". Empty when there is no fault.
  const std::string& problem() const noexcept { return problem_; }

  // The bytes. Call these only when there is no fault.
  std::string& operator*() noexcept { return bytes_; }
  const std::string& operator*() const noexcept { return bytes_; }
  std::string* operator->() noexcept { return &bytes_; }
  const std::string* operator->() const noexcept { return &bytes_; }
  // The bytes; throws std::runtime_error with the problem when there is a fault.
  std::string value() const;
  std::string value_or(std::string_view other) const { return *this ? bytes_ : std::string(other); }
  // For callers that do not need the reason.
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

// Reads a regular file or a pipe of at most `limit` bytes. Opening a FIFO blocks until it has a writer.
FileContent read_file(const std::filesystem::path& path, std::uint64_t limit = kGibibyte);

// Why read_file refuses a file of this kind (st_mode of stat): "it is a device", "it is a folder", "it is a socket".
// Null for regular files and pipes.
const char* problem_of_kind(mode_t mode) noexcept;

// Reads an open file of any kind, a terminal too, from its current position to its end.
FileContent read_open_file(int file, std::uint64_t limit);

}  // namespace graft::base
