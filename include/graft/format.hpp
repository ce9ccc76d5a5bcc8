// Formats graft's values with std::format, as ostream.hpp writes them to streams:
//
//     std::format("{:>8}", transform.report().kernel.route)
//
// A format's specification is that of a string. The formatters are there if the standard library has <format>; if not,
// this header declares nothing. graft.hpp leaves this header out, because <format> makes programs compile longer.
#pragma once

#include <version>

#include <graft/ostream.hpp>

#ifdef __cpp_lib_format
#include <format>
#include <string_view>

template <class T>
requires graft::detail::HasText<T>
struct std::formatter<T, char> : std::formatter<std::string_view, char> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string_view, char>::format(graft::detail::text_of(value), context);
  }
};
#endif
