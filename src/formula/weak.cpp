// An expression of weak parameters has no type, so it can be found before types are. The tree is a list in which
// operands come first; one pass upwards finds what is weak, and one downwards the largest of it.
#include "formula/weak.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/functions.hpp"
#include "formula/scope.hpp"

namespace graft::formulas {
namespace {

bool is_order_of_numbers(TokenKind symbol) {
  return is_comparison(symbol) && symbol != TokenKind::Equal && symbol != TokenKind::NotEqual;
}

// A piece of the text with as many parentheses to its left and right as close and open in it.
Place with_parentheses(std::string_view text, std::size_t begin, std::size_t end) {
  int open = 0;
  int missing = 0;  // to the left
  for (const char c : text.substr(begin, end - begin)) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    missing = std::max(missing, -open);
  }
  open += missing;
  while (missing > 0 && begin > 0) missing -= text[--begin] == '(' ? 1 : 0;
  while (open > 0 && end < text.size()) open -= text[end++] == ')' ? 1 : 0;
  return {begin, end - begin};
}

}  // namespace

// Finds the weak nodes, and makes steps of them and the rest of the tree.
class WeakExpressions::Split {
 public:
  Split(const Tree& tree, const Names& names, std::span<const std::string> weak, WeakExpressions& made)
      : tree_(tree), names_(names), weak_(weak), made_(made), nodes_(tree.nodes.size()) {
    for (const Variable& one : names.inputs) strong_.insert(one.name);
    for (const Variable& one : names.parameters) strong_.insert(one.name);
  }

