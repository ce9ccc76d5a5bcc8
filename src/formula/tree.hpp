// The syntax tree of a formula, in one list: a node stands behind the nodes of its operands, so whoever needs the types
// or the text of all nodes goes through the list once, without recursion.
//
//     a * x + 1   ->   0: a   1: x   2: 0 * 1   3: 1   4: 2 + 3
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/token.hpp"

namespace graft::formulas {

enum class NodeKind : std::uint8_t {
  Number,       // 0.5
  Name,         // x
  Field,        // p.x
  Unary,        // -x  +x  !x  ~x
  Binary,       // x + y
  Conditional,  // c ? x : y
  Call,         // max(x, y), f32(x), add(x, y)
  Weak,         // an expression of weak parameters, which weak.hpp took out of the tree
};

using NodeIndex = std::uint32_t;

struct Node {
  NodeKind kind = NodeKind::Number;
  TokenKind symbol = TokenKind::End;  // the operator of Unary and Binary, and of a Call that names one: add(x, y)
  Place place;                        // the number, the name or the operator
  Place whole = {};                   // with all operands
  std::string_view text = {};         // the number, or the name of a variable or function
  std::string_view field = {};        // the name behind the point
  std::uint32_t first = 0;            // the operands are Tree::operands[first], ...
  std::uint32_t count = 0;
  std::uint32_t weak = 0;    // of Weak: the number of the expression
  bool is_built_in = false;  // the call is none of the application's functions: np.sqrt(x), 2j
};

// One output: "y = a * x", or a formula without a name. Or a value with a name that is no output: "let t = x * x".
struct Statement {
  std::string_view name = {};
  Place place;
  NodeIndex value = 0;
  bool is_output = true;
};

// The views are views into the formula's text, which must outlive the tree.
struct Tree {
  std::string_view text;
  std::vector<Node> nodes = {};
  std::vector<NodeIndex> operands = {};
  std::vector<Statement> statements = {};

  std::span<const NodeIndex> operands_of(const Node& node) const {
    return std::span(operands).subspan(node.first, node.count);
  }
  // The last statement is an output.
  std::size_t output_count() const {
    return static_cast<std::size_t>(std::ranges::count(statements, true, &Statement::is_output));
  }
};

}  // namespace graft::formulas
