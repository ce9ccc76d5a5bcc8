// Names this build of graft: its version, and one hash of its sources, its device code and the headers embedded in it.
// src/CMakeLists.txt computes the hash at build time.
//
// Two builds that have the same name and were made by the same compiler behave identically. Two builds with different
// names may still make the same kernels; graft compares the recipes of the kernels to find out (routes/recipe.hpp).
#pragma once

#include <string>
#include <string_view>

namespace graft {

std::string_view hash_of_sources();

// For example "0.1.0 3f0c...".
const std::string& this_build();

}  // namespace graft
