// Makes a callback that replaces the user's callback while graft builds a kernel. The two callbacks differ only in
// their bytes, in the callbacks of which they are composed, or in the spelling of types. Two examples are the LTO-IR to
// which a callback in NVVM IR was compiled (nvvm_compile.cpp), and a callback whose 64-bit integers are spelled
// differently (routes/wide_integers.cpp).
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"

namespace graft::compile {

// Returns `made` with the entry, the signature and the link inputs of `original`.
Callback with_interface_of(const Callback& original, Callback made);

// Returns a composition of the same kind (chain or stages) as `composition`, with the callbacks `parts`. Its entry,
// signature and link inputs are those of `composition`.
Callback with_parts(const Callback& composition, const std::vector<std::optional<Callback>>& parts);

}  // namespace graft::compile
