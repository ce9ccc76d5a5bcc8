// The elements of the arrays that `graft bench` measures on: random values for a type that is known only at run time,
// and the comparison of results from two machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "graft/element.hpp"

namespace graft::cli {

using Random = std::mt19937_64;

// Fills whole elements of the type with random values. Floating-point numbers are in [-2, 2), integers and enums 1 to
// 100, so that callbacks may divide by them and shift by them. The members of structs are not known: words of 4 or 8
// bytes, by the alignment, are floats or doubles in [1, 2), and smaller ones integers from 1 to 100.
void fill_elements(Random& random, const ElementType& type, std::span<std::byte> elements);

// Returns how many of the elements differ more than two machines may: floating-point numbers by more than some units in
// the last place, because their math functions and their order of additions differ. A nan equals a nan alone. In
// structs, words that differ are compared as floating-point numbers of their size. `scale` is the magnitude against
// which small numbers are compared: 1, or for results that are sums, the largest number.
std::uint64_t count_unlike(const ElementType& type, std::span<const std::byte> one, std::span<const std::byte> other,
                           double scale);

// Returns the largest finite magnitude of the floating-point numbers in the elements, or 0 for other types.
double largest_magnitude(const ElementType& type, std::span<const std::byte> elements);

}  // namespace graft::cli
