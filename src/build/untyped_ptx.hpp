// PTX whose parameters are bits of a size, as NVIDIA's compilers declare them: `.param .b32` for `.param .f32`.
//
// graft's adapter declares the callback so. nvJitLink 13.0 compares the kinds of a declaration and a definition, writes
// "Prototype doesn't match" for .b32 and .f32 to standard error, and then crashes in some processes. Both are passed in
// the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graft::building {

// Nothing where the text is so already.
std::optional<std::string> with_untyped_parameters(std::string_view ptx);

}  // namespace graft::building
