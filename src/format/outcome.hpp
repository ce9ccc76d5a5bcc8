// What a reader gives back: a value, or what is wrong with the bytes and where.
//
// Readers take hostile bytes, so being refused is an ordinary result and no exception. Callers above, who know whose
// bytes they were, throw graft::Error.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace graft::format {

enum class Flaw {
  Unknown,    // the bytes are something else
  Truncated,  // they end before they should
  Damaged,    // they contradict themselves or their checksum
  Newer,      // a later version of the format, or a field that a later graft has added
  OfGraft01,  // version 1 of the format, which this graft does not read
  Unfit,      // whole, and of no use here: a 32-bit file, a linked program
};

struct FormatError {
  Flaw flaw = Flaw::Unknown;
  std::string message;     // a clause without a full stop: "the section table ends after the file"
  std::size_t offset = 0;  // in bytes, where the trouble was seen
};

template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : content_(std::move(value)) {}
  Outcome(FormatError error) : content_(std::move(error)) {}

  explicit operator bool() const noexcept { return content_.index() == 0; }

  // Only where there is a value.
  T& operator*() noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const noexcept { return *std::get_if<0>(&content_); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  // Only where there is none.
  const FormatError& error() const noexcept { return *std::get_if<1>(&content_); }

 private:
  std::variant<T, FormatError> content_;
};

}  // namespace graft::format
