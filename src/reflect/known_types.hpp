// Signatures that graft reads without a compiler: of fundamental types, CUDA's vector types, half, bfloat16,
// graft::complex and graft::Index.
//
//     "float(float, const double&, graft::Index)"
//
// The indirect route works where only the driver is, so nobody else could say what the types are.
#pragma once

#include <optional>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::reflect {

// The element type behind a name: "unsigned int", "float4", "__half". Nothing for any other.
std::optional<ElementType> known_type(std::string_view name);

// Whether compilers pass a value of this type by pointer, and return it through one: __half2 and __nv_bfloat162, whose
// copy constructors copy member by member. Every other type that graft takes is passed as it is.
bool goes_by_pointer(const Parameter& parameter);

// Of a function type ("float(float)"), spelled as a compiler names the types ("int" for int32_t); nothing where a type
// is not known or no role fits it.
std::optional<Signature> known_signature(std::string_view function_type);

}  // namespace graft::reflect