  void run() {
    auto statement = tree_.statements.begin();
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      look_at(i);
      if (statement->value == i) finish(*statement++);
    }
    mark_inside();
    leave_out_temporaries();
    write_rest();
    leave_out_unused();
  }

 private:
  struct Found {
    std::optional<std::uint32_t> step;  // of a weak node
    bool has_parameter = false;         // a weak node that does not consist of literals alone
    bool is_inside = false;             // below another weak node with a parameter
    std::size_t begin = 0;              // the text of the node and its operands
    std::size_t end = 0;
  };

  void finish(const Statement& statement) {
    if (statement.name.empty()) return;
    if (std::ranges::find(weak_, statement.name) != weak_.end())
      fail_at(tree_.text, statement.place, in_quotes(statement.name) + " is the name of another variable");
    if (temporaries_.contains(statement.name))
      fail_at(tree_.text, statement.place, in_quotes(statement.name) + " is the name of another value");
    if (!statement.is_output && nodes_[statement.value].step && !strong_.contains(statement.name))
      temporaries_.emplace(statement.name, statement.value);
    else strong_.insert(statement.name);
  }

  void look_at(NodeIndex i) {
    Found& found = nodes_[i];
    const Place place = tree_.nodes[i].place;
    found.begin = place.offset;
    found.end = place.offset + place.length;
    bool is_weak = true;
    for (const NodeIndex operand : operands(i)) {
      const Found& below = nodes_[operand];
      found.begin = std::min(found.begin, below.begin);
      found.end = std::max(found.end, below.end);
      found.has_parameter = found.has_parameter || below.has_parameter;
      is_weak = is_weak && below.step;
    }
    if (is_weak) found.step = step_of(i);
    found.has_parameter = found.has_parameter && found.step;
  }

  // The step of a node whose operands are weak, if it is weak itself.
  std::optional<std::uint32_t> step_of(NodeIndex i) {
    const Node& node = tree_.nodes[i];
    switch (node.kind) {
      case NodeKind::Number:
        return literal(node, parse_number(node.text));
      case NodeKind::Name:
        return name(i);
      case NodeKind::Unary:
      case NodeKind::Binary:
        return operation(i, node);
      case NodeKind::Conditional:
        return add(i, {.node = node});
      case NodeKind::Call:
        return call(i);
      case NodeKind::Field:
        return constant_of_library(node);
      case NodeKind::Weak:
        break;
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> literal(const Node& node, const std::optional<Constant>& value) {
    if (!value) return std::nullopt;
    return add_step({.node = {.kind = NodeKind::Number, .place = node.place, .text = node.text}, .literal = *value});
  }

  // np.pi
  std::optional<std::uint32_t> constant_of_library(const Node& node) {
    const std::optional<double> value = Scope::constant_of(node.text, node.field);
    if (!value || strong_.contains(node.text) || temporaries_.contains(node.text)) return std::nullopt;
    return add_step({.node = {.kind = NodeKind::Number, .place = node.place, .text = node.field},
                     .literal = Constant::of_real(*value)});
  }

  std::optional<std::uint32_t> name(NodeIndex i) {
    const Node& node = tree_.nodes[i];
    const auto found = std::ranges::find(weak_, node.text);
    if (found != weak_.end()) {
      nodes_[i].has_parameter = true;
      return add(i, {.node = node, .index = static_cast<std::uint32_t>(found - weak_.begin())});
    }
    if (const auto temporary = temporaries_.find(node.text); temporary != temporaries_.end()) {
      used_.insert(node.text);
      nodes_[i].has_parameter = nodes_[temporary->second].has_parameter;
      return nodes_[temporary->second].step;
    }
    const std::optional<double> value = Scope::constant(node.text);
    if (!value || strong_.contains(node.text)) return std::nullopt;
    return literal(node, Constant::of_real(*value));
  }

  std::optional<std::uint32_t> call(NodeIndex i) {
    Node node = tree_.nodes[i];
    const auto is_called = [&](const FormulaFunction& one) { return one.name == node.text; };
    if (!node.is_built_in && std::ranges::any_of(names_.functions, is_called)) return std::nullopt;
    if (const NamedOperator* const named = find_operator(node.text)) {
      if (node.count != named->operands) return std::nullopt;
      node.kind = node.count == 1 ? NodeKind::Unary : NodeKind::Binary;
      return operation(i, node);
    }
    const Function* const function = find_function(node.text);
    if (function == nullptr) {
      if (node.count != 1 || type_named(node.text) != Type::Bool) return std::nullopt;
      node.kind = NodeKind::Unary;  // the cast to bool; the casts to other types give a value a type
      return add(i, {.node = node});
    }
    if (node.count < function->least || node.count > function->most) return std::nullopt;
    if (function->rule == Rule::Select) node.kind = NodeKind::Conditional;
    if (function->rule == Rule::Power) {
      node.kind = NodeKind::Binary;
      node.symbol = TokenKind::Power;
    }
    return add(i, {.node = node, .function = function});
  }

  // `p & q`, and `p and q`, are left to typing, which knows whether both are conditions.
  std::optional<std::uint32_t> operation(NodeIndex i, const Node& node) {
    const std::string_view typed = tree_.text.substr(node.place.offset, node.place.length);
    if (is_of_conditions(node.symbol) || typed == "and" || typed == "or") return std::nullopt;
    return add(i, {.node = node});
  }

  std::uint32_t add(NodeIndex i, Step step) {
    for (const NodeIndex operand : operands(i)) step.operands.push_back(nodes_[operand].step.value());
    return add_step(std::move(step));
  }

  // Returns the step that is equal, or adds it.
  std::uint32_t add_step(Step step) {
    std::string key =
        base::format("{} {} {} {}", static_cast<int>(step.node.kind), static_cast<int>(step.node.symbol),
                     step.node.kind == NodeKind::Binary ? std::string_view() : step.node.text, step.index);
    for (const std::uint32_t operand : step.operands) base::append(key, " {}", operand);
    const auto [known, is_new] = known_.emplace(std::move(key), static_cast<std::uint32_t>(made_.steps_.size()));
    if (is_new) made_.steps_.push_back(std::move(step));
    return known->second;
  }

  // ---- the rest of the tree ----

  // Downwards: what is below a weak expression is a part of it, or of no use to the rest.
  void mark_inside() {
    for (NodeIndex i = static_cast<NodeIndex>(tree_.nodes.size()); i-- > 0;)
      if (nodes_[i].is_inside || is_root(i))
        for (const NodeIndex operand : operands(i)) nodes_[operand].is_inside = true;
  }

  // A temporary that only weak expressions use is a part of these.
  void leave_out_temporaries() {
    for (auto statement = tree_.statements.rbegin(); statement != tree_.statements.rend(); ++statement) {
      const auto names_it = [&](const Node& node) {
        const auto i = static_cast<NodeIndex>(&node - tree_.nodes.data());
        return node.kind == NodeKind::Name && node.text == statement->name && !nodes_[i].is_inside && !is_root(i);
      };
      const auto temporary = temporaries_.find(statement->name);
      if (temporary == temporaries_.end() || temporary->second != statement->value ||
          !used_.contains(statement->name) || std::ranges::any_of(tree_.nodes, names_it))
        continue;
      nodes_[statement->value].is_inside = true;
      mark_inside();
    }
  }

  bool is_root(NodeIndex i) const { return nodes_[i].has_parameter && !nodes_[i].is_inside; }

  void write_rest() {
    Tree& rest = made_.rest_;
    rest.text = tree_.text;
    std::map<std::uint32_t, std::uint32_t> expressions;  // by their steps
    std::vector<NodeIndex> moved(tree_.nodes.size());
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      if (nodes_[i].is_inside) continue;
      moved[i] = static_cast<NodeIndex>(rest.nodes.size());
      Node node = tree_.nodes[i];
      node.first = static_cast<std::uint32_t>(rest.operands.size());
      if (is_root(i)) node = weak_node(i, expressions);
      else
        for (const NodeIndex operand : operands(i)) rest.operands.push_back(moved[operand]);
      rest.nodes.push_back(node);
    }
    for (Statement statement : tree_.statements) {
      if (nodes_[statement.value].is_inside) continue;
      statement.value = moved[statement.value];
      rest.statements.push_back(statement);
    }
  }

  Node weak_node(NodeIndex i, std::map<std::uint32_t, std::uint32_t>& expressions) {
    const std::uint32_t step = nodes_[i].step.value();
    const Place place = with_parentheses(tree_.text, nodes_[i].begin, nodes_[i].end);
    const auto [known, is_new] = expressions.emplace(step, static_cast<std::uint32_t>(made_.roots_.size()));
    if (is_new) {
      made_.roots_.push_back(step);
      made_.texts_.push_back(tree_.text.substr(place.offset, place.length));
    }
    return {.kind = NodeKind::Weak, .place = place, .whole = place, .weak = known->second};
  }

  // Expressions of literals alone, which have become steps too, are left to typing.
  void leave_out_unused() {
    std::vector<Step>& steps = made_.steps_;
    std::vector<bool> is_used(steps.size());
    for (const std::uint32_t root : made_.roots_) is_used[root] = true;
    for (std::size_t k = steps.size(); k-- > 0;)
      if (is_used[k])
        for (const std::uint32_t operand : steps[k].operands) is_used[operand] = true;
    std::vector<std::uint32_t> moved(steps.size());
    std::vector<Step> used;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (!is_used[k]) continue;
      moved[k] = static_cast<std::uint32_t>(used.size());
      for (std::uint32_t& operand : steps[k].operands) operand = moved[operand];
      used.push_back(std::move(steps[k]));
    }
    for (std::uint32_t& root : made_.roots_) root = moved[root];
    steps = std::move(used);
  }

  std::span<const NodeIndex> operands(NodeIndex i) const { return tree_.operands_of(tree_.nodes[i]); }

  const Tree& tree_;
  const Names& names_;
  std::span<const std::string> weak_;
  WeakExpressions& made_;
  std::vector<Found> nodes_;
  std::set<std::string_view> strong_;                  // variables and outputs
  std::map<std::string_view, NodeIndex> temporaries_;  // those whose values are weak
  std::set<std::string_view> used_;                    // temporaries that are named
  std::map<std::string, std::uint32_t> known_;
};

