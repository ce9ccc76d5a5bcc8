// Makes a callback that differs from an original callback only in its bytes, its parts or its declared types. For
// example, NVVM IR was compiled to LTO-IR (nvvm_compile.cpp), or a signature was spelled differently
// (wide_integers.cpp).
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"

namespace graft::compile {

// Returns `made` with the entry, the signature and the family of `original`.
Callback like(const Callback& original, Callback made);

// Returns a composition of the same kind as `original`, but with the parts `parts`.
Callback composed_as(const Callback& original, const std::vector<std::optional<Callback>>& parts);

}  // namespace graft::compile
