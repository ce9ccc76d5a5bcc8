// The compiler's messages, told apart: the user's own, and those about the lines that graft added.
//
//     callback.cu(3): error: identifier "foo" is undefined      <- the user's
//       return foo;
//              ^
//     graft/adapter.h(391): error: ...                           <- graft's
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graft::building {

// The text that is compiled, where no line of it says otherwise.
inline constexpr const char* kProgramName = "graft_program";

struct CompileMessage {
  std::string file;
  int line = 0;
  bool is_error = false;
  bool is_own = false;  // in a file of graft's
  std::string text;     // whole, with the source line and caret that follow
};

// In order. Text in front of the first message, and the closing count of errors, are dropped. What NVRTC says "at end
// of source" is about graft's last line.
std::vector<CompileMessage> parse_compile_log(std::string_view log);

// The same log with `place` ("callback.cu(3)") for the end of the source: of a program that ends with the user's text.
std::string with_end_at(std::string_view log, std::string_view place);

// A function that lacks a return, or a `return;` that lacks its value.
bool lacks_return(const CompileMessage& message);

// What to do about it, on any route.
inline constexpr const char* kReturnAValue =
    "Return a value on every path. Behind a switch that leaves no case out, write __builtin_unreachable().";

// The user's messages as the compiler printed them.
std::string user_log(const std::vector<CompileMessage>& messages);

}  // namespace graft::building
