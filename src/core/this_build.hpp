// Which build of graft this is: its version, and one hash of all its sources, device code and embedded headers, fixed
// when it was built (src/CMakeLists.txt). Two builds of one name, made by one
// compiler, do the same in everything. Two of different names may
// still make the same kernels: what a kernel is made of tells that (build/recipe.hpp).
#pragma once

#include <string>
#include <string_view>

namespace graft {

std::string_view hash_of_sources();

const std::string& this_build();  // "0.1.0 3f0c..."

}  // namespace graft
