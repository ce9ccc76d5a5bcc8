// Device memory through which successive launches move, so that no launch reads or writes data that is still in the L2
// cache. Each input and output has a lane, divided into slots of one array each. Between two uses of a slot there are
// at least 512 MiB of other traffic or, with the largest arrays, a complete other set of arrays.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "../cuda_check.hpp"
#include "operation.hpp"

namespace graft::bench {

// Alignment of a launch's arrays. Aligned: all arrays begin on 256-byte boundaries. Alike: all arrays begin one element
// past such a boundary. Unlike: each array begins at a different offset from such a boundary, as far as the element
// size allows different offsets within 16 bytes.
enum class Alignment { Aligned, Alike, Unlike };
std::string_view name(Alignment alignment);

inline constexpr std::size_t kMaxArrayBytes = std::size_t{1} << 31;

class Arena {
 public:
  Arena();  // allocates 20 GiB; if less memory is free, the arrays are smaller

  // The size of the largest possible array in bytes. It is kMaxArrayBytes, or less on a GPU with less free memory.
  std::size_t largest_array() const { return largest_array_; }

  // Fills the input lanes with random data for this operation.
  void fill(cudaStream_t stream, const Operation& operation);

  // Returns the arrays of the next launch. Every lane provides a slot, even if the operation does not use the lane.
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
