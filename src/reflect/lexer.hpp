// C++ text as tokens: enough to find functions, includes and names, never to judge.
//
//     __device__ /* why */ float f(float x);   ->   __device__  float  f  (  float  x  )  ;
//
// Comments and white space are dropped, and lines that end in a backslash are joined first, as the language asks. A
// preprocessor line is one token, so that the text's two languages stay apart. Any bytes are taken: what is no C++ (a
// string or comment without an end, a control character) becomes a token of kind Broken. Linear in the text's size.
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

// The tokens view the source that they were made of, or `joined`; both must outlive them.
struct Tokens {
  std::vector<Token> list;
  std::shared_ptr<const std::string> joined;  // the source without its line continuations, where it had any
};

Tokens tokenize(std::string_view source, int first_line = 1);

// A preprocessor line taken apart: "include" and what follows it.
struct Directive {
  std::string_view name;
  std::string_view rest;     // to the end of the line, comments included
  std::vector<Token> words;  // the tokens of `rest`
  int line = 0;
  bool is_dead = false;  // under `#if 0`
};
Directive parse_directive(const Token& line);

// The tokens as a parser wants them: directives apart, what stands under `#if 0` left out, brackets matched.
struct Code {
  std::vector<Token> tokens;
  std::vector<std::size_t> partner;  // of an opening bracket, its closing one; tokens.size() where it is missing
  std::vector<int> branch;           // equal numbers stand in the same branch of the same #if
  std::vector<Directive> directives;
  bool is_damaged = false;  // a Broken token, or brackets or conditionals that do not match
};
Code read_code(const Tokens& tokens);

// Tokens as text again, with one space where the source had blanks or a comment.
std::string spaced_text(std::span<const Token> tokens);

}  // namespace graft::reflect
