// The version of a tool, a driver or a format. Its text is like "13.0".
#pragma once

#include <compare>
#include <string>

namespace graft::toolchain {

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

}  // namespace graft::toolchain
