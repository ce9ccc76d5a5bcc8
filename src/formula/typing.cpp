// The types of operands decide those of operators, so one pass over the nodes, which come behind their operands, finds
// all types but those of weak values: an expression of literals and conditions, such as `c ? 1 : 2`, stays weak until
// it meets another value. Then `settle` gives the type of that value to all weak nodes below. Each node is settled
// once.
#include "formula/typing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "formula/elsewhere.hpp"
#include "formula/nearest.hpp"
#include "formula/scope.hpp"

namespace graft::formulas {
namespace {

bool is_order(TokenKind symbol) {
  return symbol >= TokenKind::Less && symbol <= TokenKind::GreaterEqual;
}
bool is_logic(TokenKind symbol) {
  return symbol == TokenKind::And || symbol == TokenKind::Or;
}
bool is_integer_division(TokenKind symbol) {
  return symbol == TokenKind::FloorDivide || symbol == TokenKind::Remainder;
}

std::string plural(std::size_t count, std::string_view word) {
  return base::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

class Typing {
 public:
  Typing(const Tree& tree, const Names& names) : tree_(tree), names_(names), scope_(names), typed_{tree, names} {
    typed_.nodes.resize(tree.nodes.size());
  }

  TypedTree run() {
    auto statement = tree_.statements.begin();
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      add_type(i);
      if (statement->value == i) finish(*statement++);
    }
    return std::move(typed_);
  }

 private:
  // The type of a weak value that meets nothing.
  Type alone(Type weak) const {
    const Type type = real_of(scope_.common_type().value_or(Type::Bool));
    const Type met = type == Type::Bool ? (weak == Type::WeakInteger ? Type::I32 : Type::F32) : type;
    return common(weak, met);
  }

  // ---- what each node is ----

  void add_type(NodeIndex i) {
    switch (tree_.nodes[i].kind) {
      case NodeKind::Number:
        return number(i);
      case NodeKind::Weak:
        return mean(i, names_.weak[tree_.nodes[i].weak], Meaning::Weak, tree_.nodes[i].weak);
      case NodeKind::Name:
        return variable(i);
      case NodeKind::Field:
        return field(i);
      case NodeKind::Unary:
        return unary(i);
      case NodeKind::Binary:
        return binary(i);
      case NodeKind::Conditional:
        return conditional(i);
      case NodeKind::Call:
        return call(i);
    }
  }

  void finish(const Statement& statement) {
    settle(statement.value, alone(type(statement.value)));
    if (statement.name.empty()) return;
    const auto index = static_cast<std::uint32_t>(&statement - tree_.statements.data());
    if (!scope_.add_output(statement.name, index, type(statement.value)))
      fail(statement.place, in_quotes(statement.name) + " is the name of another variable");
  }

  void number(NodeIndex i) {
    const std::optional<Constant> value = parse_number(tree_.nodes[i].text);
    if (!value)
      fail(place(i), in_quotes(tree_.nodes[i].text) + " is out of the range of integers of 64 bits, or of f64");
    constant(i, *value);
  }

  void variable(NodeIndex i) {
    const std::string_view wanted = tree_.nodes[i].text;
    if (const Known* const known = scope_.variable(wanted)) {
      if (!known->type)
        fail(place(i), in_quotes(wanted) + " is a struct, of which a formula names a field",
             base::format("{}.{}", wanted, known->variable->fields.front().name));
      return mean(i, *known->type, known->meaning, known->index);
    }
    if (const std::optional<double> value = Scope::constant(wanted)) return constant(i, Constant::of_real(*value));
    if (scope_.can_be_called(wanted))
      fail(place(i), in_quotes(wanted) + " is a function", base::format("{}(...)", wanted));
    fail_unknown(i, wanted, scope_.nearest_variable(wanted));
  }

  // Fails because of a name that is not known, and that NumPy or C perhaps know.
  [[noreturn]] void fail_unknown(NodeIndex i, std::string_view wanted, const std::string& suggestion) const {
    const Elsewhere* const elsewhere = name_elsewhere(wanted);
    const bool has_words = elsewhere != nullptr && !elsewhere->why.empty();
    fail(place(i), in_quotes(wanted) + std::string(has_words ? elsewhere->why : " is not known here"), suggestion);
  }

  void field(NodeIndex i) {
    const Node& node = tree_.nodes[i];
    const Known* const known = scope_.variable(node.text);
    if (known == nullptr) fail(place(i), in_quotes(node.text) + " is not known here", member_elsewhere(node));
    if (known->type)
      fail(place(i), base::format("{} is no struct, and has no fields", in_quotes(node.text)),
           property_elsewhere(node));
    const std::vector<Variable>& fields = known->variable->fields;
    const auto one = std::ranges::find(fields, node.field, &Variable::name);
    if (one == fields.end()) fail_field(i, fields);
    mean(i, type_of(one->type).value(), known->meaning, known->index);
    typed_.nodes[i].field = static_cast<std::int32_t>(one - fields.begin());
  }

  // "np.pi" is pi, and "np.sqrt" a function.
  std::string member_elsewhere(const Node& node) const {
    if (Scope::constant(node.field)) return std::string(node.field);
    if (scope_.can_be_called(node.field)) return base::format("{}(...)", node.field);
    return scope_.nearest_variable(node.text);
  }
  // "z.real" is real(z).
  static std::string property_elsewhere(const Node& node) {
    const Function* const function = find_function(node.field);
    return function != nullptr && function->least == 1 ? base::format("{}({})", node.field, node.text) : std::string();
  }

  [[noreturn]] void fail_field(NodeIndex i, const std::vector<Variable>& fields) const {
    const Node& node = tree_.nodes[i];
    std::vector<std::string> candidates;
    for (const Variable& one : fields) candidates.push_back(one.name);
    const std::string guess = nearest(node.field, candidates);
    fail(place(i), base::format("{} has no field {}", in_quotes(node.text), in_quotes(node.field)),
         guess.empty() ? guess : base::format("{}.{}", node.text, guess));
  }

  void unary(NodeIndex i) {
    const NodeIndex operand = operands(i)[0];
    const TokenKind symbol = tree_.nodes[i].symbol;
    if (symbol == TokenKind::Not) {
      settle(operand, alone(type(operand)));
      return operate(i, Type::Bool, type(operand));
    }
    if (const Constant* const known = constant_of(operand)) return constant(i, compute(symbol, *known).value());
    const Type result = sum(type(operand), type(operand));
    operate(i, result, result);
  }

  void binary(NodeIndex i) {
    const NodeIndex a = operands(i)[0];
    const NodeIndex b = operands(i)[1];
    const TokenKind symbol = tree_.nodes[i].symbol;
    if (symbol == TokenKind::Power) return power(i);
    if (is_logic(symbol)) {
      settle(a, alone(type(a)));
      settle(b, alone(type(b)));
      return operate(i, Type::Bool, Type::Bool);
    }
    if (is_comparison(symbol)) return comparison(i);
    if (constant_of(a) != nullptr && constant_of(b) != nullptr) {
      check_complex(i, sum(type(a), type(b)));
      const std::optional<Constant> value = compute(symbol, *constant_of(a), *constant_of(b));
      if (!value) fail(place(i), "an integer is divided by zero");
      return constant(i, *value);
    }
    const Type both = symbol == TokenKind::Divide ? floating(operands(i)) : sum(type(a), type(b));
    if (is_integer_division(symbol)) {
      check_complex(i, both);
      const Constant* const divisor = constant_of(b);
      if (divisor != nullptr && divisor->is_zero() && (is_integer(both) || both == Type::WeakInteger))
        fail(place(i), "an integer is divided by zero");
    }
    settle(a, both);
    settle(b, both);
    operate(i, both, both);
  }

  void check_complex(NodeIndex i, Type both) const {
    if (is_complex(both) && is_integer_division(tree_.nodes[i].symbol))
      fail(place(i), in_quotes(text_of(i)) + " takes no complex numbers");
  }

  // The common type of operands that must be floating-point numbers: each integer among them has its own
  // floating_of(), unless an operand is such a number already, whose type it then takes.
  Type floating(std::span<const NodeIndex> all) const {
    const auto is_whole = [&](NodeIndex one) { return is_weak(type(one)) || type(one) < Type::F16; };
    const bool are_whole = std::ranges::all_of(all, is_whole);
    std::vector<Type> types;
    for (const NodeIndex one : all) types.push_back(are_whole ? floating_of(type(one)) : type(one));
    return common_of(types);
  }

  Type sum_of(std::span<const NodeIndex> all) const {
    std::vector<Type> types;
    for (const NodeIndex one : all) types.push_back(type(one));
    const Type both = common_of(types);
    return sum(both, both);
  }

  void comparison(NodeIndex i) {
    const NodeIndex a = operands(i)[0];
    const NodeIndex b = operands(i)[1];
    Type both = common(type(a), type(b));
    if (is_weak(both)) both = alone(both);
    if (is_complex(both) && is_order(tree_.nodes[i].symbol)) fail(place(i), "complex numbers have no order", "abs(z)");
    settle(a, both);
    settle(b, both);
    operate(i, Type::Bool, both);
  }

  void power(NodeIndex i) {
    const NodeIndex a = operands(i)[0];
    const NodeIndex b = operands(i)[1];
    const Constant* const exponent = constant_of(b);
    if (constant_of(a) != nullptr && exponent != nullptr)
      return constant(i, compute(TokenKind::Power, *constant_of(a), *exponent).value());
    Type both = sum(type(a), type(b));
    if (exponent != nullptr && exponent->is_integer() && exponent->integer < 0) {
      if (is_integer(both))
        fail(place(i), "an integer to a negative power is no integer",
             base::format("{}(...)", name(floating_of(both))));
      both = floating_of(both);
    }
    settle(a, both);
    settle(b, both);
    operate(i, both, both);
  }

  void conditional(NodeIndex i) {
    const auto parts = operands(i);
    settle(parts[0], alone(type(parts[0])));
    const Type both = common(type(parts[1]), type(parts[2]));
    settle(parts[1], both);
    settle(parts[2], both);
    operate(i, both, both);
  }

  // ---- calls ----

  void call(NodeIndex i) {
    const std::string_view wanted = tree_.nodes[i].text;
    if (const FormulaFunction* const function = scope_.registered(wanted)) return registered(i, *function);
    if (const Function* const function = find_function(wanted)) return built_in(i, *function);
    if (const std::optional<Type> type = type_named(wanted)) return cast(i, *type);
    if (scope_.variable(wanted) != nullptr) fail(place(i), in_quotes(wanted) + " is no function");
    fail_unknown(i, wanted, scope_.nearest_function(wanted));
  }

  void check_count(NodeIndex i, std::size_t least, std::size_t most) const {
    const std::size_t count = operands(i).size();
    if (count >= least && count <= most) return;
    const std::string takes = least == most ? plural(least, "argument") : base::format("{} arguments or more", least);
    const std::string_view name = tree_.nodes[i].text;
    const CallElsewhere* const elsewhere = call_elsewhere(name, count);
    const std::string said = base::format("{} takes {}, and has {}", in_quotes(name), takes, count);
    if (elsewhere == nullptr) fail(place(i), said);
    fail(place(i), said + std::string(elsewhere->why), std::string(elsewhere->here));
  }

  void built_in(NodeIndex i, const Function& function) {
    check_count(i, function.least, function.most);
    if (function.rule == Rule::Power) return power(i);
    if (function.rule == Rule::Select) return conditional(i);
    Type both = function.integer.empty() ? floating(operands(i)) : sum_of(operands(i));
    if (is_complex(both) && function.complex.empty())
      fail(place(i), in_quotes(function.name) + " takes no complex numbers");
    if (const std::optional<Constant> value = folded(i, function)) return constant(i, *value);
    if (is_weak(both) && function.rule != Rule::Same && function.rule != Rule::Part) both = alone(both);
    for (const NodeIndex operand : operands(i)) settle(operand, both);
    const Type result = function.rule == Rule::Question      ? Type::Bool
                        : function.rule == Rule::Part        ? real_of(both)
                        : function.rule == Rule::MakeComplex ? complex_of(both)
                                                             : both;
    operate(i, result, both);
    typed_.nodes[i].meaning = Meaning::Function;
    typed_.nodes[i].function = &function;
  }

  // The value of a function of literals.
  std::optional<Constant> folded(NodeIndex i, const Function& function) const {
    std::vector<Constant> arguments;
    for (const NodeIndex operand : operands(i)) {
      if (constant_of(operand) == nullptr) return std::nullopt;
      arguments.push_back(*constant_of(operand));
    }
    return compute(function, arguments);
  }

  void registered(NodeIndex i, const FormulaFunction& function) {
    check_count(i, function.parameters.size(), function.parameters.size());
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      const NodeIndex argument = operands(i)[k];
      const Type wanted = type_named(function.parameters[k]).value();
      if (common(type(argument), wanted) != wanted)
        fail(place(argument),
             base::format("argument {} of {} has the type {}, and the function takes {}", k + 1,
                          in_quotes(function.name), name(type(argument)), name(wanted)),
             base::format("{}(...)", name(wanted)));
      settle(argument, wanted);
    }
    mean(i, type_named(function.result).value(), Meaning::Registered,
         static_cast<std::uint32_t>(&function - names_.functions.data()));
  }

