// Finds the callback that a request asks for among those of a pack.
//
//     a pack of relu, scale<float> and gamma         Options::entry = "scale< float >"   ->   the second
//
// A request names a callback as it would in a source: by the whole name, or by the tail of a qualified name ("relu" for
// "math::relu"), with any spaces. Among callbacks of the same name, the declared signature chooses. A pack of one
// callback needs no name.
#pragma once

#include <span>
#include <string>

#include "format/pack.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::routes {

// Returns the callback that the request asks for. Throws what read_pack() and check_has_callbacks() throw, and Error:
// NoSuchEntry, AmbiguousEntry, SignatureMismatch, with the callbacks that the pack has.
format::PackedKernel read_packed_kernel(const Callback& pack, const Options& options);
// The same for a request that asks for nothing.
format::PackedKernel read_packed_kernel(std::span<const std::byte> bytes, const std::string& name);

// Throws Error(ImageRefused) for a pack with a job that is not taken as a callback (families::is_for_callbacks).
void check_has_callbacks(const format::Pack& pack, const std::string& name);

// Whether the kernel has the signature that the callback declares, or none is declared.
bool has_declared_signature(const format::PackedKernel& kernel, const Callback& callback);

}  // namespace graft::routes
