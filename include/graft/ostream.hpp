// Writes graft's values to streams as messages and reports show them:
//
//     std::cout << transform.report().kernel.route << '\n'           program
//     std::cout << transform.report().kernel.architecture << '\n'    sm_90
//     std::cout << transform.signature() << '\n'                     float(float, const Scale&)
//
// It serves Architecture, Signature, ElementType, and every enum of graft that has a function `name` (Route, Form,
// ErrorCode, ...). format.hpp does the same for std::format, and fmt.hpp for the library fmt. Thread-safe as the stream
// is. Needs only <iosfwd>, so the program includes <ostream> or <iostream>.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include <graft/architecture.hpp>
#include <graft/element.hpp>
#include <graft/error.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>

namespace graft {
namespace detail {

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  { name(value) } -> std::same_as<std::string_view>;
};

// The types that have a text. Others that convert to one of them (an int converts to Architecture) have none here.
template <class T>
concept HasText =
    NamedEnum<T> || std::same_as<T, Architecture> || std::same_as<T, Signature> || std::same_as<T, ElementType>;

template <HasText T>
auto text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) return name(value);
  else if constexpr (std::same_as<T, Architecture>) return value.sm();
  else if constexpr (std::same_as<T, Signature>) return value.text();
  else return to_string(value);
}

}  // namespace detail

template <class Traits, detail::HasText T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const T& value) {
  return out << detail::text_of(value);
}

}  // namespace graft
