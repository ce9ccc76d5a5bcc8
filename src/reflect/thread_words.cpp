#include "reflect/thread_words.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "reflect/keywords.hpp"

namespace graft::reflect {
namespace {

// Whether the word is one of CUDA's built-in variables. A member of a user's struct may have the same name.
bool is_variable(std::string_view word) {
  static constexpr std::array<std::string_view, 4> kWords = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  return is_among(kWords, word);
}

bool is_thread_word(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "__shared__", "__syncwarp", "__activemask", "__any_sync", "__any", "__all_sync", "__all", "cooperative_groups"};
  static constexpr std::array<std::string_view, 6> kPrefixes = {"__syncthreads", "__barrier_sync", "__shfl",
                                                                "__ballot",      "__match_",       "__reduce_"};
  return is_variable(word) || is_among(kWords, word) ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return word.starts_with(prefix); });
}

// Whether the word is a name of the user's own, as in `s.threadIdx` or `float threadIdx;`.
bool is_users_own(const Token& before, const Token& word) {
  static constexpr std::array<std::string_view, 3> kNoType = {"return", "else", "case"};
  if (before.is(".") || before.is("->")) return true;
  return is_variable(word.text) && before.kind == Token::Word && !is_among(kNoType, before.text);
}

void add(std::span<const Token> tokens, std::vector<std::string>& found) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind == Token::Word && is_thread_word(tokens[i].text) &&
        !(i > 0 && is_users_own(tokens[i - 1], tokens[i])))
      add_words(found, {std::string(tokens[i].text)});
}

}  // namespace

std::vector<std::string> thread_words(const Code& code) {
  std::vector<std::string> found;
  add(code.tokens, found);
  for (const Directive& directive : code.directives)
    if (directive.name == "define" && !directive.is_dead && !directive.words.empty())
      add(std::span(directive.words).subspan(1), found);
  return found;
}

std::vector<std::string> thread_words(std::string_view text) {
  const Tokens tokens = tokenize(text);
  return thread_words(read_code(tokens));
}

void add_words(std::vector<std::string>& all, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (std::ranges::find(all, word) == all.end()) all.push_back(word);
}

}  // namespace graft::reflect
