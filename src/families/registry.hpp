// The list of kernel families, and decide(), the one place where kernel specs are made, for every route.
#pragma once

#include <string>
#include <string_view>

#include "families/family.hpp"

namespace graft::families {

// Null if no family has that name. Thread-safe.
const Family* find(std::string_view name);

// The family of that name, which a callback or a checked kernel (kernel_check.hpp) gives. Throws Error(InvalidArgument)
// if no family has it.
const Family& of(std::string_view name);

// Adds a family, which must live until the process ends; tests use this. Throws Error(InvalidArgument) if the name is
// taken.
void add(const Family& family);

struct Decided {
  KernelSpec kernel;
  std::string reason;  // for the report

  const Family& family() const { return of(kernel.family); }
};

// Throws what of() and Family::choose() throw.
Decided decide(const Request& request);

}  // namespace graft::families
