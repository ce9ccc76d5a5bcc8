// The elements of the arrays that `graft bench` measures on: random values for a type that is known only at run time,
// and the comparison of results from two machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "format/debug_types.hpp"
#include "graft/element.hpp"

namespace graft::cli {

using Random = std::mt19937_64;

// A number in an element.
struct ElementPart {
  ElementKind kind = ElementKind::Unsigned;  // a number's: neither Class nor Complex
  std::size_t offset = 0;                    // in bytes
  std::size_t size = 0;
};

// How an element lies in memory.
struct ElementLayout {
  std::size_t size = 0;  // in bytes; for bits, 1
  std::vector<ElementPart> parts;
  // False for a struct whose members are not known. Its parts are then words of at most 8 bytes, by its alignment,
  // which serve to fill it, and not to compare it: nothing says what is padding, and what is a float.
  bool is_known = true;
};

ElementLayout layout_of(const ElementType& type);
// The layout of a struct or a vector type whose members are known.
ElementLayout layout_of(const ElementType& type, const format::Field& members);

// Fills whole elements with random values. Floating-point numbers are in [-2, 2), integers and enums 1 to 100, so that
// callbacks may divide by them and shift by them. Padding becomes zero.
void fill_elements(Random& random, const ElementLayout& layout, std::span<std::byte> elements);

// Returns how many of the elements differ more than two machines may: floating-point numbers by more than some units in
// the last place, because their math functions and their order of additions differ. A nan equals a nan alone. Padding
// is not compared. `scale` is the magnitude against which small numbers are compared: 1, or for results that are sums,
// the largest number. The layout must be known.
std::uint64_t count_unlike(const ElementLayout& layout, std::span<const std::byte> one,
                           std::span<const std::byte> other, double scale);

// Returns the sum of the squares of what the floating-point numbers differ. A nan makes it a nan.
double squared_difference(const ElementLayout& layout, std::span<const std::byte> one,
                          std::span<const std::byte> other);

// Returns the largest finite magnitude of the floating-point numbers in the elements, or 0 for other types.
double largest_magnitude(const ElementLayout& layout, std::span<const std::byte> elements);

}  // namespace graft::cli
