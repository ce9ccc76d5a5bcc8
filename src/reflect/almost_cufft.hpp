// Says how a signature differs from that of a cuFFT load or store callback which its author probably meant:
//
//     float2 f(const float2*, int, void*)    its `data` is const float2* and not void*, its `offset` is int and not
//                                            size_t, and it has no `shared`
#pragma once

#include <string>
#include <vector>

namespace graft::reflect {

// `types` are the types of the result and of the parameters, as reflect::spellings returns them.
std::string differences_from_cufft(const std::vector<std::string>& types);

}  // namespace graft::reflect
