// The types of operands decide those of operators, so one pass over the nodes, which come behind their operands, finds
// all types but those of weak values: an expression of literals and conditions, such as `c ? 1 : 2`, stays weak until
// it meets another value. Then `settle` gives the type of that value to all weak nodes below. Each node is settled
// once.
#include "formula/typing.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/trimmed.hpp"
#include "formula/bit_operators.hpp"
#include "formula/cpp_statements.hpp"
#include "formula/cuda_names.hpp"
#include "formula/elsewhere.hpp"
#include "formula/in_place.hpp"
#include "formula/nearest.hpp"
#include "formula/parser.hpp"
#include "formula/range.hpp"
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
    ranges_.resize(tree.nodes.size());
  }

  TypedTree run() {
    auto statement = tree_.statements.begin();
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      add_type(i);
      ranges_[i] = range(i);
      if (statement->value == i) finish(*statement++);
    }
    for (std::uint32_t k = 0; k < tree_.statements.size(); ++k)
      if (const Statement& one = tree_.statements[k]; !one.is_output && !used_.contains(k))
        fail(one.place, in_quotes(one.name) + " is used by nothing; an output has no `let` before it");
    return std::move(typed_);
  }

 private:
  // The type that values of a weak type have together where they meet no other.
  Type alone(Type weak, std::span<const NodeIndex> values) const {
    if (const auto integer = scope_.integer_alone(); weak == Type::WeakInteger && integer)
      return type_for(*integer, values);
    const Type type = real_of(scope_.common_type().value_or(Type::Bool));
    return common(weak, type == Type::Bool ? Type::F32 : type);
  }
  void settle_alone(NodeIndex value) { settle(value, alone(type(value), std::span(&value, 1))); }

  // The first of an integer type, i32 and i64 that is known to hold all values.
  Type type_for(Type integer, std::span<const NodeIndex> values) const {
    for (const Type one : {integer, Type::I32})
      if (std::ranges::all_of(values, [&](NodeIndex value) { return holds(one, value); })) return one;
    return Type::I64;
  }
  bool holds(Type integer, NodeIndex value) const { return ranges_[value] && fits(*ranges_[value], integer); }

  // A choice between literals takes the type of the integers that it meets only if this holds it: `u * (m ? 1 : -1)` of
  // u8 is i32.
  void widen_choices(std::span<const NodeIndex> all) {
    const auto is_choice = [&](NodeIndex one) {
      return type(one) == Type::WeakInteger && typed_.nodes[one].meaning == Meaning::None;
    };
    if (std::ranges::none_of(all, is_choice)) return;
    std::vector<Type> types;
    for (const NodeIndex one : all)
      if (!is_weak(type(one))) types.push_back(type(one));
    const Type met = types.empty() ? Type::WeakInteger : common_of(types);
    if (!is_integer(met)) return;
    for (const NodeIndex one : all)
      if (is_choice(one) && !holds(met, one)) settle(one, type_for(met, std::span(&one, 1)));
  }

  // The range of a condition, and of a weak integer.
  std::optional<Range> range(NodeIndex i) const {
    const TypedNode& node = typed_.nodes[i];
    if (node.type == Type::Bool) return kOfConditions;
    if (node.type != Type::WeakInteger) return std::nullopt;
    if (node.meaning == Meaning::Constant) return range_of(node.constant);
    if (node.meaning == Meaning::Weak) {
      const std::optional<Type> met = names_.is_wide(node.index) ? Type::I64 : scope_.integer_alone();
      return met ? std::optional(range_of(*met)) : std::nullopt;
    }
    if (node.meaning != Meaning::None) return std::nullopt;
    std::vector<std::optional<Range>> of_operands;
    for (const NodeIndex operand : operands(i)) of_operands.push_back(ranges_[operand]);
    return range_of(tree_.nodes[i], of_operands);
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
    const NodeIndex value = statement.value;
    const auto index = static_cast<std::uint32_t>(&statement - tree_.statements.data());
    Known known{statement.is_output ? Meaning::Output : Meaning::Temporary, index};
    // A literal stays one where a temporary names it, which writes nothing.
    if (const Constant* const constant = constant_of(value); constant != nullptr && !statement.is_output) {
      known.constant = *constant;
      settle(value, type_that_holds(*constant));
    }
    // A choice between literals may meet larger numbers where a temporary names it.
    if (!statement.is_output && type(value) == Type::WeakInteger && scope_.integer_alone())
      settle(value, type_for(Type::I32, std::span(&value, 1)));
    settle_alone(value);
    known.type = type(value);
    if (statement.name.empty() || scope_.add_output(statement.name, known)) return;
    const Known* const other = scope_.variable(statement.name);
    if (other->variable == nullptr) fail(statement.place, in_quotes(statement.name) + " is the name of another value");
    fail(statement.place,
         in_quotes(statement.name) + " is a variable, which a formula does not change: give the output another name",
         with_other_name(statement));
  }

  // The formula with another name for its last output; empty if it has several lines, or would be too long.
  std::string with_other_name(const Statement& last) const {
    const std::string_view name = free_output(tree_.text);
    if (&last != &tree_.statements.back() || scope_.variable(name) != nullptr) return {};
    const std::string text = base::format("{}{}{}", tree_.text.substr(0, last.place.offset), name,
                                          tree_.text.substr(last.place.offset + last.place.length));
    std::string whole(base::trimmed(text));  // declarations before an arrow are blanks
    return whole.size() <= kLongestSuggestion && whole.find_first_of("#\n\r\t") == whole.npos ? whole : std::string();
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
        fail(i, in_quotes(wanted) + " is a struct, of which a formula names a field",
             base::format("{}.{}", wanted, known->variable->fields.front().name));
      if (known->meaning == Meaning::Temporary) used_.insert(known->index);
      if (known->constant) return constant(i, *known->constant);
      return mean(i, *known->type, known->meaning, known->index);
    }
    if (const std::optional<double> value = Scope::constant(wanted)) return constant(i, Constant::of_real(*value));
    if (std::string example = scope_.example_of_call(wanted); !example.empty())
      fail(i, in_quotes(wanted) + " is a function" + note_on_comment(i), example);
    fail_unknown(i, wanted, scope_.nearest_variable(wanted));
  }

  // What a message says of a word that stands alone behind "//", which is perhaps a comment of C++.
  std::string note_on_comment(NodeIndex i) const {
    const std::string_view before = tree_.text.substr(0, place(i).offset);
    const std::string_view behind = tree_.text.substr(place(i).offset + place(i).length);
    const std::size_t end = behind.find_first_not_of(" \t\r");
    const bool is_last = end == behind.npos || behind[end] == '\n' || behind[end] == '#';
    const bool is_divisor = before.substr(0, before.find_last_not_of(" \t") + 1).ends_with("//");
    return is_last && is_divisor ? ", and `//` is the floor division: comments begin with `#`" : "";
  }

  // Fails because of a name that is not known, and that NumPy or C perhaps know.
  [[noreturn]] void fail_unknown(NodeIndex i, std::string_view wanted, const std::string& suggestion) const {
    const Elsewhere* const elsewhere = name_elsewhere(wanted);
    const std::string said = in_quotes(wanted) + " is not known here" + note_on_comment(i);
    if (const std::string here = formula_of_intrinsic(wanted); !here.empty())
      fail(i, said, filled_in(here, texts_of_operands(i)));
    if (elsewhere == nullptr) fail(place(i), said, suggestion);
    const Advice advice = advice_on_name(*elsewhere, wanted, texts_of_operands(i));
    fail(i, advice.what + note_on_comment(i), advice.suggestion);
  }

  void field(NodeIndex i) {
    const Node& node = tree_.nodes[i];
    const Known* const known = scope_.variable(node.text);
    if (known == nullptr)
      if (const std::optional<double> value = Scope::constant_of(node.text, node.field))
        return constant(i, Constant::of_real(*value));
    if (known == nullptr) fail_unknown_member(i);
    if (known->type) fail_property(i);
    const std::vector<Variable>& fields = known->variable->fields;
    const auto one = std::ranges::find(fields, node.field, &Variable::name);
    if (one == fields.end()) fail_field(i, fields);
    mean(i, type_of(one->type).value(), known->meaning, known->index);
    typed_.nodes[i].field = static_cast<std::int32_t>(one - fields.begin());
  }

  // "np.sqrt" is a function, "np.tau" a formula, and "np.Pi" perhaps np.pi.
  [[noreturn]] void fail_unknown_member(NodeIndex i) const {
    const Node& node = tree_.nodes[i];
    if (!begins_library(node.text.substr(0, node.text.find('.'))))
      fail(i, in_quotes(node.text) + " is not known here", scope_.nearest_variable(node.text));
    if (Scope::constant(node.field)) fail(i, in_quotes(node.text) + " is not known here", std::string(node.field));
    if (std::string example = scope_.example_of_call(node.field); !example.empty())
      fail(i, in_quotes(node.field) + " is a function", example);
    fail_unknown(i, node.field, scope_.nearest_function(node.field));
  }
  // "z.real" is real(z), and "x.T" is of a whole array.
  [[noreturn]] void fail_property(NodeIndex i) const {
    const Node& node = tree_.nodes[i];
    const Elsewhere* const elsewhere = property_elsewhere(node.field);
    if (elsewhere != nullptr && !elsewhere->why.empty())
      fail(place(i), in_quotes(node.field) + std::string(elsewhere->why));
    const Function* const function = find_function(node.field);
    fail(i, base::format("{} is no struct, and has no fields", in_quotes(node.text)),
         function != nullptr && function->least == 1 ? base::format("{}({})", function->name, node.text)
                                                     : std::string());
  }

  [[noreturn]] void fail_field(NodeIndex i, const std::vector<Variable>& fields) const {
    const Node& node = tree_.nodes[i];
    std::vector<std::string> candidates;
    for (const Variable& one : fields) candidates.push_back(one.name);
    const std::string guess = nearest(node.field, candidates);
    fail(i, base::format("{} has no field {}", in_quotes(node.text), in_quotes(node.field)),
         guess.empty() ? guess : base::format("{}.{}", node.text, guess));
  }

  void unary(NodeIndex i) {
    const NodeIndex operand = operands(i)[0];
    const TokenKind symbol = tree_.nodes[i].symbol;
    if (is_of_conditions(symbol)) return condition(i);
    if (symbol == TokenKind::Not) {
      settle_alone(operand);
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
    if (is_of_conditions(symbol)) return condition(i);
    if (is_logic(symbol)) {
      fail_if_choice(i);
      settle_alone(a);
      settle_alone(b);
      return operate(i, Type::Bool, Type::Bool);
    }
    if (is_comparison(symbol)) return comparison(i);
    if (constant_of(a) != nullptr && constant_of(b) != nullptr) {
      check_complex(i, sum(type(a), type(b)));
      const std::optional<Constant> value = compute(symbol, *constant_of(a), *constant_of(b));
      if (!value) fail(place(i), "an integer is divided by zero");
      return constant(i, *value);
    }
    widen_choices(operands(i));
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

  // x & y, x | y and ~x.
  void condition(NodeIndex i) {
    const auto is_bool = [&](NodeIndex one) { return type(one) == Type::Bool; };
    if (std::ranges::all_of(operands(i), is_bool)) return operate(i, Type::Bool, Type::Bool);
    const auto is_of_bits = [&](NodeIndex one) {
      return type(one) == Type::WeakInteger || type(one) == Type::Bool || is_integer(type(one));
    };
    const std::string takes = in_quotes(text_of(i)) + " takes conditions, and ";
    const bool are_bits = std::ranges::all_of(operands(i), is_of_bits) && std::ranges::none_of(operands(i), is_bool);
    const std::string example = base::format("(x > 0) {} (y > 0)", symbol_text(tree_.nodes[i].symbol));
    // "n & 4 != 0" of integers means what it says.
    if (const std::optional<Misread> misread = misread_comparisons_beside(i, are_bits))
      fail_at(tree_.text, place(i),
              takes + "binds more tightly than comparisons, as in Python: put these in parentheses",
              misread->meant.empty() ? example : in_place(tree_.text, misread->whole, misread->meant));
    if (are_bits && has_caret(tree_, tree_.nodes[i].whole))
      fail(place(i), takes + "formulas have no operators of bits" + std::string(kCaret));
    if (are_bits) {
      const std::string meant = arithmetic(i);
      fail(i, takes + "formulas have no operators of bits" + (meant.empty() ? ": bit k of n is `n // 2 ^ k % 2`" : ""),
           meant);
    }
    if (operands(i).size() == 1) fail(place(i), takes + "its operand is a number");
    fail(place(i), takes + "an operand is a number", example);
  }
  std::optional<Misread> misread_comparisons_beside(NodeIndex i, bool on_both_sides) const {
    return operands(i).size() == 1 ? std::nullopt : misread_comparisons(tree_, i, on_both_sides);
  }

  // What the bits of an integer and of a literal are.
  std::string arithmetic(NodeIndex i) const {
    const NodeIndex first = operands(i).front();
    const NodeIndex last = operands(i).back();
    const bool is_mask_first = constant_of(first) != nullptr;
    const NodeIndex number = is_mask_first ? last : first;
    return arithmetic_of_bits(tree_.nodes[i].symbol, text_of_node(number), type(number),
                              constant_of(is_mask_first ? first : last));
  }

  // Python's `x or y` of numbers is one of them, while || is a condition.
  void fail_if_choice(NodeIndex i) const {
    const bool is_or = text_of(i) == "or";
    const NodeIndex a = operands(i)[0];
    const NodeIndex b = operands(i)[1];
    if ((!is_or && text_of(i) != "and") || (type(a) == Type::Bool && type(b) == Type::Bool)) return;
    const std::string x = text_of_node(a);
    const std::string y = text_of_node(b);
    fail(i, in_quotes(text_of(i)) + " of numbers is one of them in Python, and conditions are meant here",
         x.empty() || y.empty() ? std::string() : base::format("{} ? {} : {}", x, is_or ? x : y, is_or ? y : x));
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
    return std::ranges::find(types, Type::Bool) == types.end() ? both : sum(both, Type::Bool);
  }

  void comparison(NodeIndex i) {
    const NodeIndex a = operands(i)[0];
    const NodeIndex b = operands(i)[1];
    widen_choices(operands(i));
    Type both = common(type(a), type(b));
    if (is_weak(both)) both = alone(both, operands(i));
    if (is_complex(both) && is_order(tree_.nodes[i].symbol))
      fail(i, "complex numbers have no order",
           filled_in(base::format("abs(x) {} abs(y)", symbol_text(tree_.nodes[i].symbol)), texts_of_operands(i)));
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
    const bool is_bit = exponent != nullptr && exponent->is_integer() && (exponent->integer | 1) == 1;
    if (text_of(i) == "^" && type(a) == Type::Bool && (type(b) == Type::Bool || is_bit)) fail_exclusive_or(i);
    widen_choices(operands(i));
    Type both = sum(type(a), type(b));
    if (exponent != nullptr && exponent->is_integer() && exponent->integer < 0) {
      if (is_integer(both))
        fail(i, "an integer to a negative power is no integer",
             base::format("{}({}) ^ {}", name(floating_of(both)), text_of_node(a), text_of_node(b)));
      both = floating_of(both);
    }
    settle(a, both);
    settle(b, both);
    operate(i, both, both);
  }

  [[noreturn]] void fail_exclusive_or(NodeIndex i) const {
    const std::string said = "`^` is the power, and not the exclusive or";
    if (const std::optional<Misread> misread = misread_conjunctions(tree_, i))
      fail_at(tree_.text, place(i), said,
              misread->meant.empty() ? "(a & b) != c" : in_place(tree_.text, misread->whole, misread->meant));
    fail(i, said, filled_in("x != y", texts_of_operands(i)));
  }

  void conditional(NodeIndex i) {
    const auto parts = operands(i);
    settle_alone(parts[0]);
    widen_choices(parts.subspan(1));
    const Type both = common(type(parts[1]), type(parts[2]));
    settle(parts[1], both);
    settle(parts[2], both);
    operate(i, both, both);
  }

  // ---- calls ----

  void call(NodeIndex i) {
    const std::string_view wanted = tree_.nodes[i].text;
    const FormulaFunction* const own = scope_.registered(wanted);
    if (own != nullptr && !tree_.nodes[i].is_built_in) return registered(i, *own);
    if (const NamedOperator* const named = find_operator(wanted)) return named_operator(i, *named);
    if (const Function* const function = find_function(wanted)) return built_in(i, *function);
    if (const TypeElsewhere* const type = type_elsewhere(wanted)) fail_type(i, *type);
    if (const std::optional<Type> type = type_named(wanted)) return cast(i, *type);
    if (scope_.variable(wanted) != nullptr) fail(place(i), in_quotes(wanted) + " is no function");
    if (Scope::constant(wanted)) fail(i, in_quotes(wanted) + " is a constant", std::string(wanted));
    if (is_type_parameter(wanted)) fail_type_parameter(i);
    fail_unknown(i, wanted, scope_.nearest_function(wanted));
  }

  // "T(0.5)".
  [[noreturn]] void fail_type_parameter(NodeIndex i) const {
    const bool is_literal = operands(i).size() == 1 && constant_of(operands(i)[0]) != nullptr;
    const Advice advice =
        advice_on_type_parameter(tree_.nodes[i].text, is_literal ? text_of_node(operands(i)[0]) : std::string());
    fail(i, advice.what, advice.suggestion);
  }

  void check_count(NodeIndex i, std::size_t least, std::size_t most) const {
    const std::size_t count = operands(i).size();
    if (count >= least && count <= most) return;
    const std::string takes = least == most ? plural(least, "argument") : base::format("{} arguments or more", least);
    const std::string_view name = tree_.nodes[i].text;
    const Function* const function = find_function(name);  // clip is clamp
    const CallElsewhere* const elsewhere = call_elsewhere(function == nullptr ? name : function->name, count);
    const std::string said = base::format("{} takes {}, and has {}", in_quotes(name), takes, count);
    if (elsewhere == nullptr) fail(place(i), said);
    fail(i, said + std::string(elsewhere->why), filled_in(elsewhere->here, texts_of_operands(i)));
  }

  void named_operator(NodeIndex i, const NamedOperator& named) {
    check_count(i, named.operands, named.operands);
    return named.operands == 1 ? unary(i) : binary(i);
  }

  // "int(x)" and "f8(x)".
  [[noreturn]] void fail_type(NodeIndex i, const TypeElsewhere& type) const {
    const bool is_one = type.in_c == type.in_python;
    const auto cast_to = [&](std::string_view to) {
      return filled_in(base::format("{}(x)", to), texts_of_operands(i));
    };
    const std::string in_c = is_one ? std::string() : cast_to(type.in_c);
    fail(i,
         in_quotes(tree_.nodes[i].text) +
             (is_one         ? " is no name of a type here"
              : in_c.empty() ? base::format(" of C++ is {}, and that of Python {}", type.in_c, type.in_python)
                             : base::format(" of C++ is `{}`, and that of Python {}", in_c, type.in_python)),
         cast_to(type.in_python));
  }

  void built_in(NodeIndex i, const Function& function) {
    check_count(i, function.least, function.most);
    if (function.rule == Rule::Power) return power(i);
    if (function.rule == Rule::Select) return conditional(i);
    if (!function.integer.empty()) widen_choices(operands(i));
    Type both = function.integer.empty() ? floating(operands(i)) : sum_of(operands(i));
    if (is_complex(both) && function.complex.empty())
      fail(i, in_quotes(function.name) + " takes no complex numbers",
           filled_in(of_complex_numbers(function.name), texts_of_operands(i)));
    if (const std::optional<Constant> value = folded(i, function)) return constant(i, *value);
    if (is_weak(both) && function.rule != Rule::Same && function.rule != Rule::Part) both = alone(both, operands(i));
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
        fail(argument,
             base::format("argument {} of {} has the type {}, and the function takes {}", k + 1,
                          in_quotes(function.name), name(type(argument)), name(wanted)),
             with_cast(wanted, argument));
      settle(argument, wanted);
    }
    mean(i, type_named(function.result).value(), Meaning::Registered,
         static_cast<std::uint32_t>(&function - names_.functions.data()));
  }

  void cast(NodeIndex i, Type to) {
    check_count(i, 1, 1);
    const NodeIndex operand = operands(i)[0];
    if (is_complex(type(operand)) && !is_complex(to))
      fail(i, base::format("a complex number is no {}", name(to)),
           filled_in(to == Type::Bool ? "x != 0" : base::format("{}(real(x))", name(to)), texts_of_operands(i)));
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
    else settle_alone(operand);
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
        fail(i, base::format("{} is out of the range of {}", in_quotes(to_text(node.constant)), name(node.type)),
             base::format("{}({})", name(wider_for(node.constant, node.type)), to_text(node.constant)));
      }
    }
  }

  static Type type_that_holds(const Constant& constant) {
    for (const Type type : {Type::I64, Type::U64, Type::F64})
      if (fits(constant, type)) return type;
    return Type::C128;
  }

  // The type that a suggestion names for a constant that `type` does not hold.
  static Type wider_for(const Constant& constant, Type type) {
    if (is_complex(type)) return Type::C128;
    if (is_integer(type))
      for (const Type wider : {Type::I32, Type::I64, Type::U64})  // a product of 16 bits would wrap next
        if (fits(constant, wider)) return wider;
    return type != Type::F32 && fits(constant, Type::F32) ? Type::F32 : Type::F64;
  }

  // ---- short names ----

  std::span<const NodeIndex> operands(NodeIndex i) const { return tree_.operands_of(tree_.nodes[i]); }
  Type type(NodeIndex i) const { return typed_.nodes[i].type; }
  Place place(NodeIndex i) const { return tree_.nodes[i].place; }
  std::string_view text_of(NodeIndex i) const { return tree_.text.substr(place(i).offset, place(i).length); }
  // As one could type it; empty if it is too long.
  std::string text_of_node(NodeIndex i) const { return to_text(tree_, i); }
  std::vector<std::string> texts_of_operands(NodeIndex i) const {
    std::vector<std::string> texts;
    for (const NodeIndex operand : operands(i).first(std::min(operands(i).size(), kMostFilledIn)))
      texts.push_back(text_of_node(operand));
    return texts;
  }
  std::string with_cast(Type to, NodeIndex i) const {
    const std::string one[] = {text_of_node(i)};
    return filled_in(base::format("{}(x)", name(to)), one);
  }
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
  [[noreturn]] void fail(Place where, const std::string& what, const std::string& example = {}) const {
    fail_at(tree_.text, where, what, example);
  }
  // `suggestion` means what the whole node was meant to be.
  [[noreturn]] void fail(NodeIndex i, const std::string& what, const std::string& suggestion) const {
    fail_at(tree_.text, place(i), what, in_place(tree_.text, tree_.nodes[i].whole, suggestion));
  }

  const Tree& tree_;
  const Names& names_;
  Scope scope_;
  TypedTree typed_;
  std::vector<NodeIndex> pending_;
  std::vector<std::optional<Range>> ranges_;  // of the nodes
  std::unordered_set<std::uint32_t> used_;    // the temporaries that are
};

}  // namespace

TypedTree add_types(const Tree& tree, const Names& names) {
  return Typing(tree, names).run();
}

}  // namespace graft::formulas
