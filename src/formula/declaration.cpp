// Reads the variables of a formula from one line: "f32 x, y; f64 a, b".
#include <string>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/elsewhere.hpp"
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
      if (take(TokenKind::Name)) type = known_type(first);
      else if (type.empty()) fail();
      const Token& name = second.kind == TokenKind::Name ? second : first;
      variables.emplace_back(std::string(name.in(line_)), type);
    } while (take(TokenKind::Comma));
    return variables;
  }

  // "f8" is f64, "int" is i32 in C and i64 in Python, and "T" is any type in kernels of CuPy.
  std::string_view known_type(const Token& token) const {
    const std::string_view type = token.in(line_);
    if (formulas::is_type_parameter(type))
      refuse(
          base::format("{} stands for any type, and here variables have types of their own", formulas::in_quotes(type)),
          "Write the type of the array, such as `f32`; a generic formula has no types, and takes those of the arrays.");
    const formulas::TypeElsewhere* const elsewhere = formulas::type_elsewhere(type);
    if (elsewhere == nullptr || type == "float") return type;
    const bool is_one = elsewhere->in_c == elsewhere->in_python;
    refuse(base::format("{} is no type of a formula's variables", formulas::in_quotes(type)),
           is_one ? base::format("Write `{}`.", elsewhere->in_c)
                  : base::format("Write `{}` for that of C, and `{}` for that of Python.", elsewhere->in_c,
                                 elsewhere->in_python));
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
