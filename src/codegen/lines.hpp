// Places the user's lines inside generated text. #line directives make compiler messages show the user's file and line.
// Preprocessor lines are separated from the code, because graft writes a function or a namespace around the code and
// the preprocessor lines must stay outside.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::codegen {

// Escapes a name for the quotes of a #line. Compilers reject bytes there that are not UTF-8: each becomes a question
// mark.
std::string quoted(std::string_view name);

std::string line_directive(int line, std::string_view name);

// Size in bytes of the text's leading lines that contain only preprocessor directives and comments; 0 if no code
// follows. Such lines must stay outside a function or namespace that graft writes around the text: an `#include` inside
// would declare its names there. Never splits a comment.
std::size_t leading_lines(std::string_view text);

// Wraps an expression in a function that returns it, which makes the compiler treat a lambda as device code. `front` is
// the text's leading lines, which the caller places elsewhere; here they only count for line numbers. `end_line` is the
// #line directive of the function's end.
std::string expression_function(std::string_view front, std::string_view expression, std::string_view name,
                                std::string_view end_line);

// The number of a text's last line.
int last_line(std::string_view text);

// The line of the first #include that follows other code, or 0. In a member of a composition, such an #include would
// declare its names in the member's namespace.
int line_of_late_include(std::string_view text);

// Text that defines `graft_declared` as an alias of the declared function type. Its #line directive makes compiler
// errors in that type show kDeclaredLines as their file.
std::string declared_alias(std::string_view function_type);

// The number of the line that follows `front` in a text.
int line_behind(std::string_view front);

}  // namespace graft::codegen