  void cast(NodeIndex i, Type to) {
    check_count(i, 1, 1);
    const NodeIndex operand = operands(i)[0];
    if (is_complex(type(operand)) && !is_complex(to))
      fail(place(i), base::format("a complex number is no {}", name(to)), "real(z)");
    if (const Constant* const known = constant_of(operand); known != nullptr && is_integer(to)) {
      constant(i, saturated(*known, to));
      typed_.nodes[i].type = to;
      return;
    }
    if (is_weak(type(operand)) && is_integer(to) && typed_.nodes[operand].meaning == Meaning::Weak) {
      typed_.nodes[operand].type = to;
      typed_.nodes[operand].is_saturated = true;
    } else if (is_floating(to) || is_complex(to)) settle(operand, to);
    else if (type(operand) == Type::WeakInteger) settle(operand, all_fit(operand, Type::I64) ? Type::I64 : Type::U64);
    else settle(operand, alone(type(operand)));
    mean(i, to, Meaning::Cast, 0);
    typed_.nodes[i].operand = type(operand);
  }

  // ---- weak values ----

  // Whether a type holds all constants of a weak value.
  bool all_fit(NodeIndex root, Type wanted) {
    bool is_fit = true;
    pending_.push_back(root);
    while (!pending_.empty()) {
      const NodeIndex i = pending_.back();
      pending_.pop_back();
      if (!is_weak(type(i))) continue;
      if (typed_.nodes[i].meaning == Meaning::Constant) is_fit = is_fit && fits(typed_.nodes[i].constant, wanted);
      else
        for (const NodeIndex operand : operands(i)) pending_.push_back(operand);
    }
    return is_fit;
  }

