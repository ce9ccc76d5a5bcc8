// From a callback to the text that is compiled. Of a source: which function is the callback, and what its text needs.
// Of a binary: the declaration of its function, in the place where a source stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/tuning.hpp"
#include "reflect/program.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {

struct SourceProgram {
  std::string family = kElementwise;  // of kernels (families/family.hpp)
  Tuning asked;                       // of that family, beside the callback
  ProgramParts parts;
  SourceScan scan;           // of parts.callback_text
  std::string title;         // for messages: "relu in callback.cu"
  bool is_extern_c = false;  // of a binary: the entry is the symbol

  // The callback's type as its text shows it: "float(float x)". Empty where the text does not: of an expression, of a
  // template, of several functions, behind macros.
  std::string function_type;

  // Of a composition: its distinct callbacks, as parts.members lists them.
  struct Member {
    std::string title;
    bool is_op = true;          // not a load or store callback, whose signature is cuFFT's
    bool is_uncertain = false;  // see SourceScan
  };
  std::vector<Member> members;

  // Why no function was chosen, where the scan was in doubt. Whoever compiles throws this where the text alone
  // compiles, and the compiler's own words where it does not: a missing bracket looks like a macro to a lexical scan.
  std::optional<Error> doubt;
};

// Lexical only: nothing is compiled. Throws Error: NoSuchEntry, AmbiguousEntry, UnsupportedParameter, InvalidArgument.
SourceProgram prepare_program(const Callback& callback, const Options& options);

// The signature, where the text shows a function of types that graft knows, and nothing changes it.
std::optional<Signature> shown_signature(const SourceProgram& program, const Options& options);

// The texts about which the scan was in doubt: that of the callback, or those of members.
std::vector<const ProgramParts*> uncertain_texts(const SourceProgram& program);

// The text of a source as it is, for what is compiled without an adapter: no function of it is chosen.
SourceProgram prepare_text(const Callback& callback, const Options& options);

}  // namespace graft::reflect
