// The three exhibits (demonstrations) of the quickstart. Each exhibit prints what it does and returns whether its
// results are within their tolerances.
#pragma once

#include <filesystem>

#include "place.hpp"

namespace quickstart {

bool poly_relu(const Place& place);
bool black_scholes(const Place& place);
bool gray(const Place& place, const std::filesystem::path& folder);

}  // namespace quickstart
