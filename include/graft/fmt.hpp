// Formats graft's values with the library fmt, as ostream.hpp writes them to streams:
//
//     fmt::print("{:>8}\n", transform.report().kernel.route);
//
// A format's specification is that of a string. For programs that use fmt 9 or newer: no other header of graft includes
// fmt, and libgraft needs none that is installed.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include <graft/ostream.hpp>

template <class T>
requires graft::detail::HasText<T>
struct fmt::formatter<T, char> : fmt::formatter<std::string_view, char> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view, char>::format(graft::detail::text_of(value), context);
  }
};
