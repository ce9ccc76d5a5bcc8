// Recognises the user's mistake by phrases in the compilers' messages. Each table has a column for NVRTC's phrases and
// a column for those of g++ and clang++, so that a user gets the same error from every compiler.
#include "compile/compile_error.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/byte_order_mark.hpp"
#include "base/format.hpp"
#include "compile/system_refusal.hpp"
#include "core/fail.hpp"
#include "reflect/callback/generic.hpp"

namespace graft::compile {
namespace {

using Column = std::array<std::string_view, 4>;  // an empty phrase is unused

// The phrases by which one mistake is recognised in messages. Any phrase of the compiler's column is enough.
struct Words {
  Column nvrtc = {};
  Column host = {};

  bool are_in(std::string_view text, Compiler compiler) const {
    return std::ranges::any_of(compiler == Compiler::Nvrtc ? nvrtc : host, [&](std::string_view phrase) {
      return !phrase.empty() && text.find(phrase) != text.npos;
    });
  }
};

// If a callback does not fit the adapter and the first error contains a phrase of one of these constants, the
// constant's name says what is wrong with the callback.
constexpr Words kNoOverload = {.nvrtc = {"overload", "invalid type conversion"},
                               .host = {"no matches converting", "overload", "static_cast"}};
constexpr Words kSeveralFunctions = {.nvrtc = {"overloaded", "template", "ambiguous"},
                                     .host = {"overloaded", "template", "ambiguous"}};
constexpr Words kUnknownName = {
    .nvrtc = {"is undefined", "has no member", "not a type name", "must be a class or namespace name"},
    .host = {"not been declared", "not declared", "not a member", "no member named"}};
constexpr Words kTwiceDefined = {.host = {"is already defined"}};  // says the assembler

// The standard headers that CCCL has for device code, and graft does not have.
constexpr std::string_view kHeadersOfCccl[] = {
    "atomic", "barrier", "bitset",   "chrono", "complex", "expected",  "inplace_vector",  "iterator", "latch",
    "linalg", "mdspan",  "optional", "ranges", "ratio",   "semaphore", "source_location", "variant",  "version"};
// Standard headers that no library has for device code.
constexpr std::string_view kHeadersOfHosts[] = {
    "deque",  "forward_list", "fstream", "iostream",      "list",          "map",     "mutex",
    "new",    "ostream",      "queue",   "random",        "set",           "sstream", "stack",
    "string", "string_view",  "thread",  "unordered_map", "unordered_set", "vector"};

// Returns the remedy for a missing standard header, or an empty text if the log names no such header.
std::string remedy_for_missing(std::string_view log) {
  const auto is_missing = [&](std::string_view name) {
    return log.find(base::format("cannot open source file \"{}\"", name)) != std::string_view::npos;
  };
  for (const std::string_view name : kHeadersOfCccl)
    if (is_missing(name))
      return base::format("NVRTC has no <{0}>: include the toolkit's <cuda/std/{0}>, and write cuda::std:: for std::.",
                          name);
  for (const std::string_view name : kHeadersOfHosts)
    if (is_missing(name))
      return base::format(
          "NVRTC has no <{}>, and device code cannot use it. Leave it out, or put code for the host inside "
          "`#ifndef __CUDACC_RTC__`.",
          name);
  return {};
}

// Returns the remedy for a name that namespace std does not have, or an empty text if the message quotes no name.
std::string remedy_for_std_name(std::string_view message) {
  // NVRTC: namespace "std" has no member "lerp"; g++: 'lerp' is not a member of 'std'
  // clang++: no member named 'lerp' in namespace 'std'
  const auto quoted_behind = [&](std::string_view words, char quote) -> std::string_view {
    const std::size_t at = message.find(words);
    if (at == message.npos) return {};
    const std::string_view name = message.substr(at + words.size());
    return name.substr(0, name.find(quote));
  };
  std::string_view name = quoted_behind("has no member \"", '"');
  if (name.empty()) name = quoted_behind("no member named '", '\'');
  if (const std::size_t end = message.find("' is not a member of 'std'"); name.empty() && end != message.npos)
    name = message.substr(message.rfind('\'', end - 1) + 1, end - message.rfind('\'', end - 1) - 1);
  if (name.empty()) return {};
  return base::format(
      "Include the standard header that declares std::{0} (<numeric> for std::accumulate). If the callback includes "
      "it, graft's own header, which has what device code mostly uses, lacks {0}: write the function out, or take it "
      "from the toolkit's <cuda/std/...>, whose names are in namespace cuda::std.",
      name);
}

// The remedy for an error in the user's lines, chosen by phrases in the message of the first error, because later
// errors are often consequences of the first. The first row with a phrase that the message contains is used, and
// kCorrectTheLines if there is no such row.
struct Advice {
  Words words;
  const char* remedy;
  // Returns a remedy that fits this message better, or an empty text.
  std::string (*better)(std::string_view message) = nullptr;
};
constexpr Advice kAdvice[] = {
    {{.nvrtc = {"thrust/complex.h"}},
     "NVRTC does not compile thrust/complex.h: use cuda::std::complex of <cuda/std/complex>, or graft::complex. Arrays "
     "of thrust::complex can be passed for either type."},
    {{.host = {"curand_kernel.h"}},
     "curand_kernel.h is for GPUs only, and no compiler for CPUs accepts it. Take a GPU route, or take the random "
     "numbers of graft's callbacks/random.cuh, which are the same on every route."},
    {{.nvrtc = {"cannot open source file"}, .host = {"No such file or directory", "file not found"}},
     "Give the header in Options::headers, or its folder in Options::include_paths.",
     remedy_for_missing},
    {{.nvrtc = {base::kByteOrderMark}},
     "Save the header without a byte order mark, which NVRTC refuses, or give its text in Options::headers."},
    {{.nvrtc = {"namespace \"std\" has no member"}, .host = {"is not a member of 'std'", "in namespace 'std'"}},
     "Include the standard header that declares the name.",
     remedy_for_std_name},
    {{.nvrtc = {"expected a \";\""}, .host = {"expected ';'", "a semicolon is missing"}},
     "Correct the lines that the compiler names. A missing `;` may belong to the end of the line before: the `}` of a "
     "struct or an enum has a `;` behind it."},
    {{.nvrtc = {"without execution space annotations"}},
     "Mark the function __device__, like everything that a callback calls."},
    {{.host = {"no such instruction", "invalid instruction", "constraint"}},
     "Inline PTX is for GPUs, and the host route assembles `asm` for the CPU. Write other code for the CPU inside "
     "`#ifndef __CUDACC_RTC__`."},
    {{.nvrtc = {"an entity of type \"cufftCallback"}, .host = {"to 'cufftCallback", "of type 'cufftCallback"}},
     "Declare the function as its type of cuFFT's says, with `size_t offset`, or leave the pointer out: graft calls "
     "the function, and needs no pointer to it."},
    {{.host = {"'threadIdx'", "'blockIdx'", "'blockDim'", "'gridDim'"}},
     "A CPU has no thread blocks, so on the host route no callback can use these names. Add a parameter of type "
     "graft::Index, which is the element's index. A callback of cuFFT's shape that uses them to find a place in "
     "`shared` needs a GPU route."},
    {{.nvrtc = {"identifier \"cufft", "identifier \"cuComplex", "identifier \"cuFloatComplex", "identifier \"cuDouble"},
      .host = {"'cufft", "'cuComplex", "'cuFloatComplex", "'cuDouble"}},
     "Include <cufftXt.h>, which declares cuFFT's types."},
    {{.host = {"not declared", "undeclared identifier"}},
     "Correct the lines that the compiler names. On the host route, graft provides most of CUDA's math "
     "functions, but no textures, threads or shared memory."},
};
constexpr const char* kCorrectTheLines = "Correct the lines that the compiler names.";

// A missing closing brace. The compilers find it where the text ends or where the next function begins, and may report
// its consequences before it: a function that seems to end without a return.
constexpr Words kMissingBrace = {
    .nvrtc = {"expected a \"}\"", "to match this \"{\""},
    .host = {"expected '}'", "to match this '{'", "a function-definition is not allowed here",
             "function definition is not allowed here"}};
constexpr const char* kCloseTheBrace =
    "A `}` is missing: close the `{` that the compiler names, or the last one in front of the lines that it names.";

// The remedy for a function that lacks a return statement or a return value (lacks_return in compile_log.hpp).
constexpr const char* kReturnAValue =
    "Return a value on every path. After a switch that handles every case, write __builtin_unreachable().";

// Whether the message is an error that the user's lines cause. If the operating system refuses a host compiler a file
// or memory, the compiler's error names the line that it was compiling, although this line is correct. NVRTC reports no
// such errors, because it writes no files.
bool is_users_error(const CompileMessage& message, Compiler compiler) {
  if (!message.is_error() || message.is_own) return false;
  return compiler == Compiler::Nvrtc || !is_system_refusal(message);
}

std::string remedy_for(const CompileMessage& first, Compiler compiler) {
  if (lacks_return(first)) return kReturnAValue;
  const auto advice =
      std::ranges::find_if(kAdvice, [&](const Advice& row) { return row.words.are_in(first.text, compiler); });
  if (advice == std::end(kAdvice)) return kCorrectTheLines;
  const std::string better = advice->better == nullptr ? std::string() : advice->better(first.text);
  return better.empty() ? advice->remedy : better;
}

// Returns the callback of a composition that messages about graft's lines name by its namespace ("graft_text_0").
// Returns the parts of the whole program if the messages name no callback.
const codegen::ProgramParts& part_named_in(std::string_view text, const codegen::SourceProgram& program) {
  // From the last one, as "graft_text_1" is also found in "graft_text_10".
  for (std::size_t i = program.parts.members.size(); i-- > 0;)
    if (text.find(base::format("{}{}", codegen::kTextName, i)) != std::string_view::npos)
      return program.parts.members[i];
  return program.parts;
}

// Says for which types the file's callback is compiled, if it is an instance of a generic one: ", as `f` for (float)".
std::string for_types(const std::string& file, const codegen::SourceProgram& program) {
  const auto words = [&](const codegen::ProgramParts& parts) -> std::string {
    const auto instance = parts.callback_name == file ? reflect::read_instance(parts.entry) : std::nullopt;
    return instance ? base::format(", as `{}` for ({})", instance->name, instance->types) : std::string();
  };
  for (const codegen::ProgramParts& member : program.parts.members)
    if (std::string found = words(member); !found.empty()) return found;
  return words(program.parts);
}

}  // namespace

void CompileErrors::throw_users_error(const std::vector<CompileMessage>& messages) const {
  const auto users =
      std::ranges::find_if(messages, [&](const CompileMessage& message) { return is_users_error(message, compiler_); });
  if (users == messages.end()) return;
  const bool lacks_brace = std::ranges::any_of(messages, [&](const CompileMessage& message) {
    return !message.is_own && kMissingBrace.are_in(message.text, compiler_);  // NVRTC's notes are messages of their own
  });
  throw Error(ErrorCode::CompileFailed, {.message = base::format("{} does not compile: line {}{}", users->file,
                                                                 users->line, for_types(users->file, program_)),
                                         .remedy = lacks_brace ? kCloseTheBrace : remedy_for(*users, compiler_),
                                         .log = user_log(messages),
                                         .versions = versions_,
                                         .diagnostics = user_diagnostics(messages)});
}

void CompileErrors::check_uncertain_texts(const CompileAlone& compile) const {
  for (const codegen::ProgramParts* parts : codegen::uncertain_texts(program_)) throw_users_error(compile(*parts));
}

void CompileErrors::check_doubt(const CompileAlone& compile) const {
  if (!program_.doubt) return;
  check_uncertain_texts(compile);
  throw *program_.doubt;
}

void CompileErrors::throw_own_error(const std::vector<CompileMessage>& messages, const std::string& log) const {
  const auto first = std::ranges::find_if(messages, &CompileMessage::is_error);
  if (first == messages.end())
    fail(ErrorCode::CompileFailed, base::format("{} does not compile", program_.title), "The compiler's log says why.",
         log, versions_);
  std::string text;
  for (const CompileMessage& message : messages) text += message.text;
  throw_misfit(*first, text);
}

// Throws the error for a callback that does not fit the adapter. `first` is the first error, which alone is examined
// because later errors are consequences of it. `text` contains all messages.
void CompileErrors::throw_misfit(const CompileMessage& first, const std::string& text) const {
  const codegen::ProgramParts& parts = part_named_in(text, program_);
  const std::string& title = program_.title;
  const auto says = [&](const Words& words) { return words.are_in(first.head, compiler_); };
  if (first.file == codegen::kDeclaredLines)
    fail(
        ErrorCode::SignatureMismatch,
        base::format(
            "{}: the declared signature \"{}\" is not a function type, or names types that the source does not declare",
            title, parts.declared),
        "Write the signature like \"float(float, const Scale&)\", with types that the callback's source declares.",
        text, versions_);
  if (const auto instance = reflect::read_instance(parts.entry))
    fail(
        ErrorCode::SignatureMismatch,
        base::format("`{}` in {} has no instance for ({})", instance->name, parts.callback_name, instance->types),
        base::format("Give types from which the template's arguments follow, as `T` follows from the type of `T x`, or "
                     "name the instance in Options::entry: \"{}<float>\".",
                     instance->name),
        text, versions_);
  if (parts.pick_overload && says(kNoOverload))
    fail(ErrorCode::SignatureMismatch,
         base::format("{}: no overload of `{}` has the signature \"{}\"", title, parts.entry, parts.declared),
         "Declare the signature of an overload that the source defines.", text, versions_);
  if (says(kSeveralFunctions))
    fail(ErrorCode::AmbiguousEntry, base::format("{}: `{}` names several functions", title, parts.entry),
         "Name one instance (\"scale<float>\"), or declare the signature with Callback::with_signature.", text,
         versions_);
  if (says(kUnknownName))
    fail(ErrorCode::NoSuchEntry, base::format("{} has no function `{}`", parts.callback_name, parts.entry),
         "Check the spelling of Options::entry, with its namespace.", text, versions_);
  if (says(kTwiceDefined))
    fail(ErrorCode::CompileFailed, base::format("{} does not compile: two of the texts define one symbol", title),
         "Give the extern \"C\" functions and variables of the callbacks different names, or leave extern \"C\" out.",
         text, versions_);
  fail(ErrorCode::UnsupportedParameter, base::format("{} cannot be called as a callback", title),
       "Make the callback a __device__ function, or a function object with one call operator.", text, versions_);
}

}  // namespace graft::compile
