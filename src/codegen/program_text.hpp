// ProgramText collects the text of a generated program. All code that writes programs uses it, and only ProgramText
// writes #line, #include, #define and #undef lines.
//
// A program mixes the user's lines and graft's. A #line directive at each change between them makes compiler messages
// show the user's file and line, or a file name that says that the line is graft's:
//
//     text.include("graft/device.h");             #include "graft/device.h"
//     text.lines_of("callback.cu", 1);            #line 1 "callback.cu"
//     text.line("{}", callback);                  __device__ float relu(float x) { return x > 0 ? x : 0; }
//     text.own_lines();                           #line 1 "graft_adapter"
//     text.define("GRAFT_CALLBACK", "::relu");    #define GRAFT_CALLBACK ::relu
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace graft::codegen {

// File names for #line directives. Compiler messages show them, so graft can tell whether a message is about graft's
// own lines, the user's lines or a declared signature.
inline constexpr std::string_view kAdapterLines = "graft_adapter";
inline constexpr std::string_view kDeclaredLines = "graft_declared_signature";
// The file name that #line directives give to Options::defines. The line number is the define's number: line 2 is the
// second define.
inline constexpr std::string_view kDefineLines = "Options::defines";

class ProgramText {
 public:
  // Writes formatted text and a newline.
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... arguments) {
    base::append(text_, format, std::forward<T>(arguments)...);
    text_ += '\n';
  }

  // Writes text as it is.
  void raw(std::string_view text) { text_ += text; }

  // Makes compiler messages show the next line as line `number` of `file`, whose name may contain any bytes.
  void lines_of(std::string_view file, int number);
  // Makes compiler messages show the next lines as graft's own.
  void own_lines(int number = 1) { lines_of(kAdapterLines, number); }

  void include(std::string_view header);
  // `macro` may have parameters: "TWICE(x)".
  void define(std::string_view macro, std::string_view value);
  void define(std::string_view macro);
  void undefine(std::string_view macro);

  // Returns the text. The object is empty after this.
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

}  // namespace graft::codegen
