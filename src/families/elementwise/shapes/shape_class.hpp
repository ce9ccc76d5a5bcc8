// The kernels of a transform. Each serves calls of one class of shapes:
//
//     flat         arrays of one dimension, and what lies in memory like one
//     transposed   the outputs' rows are contiguous, and so are the columns of some inputs: tiles through shared memory
//     strided      arrays of any shape: a vector of elements for each thread where the outputs' rows are contiguous
//
// A kernel's request names its class, and for a transposed kernel the inputs that lie crosswise; that of the flat
// kernel is empty, as it was before there were others. A schedule has a method for each kernel, by which a job asks for
// it (Options::any_shape, Transform::prepare_shapes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

enum class ShapeClass : std::uint8_t { Flat = 0, Strided = 1, Transposed = 2 };

// What a kernel is made for.
struct KernelShapes {
  // Implicit, because most classes have one kernel.
  KernelShapes(ShapeClass its_class = ShapeClass::Flat, std::uint32_t its_inputs = 0)
      : shapes(its_class), inputs(its_inputs) {}

  ShapeClass shapes;
  std::uint32_t inputs;  // those that lie crosswise, a bit for each; 0 in other classes

  bool operator==(const KernelShapes&) const = default;
};

// Returns what messages call the class: "flat".
const char* name(ShapeClass shapes);

// Returns the name of the kernel's method: "strided", "transposed 5". That of the flat kernel is empty, as in a family
// with one kernel.
std::string method_of(const KernelShapes& kernel);
// Returns nothing if no method has the name.
std::optional<KernelShapes> kernel_of(std::string_view method);

// Returns the kernel that serves the calls of `kernel`, of those that a pack has. It has none that transposes inputs.
KernelShapes servable_by_pack(const KernelShapes& kernel);

// The methods of a job that takes every shape (families::Job::methods).
std::vector<std::string> methods_for_any_shape();

base::Bytes request_of(const KernelShapes& kernel);
// Returns nothing if the bytes are no request.
std::optional<KernelShapes> kernel_of(std::span<const std::byte> request);

// Returns how many elements a thread of a kernel for views handles at a time: as many as fit into a word of the widest
// array, or one if elements of an array do not divide words.
int width_of_units(const Signature& signature);

// Returns the inputs that can have tiles, a bit for each: those whose elements divide words.
std::uint32_t with_tiles(const Signature& signature);
// Returns those of the inputs that a kernel has in tiles: as many as fit into the shared memory that every device has,
// beside the dynamic shared memory of the callback and some of its own.
std::uint32_t in_tiles(const Signature& signature, std::uint32_t inputs, std::uint32_t shared_bytes);
// Returns the rows and columns of the tiles of a kernel for such inputs, of which there must be one.
unsigned edge_of_tiles(const Signature& signature, std::uint32_t inputs);

}  // namespace graft::elementwise
