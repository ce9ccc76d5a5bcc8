// Writes, for exactly one set of callbacks, the functions by which an FFT's kernel calls them: graft_fft_load,
// graft_fft_between and graft_fft_store, as building_blocks/fft/hooks.h has them as templates for all callbacks. A
// program with these functions contains none of the adapter's templates, which take a fifth of the time that a short
// FFT takes to be made; its machine code is the same.
//
// The callbacks' types must be known from their texts or declarations: cuFFT's shape, or graft's shape with arrays of
// known types and without states.
#pragma once

#include <optional>
#include <string>

#include "codegen/source_program.hpp"
#include "families/fft/request.hpp"
#include "graft/signature.hpp"

namespace graft::families::fft {

struct ExactHooks {
  Signature signature;  // of the kernel, as the templates give it to the compiler
  std::string front;    // comes in front of the callbacks' texts
  std::string behind;   // comes behind them
};

// The C++ type that stands for these functions in place of that of hooks.h (ProgramRequest::hooks).
inline constexpr const char* kExactHooks = "graft_exact_hooks";

// Returns nothing if the callbacks need the templates.
std::optional<ExactHooks> exact_hooks(const codegen::SourceProgram& program, const KernelRequest& request);

}  // namespace graft::families::fft
