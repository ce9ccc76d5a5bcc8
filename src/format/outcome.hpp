// Outcome<T> is the result of a file reader: a value, or a FormatError that says what is wrong with the bytes and
// where.
//
// A reader does not throw, because bytes that it refuses are an ordinary case: files may be damaged or hostile. The
// reader's caller knows which file the bytes came from, and makes a graft::Error from the FormatError.
//
// KernelCheck is a function that the caller passes to a reader and that checks the description of a kernel. The readers
// in this folder cannot check kernels themselves, because they do not know the families of kernels.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace graft {
struct Report;
}  // namespace graft

namespace graft::format {

enum class Flaw {
  Unknown,     // the bytes are not of this format
  Truncated,   // the bytes end too early
  Damaged,     // the contents contradict each other or the checksum
  Newer,       // a later graft wrote the file: it has a later format version or an unknown field
  OfGraft01,   // format version 1 (graft 0.1), which this version of graft does not read
  Unfit,       // undamaged, but graft cannot use it: a 32-bit ELF file, a linked program
  Compressed,  // compressed with zstd, and this build of graft has no zstd (format/compressed.hpp)
};

struct FormatError {
  Flaw flaw = Flaw::Unknown;
  std::string message;     // a clause without a full stop: "the ELF file ends inside its header"
  std::size_t offset = 0;  // the byte at which the reader noticed the flaw
};

template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : content_(std::move(value)) {}
  Outcome(FormatError error) : content_(std::move(error)) {}

  explicit operator bool() const noexcept { return content_.index() == 0; }

  // Call only if the Outcome has a value.
  T& operator*() noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const noexcept { return *std::get_if<0>(&content_); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  // Call only if the Outcome has no value.
  const FormatError& error() const noexcept { return *std::get_if<1>(&content_); }

 private:
  std::variant<T, FormatError> content_;
};

// The type of a function that checks the description of a kernel in a cache entry. The function returns the reason why
// graft cannot have made the described kernel, or an empty string if graft can have made it. The reader's caller passes
// the function (families/kept_kernels.hpp).
using KernelCheck = std::string(const Report& report);

}  // namespace graft::format
