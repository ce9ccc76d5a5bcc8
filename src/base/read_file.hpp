// The whole content of a file, or why there is none.
//
// A device can be endless, can hang, and can act when it is opened, so only regular files and pipes are opened. Every
// read has a limit, because a pipe can be endless too.
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
  TooLarge,    // more bytes than the limit; what was read of them is dropped
  NoMemory,    // the bytes do not fit into memory
};

// Used as std::optional<std::string>.
class [[nodiscard]] FileContent {
 public:
  FileContent(std::string bytes) : bytes_(std::move(bytes)) {}
  FileContent(ReadFault fault, std::string problem) : fault_(fault), problem_(std::move(problem)) {}

  explicit operator bool() const noexcept { return fault_ == ReadFault::None; }
  ReadFault fault() const noexcept { return fault_; }
  // A clause about the file: "it is a device", "No such file or directory". Empty where there are bytes.
  const std::string& problem() const noexcept { return problem_; }

  // The bytes: only where there are some.
  std::string& operator*() noexcept { return bytes_; }
  const std::string& operator*() const noexcept { return bytes_; }
  std::string* operator->() noexcept { return &bytes_; }
  const std::string* operator->() const noexcept { return &bytes_; }
  // Throws std::runtime_error with the problem.
  std::string value() const;
  std::string value_or(std::string_view other) const { return *this ? bytes_ : std::string(other); }
  // For who does not ask why.
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

// Reads a regular file or a pipe of at most `limit` bytes. Opening a FIFO waits for its writer.
FileContent read_file(const std::filesystem::path& path, std::uint64_t limit = kGibibyte);

// Why a file of this kind (stat's st_mode) is not read: "it is a device", "it is a folder", "it is a socket". Null for
// regular files and pipes.
const char* problem_of_kind(mode_t mode) noexcept;

// Reads what is left of an open file of any kind, the user's terminal too.
FileContent read_open_file(int file, std::uint64_t limit);

}  // namespace graft::base
