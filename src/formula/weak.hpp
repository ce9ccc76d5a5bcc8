// The weak expressions of a formula: its largest parts that consist of weak parameters and literals alone. Their values
// are computed for each call, by the arithmetic of literals (constant.hpp), so the formula has one number in the place
// of each of them, which is a literal but for its value:
//
//     x * (a - b) + 2 * a     (x: an input, a and b: weak parameters)   ->   x * w0 + w1,   w0: a - b   w1: 2 * a
//
// Typing gives each place the type that it meets. Then each expression becomes one member of the callback's state for
// each type that it met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/constant.hpp"
#include "formula/tree.hpp"
#include "formula/typing.hpp"

namespace graft::formulas {

class WeakExpressions {
 public:
  // `weak` are the names of the weak parameters; `names` are the others. The tree's text must outlive the object.
  // Throws Error(CompileFailed) for an output that has the name of a weak parameter.
  WeakExpressions(const Tree& tree, const Names& names, std::span<const std::string> weak);

  // The tree with a node of the kind Weak in the place of each expression.
  const Tree& rest() const { return rest_; }

  std::size_t size() const { return roots_.size(); }
  // The text of an expression in the formula.
  std::string_view text_of(std::size_t expression) const { return texts_[expression]; }

  // Computes the value of each expression. `parameters` has one value for each name. Throws Error(CompileFailed) for an
  // operator or function that complex numbers do not have, and Error(InvalidArgument) for an integer division by zero,
  // unless a condition chooses another value.
  std::vector<Constant> values(std::span<const Constant> parameters) const;

 private:
  // A node of the expressions. Equal nodes are one step.
  struct Step {
    Node node;                           // as in the tree, with a call of pow as its operator, of select as a condition
    Constant literal = {};               // of the kind Number
    std::uint32_t index = 0;             // of the kind Name: number of the parameter
    const Function* function = nullptr;  // of the kind Call
    std::vector<std::uint32_t> operands = {};
  };
  // A value, or the step that has none.
  struct Result {
    Constant value = {};
    bool is_missing = false;
    std::uint32_t why = 0;
  };

  class Split;
  Result compute_step(std::uint32_t step, std::span<const Constant> parameters, std::span<const Result> results) const;
  [[noreturn]] void fail_for(std::uint32_t step, std::span<const Result> results) const;

  Tree rest_;
  std::vector<Step> steps_;           // each behind those of its operands
  std::vector<std::uint32_t> roots_;  // the step of each expression
  std::vector<std::string_view> texts_;
};

// A member of the state, which holds the value of an expression.
struct WeakMember {
  std::uint32_t expression = 0;
  Type type = Type::F32;
  bool is_saturated = false;  // what a cast to this integer type makes of the value
  bool is_exponent = false;   // of an integer, so that it is not negative
};

// Makes the weak nodes of a typed tree parameters, the first of which has the number `first`, and returns the members
// of the state that they are.
std::vector<WeakMember> make_parameters(TypedTree& typed, std::size_t first);

}  // namespace graft::formulas
