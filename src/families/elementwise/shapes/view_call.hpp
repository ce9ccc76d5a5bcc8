// Checks a call with views, and finds its form.
#pragma once

#include <array>
#include <cstddef>

#include "contract.h"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "families/elementwise/shapes/form.hpp"

namespace graft::elementwise {

// Whether an array of the call is a view.
inline bool has_views(const Arguments& arguments) noexcept {
  bool has = false;
  for (const ArrayRef& array : arguments.inputs) has |= array.is_view();
  for (const ArrayRef& array : arguments.outputs) has |= array.is_view();
  return has;
}

class ViewCall {
 public:
  // Throws the errors of check(), and Error(InvalidArgument, CountMismatch, Overlap) for shapes (form.hpp). Allocates
  // memory only to throw. Keeps pointers into the arguments.
  ViewCall(const LaunchGeometry& geometry, const Arguments& arguments);

  std::size_t count() const noexcept { return form_.count; }
  const Form& form() const noexcept { return form_; }
  // Whether the call is one of dense arrays of one dimension.
  bool is_flat() const noexcept { return form_.is_flat({operands_.data(), array_count()}); }

  // The same call with arrays that have no shape. Each begins at the first element of the form. Points into this
  // object.
  Arguments arguments() const noexcept;
  // What the host's loop needs to know of the form.
  graft_view for_host() const noexcept;
  // Whether threads can handle units of `width` elements of the innermost dimension: the outputs are contiguous there,
  // and it has two units or more.
  bool has_rows(unsigned width) const noexcept;

  // How a call is divided into threads. Units of several elements begin where the first output is aligned.
  struct Units {
    std::uint64_t per_row = 0;  // of the innermost dimension
    std::uint64_t count = 0;
  };
  Units units_of(unsigned width) const noexcept;

  // Writes what a kernel for views needs to know (graft_shape in contract.h), and returns the end.
  std::byte* lay_out_shape(const Units& units, std::byte* to) const noexcept;

  // "rank 2: input 0 contiguous, input 1 repeated, output 0 contiguous": the innermost dimension of each array.
  std::string text() const;

 private:
  std::size_t array_count() const noexcept { return geometry_.inputs + geometry_.outputs; }
  void check_overlap() const;
  // Calls visit(strides) for each pointer of the kernel's parameter, in their order.
  template <class Visit>
  void for_each_pointer(Visit visit) const;

  const LaunchGeometry& geometry_;
  const Arguments& given_;
  std::array<std::int64_t, kMaxArrays> lengths_;  // the shapes of the arrays that are no views
  std::array<Operand, kMaxArrays> operands_;
  Form form_;
  std::array<ArrayRef, kMaxArrays> arrays_;
};

}  // namespace graft::elementwise
