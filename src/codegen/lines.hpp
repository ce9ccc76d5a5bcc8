// Places the user's lines inside generated text. #line directives make compiler messages show the user's file and line.
// Preprocessor lines are separated from the code, because graft writes a function or a namespace around the code and
// the preprocessor lines must stay outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::codegen {

// Escapes a file name for use between the quotes of a #line directive. Bytes that are not UTF-8 become question marks,
// because compilers reject them there.
std::string quoted(std::string_view name);

std::string line_directive(int line, std::string_view name);

// Returns the size in bytes of the text's leading lines, which contain only preprocessor directives and comments; 0 if
// no code follows them. The leading lines must stay outside a function or namespace that graft writes around the text:
// an `#include` inside would declare its names there. The result never splits a comment.
std::size_t leading_lines(std::string_view text);

// Wraps an expression in a function that returns it, which makes the compiler treat a lambda as device code. `front` is
// the text's leading lines, which the caller places elsewhere; here they only count for line numbers. `end_line` is the
// #line directive of the function's end.
std::string expression_function(std::string_view front, std::string_view expression, std::string_view name,
                                std::string_view end_line);

// Returns the line number of the text's last line.
int last_line(std::string_view text);

// Returns the line number of the first #include that follows other code, or 0 if there is none. In a member of a
// composition, this #include would declare its names in the member's namespace.
int line_of_late_include(std::string_view text);

// Writes text that defines `graft_declared` as an alias of the declared function type. A #line directive in this text
// makes compiler messages about the type show kDeclaredLines as the file.
std::string declared_alias(std::string_view function_type);

// Returns the number of the line that follows `front` in a text that begins with `front`.
int line_behind(std::string_view front);

}  // namespace graft::codegen
