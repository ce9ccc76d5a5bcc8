// Joins the string literals of an asm statement to the text that the assembler gets. The compiler joins adjacent
// literals, replaces macros and reads escape sequences, so one instruction may be spread over several tokens:
//
//     #define TID "%%tid"
//     asm("mov.u32 %0, " TID ".x;" : "=r"(t));   ->   mov.u32 %0, %%tid.x;
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reflect/lexer.hpp"

namespace graft::reflect {

// The replacements of a text's macros, for literals in them.
class MacroLiterals {
 public:
  struct Replacement {
    std::span<const Token> tokens;
    bool is_always_compiled = false;  // the macro is defined outside all branches of an #if
  };

  void add(std::string_view name, Replacement replacement) { replacements_[name].push_back(replacement); }
  // Returns the definitions of a macro; none for other names.
  std::span<const Replacement> find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, std::vector<Replacement>> replacements_;
};

class JoinedLiterals {
 public:
  explicit JoinedLiterals(const MacroLiterals& macros) : macros_(macros) {}

  // Appends a literal, or the literals of a macro's replacement. Returns false, and does nothing, for other tokens. The
  // token must outlive this object.
  bool add(const Token& token);

  const std::string& text() const { return text_; }
  // Whether the compiler certainly sees this text: no macro in it has several definitions, or one in a branch of an
  // #if.
  bool is_certain() const { return is_certain_; }
  // Returns the added token that gave the character at `offset` of the text.
  const Token& token_at(std::size_t offset) const;

 private:
  void add_macro(std::span<const MacroLiterals::Replacement> definitions, int depth);

  const MacroLiterals& macros_;
  std::string text_;
  std::vector<std::pair<std::size_t, const Token*>> begins_;  // where the text of each added token begins
  bool is_certain_ = true;
  int replaced_ = 0;  // tokens of macros
};

}  // namespace graft::reflect
