// Splits C++ text into tokens: enough to find functions, includes and names, but not to judge whether the text is
// valid C++.
//
//     __device__ /* why */ float f(float x);   ->   __device__  float  f  (  float  x  )  ;
//
// Lines that end in a backslash are joined first, as the C++ standard requires; then comments and white space are
// dropped. A preprocessor line becomes one token of kind Directive, which keeps the preprocessor's language apart from
// C++. The lexer accepts any bytes: text that is not C++ (an unterminated string or comment, a control character)
// becomes a token of kind Broken. The lexer takes time linear in the text's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graft::reflect {

struct Token {
  enum Kind : std::uint8_t { Word, Number, String, Character, Symbol, Directive, Broken };
  Kind kind = Broken;
  int line = 0;
  std::string_view text;

  bool is(std::string_view wanted) const noexcept { return text == wanted; }
};

// The tokens are views into the source text or into `joined`, so the source text and `joined` must outlive the tokens.
struct Tokens {
  std::vector<Token> list;
  std::shared_ptr<const std::string> joined;  // the source with its line continuations removed; null if it has none
};

Tokens tokenize(std::string_view source, int first_line = 1);

// Returns the size in bytes of the line continuation (a backslash and the end of its line) at `at`, or 0 if there is
// none.
std::size_t continuation_at(std::string_view source, std::size_t at);

// Finds where pieces of tokens stand in the source. Asks for pieces must come in the order of the text, because each
// search continues at the last one's end.
class SourcePlaces {
 public:
  // Both must outlive this object.
  SourcePlaces(std::string_view source, const Tokens& tokens) : source_(source), tokens_(tokens) {}

  // Returns the part of the source that became `piece`, with the line continuations inside. `piece` is a view into the
  // text of a token and is not empty.
  std::string_view of(std::string_view piece);

 private:
  // Returns the offset in the source of the character that has the offset `wanted` in Tokens::joined.
  std::size_t offset(std::size_t wanted);

  std::string_view source_;
  const Tokens& tokens_;
  std::size_t joined_ = 0;  // the offset in Tokens::joined of the character at `at_`
  std::size_t at_ = 0;
};

// A preprocessor line, split into its name ("include") and the rest of the line.
struct Directive {
  std::string_view text;  // the whole line
  std::string_view name;
  std::string_view rest;     // the text behind the name to the end of the line, including comments
  std::vector<Token> words;  // the tokens of `rest`
  int line = 0;
  bool is_dead = false;  // the directive is in a branch that `#if 0` or `#if 1` excludes
  int branch = 0;        // as in Code::branch; for a directive of an #if, the branch that it opens or returns to
};
Directive parse_directive(const Token& line);

// Tokens prepared for a parser: directives in a list of their own, code in dead branches (`#if 0`) removed, brackets
// matched.
struct Code {
  std::vector<Token> tokens;
  // One index per token. For an opening bracket, it is the index of its closing bracket, or tokens.size() if that
  // bracket is missing. For every other token, it is the token's own index.
  std::vector<std::size_t> partner;
  // One number per token. Tokens with equal numbers are in the same branch of the same #if; 0 is outside all #ifs.
  std::vector<int> branch;
  std::vector<Directive> directives;
  // True if the text has a Broken token, or if brackets or conditionals do not match.
  bool is_damaged = false;
};
Code read_code(const Tokens& tokens);

// Joins tokens back into text, with one space wherever the source had white space or a comment.
std::string spaced_text(std::span<const Token> tokens);

}  // namespace graft::reflect
