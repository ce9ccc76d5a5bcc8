// Formatted text, by fmt. A call site only collects its arguments; fmt's code is compiled once, in format.cpp. A copy
// of it in every file made the library twice as large, and the first use of a kernel slower because it touched more
// pages.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace graft::base {

std::string format_packed(std::string_view text, fmt::format_args arguments);

// The format string is checked at compile time.
template <class... T>
std::string format(fmt::format_string<T...> text, T&&... arguments) {
  const fmt::string_view view = text;
  return format_packed({view.data(), view.size()}, fmt::make_format_args(arguments...));
}

template <class... T>
void append(std::string& to, fmt::format_string<T...> text, T&&... arguments) {
  const fmt::string_view view = text;
  to += format_packed({view.data(), view.size()}, fmt::make_format_args(arguments...));
}

// The elements of a range as text, separated by `between`.
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
