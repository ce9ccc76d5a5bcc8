// What execute needs to know of a kernel, worked out once when it is loaded. families/parameter_layout.hpp says where a
// kernel's one parameter holds what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "contract.h"
#include "families/parameter_layout.hpp"
#include "graft/element.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::elementwise {

inline constexpr std::size_t kMaxArrays = GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS;

// What every launch reads stands together and in front: right after the driver's own work little of it is in the
// processor's nearest cache.
struct LaunchShape {
  struct Array {
    ElementType type;
    std::uint32_t word = 1;  // bytes: the widest word that a thread's share of it allows

    // A load or store callback moves it, with any alignment and without the block.
    bool is_opaque() const noexcept { return type.kind == ElementKind::Opaque; }
  };

  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t width = 1;      // elements of a thread's group
  std::uint32_t tile_bits = 8;  // a tile has 2^tile_bits elements: execute shifts, and never divides
  std::uint32_t rest_bits = 8;  // a block behind the tiles handles so many
  std::uint32_t threads = GRAFT_BLOCK_THREADS;
  std::uint32_t shared_bytes = 0;
  std::uint32_t single_tile_bits = 8;  // of a tile with one group a thread, in blocks of GRAFT_BLOCK_THREADS
  std::uint64_t single_below = 0;      // elements: with fewer, such tiles
  std::uint32_t few_tiles = 0;         // no more than that are none
  bool has_tiles = true;               // a rolled body has none
  bool programmatic = false;           // launched so that it may begin before the kernel in front of it ends
  std::uint32_t words = 0;             // OR of (word - 1): an OR of pointers that misses it needs no head
  std::uint32_t state_offset = 0;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t counting_array = 0;  // the first that no load or store callback moves, else the first output
  bool has_state = false;
  ElementType state;
  std::array<Array, kMaxArrays> arrays;  // inputs, then outputs
  std::string signature;                 // for messages
  std::string kernel_name;
};

// Of a kernel to which there is no objection (families/kernel_check.hpp).
LaunchShape make_shape(const KernelSpec& kernel);

}  // namespace graft::elementwise
