// The user's lines inside generated text: what must stand in front of them, and what tells the compiler whose they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::reflect {

// A name inside the quotes of a #line. Compilers take no bytes there that are no UTF-8: each is a question mark.
std::string quoted(std::string_view name);

std::string line_directive(int line, std::string_view name);

// The size of the lines in front of a text that hold its preprocessor lines and nothing else: inside a function or a
// namespace, `#include` would mean something else. Never cuts a comment in two.
std::size_t leading_lines(std::string_view text);

// An expression as a function that returns it, which makes the compiler take a lambda for device code. `front` are its
// leading lines, which stand elsewhere; `end_line` is the #line of the function's end.
std::string expression_function(std::string_view front, std::string_view expression, std::string_view name,
                                std::string_view end_line);

// The number of a text's last line.
int last_line(std::string_view text);

// The line of the first #include behind other code, or 0: in a member of a composition it would land in the member's
// namespace.
int line_of_late_include(std::string_view text);

// `graft_declared`, a declared signature as a type that the adapter and the compiler's messages know.
std::string declared_alias(std::string_view function_type);

// The line that `text` goes on at behind `front`.
int line_behind(std::string_view front);

}  // namespace graft::reflect
