// Reads the variables of a formula from one line: "f32 x, y; f64 a, b".
#include <string>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/token.hpp"
#include "graft/formula.hpp"

namespace graft {
namespace {

using formulas::Token;
using formulas::TokenKind;

class Declaration {
 public:
  explicit Declaration(std::string_view line) : line_(line), tokens_(formulas::tokenize(line)) {}

  FormulaVariables read() {
    FormulaVariables variables;
    variables.inputs = list();
    if (take(TokenKind::Semicolon)) variables.parameters = list();
    if (here().kind != TokenKind::End) fail();
    return variables;
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  bool take(TokenKind kind) {
    if (here().kind != kind) return false;
    ++at_;
    return true;
  }

  // "f32 x, y, i32 n", or nothing.
  std::vector<Variable> list() {
    std::vector<Variable> variables;
    std::string_view type;
    if (here().kind != TokenKind::Name) return variables;
    do {
      const Token& first = here();
      if (!take(TokenKind::Name)) fail();
      const Token& second = here();
      if (take(TokenKind::Name)) type = first.in(line_);
      else if (type.empty()) fail();
      const Token& name = second.kind == TokenKind::Name ? second : first;
      variables.emplace_back(std::string(name.in(line_)), type);
    } while (take(TokenKind::Comma));
    return variables;
  }

  [[noreturn]] void fail() const {
    refuse(base::format("the variables of a formula cannot be read at column {} of {}", here().offset + 1,
                        formulas::in_quotes(line_)),
           "Write the inputs and, behind a semicolon, the parameters: `f32 x, y; f64 a, b`.");
  }

  std::string_view line_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

FormulaVariables formula_variables(std::string_view line) {
  try {
    return Declaration(line).read();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::InvalidArgument) throw;
    // A byte that stands in no formula. The line is the application's, and so is the mistake.
    fail(ErrorCode::InvalidArgument, "the variables of a " + error.message(), "Write them as `f32 x, y; f64 a, b`.");
  }
}

}  // namespace graft
