// Converts a callback to the parts of a program for the compiler (program.hpp). For source, prepare_program() also
// chooses the entry function and finds the headers that the text needs. For a callback binary, the parts contain a
// declaration of the binary's function in place of the source. For a composition, ProgramParts::members has one entry
// for each distinct callback.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "codegen/program.hpp"
#include "core/step.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "reflect/callback/scan.hpp"

namespace graft::codegen {

struct SourceProgram {
  std::string family = kElementwise;  // as Step::family and Step::request
  base::Bytes request;
  ProgramParts parts;
  reflect::SourceScan scan;  // the scan of parts.callback_text
  std::string title;         // the callback's name in messages: "relu in callback.cu"
  // The callback's thread words (reflect/callback/thread_words.hpp): "__syncthreads", "threadIdx".
  std::vector<std::string> thread_words;
  bool includes_files = false;  // the text includes files of the user's, which are not read here
  bool is_extern_c = false;     // the callback is a binary, and `entry` is the symbol of its function

  // The callback's type as its text shows it: "float(float x)". Empty if the callback is an expression, a template or
  // overloaded, or if macros may hide the function.
  std::string function_type;

  // For a composition: its distinct callbacks, in the order of parts.members.
  struct Member {
    std::string title;
    bool is_op = true;               // false: a load or store callback, whose signature is that of cuFFT's callbacks
    bool is_uncertain = false;       // SourceScan::uncertain for the member's text
    std::string function_type = {};  // as SourceProgram::function_type
  };
  std::vector<Member> members;
  // For stages: the indices in `members` of load, op and store. Empty for a stage that is missing or a chain.
  std::array<std::optional<std::size_t>, 3> stages = {};
  bool has_chain_as_stage = false;
  // For each stage that is a chain: the index in `members` of each part of the chain, in order. A chain that is no
  // stage has the place of the op.
  std::array<std::vector<std::size_t>, 3> chains = {};

  // Set if the scan could not choose an entry function, but macros or conditional compilation may hide one
  // (SourceScan::uncertain). CompileErrors (compile_error.hpp) throws this error if the user's text compiles without an
  // adapter. If the text does not compile, CompileErrors throws the compiler's errors instead, because a missing
  // bracket can also be the reason why the scan found no function.
  std::optional<Error> doubt;
};

// Returns whether there is a file at a path.
using HasFile = std::function<bool(const std::string& path)>;
bool is_on_disk(const std::string& path);

// Prepares the program by a lexical scan; nothing is compiled. `has_file` decides which headers stand beside the
// callback's file. Throws Error: NoSuchEntry, AmbiguousEntry, UnsupportedParameter, InvalidArgument.
SourceProgram prepare_program(const Step& step, const Options& options, const HasFile& has_file = is_on_disk);

// Returns the callback's signature if its text shows a function whose types graft knows, or whose layouts it can read
// in the text (reflect/callback/struct_layouts.hpp). Returns nothing if the text does not show the types, if
// Options::baked_state is set, if the declared signature selects one of several overloads, or if the declared signature
// differs from the text.
std::optional<Signature> shown_signature(const SourceProgram& program, const Options& options);

// Returns the texts in which macros, #if or unbalanced brackets may hide or duplicate functions
// (SourceScan::uncertain). These are the callback's text, or texts of a composition's members.
std::vector<const ProgramParts*> uncertain_texts(const SourceProgram& program);

// Prepares a source that is compiled without an adapter. Does not choose an entry function, because only an adapter
// needs one.
SourceProgram prepare_text(const Callback& callback, const Options& options);

// Adds what a part needs of the program that has its text: headers, overloads of math functions, what its scan found.
void add_needs(SourceProgram& whole, const SourceProgram& part);

}  // namespace graft::codegen
