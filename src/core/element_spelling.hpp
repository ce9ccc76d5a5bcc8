// How the type of a parameter is spelled: the element's type, and how the callback takes the element.
#pragma once

#include <string>
#include <string_view>

namespace graft {

inline constexpr std::string_view kInOutSpelling = "graft::InOut<";

// Returns the element's type: "float" of "float", "float&", "const float&" and "graft::InOut<float>".
constexpr std::string_view element_spelling(std::string_view parameter) {
  if (parameter.starts_with(kInOutSpelling) && parameter.ends_with('>'))
    return parameter.substr(kInOutSpelling.size(), parameter.size() - kInOutSpelling.size() - 1);
  while (parameter.ends_with('&') || parameter.ends_with(' ')) parameter.remove_suffix(1);
  if (parameter.starts_with("const ")) parameter.remove_prefix(6);
  return parameter;
}

// graft::InOut<T> is a name for `T&&`, and compilers print what it is a name for. Returns "graft::InOut<float>" for
// "float&&", and other types as they are.
inline std::string name_in_out(std::string type) {
  if (!type.ends_with("&&") || type.starts_with("const ")) return type;
  return std::string(kInOutSpelling).append(element_spelling(type)) + ">";
}

}  // namespace graft
