// Makes a callback from another one when only its bytes, its parts or its declared types have changed: NVVM IR that was
// compiled to LTO-IR (nvvm_compile.cpp), a signature in another spelling (wide_integers.cpp).
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"

namespace graft::compile {

// `made` with the entry, the signature and the family of `original`.
Callback like(const Callback& original, Callback made);

// A composition of the same kind as `original`, with these parts in place of its own.
Callback composed_as(const Callback& original, const std::vector<std::optional<Callback>>& parts);

}  // namespace graft::compile
