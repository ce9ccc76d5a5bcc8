// Reads a callback's signature from the program that a compiler compiled. The program contains probes, variables whose
// mangled names contain the signature (reflect/signature/probe.hpp). NVRTC reports these names (it calls them lowered
// names). An object of a host compiler contains functions that return the names. read_signature() reads the names of
// every compiler, so the checks and their error messages are always the same.
#pragma once

#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::compile {

// A probe that the program defines for the callback, for one callback of a composition, or for a declared signature.
struct WantedProbe {
  std::string name;       // "probe", "declared_probe", "member_probe_0", "declared_member_probe_0"
  std::string arguments;  // the template arguments of graft_probe: "graft_function, graft_facts"
};

// Returns the probes whose names read_signature() needs. The probes of a composition's callbacks come first.
std::vector<WantedProbe> wanted_probes(const codegen::SourceProgram& program);

// Returns the kernel's signature. It is the callback's signature, in which the state is marked as baked if
// Options::baked_state is set. `names` are the compiler's names of wanted_probes(program), in the same order. Throws
// Error: UnsupportedParameter, SignatureMismatch if the source does not have the declared signature, TypeMismatch if
// the baked value does not fit the state's type, InvalidArgument if a value is baked and the callback has no state.
Signature read_signature(const codegen::SourceProgram& program, const Options& options,
                         const std::vector<std::string>& names, const std::vector<ToolVersion>& versions);

}  // namespace graft::compile
