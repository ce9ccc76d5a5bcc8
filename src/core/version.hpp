// Defines the version number of a tool, a driver or a format, and the name of this build of graft.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace graft {

// The version of a tool, a driver or a format. Its text is like "13.0".
struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

// Returns the name of this build of graft: graft's version, and one hash of graft's sources, its device code and the
// headers embedded in it. For example "0.2.0 3f0c...".
//
// Two builds that have the same name and were made by the same compiler behave identically. Two builds with different
// names may still make the same kernel of a callback. To find out, graft compares the kernel's recipes of both builds.
// A recipe lists everything that a build adds to the callback (routes/recipe.hpp).
const std::string& this_build();

// The hash in this_build(). src/CMakeLists.txt computes it at build time.
std::string_view hash_of_sources();

}  // namespace graft
