// Writes graft's values to streams as messages and reports show them:
//
//     std::cout << transform.report().kernel.route << '\n'           program
//     std::cout << transform.report().kernel.architecture << '\n'    sm_90
//     std::cout << transform.signature() << '\n'                     float(float, const Scale&)
//
// It serves Architecture, Signature, ElementType, and the enums of graft that have a function `name`: ErrorCode,
// Diagnostic::Severity, Route, Form, PrecompileFormat, LogKind and LogSeverity. format.hpp does the same for
// std::format, and fmt.hpp for the library fmt. Thread-safe as the stream is. Needs only <iosfwd>, so the program
// includes <ostream> or <iostream>.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>

#include <graft/architecture.hpp>
#include <graft/element.hpp>
#include <graft/error.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>

namespace graft {

enum class Form : std::uint8_t;              // callback.hpp
enum class PrecompileFormat : std::uint8_t;  // precompile.hpp
enum class LogKind : std::uint8_t;           // log.hpp
enum class LogSeverity : std::uint8_t;       // log.hpp

namespace detail {

template <class T, class... Others>
concept OneOf = (std::same_as<T, Others> || ...);

// Enums of applications are none of these, also those that have a function `name`.
template <class T>
concept NamedEnum = OneOf<T, ErrorCode, Diagnostic::Severity, Route, Form, PrecompileFormat, LogKind, LogSeverity>;

// The types that have a text. Others that convert to one of them (an int converts to Architecture) have none here.
template <class T>
concept HasText = NamedEnum<T> || OneOf<T, Architecture, Signature, ElementType>;

template <HasText T>
auto text_of(const T& value) {
  if constexpr (NamedEnum<T>) return name(value);
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