WeakExpressions::WeakExpressions(const Tree& tree, const Names& names, std::span<const std::string> weak) {
  Split(tree, names, weak, *this).run();
}

// ---- the values ----

std::vector<Constant> WeakExpressions::values(std::span<const Constant> parameters) const {
  std::vector<Result> results(steps_.size());
  for (std::uint32_t k = 0; k < steps_.size(); ++k) results[k] = compute_step(k, parameters, results);
  std::vector<Constant> values;
  values.reserve(roots_.size());
  for (const std::uint32_t root : roots_) {
    if (results[root].is_missing) fail_for(results[root].why, results);
    values.push_back(results[root].value);
  }
  return values;
}

WeakExpressions::Result WeakExpressions::compute_step(std::uint32_t k, std::span<const Constant> parameters,
                                                      std::span<const Result> results) const {
  const Step& step = steps_[k];
  const auto operand = [&](std::size_t number) -> const Result& { return results[step.operands[number]]; };
  const auto result = [&](const std::optional<Constant>& value) {
    return value ? Result{*value} : Result{.is_missing = true, .why = k};
  };
  if (step.node.kind == NodeKind::Number) return {step.literal};
  if (step.node.kind == NodeKind::Name) return {parameters[step.index]};
  if (operand(0).is_missing) return operand(0);
  const Constant& first = operand(0).value;
  if (step.node.kind == NodeKind::Conditional) {
    const Result& chosen = operand(first.is_zero() ? 2 : 1);
    const Result& other = operand(first.is_zero() ? 1 : 2);
    if (chosen.is_missing || other.is_missing) return chosen;
    return {chosen.value.as(std::max(chosen.value.kind, other.value.kind))};
  }
  if (step.node.kind == NodeKind::Unary) {
    if (step.node.symbol == TokenKind::End) return {Constant::of_bool(!first.is_zero())};  // the cast to bool
    return result(compute(step.node.symbol, first));
  }
  const bool decides = (step.node.symbol == TokenKind::And && first.is_zero()) ||
                       (step.node.symbol == TokenKind::Or && !first.is_zero());
  if (decides) return {Constant::of_bool(!first.is_zero())};
  for (std::size_t number = 1; number < step.operands.size(); ++number)
    if (operand(number).is_missing) return operand(number);
  if (step.node.kind == NodeKind::Binary) return result(compute(step.node.symbol, first, operand(1).value));
  std::vector<Constant> arguments;
  for (std::size_t number = 0; number < step.operands.size(); ++number) arguments.push_back(operand(number).value);
  return result(compute(*step.function, arguments));
}

