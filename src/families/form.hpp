// The form of a call whose arrays are views: one set of dimensions for all of its arrays, in which no two lie in memory
// like one.
//
//     out (4, 6)  strides 6 1     b (6)     ->     6 x 4     out 1 6     a 1 8     b 1 0     index 1 6
//     a   (4, 6)  strides 8 1
//
// The shapes are aligned at the right, dimensions of one element are dropped, dimensions in which the first output runs
// backwards are turned round, the others are sorted by its strides, the smallest first, and neighbours are merged where
// that is possible in every array. The index of an element is treated like one more array, whose strides are those of a
// row-major, dense array of the call's shape.
//
// A call may fold dimensions: its outputs have one element where the call has more, and their strides there are 0.
// Folded dimensions keep their order and direction, because elements are combined in the order of their indices. They
// come first in the form.
//
//     out (1, 6)  x (4, 6)  strides 8 1     ->     4 x 6     out 0 1     x 8 1     index 1 0
//
// Kernels see nothing of shapes but a form. All functions are pure, and allocate memory only for a misfit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "contract.h"
#include "graft/error.hpp"

namespace graft::families {

// One array of a call. One that the callback reaches itself, by pointer and index, has no shape: its rank and the size
// of its elements are 0.
struct Operand {
  std::uint32_t rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  // in elements; null: row-major and dense
  std::int64_t element_bytes = 1;
};

struct CallForm {
  std::uint64_t count = 0;    // elements of the call. If it is 0, the rest has no meaning, but for `results`.
  std::uint64_t results = 0;  // elements of an output: as many as `count`, unless dimensions are folded
  unsigned rank = 0;
  unsigned folded = 0;                                // how many of the dimensions are folded: the first ones
  std::array<std::uint64_t, GRAFT_MAX_RANK> extents;  // innermost first
  struct Array {
    std::int64_t offset;                               // from the pointer to the first element, in bytes
    std::array<std::int64_t, GRAFT_MAX_RANK> strides;  // in bytes
  };
  std::array<Array, GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS> arrays;
  Array index;  // its unit is one, not a byte

  // Moves a dimension to a place in front of it. The form is of so many arrays.
  void bring(unsigned dimension, unsigned place, std::size_t array_count) noexcept;
  // Whether the elements of every array lie side by side, in the order of the form.
  bool is_flat(std::span<const Operand> operands) const;
};

// A mistake in the shapes of a call.
struct Misfit {
  ErrorCode code;
  std::string what;
  std::string remedy;
};

// What the index of a call's elements is.
enum class IndexOf : std::uint8_t {
  None,   // nobody asks for it, so the form may be in any order
  Call,   // that of an element in the shape of the call
  Result  // that of an element among those of one result: dimensions may be folded
};

// Makes the form of a call. The operands are its inputs, followed by its outputs. Returns a misfit for shapes that do
// not align, an output that repeats or has two elements in one place, numbers that are too large, and more than
// GRAFT_MAX_RANK dimensions.
std::optional<Misfit> make_form(std::span<const Operand> operands, std::size_t inputs, IndexOf index, CallForm& form);

// Divides numbers below 2^31 by an extent, without a division: (n * multiplier / 2^32 + n) / 2^shift. Torbjörn Granlund
// and Peter L. Montgomery, "Division by invariant integers using multiplication" (1994), figure 4.1.
struct Divider {
  std::uint32_t multiplier = 1;
  std::uint8_t shift = 0;
};
// The extent is from 1 to 2^31.
Divider divider_of(std::uint32_t extent);
// The same for numbers and extents below 2^63: (n * multiplier / 2^64 + n) / 2^shift.
struct LongDivider {
  std::uint64_t multiplier = 1;
  std::uint32_t shift = 0;
  bool operator==(const LongDivider&) const = default;
};
LongDivider long_divider_of(std::uint64_t extent) noexcept;

// Returns what messages call the i-th of the arrays, of which so many are inputs: "output 0".
std::string array_name(std::size_t i, std::size_t inputs);

// Returns the shape as messages show it: "(4, 6)".
std::string shape_text(const Operand& operand);

// Whether two arrays of a form can have bytes in common. `distance` is the number of bytes from the first array's
// pointer to that of the second. It may return true for arrays that have none in common if finding out takes too many
// steps, which arrays and their parts do not.
bool may_meet(const CallForm& form, std::size_t a, std::int64_t a_bytes, std::size_t b, std::int64_t b_bytes,
              std::int64_t distance);

}  // namespace graft::families
