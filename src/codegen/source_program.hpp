// Makes a callback into the parts of a program for the compiler (program.hpp). For a source this chooses the entry
// function and finds the headers that the text needs. For a binary, a declaration of its function takes the place of
// the source. A composition keeps each of its distinct callbacks as a member.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/program.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/tuning.hpp"
#include "reflect/scan.hpp"

namespace graft::codegen {

struct SourceProgram {
  std::string family = kElementwise;  // the kernel family (families/family.hpp)
  Tuning asked;                       // the family's own numbers (Callback::for_family)
  ProgramParts parts;
  reflect::SourceScan scan;  // of parts.callback_text
  std::string title;         // for messages: "relu in callback.cu"
  bool is_extern_c = false;  // for a binary: the entry is the symbol's name

  // The callback's type as its text shows it: "float(float x)". Empty if the text does not show it: for an expression,
  // a template, overloads, or a function hidden by macros.
  std::string function_type;

  // For a composition: its distinct callbacks, in the order of parts.members.
  struct Member {
    std::string title;
    bool is_op = true;          // false: a load or store callback, whose signature is cuFFT's
    bool is_uncertain = false;  // SourceScan::uncertain of its text
  };
  std::vector<Member> members;

  // Set if the scan was uncertain and found no function to choose. The code that compiles throws this error only if the
  // text alone compiles, and the compiler's errors otherwise: a missing bracket looks like a macro to a lexical scan.
  std::optional<Error> doubt;
};

// Lexical only: nothing is compiled. Throws Error: NoSuchEntry, AmbiguousEntry, UnsupportedParameter, InvalidArgument.
SourceProgram prepare_program(const Callback& callback, const Options& options);

// The callback's signature, if its text shows a function whose types graft knows. Nothing otherwise, and also if a
// state is baked in, an overload is to be picked, or another signature was declared.
std::optional<Signature> shown_signature(const SourceProgram& program, const Options& options);

// The texts whose scan was uncertain: that of the callback, or those of a composition's members.
std::vector<const ProgramParts*> uncertain_texts(const SourceProgram& program);

// The text of a source that is compiled unadapted. No entry function is chosen.
SourceProgram prepare_text(const Callback& callback, const Options& options);

}  // namespace graft::codegen
