// Finds which standard headers a text needs for the names of namespace std that it uses.
//
//     __device__ float f(float x) { return std::max(x, 0.f); }   ->   cmath cstddef cstdint algorithm
//
// nvcc and host compilers include <cmath> in front of every text, and their <cmath> brings other headers along. So that
// a text needs the same #include lines on every route, graft writes the lines for the names that come with it.
#pragma once

#include <string_view>
#include <vector>

namespace graft::reflect {

// Adds the headers that `headers` does not have yet. Names of cuda::std do not count.
void add_std_headers(std::string_view text, std::vector<std::string_view>& headers);

}  // namespace graft::reflect
