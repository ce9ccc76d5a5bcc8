// Formats text with fmt. A call of format only collects its arguments; fmt's code is compiled once, in format.cpp. When
// every file compiled fmt's code, the library was twice as large, and the first use of a kernel was slower because it
// touched more pages.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace graft::base {

std::string format_arguments(std::string_view text, fmt::format_args arguments);

// Returns the formatted text. The compiler checks the format string.
template <class... T>
std::string format(fmt::format_string<T...> text, T&&... arguments) {
  const fmt::string_view view = text;
  return format_arguments({view.data(), view.size()}, fmt::make_format_args(arguments...));
}

template <class... T>
void append(std::string& to, fmt::format_string<T...> text, T&&... arguments) {
  const fmt::string_view view = text;
  to += format_arguments({view.data(), view.size()}, fmt::make_format_args(arguments...));
}

// Returns a number of things as text: "1 kernel", "2 kernels".
template <class Number>
std::string counted(Number count, std::string_view noun) {
  return base::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Returns the elements of a range as text, with `between` between them.
template <class Range>
std::string join(Range&& parts, std::string_view between) {
  std::string joined;
  bool is_first = true;
  for (auto&& part : parts) {
    if (!std::exchange(is_first, false)) joined += between;
    if constexpr (std::convertible_to<decltype(part), std::string_view>) joined += std::string_view(part);
    else joined += base::format("{}", part);
  }
  return joined;
}

}  // namespace graft::base
