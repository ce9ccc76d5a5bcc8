// Callbacks made of others: the same but for one thing.
#pragma once

#include <optional>
#include <vector>

#include "graft/callback.hpp"

namespace graft::building {

// `made`, found as the original is: with its entry and its signature.
Callback like(const Callback& original, Callback made);

// A composition of the same kind of other parts.
Callback composed_as(const Callback& original, const std::vector<std::optional<Callback>>& parts);

}  // namespace graft::building
