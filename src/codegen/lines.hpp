// Places the user's lines inside a generated program. Preprocessor lines are separated from the code, because graft
// writes a function or a namespace around the code, and the preprocessor lines must stay outside.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::codegen {

struct ProgramParts;
class ProgramText;

// A place between two lines of a text.
struct Cut {
  std::size_t offset = 0;      // the number of bytes in front of it
  std::size_t directives = 0;  // the number of directives in front of it
};

// Returns the end of the text's leading lines, which contain only preprocessor directives and comments. Returns nothing
// if no code follows these lines. The leading lines must stay outside a function or namespace that graft writes around
// the text, because an `#include` inside would declare its names there. The cut never splits a comment.
std::vector<Cut> leading_lines(const reflect::Text& text);

// Cuts the leading lines behind every line that ends an #include, or an #if with an #include inside. Returns the cuts
// in order. Directives behind the last #include are not cut off: nothing keeps a #define from standing in a namespace.
std::vector<Cut> ends_of_includes(const reflect::Text& text);

// Returns the line number of the text's last line.
int last_line(std::string_view text);

// Returns the text with an include guard around the whole text and `#pragma once` replaced by spaces, so that the
// #include lines inside the guard are leading lines. Lines keep their numbers. Returns other texts unchanged.
reflect::Text without_include_guard(const reflect::Text& text);

// Returns the text of a header with an inline namespace around its code, behind its #include lines and inside its
// include guard: its names stay what they are for those who include it, and are others for a linker. Lines keep their
// numbers.
// Returns nothing if an #include follows other code, or if brackets or conditionals do not match.
std::optional<std::string> in_inline_namespace(const reflect::Text& header, std::string_view name);

// Returns the line number of the first #include that follows other code, or 0 if there is none. If the text is a member
// of a composition, this #include would declare its names in the member's namespace.
int line_of_late_include(const reflect::Text& text);

// Writes the user's text of one callback in pieces: first the leading lines, then the code. #line directives make
// compiler messages about either part show the user's file and line.
class UsersText {
 public:
  // `ends` are the places at which the leading lines are cut into pieces; the code follows the last one. Pass none if
  // graft writes no function or namespace around the code; the whole text then counts as code.
  explicit UsersText(const ProgramParts& parts, const std::vector<Cut>& ends);

  // Writes the leading lines, or one piece of them. Call ProgramText::own_lines() before you write lines of graft's
  // own; otherwise compiler messages show your lines as the user's.
  void write_front(ProgramText& to) const;
  void write_front(ProgramText& to, std::size_t piece) const;

  // Writes the code. If the callback is an expression or a function object, also writes a function graft_callback()
  // that returns it. Compiler messages show all lines that follow as graft's own.
  void write_callback(ProgramText& to) const;

  // Writes the code as the end of a program without an adapter. Compiler messages about the program's end show the last
  // line of the user's text.
  void write_alone(ProgramText& to) const;

 private:
  struct Piece {
    std::string text;
    int line = 1;  // the line of the user's text at which the piece begins
  };
  void begin_code(ProgramText& to, bool is_expression) const;

  const ProgramParts& parts_;
  std::vector<Piece> front_;
  Piece code_;
};

}  // namespace graft::codegen