void WeakExpressions::fail_for(std::uint32_t k, std::span<const Result> results) const {
  const Step& step = steps_[k];
  const bool is_complex =
      std::ranges::any_of(step.operands, [&](std::uint32_t operand) { return results[operand].value.is_complex(); });
  const Place place = step.node.place;
  const std::string shown = in_quotes(rest_.text.substr(place.offset, place.length));
  if (!is_complex)
    refuse(
        base::format("column {} of the formula {} divides an integer by zero", place.offset + 1, in_quotes(rest_.text)),
        "Give the parameters other values, or a floating-point number.");
  if (is_order_of_numbers(step.node.symbol)) fail_at(rest_.text, place, "complex numbers have no order", "abs(z)");
  fail_at(rest_.text, place, shown + " takes no complex numbers");
}

// ---- the members of the state ----

std::vector<WeakMember> make_parameters(TypedTree& typed, std::size_t first) {
  std::vector<bool> is_exponent(typed.nodes.size());
  for (NodeIndex i = 0; i < typed.nodes.size(); ++i) {
    const Node& node = typed.tree.nodes[i];
    const bool is_power =
        typed.nodes[i].meaning == Meaning::None && node.count == 2 &&
        (node.symbol == TokenKind::Power || (node.kind == NodeKind::Call && node.symbol == TokenKind::End));
    if (is_power && is_integer(typed.nodes[i].operand)) is_exponent[typed.tree.operands_of(node)[1]] = true;
  }
  std::vector<WeakMember> members;
  for (NodeIndex i = 0; i < typed.nodes.size(); ++i) {
    TypedNode& node = typed.nodes[i];
    if (node.meaning != Meaning::Weak) continue;
    auto member = std::ranges::find_if(members, [&](const WeakMember& one) {
      return one.expression == node.index && one.type == node.type && one.is_saturated == node.is_saturated;
    });
    if (member == members.end()) member = members.insert(member, {node.index, node.type, node.is_saturated});
    member->is_exponent = member->is_exponent || is_exponent[i];
    node.meaning = Meaning::Parameter;
    node.index = static_cast<std::uint32_t>(first + static_cast<std::size_t>(member - members.begin()));
  }
  return members;
}

}  // namespace graft::formulas
