// Makes the composition of the code of own kernels and of the callbacks for their slots.
#pragma once

#include <vector>

#include "graft/callback.hpp"

namespace graft {

// Throws Error(InvalidArgument) if a callback is a composition.
Callback with_slots(const Callback& code, const std::vector<Callback>& callbacks);

// Whether the callback is such a composition.
bool has_slots(const Callback& callback) noexcept;

}  // namespace graft
