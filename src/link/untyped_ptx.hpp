// Rewrites numeric parameters in PTX to untyped bits, as NVIDIA's compilers declare them: `.param .f32` becomes
// `.param .b32`.
//
// graft's adapter declares the callback with untyped parameters. nvJitLink 13.0 compares the types of a declaration and
// its definition, writes "Prototype doesn't match" for .b32 and .f32 to standard error, and then crashes in some
// processes. Typed and untyped parameters are passed in the same way, so the rewriting changes nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graft::link {

// Returns the rewritten PTX, or nothing if the PTX has no numeric parameters.
std::optional<std::string> with_untyped_parameters(std::string_view ptx);

}  // namespace graft::link
