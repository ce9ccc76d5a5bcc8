// Which families there are, and the description of a kernel: made here, once, for whatever route makes the kernel.
#pragma once

#include <string>
#include <string_view>

#include "families/family.hpp"

namespace graft::families {

// Null when there is none of that name. Thread-safe.
const Family* find(std::string_view name);

// Of a callback, or of a kernel to which there is no objection. Throws Error(InvalidArgument) when there is none of
// that name.
const Family& of(std::string_view name);

// Adds a family, for as long as the process runs: tests bring their own. Throws Error(InvalidArgument) for a name that
// is taken.
void add(const Family& family);

struct Decided {
  KernelSpec kernel;
  std::string reason;  // for the report

  const Family& family() const { return of(kernel.family); }
};

// Throws Error as of() and Family::choose do.
Decided decide(const Request& request);

}  // namespace graft::families
