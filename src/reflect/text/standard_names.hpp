// Finds what a text needs of the C++ standard library, and what it declares in the library's place.
//
// nvcc and host compilers include <cmath> in front of every text, and their <cmath> brings other headers along. So that
// a text needs the same #include lines on every route, graft writes the lines for the names that come with it:
//
//     __device__ float f(float x) { return std::max(x, 0.f); }   ->   cmath cstddef cstdint algorithm
//
// A text may declare integer types of <cstdint> itself, because its compiler has no such header:
//
//     typedef long long int64_t;     using uintptr_t = unsigned long;
//
// On a GPU graft's int64_t is `long long`, and that of a C++ compiler is `long`, so each would refuse one of the two
// spellings as a second declaration. graft renames such a type in the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

// Adds the headers that `headers` does not have yet. Names of cuda::std do not count.
void add_std_headers(std::string_view text, std::vector<std::string_view>& headers);

// Returns the 64-bit integer types of <cstdint> that the text declares. Types of other sizes are not looked for,
// because all compilers agree on them.
std::vector<std::string> own_wide_types(const Text& text);

}  // namespace graft::reflect
