#include "formula/code_size.hpp"

#include <cstddef>

#include "formula/helpers.hpp"

namespace graft::formulas {
namespace {

// In divisions of f32. With more, functions are called. 255 erf of f64 took NVRTC 13.0 7.5 s on two cores, for sm_90,
// and called ones 0.7 s; 2,047 divisions of f64 7.3 s, and 1.2 s.
constexpr int kMostInlined = 128;
constexpr int kFunction = 8;

// With more, or with more operators, the formula is called. 1,023 powers of f32 took NVRTC 43 s on the route `program`,
// and 2.2 s so.
constexpr int kMostRepeated = 1024;
constexpr std::size_t kMostNodesRepeated = 512;

int size_of_function(const TypedNode& node) {
  const Form form = form_of(node);
  if (form == "=") return 0;
  const bool has_much = form.starts_with('#') ? has_much_code(form.substr(1), node.operand) : has_much_code_in_c(form);
  return has_much ? kFunction : 0;
}

int size_of_operator(TokenKind symbol, Type operand) {
  switch (symbol) {
    case TokenKind::Power:
    case TokenKind::End:  // the call of pow
    case TokenKind::FloorDivide:
    case TokenKind::Remainder:
      return kFunction;
    case TokenKind::Divide:
      return computed_as(operand) == Type::F32 ? 1 : kFunction;
    case TokenKind::Times:
      return is_complex(operand) ? 1 : 0;
    default:
      return 0;
  }
}

}  // namespace

CodeSize code_size(const TypedTree& typed) {
  int size = 0;
  for (std::size_t i = 0; i < typed.nodes.size(); ++i) {
    const TypedNode& node = typed.nodes[i];
    if (node.meaning == Meaning::Function) size += size_of_function(node);
    if (node.meaning == Meaning::None && typed.tree.nodes[i].count == 2)
      size += size_of_operator(typed.tree.nodes[i].symbol, node.operand);
  }
  return {size > kMostInlined, size > kMostRepeated || typed.nodes.size() > kMostNodesRepeated};
}

}  // namespace graft::formulas
