// Rewrites numeric parameters in PTX to untyped bits, as NVIDIA's compilers declare them: `.param .f32` becomes
// `.param .b32`.
//
// graft's adapter declares the callback with untyped parameters. nvJitLink 13.0 compares the types of a declaration and
// its definition, writes "Prototype doesn't match" for .b32 and .f32 to standard error, and then crashes in some
// processes. Both are passed in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graft::link {

// Returns nothing if there is nothing to rewrite.
std::optional<std::string> with_untyped_parameters(std::string_view ptx);

}  // namespace graft::link
