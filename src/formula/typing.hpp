// Gives each node of a formula's tree its type, and finds what its names mean. After this, everything that can be wrong
// with a formula has been said, and the writer cannot fail.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formula/constant.hpp"
#include "formula/functions.hpp"
#include "formula/tree.hpp"
#include "formula/type.hpp"
#include "graft/formula.hpp"

namespace graft::formulas {

// What a formula may name.
struct Names {
  const std::vector<Variable>& inputs;
  const std::vector<Variable>& parameters;
  const std::vector<FormulaFunction>& functions;
  // Of the tree's nodes of the kind Weak: bool, or a weak type.
  std::vector<Type> weak = {};
  // Of those that are integers: whether they may need 64 bits, and not only those of the inputs' common type.
  std::vector<bool> wide = {};

  bool is_wide(std::size_t weak_number) const { return weak_number < wide.size() && wide[weak_number]; }
};

// What a name, a field or a call means.
enum class Meaning : std::uint8_t {
  None,       // an operator: the node's symbol says what it means
  Constant,   // a literal, or an expression of literals
  Input,      // number `index` of the inputs
  Parameter,  // number `index` of the parameters
  Output,     // number `index` of the outputs, from an earlier statement
  Temporary,  // the value of statement `index`, which is no output
  Cast,
  Function,    // of functions.hpp
  Registered,  // number `index` of the application's functions
  Weak,        // number `index` of the weak expressions, which has the type that it meets
};

struct TypedNode {
  Type type = Type::WeakInteger;     // of the value
  Type operand = Type::WeakInteger;  // the type to which the operands are converted
  Meaning meaning = Meaning::None;
  std::uint32_t index = 0;
  bool is_saturated = false;           // for Meaning::Weak: the operand of a cast to an integer, of this type
  std::int32_t field = -1;             // the number of the field of an input or parameter that is a struct
  const Function* function = nullptr;  // for Meaning::Function
  Constant constant = {};              // for Meaning::Constant
};

// How the function of a node is written in C++.
inline Form form_of(const TypedNode& node) {
  return is_complex(node.operand)   ? node.function->complex
         : is_integer(node.operand) ? node.function->integer
                                    : node.function->real;
}

struct TypedTree {
  const Tree& tree;
  const Names& names;
  std::vector<TypedNode> nodes = {};  // one for each node of the tree; no type is weak

  Type type_of(const Statement& statement) const { return nodes[statement.value].type; }
};

// `tree` and `names` must outlive the result. Throws Error: CompileFailed for mistakes in the formula, InvalidArgument
// for those in `names`.
TypedTree add_types(const Tree& tree, const Names& names);

}  // namespace graft::formulas
