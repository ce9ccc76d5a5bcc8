// Writes, parses and compares keys. parse_field accepts only the spelling that KeyWriter writes, so two different texts
// never parse to the same fields.
#include "format/key_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace graft::format {
namespace {

// Uses std::to_chars because it is faster than base::format. The time matters because graft writes a key for every
// request, even if the kernel is already in memory.
void append_number(std::string& text, std::uint64_t value) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  text.append(digits, end);
}

bool is_tag_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

struct FieldView {
  std::string_view tag;
  std::string_view value;
};

// Parses the field at the start of `text` and removes it from `text`.
std::optional<FieldView> parse_field(std::string_view& text) {
  const std::size_t space = text.find(' ');
  if (space == 0 || space == std::string_view::npos) return std::nullopt;
  const std::string_view tag = text.substr(0, space);
  if (!std::all_of(tag.begin(), tag.end(), is_tag_character)) return std::nullopt;
  text.remove_prefix(space + 1);
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc()) return std::nullopt;
  if (text.starts_with('0') && end - text.data() > 1) return std::nullopt;  // "05" would be a second spelling of 5
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  if (size >= text.size() || text[size] != '\n') return std::nullopt;
  const FieldView field{tag, text.substr(0, size)};
  text.remove_prefix(size + 1);
  return field;
}

std::vector<std::string_view> values_of(const std::vector<KeyField>& fields, std::string_view tag) {
  std::vector<std::string_view> values;
  for (const KeyField& field : fields)
    if (field.tag == tag) values.push_back(field.value);
  return values;
}

}  // namespace

void KeyWriter::add(std::string_view tag, std::string_view value) {
  text_ += tag;
  text_ += ' ';
  append_number(text_, value.size());
  text_ += ':';
  text_ += value;
  text_ += '\n';
}

void KeyWriter::add(std::string_view tag, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  add(tag, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

std::optional<std::vector<KeyField>> parse_key(std::string_view text) {
  std::vector<KeyField> fields;
  while (!text.empty()) {
    const std::optional<FieldView> field = parse_field(text);
    if (!field) return std::nullopt;
    fields.push_back({std::string(field->tag), std::string(field->value)});
  }
  return fields;
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view tag) {
  std::optional<std::string_view> found;
  while (!text.empty()) {
    const std::optional<FieldView> field = parse_field(text);
    if (!field || (field->tag == tag && found)) return std::nullopt;
    if (field->tag == tag) found = field->value;
  }
  return found;
}

std::vector<KeyDifference> compare_keys(const std::vector<KeyField>& left, const std::vector<KeyField>& right) {
  std::vector<KeyDifference> differences;
  std::vector<std::string_view> tags;
  for (const auto* fields : {&left, &right})
    for (const KeyField& field : *fields)
      if (std::find(tags.begin(), tags.end(), field.tag) == tags.end()) tags.push_back(field.tag);
  for (const std::string_view tag : tags) {
    const std::vector<std::string_view> a = values_of(left, tag);
    const std::vector<std::string_view> b = values_of(right, tag);
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      KeyDifference difference{std::string(tag), {}, {}};
      if (i < a.size()) difference.left = a[i];
      if (i < b.size()) difference.right = b[i];
      if (difference.left != difference.right) differences.push_back(std::move(difference));
    }
  }
  return differences;
}

}  // namespace graft::format
