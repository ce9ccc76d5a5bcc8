// Finds out what a user meant by a name that is not known: "flor" is floor, and "foo" is perhaps floor too.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace graft::formulas {

// Returns the candidate of which `wanted` is probably a misspelling or an abbreviation, or an empty text.
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace graft::formulas