  // Gives a weak value the type that it meets. Other values keep theirs: the writer converts them.
  void settle(NodeIndex root, Type met) {
    if (is_weak(met) || !is_weak(type(root))) return;
    const Type real = real_of(met);
    const auto settled = [&](Type weak) { return is_complex(weak) ? complex_of(real) : real; };
    pending_.push_back(root);
    while (!pending_.empty()) {
      const NodeIndex i = pending_.back();
      pending_.pop_back();
      TypedNode& node = typed_.nodes[i];
      if (!is_weak(node.type)) continue;
      node.type = settled(node.type);
      node.operand = settled(node.operand);
      if (node.meaning != Meaning::Constant) {
        for (const NodeIndex operand : operands(i)) pending_.push_back(operand);
      } else if (!fits(node.constant, node.type)) {
        fail(place(i), base::format("{} is out of the range of {}", in_quotes(to_text(node.constant)), name(node.type)),
             is_integer(real) ? "" : base::format("{}(...)", name(wider_for(node.constant, node.type))));
      }
    }
  }

  // The type that a suggestion names for a constant that `type` does not hold.
  static Type wider_for(const Constant& constant, Type type) {
    if (is_complex(type)) return Type::C128;
    return type != Type::F32 && fits(constant, Type::F32) ? Type::F32 : Type::F64;
  }

