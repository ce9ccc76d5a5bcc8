// Serves ordinary launches of a kernel of the user's own (called.hpp): kernel(grid, block, arguments), where each
// argument is a number of Python or an array on the current GPU that is read directly (readers.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <graft/element.hpp>
#include <graft/kernel.hpp>

#include "called.hpp"

namespace graft_python {
namespace nb = nanobind;

// What libgraft compares with the kernel's parameter.
graft::ArgumentType number_type(const graft::ElementType& type, bool is_pointer);

// A parameter of a kernel. An extern "C" kernel shows the sizes of its parameters alone: a number is then of that size.
struct LaunchParameter {
  std::size_t size;
  bool has_type;
  std::optional<graft::ElementType> number;  // of a number or a pointer, which is one of 64 bits; nothing for a struct
  bool is_written;                           // whether it is known that the kernel can write through the pointer
};

class LaunchServer {
 public:
  nb::object call(const Arguments& arguments) const;
  void set(const graft::Kernel& kernel, std::vector<LaunchParameter> parameters);

 private:
  struct Launched {
    graft::Kernel kernel;
    std::vector<LaunchParameter> parameters;
  };

  std::shared_ptr<const Launched> launched_;
};

}  // namespace graft_python
