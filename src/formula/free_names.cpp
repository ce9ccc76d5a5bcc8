#include "formula/free_names.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/elsewhere.hpp"
#include "formula/scope.hpp"
#include "formula/token.hpp"
#include "formula/whole_text.hpp"

namespace graft::formulas {
namespace {

// Reads "x, y; a".
UntypedFormula read_names(std::string_view line) {
  UntypedFormula read{.declares = true};
  const std::vector<Token> tokens = tokenize(line);
  std::size_t at = 0;
  const auto expect = [&](TokenKind kind) {
    if (tokens[at].kind != kind)
      refuse(base::format("the names of a formula cannot be read at column {} of {}", tokens[at].offset + 1,
                          in_quotes(line)),
             "Write the inputs and, behind a semicolon, the parameters, without types: `x, y; a => a * x + y`.");
    return tokens[at++].in(line);
  };
  const auto take = [&](TokenKind kind) { return tokens[at].kind == kind && ++at > 0; };
  const auto list = [&](std::vector<std::string>& names) {
    if (tokens[at].kind != TokenKind::Name) return;
    do names.emplace_back(expect(TokenKind::Name));
    while (take(TokenKind::Comma));
  };
  list(read.inputs);
  if (take(TokenKind::Semicolon)) list(read.parameters);
  expect(TokenKind::End);
  return read;
}

}  // namespace

UntypedFormula split_untyped(std::string_view text) {
  const std::size_t arrow = find_arrow(text);
  if (arrow == text.npos) return {.formula = std::string(text)};
  UntypedFormula read = read_names(text.substr(0, arrow));
  read.formula = blanked_to(arrow + kArrow.size(), text);
  return read;
}

// Operators follow their operands; all other nodes, names among them, are in the order of the text.
std::vector<std::string> free_names(const Tree& tree) {
  std::vector<std::string> names;
  std::set<std::string_view> outputs;
  std::size_t node = 0;
  for (const Statement& statement : tree.statements) {
    for (; node <= statement.value; ++node) {
      const Node& one = tree.nodes[node];
      const bool is_name = one.kind == NodeKind::Name || one.kind == NodeKind::Field;
      const bool is_of_library = one.kind == NodeKind::Field && is_library(one.text) && Scope::constant(one.field);
      if (!is_name || is_of_library || outputs.contains(one.text) || Scope::constant(one.text)) continue;
      if (std::ranges::find(names, one.text) == names.end()) names.emplace_back(one.text);
    }
    outputs.insert(statement.name);
  }
  return names;
}

}  // namespace graft::formulas
