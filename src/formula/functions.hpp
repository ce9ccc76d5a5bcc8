// The functions that a formula may call: their names, how many arguments they take, of which types, and how each is
// written in C++. A new function is a row of the table in functions.cpp, its value of literals (constant.cpp), and
// perhaps a helper (helpers.hpp). Other tables there have the names by which NumPy and others know these functions
// (arcsin), and the operators (add).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/token.hpp"
#include "formula/type.hpp"

namespace graft::formulas {

// How the types of the arguments and the result follow from those of the call.
enum class Rule : std::uint8_t {
  Same,         // all take their common type, and so does the result: max(x, y)
  Question,     // the result is bool: isnan(x)
  Part,         // the result is real: real(z), abs(z)
  MakeComplex,  // the arguments are real, and the result is complex: complex(x, y)
  Power,        // as the operator ^
  Select,       // as c ? x : y
};

// How the function is written for one kind of number: "=" is the argument itself, "sqrt" the function of that name in C
// (with an f behind it for f32), and "#min" a helper. "" refuses the kind, where integers become floating-point
// numbers.
using Form = std::string_view;

struct Function {
  std::string_view name;
  std::uint16_t least;  // the number of arguments
  std::uint16_t most;
  Rule rule;
  Form integer;
  Form real;
  Form complex;
};

std::span<const Function> functions();

// Null if there is no such function. Also by the names that mean the same elsewhere: "arcsin", "clip", "where".
const Function* find_function(std::string_view name);

// An operator that can be called by a name, as in NumPy: add(x, y) is x + y.
struct NamedOperator {
  std::string_view name;
  TokenKind symbol;
  std::uint16_t operands;
};

// Null if there is no such operator.
const NamedOperator* find_operator(std::string_view name);

// A call as an example: "select(c, x, y)".
std::string example_of(const Function& function);

}  // namespace graft::formulas
