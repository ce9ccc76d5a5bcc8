// Device memory that every launch moves on through, so that nothing is read or written out of the L2 cache: one lane
// for each input and output, cut into places of one array each. Two uses of a place have at least 512 MiB of traffic
// between them, or, with the largest arrays, a whole other set.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "../cuda_check.hpp"
#include "operation.hpp"

namespace graft::bench {

// How the arrays of a launch lie: on a boundary of 256 bytes; all one element behind it; or each by another number of
// elements, as far as the element's size has different ones within 16 bytes.
enum class Alignment { Aligned, Alike, Unlike };
std::string_view name(Alignment alignment);

inline constexpr std::size_t kMaxArrayBytes = std::size_t{1} << 31;

class Arena {
 public:
  Arena();  // 20 GiB; less, and then smaller arrays, on a GPU without as much free memory

  // The most bytes that an array can have: kMaxArrayBytes, or less on such a GPU.
  std::size_t largest_array() const { return largest_array_; }

  // Fills the input lanes with what this operation takes.
  void fill(cudaStream_t stream, const Operation& operation);

  // The arrays of the next launch. All lanes have a place, also those that the operation does not use.
  Launch next(const Operation& operation, std::size_t count, Alignment alignment);

 private:
  struct Contents {
    Scalar scalar;
    Range range;
    bool operator==(const Contents&) const = default;
  };
  struct Lane {
    DeviceBytes memory;
    std::optional<Contents> contents = {};
    unsigned char* at(std::size_t offset) const { return static_cast<unsigned char*>(memory.get()) + offset; }
  };
  std::size_t largest_array_ = 0;
  std::size_t lane_bytes_ = 0;
  std::size_t turn_ = 0;
  std::array<Lane, kMaxInputs> in_;
  std::array<Lane, kMaxOutputs> out_;
};

}  // namespace graft::bench
