// Helpers that make packs of small callbacks.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "graft/graft.hpp"
#include "scenarios/forms/forms.hpp"

namespace graft::test {

inline constexpr const char* kTriple = "__device__ float triple(float x) { return 3 * x; }";

inline Callback packed(const Callback& callback, const std::vector<Architecture>& architectures = {75, 90},
                       PrecompileFormat format = PrecompileFormat::Pack, const Options& options = {}) {
  return Callback::pack(callback.precompile(architectures, format, options), "triple.graft");
}

}  // namespace graft::test
