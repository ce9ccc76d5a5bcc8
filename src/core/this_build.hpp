// Identifies this build of graft by its version and one hash of its sources, its device code and the headers embedded
// in it. src/CMakeLists.txt computes the hash at build time.
//
// Two builds with the same name, made by the same compiler, behave the same in everything. Two builds with different
// names may still make the same kernels: a kernel's recipe decides that (routes/recipe.hpp).
#pragma once

#include <string>
#include <string_view>

namespace graft {

std::string_view hash_of_sources();

const std::string& this_build();  // "0.1.0 3f0c..."

}  // namespace graft
