// Reads signatures without a compiler. graft can do so if it knows all types of a signature: fundamental types, CUDA's
// vector types, half, bfloat16, graft::complex and graft::Index.
//
//     "float(float, const double&, graft::Index)"
//
// The indirect route also works on machines that have only the driver. On such a machine no compiler can tell the sizes
// of types, so graft can make a kernel only if it knows all types of the signature. Where graft has a compiler, a
// signature of known types saves the extra compile that would only read the signature.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::reflect {

// Returns the element type of a known name: "unsigned int", "float4", "__half". Returns nothing for other names.
std::optional<ElementType> known_type(std::string_view name);

// Whether compilers pass and return a value of this type through a pointer. They do so for __half2 and __nv_bfloat162,
// whose copy constructors are not trivial. Every other type that graft accepts is passed by value.
bool goes_by_pointer(const Parameter& parameter);

// Returns the signature of a function type ("float(float)"), with types spelled as a compiler names them ("int" for
// int32_t). `structs` has further types, the text's own. Returns nothing if a type is not known, or if no callback can
// have this signature.
std::optional<Signature> known_signature(std::string_view function_type,
                                         const std::map<std::string_view, ElementType>& structs = {});

}  // namespace graft::reflect
