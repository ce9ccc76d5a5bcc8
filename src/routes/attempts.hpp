// The attempts to make a callback's program, in their order. The first one that fits the callback makes the kernel:
//
//     1. If the callback's text shows the signature, an exact adapter: code that graft writes for exactly this
//        signature. The compile confirms the signature.
//     2. If the family has code for every signature, such as a general adapter (templates), this code. The compile also
//        reads the signature.
//     3. No program, but a compile that only reads the signature. Then an exact adapter for this signature.
//     4. If no exact adapter fits, the code that the family has for this case, such as the general adapter. If this
//        code does not compile, the compiler's errors say why the callback does not fit.
//
// Routes run the attempts, and recipes list them.
#pragma once

#include <optional>

#include "codegen/source_program.hpp"
#include "compile/device_compile.hpp"
#include "families/registry.hpp"

namespace graft::routes {

struct Attempt {
  enum Kind {
    Read,     // read the signature, and pass it to next()
    General,  // the compile of `code` reads the signature
    Exact,    // `code` may not fit the callback
    Known,    // `code` is for the signature that was read
  };
  Kind kind = Read;
  families::Code code = {};
  // For Exact and Known: the kernel of the code, and where the code has the types from.
  std::optional<families::Decided> decided = {};
  families::TypesFrom types = families::TypesFrom::Compiler;
};

// The constructor's arguments must outlive the Attempts.
class Attempts {
 public:
  // On Route::Program, the texts also contain the building blocks.
  Attempts(const codegen::SourceProgram& program, Architecture architecture, Route route, const Options& options);

  // Returns the next attempt. After the attempt Read, pass the signature. Returns nothing after the last attempt, which
  // is never Exact.
  std::optional<Attempt> next(const std::optional<Signature>& read = {});

  // Chooses the kernel for a signature. `writes_text`: for an exact adapter.
  families::Decided decide(const Signature& signature, bool writes_text) const;
  // Returns the family's code for a kernel, or its code for every signature if `kernel` is null.
  std::optional<families::Code> code(const KernelSpec* kernel, families::TypesFrom types) const;

 private:
  enum class Step { Shown, General, Read, ExactlyRead, Fallback, End };

  std::optional<Attempt> at(Step step);
  std::optional<Attempt> for_signature(const Signature& signature, families::TypesFrom types, bool writes_text) const;

  const codegen::SourceProgram& program_;
  const families::Family& family_;
  const Architecture architecture_;
  const Route route_;
  const Options& options_;
  Step step_ = Step::Shown;
  Signature read_;
};

}  // namespace graft::routes
