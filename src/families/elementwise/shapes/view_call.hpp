// Checks a call with views, and finds its form.
#pragma once

#include <array>
#include <cstddef>

#include "base/unset_array.hpp"
#include "contract.h"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "families/form.hpp"

namespace graft::elementwise {

using families::CallForm;
using families::Operand;

using families::has_views;

class ViewCall {
 public:
  // Whether the call has memory, or only the shapes of its arrays matter.
  enum class Memory : bool { None, Checked };

  // Throws the errors of check(), and Error(InvalidArgument, CountMismatch, Overlap) for shapes (form.hpp). Allocates
  // memory only to throw. Keeps pointers into the arguments.
  ViewCall(const LaunchGeometry& geometry, const Arguments& arguments, Memory memory = Memory::Checked);

  std::size_t count() const noexcept { return form_.count; }
  const CallForm& form() const noexcept { return form_; }
  // Whether the call is one of dense arrays of one dimension.
  bool is_flat() const noexcept { return form_.is_flat({operands_.data(), array_count()}); }

  // The same call with arrays that have no shape. Each begins at the first element of the form. Points into this
  // object.
  Arguments arguments() const noexcept;
  // What the host's loop needs to know of the form.
  graft_view for_host() const noexcept;
  // Returns those of the inputs that lie crosswise, a bit for each: contiguous along one dimension, which is not the
  // innermost, while the outputs are contiguous along the innermost. Both dimensions must have some elements. Of
  // several such dimensions, it is the one with the most inputs.
  std::uint32_t crosswise(std::uint32_t inputs) const noexcept;
  // Returns a dimension along which all of these inputs are contiguous, or 0.
  unsigned crosswise_dimension(std::uint32_t inputs) const noexcept;
  // Makes a dimension the second.
  void bring_to_second(unsigned dimension) noexcept;
  // If an input is contiguous along a short dimension, as the channels of a pixel are, brings that dimension behind
  // runs of the innermost. Threads that read the same words then run at about the same time.
  void bring_channels_together() noexcept;

  // How a call is divided into threads.
  struct Division {
    std::uint64_t threads = 0;
    std::uint64_t inner = 0;       // threads or tiles of the innermost dimension
    std::uint64_t second = 0;      // threads or tiles of the second dimension; 0: its elements count
    std::uint64_t with_units = 0;  // of the threads of a row, those that handle units
  };
  // Threads handle units of `width` elements of a row where the outputs are contiguous, and single elements elsewhere,
  // of large calls several in the second dimension. Units begin where the first output is aligned. In a call of many
  // units, a thread handles `units_of_thread` or more.
  Division in_units(unsigned width, unsigned units_of_thread) const noexcept;
  // Thread blocks of GRAFT_TILE_THREADS handle squares of the first two dimensions.
  Division in_tiles(unsigned edge) const noexcept;

  // Kernels count threads and tiles in 32 bits. Calls launch(call) for parts of the call that have less than 2^31
  // threads each, where divide(call) says how many a part has.
  template <class Divide, class Launch>
  void in_parts(Divide divide, Launch launch) const;

  // Writes what a kernel for views needs to know (graft_shape in contract.h), and returns the end.
  std::byte* lay_out_shape(const Division& division, std::byte* to) const noexcept;

  // "rank 2 (given: 4): input 0 contiguous, input 1 repeated, output 0 contiguous": the dimensions that are left when
  // those that lie in memory like one are merged, and how each array lies along the innermost.
  std::string text() const;

 private:
  std::size_t array_count() const noexcept { return geometry_.inputs + geometry_.outputs; }
  bool has_contiguous_outputs() const noexcept;
  Division in_single_elements() const noexcept;
  bool reads_words() const noexcept;
  std::uint32_t crosswise_in(unsigned dimension) const noexcept;
  unsigned channels_dimension() const noexcept;
  void take_part(unsigned dimension, std::uint64_t first, std::uint64_t extent) noexcept;
  struct Halves {
    unsigned dimension;
    std::uint64_t first, second;  // extents
  };
  Halves halves() const noexcept;
  void find_extents();
  void check_overlap() const;
  // Calls visit(strides) for each pointer of the kernel's parameter, in their order.
  template <class Visit>
  void for_each_pointer(Visit visit) const;

  const LaunchGeometry& geometry_;
  const Arguments& given_;
  std::array<std::int64_t, kMaxArrays> lengths_;  // the shapes of the arrays that are no views
  base::UnsetArray<Operand, kMaxArrays> operands_;
  CallForm form_;
  base::UnsetArray<ArrayRef, kMaxArrays> arrays_;
  base::UnsetArray<std::uint64_t, GRAFT_MAX_COORDINATES + 1> extents_;
};

template <class Divide, class Launch>
void ViewCall::in_parts(Divide divide, Launch launch) const {
  const Division division = divide(*this);
  if (division.threads <= families::kMostBlocks) return launch(*this, division);
  const Halves parts = halves();
  const auto in_part = [&](std::uint64_t first, std::uint64_t extent) {
    ViewCall part = *this;
    part.take_part(parts.dimension, first, extent);
    part.in_parts(divide, launch);
  };
  in_part(0, parts.first);
  in_part(parts.first, parts.second);
}

}  // namespace graft::elementwise
