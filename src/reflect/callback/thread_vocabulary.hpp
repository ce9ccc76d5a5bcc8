// The list of thread words (thread_words.hpp), in CUDA C++ and in PTX assembly, and what each is for.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reflect/callback/thread_words.hpp"

namespace graft::reflect {

// Returns what a word of CUDA C++ is for. Returns nothing if the word is no thread word.
std::optional<ThreadWord::Use> use_of(std::string_view word);

// Whether the word is one of CUDA's built-in variables, such as threadIdx. Programs may have variables and members of
// the same names.
bool is_thread_variable(std::string_view word);

// A quick check before a text is split into tokens. If it returns false, the text has no thread word.
bool may_have_thread_words(std::string_view text);

// Returns the words of assembly that make it depend on threads: "%tid.x", "bar.sync", "ld.shared.f32". Each kind of
// word occurs once, with its line in `text`. `text` is PTX without comments, or a string of an asm statement.
std::vector<ThreadWord> find_thread_words_in_assembly(std::string_view text);

}  // namespace graft::reflect
