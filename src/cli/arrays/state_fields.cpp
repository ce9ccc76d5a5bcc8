#include "cli/arrays/state_fields.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/trimmed.hpp"
#include "cli/arrays/state_text.hpp"
#include "cli/help/suggestion.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

using format::Field;

bool is_number(const Field& part) {
  return part.parts.empty();
}

class FieldValues {
 public:
  explicit FieldValues(const Field& whole) : whole_(whole), bytes_(whole.element.size), is_given_(whole.element.size) {}

  base::Bytes read(std::string_view text) {
    read_list(text, whole_, "");
    std::vector<std::string> missing;
    find_missing(whole_, "", missing);
    if (!missing.empty()) refuse(base::format("the state gives no value for {}", base::join(missing, ", ")), remedy());
    return std::move(bytes_);
  }

 private:
  std::string remedy() const {
    return base::format("Give each field of {} once, as in a=1,b={{1,2}}. The fields are {}.", whole_.type,
                        list_of_fields(whole_));
  }

  std::vector<std::string_view> items_of(std::string_view list) const {
    std::optional<std::vector<std::string_view>> items = split_items(list);
    if (!items) refuse(base::format("the braces of the state do not match: {}", list), remedy());
    return std::move(*items);
  }

  void read_list(std::string_view list, const Field& part, const std::string& path) {
    const std::vector<std::string_view> items = items_of(list);
    const auto has_name = [](std::string_view item) { return item.substr(0, item.find('{')).find('=') != item.npos; };
    if (std::ranges::any_of(items, has_name)) {
      for (const std::string_view item : items) read_named_item(item, part, path);
      return;
    }
    if (items.size() != part.parts.size())
      refuse(base::format("the state gives {} values for the {} parts of {}", items.size(), part.parts.size(),
                          path.empty() ? part.type : path),
             remedy());
    for (std::size_t i = 0; i < items.size(); ++i)
      read_value(items[i], part.parts[i], joined_path(path, part.parts[i]));
  }

  void read_named_item(std::string_view item, const Field& part, const std::string& path) {
    const std::size_t equals = item.find('=');
    if (equals == item.npos) refuse(base::format("the state gives `{}` without the name of its field", item), remedy());
    const std::string_view name = base::trimmed(item.substr(0, equals));
    read_value(base::trimmed(item.substr(equals + 1)), find(part, name, path), full_name(path, name));
  }

  static std::string full_name(const std::string& path, std::string_view name) {
    return base::format("{}{}{}", path, path.empty() || name.starts_with('[') ? "" : ".", name);
  }
  static std::string joined_path(const std::string& path, const Field& part) { return full_name(path, part.name); }

  // Follows a name such as `inner.w[2]`.
  const Field& find(const Field& start, std::string_view name, const std::string& path) const {
    const Field* part = &start;
    for (std::string_view rest = name; !rest.empty() || part == &start;) {
      const std::size_t end = std::min(rest.find_first_of(".[", 1), rest.size());
      const std::string_view step = rest.substr(0, end);
      const auto found = std::ranges::find(part->parts, step, &Field::name);
      if (found == part->parts.end()) {
        std::vector<std::string> names;
        for (const Field& one : part->parts) names.push_back(one.name);
        refuse(base::format("the state {} has no field `{}`.{}", whole_.type, full_name(path, name),
                            did_you_mean(step, names)),
               remedy());
      }
      part = &*found;
      rest.remove_prefix(end);
      if (rest.starts_with('.')) rest.remove_prefix(1);
    }
    return *part;
  }

  void read_value(std::string_view value, const Field& part, const std::string& path) {
    if (value.starts_with('{') && value.ends_with('}') && !is_number(part))
      return read_list(value.substr(1, value.size() - 2), part, path);
    if (!is_number(part))
      refuse(base::format("the field `{}` is a {}, and `{}` is one value", path, part.type, value), remedy());
    const std::optional<base::Bytes> bytes = parse_number(value, part.element);
    if (!bytes)
      refuse(base::format("`{}` is not a valid value of the field `{}` ({})", value, path, part.type), remedy());
    if (part.is_pointer && std::ranges::any_of(*bytes, [](std::byte one) { return one != std::byte{0}; }))
      refuse(base::format("the field `{}` is a pointer, which can only be 0 here", path),
             "Give 0, or use the library, which can pass pointers to device memory.");
    if (is_given_[part.offset]) refuse(base::format("the state gives the field `{}` twice", path), remedy());
    is_given_[part.offset] = true;
    std::ranges::copy(*bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(part.offset));
  }

  void find_missing(const Field& part, const std::string& path, std::vector<std::string>& missing) const {
    if (is_number(part) && !is_given_[part.offset]) missing.push_back(path);
    for (const Field& one : part.parts) find_missing(one, joined_path(path, one), missing);
  }

  const Field& whole_;
  base::Bytes bytes_;
  std::vector<bool> is_given_;  // for the first byte of each number
};

}  // namespace

std::optional<std::vector<std::string_view>> split_items(std::string_view list) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '{') ++depth;
    if (c == '}' && --depth < 0) break;
    if (c != ',' || (depth != 0 && i < list.size())) continue;
    items.push_back(base::trimmed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return depth == 0 ? std::optional(std::move(items)) : std::nullopt;
}

base::Bytes bytes_of_fields(std::string_view text, const Field& structure) {
  return FieldValues(structure).read(text);
}

std::string list_of_fields(const Field& structure) {
  std::string list;
  for (const Field& part : structure.parts)
    list += base::format("{}{} ({})", list.empty() ? "" : ", ", part.name, part.type);
  return list;
}

}  // namespace graft::cli
