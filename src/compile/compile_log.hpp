// Splits a compiler's log into messages, and decides for each message whether it is about the user's source or about
// lines that graft added. Users see the messages about their source. The messages about graft's lines say why the
// callback does not fit the adapter (compile_error.hpp). NVRTC and the host compilers write the same facts differently:
//
//     callback.cu(3): error: identifier "foo" is undefined               <- NVRTC, about the user's source
//       return foo;
//              ^
//     graft/adapter.h(391): error: ...                                   <- NVRTC, about graft's lines
//
//     callback.cu: In function 'float relu(float)':
//     callback.cu:3:10: error: 'foo' was not declared in this scope      <- g++, about the user's source
//         3 |   return foo;
//     graft/adapter.h:391:12: error: ...                                 <- g++, about graft's lines
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft::compile {

// The compilers whose logs differ: NVRTC, and the host compilers g++ and clang++.
enum class Compiler { Nvrtc, Host };

// The file name in messages about lines of the program that have no #line directive in front. These lines are graft's.
inline constexpr const char* kProgramName = "graft_program";

struct CompileMessage {
  std::string file;
  int line = 0;
  int column = 0;  // from 1; 0 if the log shows no column
  Diagnostic::Severity severity = Diagnostic::Severity::Note;
  bool is_own = false;  // whether the message is about graft's lines
  std::string what;     // what is wrong: "identifier "foo" is undefined"
  std::string head;     // the line with the file, the line number, the severity and `what`
  std::string text;     // the whole message: lines that introduce it, its head, its source line and its notes

  bool is_error() const noexcept { return severity == Diagnostic::Severity::Error; }
};

// Returns the messages in the order of the log. Drops the text before the first message and the count of errors at the
// end. A message "At end of source" counts as a message about graft's lines, because graft's lines are the last lines
// of a program.
std::vector<CompileMessage> parse_compile_log(std::string_view log, Compiler compiler);

// Replaces "At end of source" in the log by `place` ("callback.cu(3)"). Call this function only for a program that ends
// with the user's source, because a message about the program's end is then about the user's source.
std::string with_end_at(std::string_view log, std::string_view place);

// Whether the message is about a function without a return statement, or about a `return;` without a value.
bool lacks_return(const CompileMessage& message);

// The messages about the user's source, as the compiler printed them.
std::string user_log(const std::vector<CompileMessage>& messages);

// The messages about the user's source, as data.
std::vector<Diagnostic> user_diagnostics(const std::vector<CompileMessage>& messages);

// NVRTC's log after compiling to a cubin, split into the messages of the compiler and the lines of ptxas.
struct SplitLog {
  std::string compiler;
  std::string ptxas;
};
SplitLog split_ptxas_log(std::string_view log);

// Remedies for the two failures below.
inline constexpr const char* kDefineFunction =
    "Define every function that the callback calls in its source or its headers, or pass the binary that defines it to "
    "Callback::with_link_input.";
inline constexpr const char* kDefineVariable =
    "Define the variable in the callback's source, or pass the binary that defines it to Callback::with_link_input.";
inline constexpr const char* kCorrectAssembly =
    "Correct the inline PTX (asm) in the callback or in its binary; the log has ptxas's messages, whose line numbers "
    "are those of the compiled PTX.";

// The variable that the log of a link reports as undefined; empty if it reports none. nvJitLink links such a variable
// as one that is 0, and ptxas writes "warning : Unresolved extern variable 'v' in whole program compilation".
std::string undefined_variable(std::string_view log);

// The first error of ptxas about an instruction: "Not a name of any known instruction: 'bogus'". Empty if there is
// none. ptxas writes "ptxas application ptx input, line 24; error   : Not a name ...".
std::string assembler_error(std::string_view log);

// The message that nothing defines a function or variable, which the program `title` uses.
std::string undefined_message(std::string_view title, const std::string& symbol);

// The undefined function that a failed link's log names; empty if the log names none. ptxas writes "Unresolved extern
// function 'f'", and nvJitLink writes "Undefined reference to 'f' in 'graft_transform_relu'".
std::string undefined_function(std::string_view log);

}  // namespace graft::compile
