// The text form of a cache key, which identifies a request for a kernel in the cache. A key is a list of fields. Each
// field is a tag, the value's length in bytes, and the value, and ends with a newline.
//
//     architecture 5:sm_90
//     define 3:A=1
//
// A person can read the text, and the lengths make it unambiguous: two different lists of fields never have the same
// text. A value may contain any bytes, including newlines. A tag consists of lower-case letters, digits and
// underscores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::format {

class KeyWriter {
 public:
  void add(std::string_view tag, std::string_view value);
  void add(std::string_view tag, std::int64_t value);

  const std::string& text() const noexcept { return text_; }
  std::string take() noexcept { return std::move(text_); }

 private:
  std::string text_;
};

struct KeyField {
  std::string tag;
  std::string value;
  bool operator==(const KeyField&) const = default;
};

// Returns nothing for a text that KeyWriter cannot have written.
std::optional<std::vector<KeyField>> parse_key(std::string_view text);

// Returns the value of the only field with this tag, as a view into `text`. Returns nothing when no field or several
// fields have the tag, or when KeyWriter cannot have written the text. Unlike parse_key, find_field does not copy
// values, because a key contains the callback's whole source.
std::optional<std::string_view> find_field(std::string_view text, std::string_view tag);

// A field that differs between two keys. `left` or `right` is empty if that key lacks the field.
struct KeyDifference {
  std::string tag;
  std::optional<std::string> left;
  std::optional<std::string> right;
  bool operator==(const KeyDifference&) const = default;
};

// All differences, in the order in which the tags first occur. If a key has several fields with the same tag, fields
// are compared by their order: the first `define` of `left` with the first `define` of `right`, and so on.
std::vector<KeyDifference> compare_keys(const std::vector<KeyField>& left, const std::vector<KeyField>& right);

}  // namespace graft::format
