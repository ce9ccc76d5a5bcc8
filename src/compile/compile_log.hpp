// Splits NVRTC's log into messages, and tells those about the user's text from those about lines that graft added.
// Users see the first kind. The second kind says why the callback does not fit the adapter (device_compile.cpp).
//
//     callback.cu(3): error: identifier "foo" is undefined      <- the user's
//       return foo;
//              ^
//     graft/adapter.h(391): error: ...                           <- graft's
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graft::compile {

// The file name in messages about lines of the compiled text that no #line directive names otherwise.
inline constexpr const char* kProgramName = "graft_program";

struct CompileMessage {
  std::string file;
  int line = 0;
  bool is_error = false;
  bool is_own = false;  // in a file of graft's
  std::string text;     // the whole message, with the source line and the caret that follow
};

// The messages in order. Drops text in front of the first message, and the closing count of errors. A message "At end
// of source" is one about graft's lines, which are the last of a program.
std::vector<CompileMessage> parse_compile_log(std::string_view log);

// Replaces "At end of source" by `place` ("callback.cu(3)"), for a program that ends with the user's text.
std::string with_end_at(std::string_view log, std::string_view place);

// Whether the message is about a function that lacks a return, or a `return;` that lacks its value.
bool lacks_return(const CompileMessage& message);

// The remedy for both, on every route.
inline constexpr const char* kReturnAValue =
    "Return a value on every path. After a switch that handles every case, write __builtin_unreachable().";

// The messages about the user's text, as the compiler printed them.
std::string user_log(const std::vector<CompileMessage>& messages);

// NVRTC's log for a cubin, split into the compiler's messages and ptxas's lines.
struct SplitLog {
  std::string compiler;
  std::string ptxas;
};
SplitLog split_ptxas_log(std::string_view log);

// The function that a failed link lacks; empty if the log names none. ptxas says "Unresolved extern function 'f'",
// nvJitLink says "Undefined reference to 'f' in 'graft_transform_relu'".
std::string undefined_function(std::string_view log);

}  // namespace graft::compile
