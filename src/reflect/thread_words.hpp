// Finds thread words: words that make a callback depend on the threads that run together with the thread that calls the
// callback, such as barriers, thread and block indices, shared memory and warp shuffles.
//
// A callback gets one element at a time, and graft chooses the thread that calls it. This choice depends on how the
// kernel was built: on the number of elements that a thread loads at once, and on whether the kernel unrolls the
// callback. At the end of an array, some threads have no element at all. So the same thread word may have different
// effects in two kernels of the same callback, and the report has a note for each thread word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/lexer.hpp"

namespace graft::reflect {

// Returns the thread words in code and in the replacements of macros, each once, in the text's order. Words in strings
// and comments do not count.
std::vector<std::string> thread_words(const Code& code);
std::vector<std::string> thread_words(std::string_view text);

// Appends the words that `all` does not have yet.
void add_words(std::vector<std::string>& all, const std::vector<std::string>& words);

}  // namespace graft::reflect
