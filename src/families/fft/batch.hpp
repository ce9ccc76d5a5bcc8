// Where the FFTs of a call lie in an array of the caller, as cufftPlanMany describes it: point p of FFT b is the
// element b * distance + p * stride. These functions check a description before anything is launched.
#pragma once

#include <cstdint>
#include <optional>

namespace graft::families::fft {

struct Batch {
  std::uint64_t count = 1;     // FFTs
  std::uint64_t stride = 1;    // elements from a point to the next
  std::uint64_t distance = 0;  // elements from an FFT to the next

  bool operator==(const Batch&) const = default;
};

// Returns how many points a batch of `count` FFTs has. Returns nothing if their bytes, or the thread blocks that
// compute them, could not be counted in 63 bits.
std::optional<std::uint64_t> points_of(std::int64_t length, std::uint64_t count);

// Returns how many elements an array needs: the number of the last element that is accessed, plus one. Returns 0 for no
// FFTs, and nothing if the number does not fit into 64 bits.
std::optional<std::uint64_t> elements_of(std::int64_t length, const Batch& batch);

// Returns the layout with as many FFTs as fill an array of so many elements. Returns nothing if a rest of the array
// belongs to no FFT. Elements between the FFTs, and behind the last one to where the next would begin, are no rest.
std::optional<Batch> batch_filling(std::int64_t length, Batch layout, std::uint64_t elements);

// Returns whether two points lie in the same element. An output must not be such an array, because the threads would
// write to one element in an unknown order.
bool overlaps(std::int64_t length, const Batch& batch);

}  // namespace graft::families::fft
