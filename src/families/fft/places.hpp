// Where the elements of a call's FFTs are in the arrays of one side: a stride for each dimension of an FFT, and extents
// and strides for the dimensions of the batch. A FftLayout is such places with one dimension of the batch, and so is a
// view, of which some axes are transformed and the others are the batch:
//
//     view (5, 64, 7, 128), axes 1 and 3     FFTs of 64 x 128 points, whose batch is 5 x 7
//
// These functions check a description before anything is launched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "families/fft/batch.hpp"
#include "families/form.hpp"
#include "graft/arrays.hpp"

namespace graft::families::fft {

inline constexpr std::size_t kMostPointDimensions = 3, kMostBatchDimensions = 7;

// A part of the kernel's parameter, in elements. The element with the coordinates c of FFT b is at
//
//     first + sum of c[d] * points[d] + sum of b[d] * strides[d]
//
// where b[d] are the coordinates of b in `dimensions` extents, the fastest first.
struct ArrayPlaces {
  std::uint64_t first = 0;
  std::array<std::uint64_t, kMostPointDimensions> points = {};  // the fastest dimension last
  std::array<std::uint64_t, kMostBatchDimensions> extents = {};
  std::array<std::uint64_t, kMostBatchDimensions> strides = {};
  std::array<LongDivider, kMostBatchDimensions> dividers = {};  // by the extents, but for the last one
  std::uint64_t dimensions = 1;

  bool operator==(const ArrayPlaces&) const = default;
};

// Whether kernels in which neighbouring threads access neighbouring FFTs transfer less memory than those in which they
// access neighbouring points: an estimate, for elements of so many bytes and so many points in the fastest dimension on
// both sides, also of real FFTs.
bool are_columns(const ArrayPlaces& in, const ArrayPlaces& out, std::uint64_t points, std::uint64_t bytes);

// The places of a layout, for FFTs whose elements have these extents, the slowest first.
ArrayPlaces places_of(const Batch& batch, std::span<const std::int64_t> extents);

// A view as the arrays of one side. Its strides are not negative: the pointer is moved to the first element in memory.
struct ViewPlaces {
  ArrayPlaces places;
  std::uint64_t count = 0;        // of FFTs
  std::int64_t moved = 0;         // of the pointer, in elements
  std::uint64_t elements = 0;     // from the first one in memory to the last one, with the gaps between
  bool has_own_elements = false;  // whether no two lie in one place, as far as it is known
  // The same as a layout, if there is one for kernels whose neighbouring points are neighbours in memory.
  std::optional<Batch> as_batch = {};
};

// What is wrong with a view, as a clause, and what to do; nothing if it is right.
struct ViewFault {
  std::string why = {};
  const char* remedy = "";

  explicit operator bool() const { return !why.empty(); }
};

// Reads a view whose `axes` are transformed; if there are none, these are the last ones. `extents` are those of an FFT.
ViewFault read_view(const ArrayRef& view, std::span<const int> axes, std::span<const std::int64_t> extents,
                    ViewPlaces& found);

}  // namespace graft::families::fft
