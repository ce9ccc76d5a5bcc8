// Makes a callback that replaces another one in a request and differs from it only in its bytes, its parts or the
// spelling of its types. For example, NVVM IR that was compiled to LTO-IR (nvvm_compile.cpp), or a callback whose
// 64-bit integers are spelled differently (routes/wide_integers.cpp).
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"

namespace graft::compile {

// Returns `made` with the entry, the signature and the family of `original`.
Callback with_interface_of(const Callback& original, Callback made);

// Returns a composition of the kind of `composition`, a chain or stages, with the parts `parts`.
Callback with_parts(const Callback& composition, const std::vector<std::optional<Callback>>& parts);

}  // namespace graft::compile
