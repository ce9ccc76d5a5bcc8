// Words of a text that ask for the threads around the one that runs it: barriers, thread and block numbers, shared
// memory, exchanges within a warp.
//
// A callback gets one element at a time, from a thread that graft chooses: by body, vector width and route, and
// otherwise at the end of an array, where threads have no element at all. So such a word means something else from
// kernel to kernel, and the report notes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/lexer.hpp"

namespace graft::reflect {

// Each once, in order: of the code and of macros' replacements, not of strings and comments.
std::vector<std::string> thread_words(const Code& code);
std::vector<std::string> thread_words(std::string_view text);

// Appends those that `all` lacks.
void add_words(std::vector<std::string>& all, const std::vector<std::string>& words);

}  // namespace graft::reflect