  // ---- short names ----

  std::span<const NodeIndex> operands(NodeIndex i) const { return tree_.operands_of(tree_.nodes[i]); }
  Type type(NodeIndex i) const { return typed_.nodes[i].type; }
  Place place(NodeIndex i) const { return tree_.nodes[i].place; }
  std::string_view text_of(NodeIndex i) const { return tree_.text.substr(place(i).offset, place(i).length); }
  const Constant* constant_of(NodeIndex i) const {
    const TypedNode& node = typed_.nodes[i];
    return node.meaning == Meaning::Constant && is_weak(node.type) ? &node.constant : nullptr;
  }
  void operate(NodeIndex i, Type result, Type operand) {
    typed_.nodes[i].type = result;
    typed_.nodes[i].operand = operand;
  }
  void mean(NodeIndex i, Type result, Meaning meaning, std::uint32_t index) {
    typed_.nodes[i].type = result;
    typed_.nodes[i].meaning = meaning;
    typed_.nodes[i].index = index;
  }
  void constant(NodeIndex i, const Constant& value) {
    mean(i, formulas::type_of(value.kind), Meaning::Constant, 0);
    typed_.nodes[i].constant = value;
  }
  [[noreturn]] void fail(Place where, const std::string& what, const std::string& suggestion = {}) const {
    fail_at(tree_.text, where, what, suggestion);
  }

  const Tree& tree_;
  const Names& names_;
  Scope scope_;
  TypedTree typed_;
  std::vector<NodeIndex> pending_;
};

}  // namespace

TypedTree add_types(const Tree& tree, const Names& names) {
  return Typing(tree, names).run();
}

}  // namespace graft::formulas
