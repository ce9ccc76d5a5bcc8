// LaunchGeometry holds everything that execute needs to know about a kernel. graft computes it once, when it loads the
// kernel. families/elementwise/parameter_layout.hpp has the layout of the kernel's parameter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "contract.h"
#include "families/call.hpp"
#include "families/elementwise/parameter_layout.hpp"
#include "graft/element.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::elementwise {

inline constexpr std::size_t kMaxArrays = GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS;

// The members that every launch reads come first and together, so that a launch touches few cache lines. When a launch
// begins, little of this struct is in the CPU's L1 cache, because the driver's work for the previous launch displaced
// it.
struct LaunchGeometry {
  struct Array {
    ElementType type;
    // Size in bytes of the words in which a thread moves its elements of the array. It is the largest power of two, up
    // to 16, that divides the size of one vector of the array. 1 for a bit array, whose bits find_first_tile()
    // (arguments.cpp) aligns.
    std::uint32_t word = 1;
    std::uint32_t alignment = 1;  // the alignment that the array's pointer must have, in bytes

    // Whether a load or store callback accesses the array's elements. The building block then does not access the
    // array, and the array may have any alignment.
    bool is_opaque() const noexcept { return type.kind == ElementKind::Opaque; }
    bool has_bits() const noexcept { return is_bit(type); }
  };

  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t width = 1;      // number of elements in a vector
  std::uint32_t tile_bits = 8;  // a tile has 2^tile_bits elements, so execute shifts and never divides
  std::uint32_t rest_bits = 8;  // a thread block that handles no tile handles 2^rest_bits elements
  std::uint32_t threads = GRAFT_BLOCK_THREADS;
  std::uint32_t shared_bytes = 0;
  std::uint32_t single_tile_bits = 8;  // tile_bits of tiles with one vector per thread and GRAFT_BLOCK_THREADS threads
  std::uint64_t single_below = 0;      // below this count of elements, use tiles of one vector per thread
  std::uint32_t few_tiles = 0;         // launches that would have at most this many tiles give each thread one element
  bool has_tiles = true;               // false for the rolled body, which has no tiles
  bool programmatic = false;           // the kernel may begin before the previous kernel in the stream ends
  // The bitwise OR of all arrays' (word - 1). If these bits of an address are 0 in all arrays, all arrays are aligned
  // to their words.
  std::uint32_t words = 0;
  std::uint32_t state_offset = 0;     // where the state begins in the kernel's parameter, in bytes
  std::uint32_t dividers_offset = 0;  // where the dividers begin
  std::uint32_t coordinates = 0;      // how many the callback takes (graft::Position)
  std::uint32_t parameter_bytes = 0;  // size of the kernel's parameter
  // Index of the array whose length is the number of elements: the first array that is not opaque. If all arrays
  // are opaque: output 0, or input 0 if there is no output. Without arrays the call gives the number of elements.
  std::uint32_t counting_array = 0;
  bool has_state = false;
  bool has_baked_state = false;
  // Whether the callback gets the index of an element: as a parameter, as coordinates, or as the offset of a load or
  // store callback.
  bool has_index = false;
  bool has_bits = false;         // there are bit arrays
  bool has_output_bits = false;  // there are bit arrays among the outputs
  // The outputs whose pointers the parameter also has behind those of the inputs, because the callback reads the
  // arrays.
  std::uint32_t in_out_count = 0;
  std::array<std::uint8_t, GRAFT_MAX_OUTPUTS> in_outs = {};
  ElementType state;
  std::array<Array, kMaxArrays> arrays;  // the inputs, followed by the outputs
  std::string signature;                 // the signature as messages show it
  std::string kernel_name;
};

// The place in the arrays where the tiles of a launch begin (find_first_tile() in arguments.cpp).
struct FirstTile {
  unsigned head = 0;                 // number of elements in front of the first tile
  bool differently_aligned = false;  // only the outputs are aligned at the first tile
  bool exists = true;                // false: there are no tiles
};

// How a launch divides its elements among thread blocks. The first `tiles` thread blocks handle a tile each. The other
// thread blocks handle the elements in front of the first tile and behind the last one.
struct Division {
  unsigned tiles = 0;
  bool single = false;  // the tiles have one vector per thread
  families::Grid grid = {};
};
Division divide(const LaunchGeometry& geometry, std::size_t count, const FirstTile& first);

// Returns whether a grid has enough thread blocks for so many elements without tiles.
bool fits_grid(const LaunchGeometry& geometry, std::size_t count);

// Computes the geometry of a kernel, which must have passed the checks of families/kernel_check.hpp.
LaunchGeometry make_geometry(const KernelSpec& kernel);

}  // namespace graft::elementwise
