// Reads and spells the types for which instances of generic callbacks are made.
//
// The names become part of a callback's entry, which is compiled. So nothing but names passes: letters, digits, `::`,
// and the arguments of a template in angle brackets.
#include <algorithm>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "base/trimmed.hpp"
#include "core/fail.hpp"
#include "core/named_elements.hpp"
#include "graft/generic.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft {
namespace {

// Returns the name in C++ with which callbacks compute: complex numbers are graft::complex and not float2, which has no
// operators. Empty if there is none.
std::string_view spelling_of(const ElementType& type) {
  for (const NamedElement& element : kNamedElements)
    if (element.type.kind == type.kind && element.type.size == type.size)
      return type.kind == ElementKind::Complex ? element.also_in_cpp : element.in_cpp;
  return {};
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_word_character) && !(text[0] >= '0' && text[0] <= '9');
}

// Whether the text is a name such as `shapes::Pair<float, 2>`.
bool is_name_of_type(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    const bool is_allowed = is_word_character(c) || c == ':' || c == '<' || c == '>';
    if (depth < 0 || (!is_allowed && (depth == 0 || (c != ',' && c != ' ')))) return false;
  }
  return depth == 0 && !text.empty() && (is_word(text.substr(0, 1)) || text.starts_with("::"));
}

// Calls `take` with each piece of the text between separators that are outside angle brackets.
template <class Take>
void split(std::string_view text, char separator, Take take) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' && (i == 0 || text[i - 1] != '-') ? -1 : 0;
    if (depth != 0 || text[i] != separator) continue;
    take(base::trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  take(base::trimmed(text.substr(begin)));
}

// Reads one list: "f32, Point", "f32 x, y". Nothing is an empty list.
std::vector<InstanceType> read_list(std::string_view text) {
  std::vector<InstanceType> list;
  if (base::trimmed(text).empty()) return list;
  std::string last;  // the type of the variables that follow
  split(text, ',', [&](std::string_view item) {
    const std::size_t blank = item.find_first_of(" \t\r\n");
    const std::string_view type = item.substr(0, blank);
    const std::string_view name = blank == item.npos ? std::string_view() : base::trimmed(item.substr(blank));
    if (is_word(name) && element_named(type)) {
      last = type;
      list.emplace_back(type, std::string(name));
    } else if (!last.empty() && is_word(item)) {
      list.emplace_back(last, std::string(item));
    } else {
      list.emplace_back(item);
    }
  });
  return list;
}

std::string spelled(const std::vector<InstanceType>& list) {
  std::vector<std::string> names;
  for (const InstanceType& type : list)
    names.push_back(type.name.empty() ? type.in_cpp : base::format("{} {}", type.in_cpp, type.name));
  return base::join(names, ", ");
}

}  // namespace

InstanceType::InstanceType(const ElementType& type) : in_cpp(spelling_of(type)), element(type) {
  if (in_cpp.empty())
    refuse(base::format("the element type {} has no name in C++, so no instance can be made for it", to_string(type)),
           "Give the name that the type has in the callback's text: graft::types<Point>(), or "
           "graft::types(\"shapes::Point\").");
}

InstanceType::InstanceType(std::string_view type, std::string its_name) : name(std::move(its_name)) {
  element = element_named(type);
  if (element) {
    in_cpp = InstanceType(*element).in_cpp;
    return;
  }
  in_cpp = type;
  element = reflect::known_type(type);
  if (!element && !is_name_of_type(type))
    refuse(base::format("`{}` is no name of a type", base::shortened(type)),
           "Give the types of the arrays by name and with commas between them: \"f32, i32\", or \"float, Point\".");
}

InstanceTypes InstanceTypes::with_outputs(const InstanceTypes& outputs) const {
  InstanceTypes changed = *this;
  changed.outputs_ = outputs.inputs_;
  return changed;
}

InstanceTypes InstanceTypes::with_state(const InstanceTypes& state) const {
  InstanceTypes changed = *this;
  changed.state_ = state.inputs_;
  return changed;
}

std::string InstanceTypes::text() const {
  std::string text = spelled(inputs_);
  if (!state_.empty()) text += "; " + spelled(state_);
  if (!outputs_.empty()) text += " -> " + spelled(outputs_);
  return text;
}

InstanceTypes types(std::string_view line) {
  const std::size_t arrow = line.find("->");
  const std::string_view front = line.substr(0, arrow);
  const std::size_t semicolon = front.find(';');
  InstanceTypes read(read_list(front.substr(0, semicolon)));
  if (semicolon != front.npos) read = read.with_state(InstanceTypes(read_list(front.substr(semicolon + 1))));
  if (arrow != line.npos) read = read.with_outputs(InstanceTypes(read_list(line.substr(arrow + 2))));
  return read;
}

namespace detail {

namespace {

// Returns the last part of a qualified name: "Pair<a::B>" of "app::Pair<a::B>", "Local" of "main()::<lambda()>::Local".
std::string_view last_part(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
    if (depth == 0 && name.substr(i).starts_with("::")) return name.substr(i + 2);
  }
  return name;
}

}  // namespace

// "const char* graft::detail::function_of() [with T = app::{anonymous}::Pair<float>]" in the words of g++
InstanceType instance_type(const ElementType& type, std::string_view pretty_function) {
  constexpr std::string_view kMark = "T = ";
  std::string_view name = pretty_function.substr(std::min(pretty_function.find(kMark), pretty_function.size()));
  name = name.substr(std::min(kMark.size(), name.size()));
  name = name.substr(0, name.find_first_of(";]"));
  const bool is_own = type.kind == ElementKind::Class || type.kind == ElementKind::Enum;
  if (!is_own && name != "float2" && name != "double2") return InstanceType(type);
  InstanceType own(last_part(name));
  own.element = type;
  return own;
}

}  // namespace detail
}  // namespace graft
