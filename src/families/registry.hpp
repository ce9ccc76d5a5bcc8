// Contains the list of kernel families, and what all routes do with the family of a request: prepare_program() prepares
// its callback, and decide(), the only function that makes kernel specs, chooses its kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "families/family.hpp"

namespace graft::families {

// Returns the family with this name, or null if there is none. Thread-safe.
const Family* find(std::string_view name);

// Returns the family with this name, for a name that comes from a callback or from a checked kernel (kernel_check.hpp).
// Throws Error(InvalidArgument) if no family has this name.
const Family& of(std::string_view name);

// Returns all families.
std::vector<const Family*> all();

// Returns the public types to which users give load and store callbacks of cuFFT's signature: "graft::Stages", or
// "graft::A or graft::B".
std::string takers_of_cufft_callbacks();

// Adds a family, which must live until the process ends; tests use this. Throws Error(InvalidArgument) if the name is
// taken.
void add(const Family& family);

// Prepares the callback of a kernel: codegen::prepare_program, with the rules and words of the family. Throws the
// errors of codegen::prepare_program and of(), and Error(InvalidArgument) if the family has no use for the callback.
codegen::SourceProgram prepare_program(const Step& step, const Options& options,
                                       const codegen::HasFile& has_file = codegen::is_on_disk);

struct Decided {
  KernelSpec kernel;
  std::string reason;  // why the tuning was chosen, for the report

  const Family& family() const { return of(kernel.family); }
};

// Makes the kernel spec of a request. Throws the errors that of() and Family::choose() throw.
Decided decide(const Request& request);

}  // namespace graft::families
