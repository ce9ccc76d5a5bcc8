// The text of a key: tagged fields, one a line, each value with its length, so that a person can read it and no two
// lists of fields are the same text:
//
//     architecture 5:sm_90
//     define 3:A=1
//
// A value may hold any bytes, line ends too. A tag holds letters, digits and underscores.
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

// Nothing for a text that no KeyWriter writes.
std::optional<std::vector<KeyField>> parse_key(std::string_view text);

// The value of the one field with this tag, which views the text; nothing where there is none or several, or for a text
// that no KeyWriter writes. Copies nothing: a callback's whole source stands in a key.
std::optional<std::string_view> find_field(std::string_view text, std::string_view tag);

// One field that two keys do not share. Without a value the side lacks the field.
struct KeyDifference {
  std::string tag;
  std::optional<std::string> left;
  std::optional<std::string> right;
  bool operator==(const KeyDifference&) const = default;
};

// Where the keys differ, in the order of their fields. A tag that occurs several times is compared place by place.
std::vector<KeyDifference> compare_keys(const std::vector<KeyField>& left, const std::vector<KeyField>& right);

}  // namespace graft::format
