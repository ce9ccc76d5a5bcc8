// Each node becomes an expression, made of the expressions of its operands. An expression that is kEnough deep becomes
// a constant of its own, so that no compiler meets deep nestings, however long the formula is. It is then computed in
// any case, also in the branch of a condition that is not taken; formulas cannot tell, because they have no side
// effects and no traps, and an application's functions must have none (FormulaFunction). Shallow branches are computed
// only if they are taken.
#include "formula/writer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/format.hpp"
#include "formula/code_size.hpp"
#include "formula/helpers.hpp"
#include "formula/variables.hpp"

namespace graft::formulas {
namespace {

constexpr int kEnough = 24;

struct Expression {
  std::string text;
  int depth = 1;
};

std::string_view symbol_in_cpp(TokenKind symbol) {
  switch (symbol) {
    case TokenKind::Plus:
      return "+";
    case TokenKind::Minus:
      return "-";
    case TokenKind::Times:
      return "*";
    case TokenKind::Divide:
      return "/";
    case TokenKind::Less:
      return "<";
    case TokenKind::LessEqual:
      return "<=";
    case TokenKind::Greater:
      return ">";
    case TokenKind::GreaterEqual:
      return ">=";
    case TokenKind::Equal:
      return "==";
    case TokenKind::NotEqual:
      return "!=";
    case TokenKind::And:
    case TokenKind::BitAnd:  // of conditions, as formulas have none of bits
      return "&&";
    default:
      return "||";
  }
}

// The type of an element in memory, as the callback's parameter has it.
std::string_view in_memory(const Variable& variable) {
  return variable.type.kind == ElementKind::Bit ? "graft::Bit" : in_cpp(type_of(variable.type).value());
}

// The value of an element: f16 and bf16 are computed as f32.
std::string loaded(const std::string& element, Type type, bool is_bit = false) {
  if (is_bit) return base::format("((bool){})", element);
  if (type == Type::F16) return base::format("__half2float({})", element);
  if (type == Type::Bf16) return base::format("__bfloat162float({})", element);
  return element;
}

std::string stored(const std::string& value, Type type) {
  if (type == Type::F16) return base::format("__float2half_rn({})", value);
  if (type == Type::Bf16) return base::format("__float2bfloat16_rn({})", value);
  return value;
}

// The exponent of a power that products compute: of floating-point numbers -2 to 4.
std::optional<int> small_exponent(const TypedNode& exponent) {
  if (exponent.meaning != Meaning::Constant || exponent.constant.is_complex()) return std::nullopt;
  for (int n = -2; n <= 4; ++n)
    if (exponent.constant.as_real() == n) return n;
  return std::nullopt;
}

class Writer {
 public:
  explicit Writer(const TypedTree& typed)
      : typed_(typed), tree_(typed.tree), expressions_(typed.nodes.size()), size_(code_size(typed)) {}

  std::string write() {
    auto statement = tree_.statements.begin();
    for (NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
      add(i);
      if (statement->value == i) finish(*statement++);
    }
    std::string text;
    for (std::uint32_t k = 0; k < typed_.names.functions.size(); ++k)
      if (uses(Meaning::Registered, k)) text += typed_.names.functions[k].source + "\n";
    return text + helpers_.text() + structs() + signature() + " {\n" + body_ + "}\n";
  }

 private:
  // ---- expressions ----

  void add(NodeIndex i) {
    Expression expression{text_of(i)};
    for (const NodeIndex operand : operands(i))
      expression.depth = std::max(expression.depth, 1 + extra_depth(i) + expressions_[operand].depth);
    if (expression.depth > kEnough) {
      base::append(body_, "  const {} graft_t{} = {};\n", in_cpp(computed_as(type(i))), i, expression.text);
      expression = {base::format("graft_t{}", i)};
    }
    expressions_[i] = std::move(expression);
  }

  std::string text_of(NodeIndex i) {
    const TypedNode& typed = typed_.nodes[i];
    switch (typed.meaning) {
      case Meaning::Constant:
        return in_cpp(typed.constant, typed.type);
      case Meaning::Input:
        return variable(typed, "graft_x", typed_.names.inputs);
      case Meaning::Parameter:
        return variable(typed, "graft_p.graft_p", typed_.names.parameters);
      case Meaning::Output:
      case Meaning::Temporary:
        return base::format("graft_y{}", typed.index);
      case Meaning::Cast:
        return cast(i);
      case Meaning::Function:
        return function(i);
      case Meaning::Registered:
        return registered(i);
      case Meaning::Weak:  // has become a parameter
      case Meaning::None:
        break;
    }
    if (operands(i).size() == 1) return unary(i);
    if (operands(i).size() == 2) return binary(i);
    return base::format("({} ? {} : {})", value(i, 0, Type::Bool), value(i, 1), value(i, 2));
  }

  static std::string variable(const TypedNode& typed, std::string_view prefix, const std::vector<Variable>& variables) {
    std::string element = base::format("{}{}", prefix, typed.index);
    const Variable& whole = variables[typed.index];
    if (typed.field >= 0) base::append(element, ".graft_f{}", typed.field);
    const bool is_member = typed.field >= 0 || typed.meaning == Meaning::Parameter;
    const Variable& one = typed.field >= 0 ? whole.fields[static_cast<std::size_t>(typed.field)] : whole;
    if (is_member && is_complex_of_parts(one)) return base::format("{0}({1}.re, {1}.im)", in_cpp(typed.type), element);
    return loaded(element, typed.type, whole.type.kind == ElementKind::Bit);
  }

  std::string unary(NodeIndex i) {
    const Type to = type(i);
    const TokenKind symbol = tree_.nodes[i].symbol;
    if (symbol == TokenKind::Not || symbol == TokenKind::BitNot) return "(!" + value(i, 0, Type::Bool) + ")";
    if (symbol == TokenKind::Plus) return value(i, 0);
    if (!is_integer(to)) return "(-" + value(i, 0) + ")";
    return base::format("(({})(0u - ({}){}))", in_cpp(to), unsigned_in_cpp(to), value(i, 0));
  }

  // A comparison of i64 with u64 is one of integers, although their sum is f64.
  std::string wide_comparison(NodeIndex i) {
    const std::string_view symbol = symbol_in_cpp(tree_.nodes[i].symbol);
    const std::string order = helpers_.use("order", Type::I64);
    const std::string& a = expressions_[operands(i)[0]].text;
    const std::string& b = expressions_[operands(i)[1]].text;
    return type(operands(i)[0]) == Type::I64 ? base::format("({}({}, {}) {} 0)", order, a, b, symbol)
                                             : base::format("(0 {} {}({}, {}))", symbol, order, b, a);
  }
  bool is_wide_comparison(NodeIndex i) const {
    const TokenKind symbol = tree_.nodes[i].symbol;
    const Type a = type(operands(i)[0]);
    const Type b = type(operands(i)[1]);
    return is_comparison(symbol) && ((a == Type::I64 && b == Type::U64) || (a == Type::U64 && b == Type::I64));
  }

  std::string binary(NodeIndex i) {
    if (is_wide_comparison(i)) return wide_comparison(i);
    const Type operand = typed_.nodes[i].operand;
    switch (tree_.nodes[i].symbol) {
      case TokenKind::Power:
      case TokenKind::End:  // the call of pow
        return power(i);
      case TokenKind::FloorDivide:
        return call(helpers_.use("floor_divide", operand), i);
      case TokenKind::Remainder:
        return call(helpers_.use("remainder", operand), i);
      case TokenKind::Times:
      case TokenKind::Divide:
        if (is_complex(operand)) return complex_product(i);
        if (tree_.nodes[i].symbol == TokenKind::Divide)
          return quotient(value(i, 0), value(i, 1), operand, is_literal_zero(operands(i)[1]));
        [[fallthrough]];
      case TokenKind::Plus:
      case TokenKind::Minus:
        if (is_integer(operand))
          return base::format("(({})(({}){} {} ({}){}))", in_cpp(operand), unsigned_in_cpp(operand), value(i, 0),
                              symbol_in_cpp(tree_.nodes[i].symbol), unsigned_in_cpp(operand), value(i, 1));
        [[fallthrough]];
      default:
        return base::format("({} {} {})", value(i, 0), symbol_in_cpp(tree_.nodes[i].symbol), value(i, 1));
    }
  }

  bool is_literal_zero(NodeIndex i) const {
    return typed_.nodes[i].meaning == Meaning::Constant && typed_.nodes[i].constant.is_zero();
  }

  // NVRTC warns of a zero that it sees.
  std::string quotient(const std::string& a, const std::string& b, Type type, bool by_zero = false) {
    if (!size_.calls_functions && !by_zero) return base::format("({} / {})", a, b);
    return base::format("{}({}, {})", helpers_.use("divide", type), a, b);
  }

  std::string reciprocal(const std::string& value, Type type) {
    if (!is_complex(type)) return quotient("1", value, type);
    return base::format("{}({}, {})", helpers_.use("divide", type), in_cpp(Constant::of(1), type), value);
  }

  // A real operand of a product stays real.
  std::string complex_product(NodeIndex i) {
    const Type operand = typed_.nodes[i].operand;
    const Type real = real_of(operand);
    const bool is_product = tree_.nodes[i].symbol == TokenKind::Times;
    if (!is_complex(type(operands(i)[1])))
      return base::format("{}({}, {})", helpers_.use(is_product ? "scale" : "unscale", operand), value(i, 0),
                          value(i, 1, real));
    if (is_product && !is_complex(type(operands(i)[0])))
      return base::format("{}({}, {})", helpers_.use("scale", operand), value(i, 1), value(i, 0, real));
    return call(helpers_.use(is_product ? "times" : "divide", operand), i);
  }

  std::string power(NodeIndex i) {
    const Type operand = typed_.nodes[i].operand;
    const std::optional<int> n = small_exponent(typed_.nodes[operands(i)[1]]);
    if (n == 2) return base::format("{}({})", helpers_.use("square", operand), value(i, 0));
    if (is_integer(operand)) return call(helpers_.use("power", operand), i);
    if (n == 0) return in_cpp(Constant::of(1), operand);
    if (n == 1) return value(i, 0);
    if (n == 3) return base::format("{}({})", helpers_.use("cube", operand), value(i, 0));
    if (n == 4) return base::format("{}({})", helpers_.use("fourth", operand), value(i, 0));
    if (n == -1) return reciprocal(value(i, 0), operand);
    if (n == -2) return reciprocal(base::format("{}({})", helpers_.use("square", operand), value(i, 0)), operand);
    if (is_complex(operand)) return call(helpers_.use("power", operand), i);
    return call(helpers_.use_c("pow", operand, 2), i);
  }

  std::string function(NodeIndex i) {
    const TypedNode& node = typed_.nodes[i];
    const Type operand = node.operand;
    const Form form = form_of(node);
    if (form == "=") return value(i, 0);
    const std::string name = form.starts_with('#') ? helpers_.use(form.substr(1), operand)
                                                   : helpers_.use_c(form, operand, operands(i).size());
    if (operands(i).size() <= node.function->least) return call(name, i);
    // A balanced tree of calls of two, which is as deep as extra_depth() says.
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < operands(i).size(); ++k) texts.push_back(value(i, k));
    while (texts.size() > 1) {
      std::vector<std::string> halved;
      for (std::size_t k = 0; k + 1 < texts.size(); k += 2)
        halved.push_back(base::format("{}({}, {})", name, texts[k], texts[k + 1]));
      if (texts.size() % 2 != 0) halved.push_back(std::move(texts.back()));
      texts = std::move(halved);
    }
    return texts.front();
  }

  // How many levels deeper than one call the expression of a node is: those of max(x, y, ...).
  int extra_depth(NodeIndex i) const {
    const TypedNode& node = typed_.nodes[i];
    const std::size_t count = operands(i).size();
    if (node.meaning != Meaning::Function || count <= node.function->least) return 0;
    return static_cast<int>(std::bit_width(count - 1)) - 1;
  }

  std::string call(std::string_view name, NodeIndex i) {
    std::vector<std::string> arguments;
    for (std::size_t k = 0; k < operands(i).size(); ++k) arguments.push_back(value(i, k));
    return base::format("{}({})", name, base::join(arguments, ", "));
  }

  std::string registered(NodeIndex i) {
    const FormulaFunction& function = typed_.names.functions[typed_.nodes[i].index];
    std::vector<std::string> arguments;
    for (std::size_t k = 0; k < operands(i).size(); ++k) {
      const Type parameter = type_named(function.parameters[k]).value();
      arguments.push_back(stored(value(i, k, parameter), parameter));
    }
    return loaded(base::format("{}({})", function.name, base::join(arguments, ", ")), type(i));
  }

  // ---- conversions ----

  // Operand `k` of a node, in the type to which the node's operands are converted.
  std::string value(NodeIndex i, std::size_t k) { return value(i, k, typed_.nodes[i].operand); }
  std::string value(NodeIndex i, std::size_t k, Type to) {
    const NodeIndex operand = operands(i)[k];
    return converted(expressions_[operand].text, type(operand), to);
  }

  // Converts a value to a type that holds it, or to bool.
  std::string converted(const std::string& text, Type from, Type to) {
    from = computed_as(from);
    to = computed_as(to);
    if (from == to) return text;
    if (to == Type::Bool)
      return is_complex(from) ? base::format("{}({})", helpers_.use("is_true", from), text)
                              : base::format("({} != 0)", text);
    if (is_complex(from)) return base::format("{}({})", helpers_.use_conversion(from, to), text);
    if (is_complex(to)) return base::format("{}({})", in_cpp(to), converted(text, from, real_of(to)));
    return base::format("(({}){})", in_cpp(to), text);
  }

  // A cast rounds to f16 and bf16, and saturates integers.
  std::string cast(NodeIndex i) {
    const std::string& text = expressions_[operands(i)[0]].text;
    const Type from = type(operands(i)[0]);
    const Type to = type(i);
    if (from == to && !is_unrounded(operands(i)[0])) return text;
    if (is_integer(to) && from != Type::Bool) return base::format("{}({})", helpers_.use_conversion(from, to), text);
    if (to == Type::F16 && from == Type::F64) return base::format("__half2float(__double2half({}))", text);
    if (to == Type::Bf16 && from == Type::F64) return base::format("__bfloat162float(__double2bfloat16({}))", text);
    return loaded(stored(converted(text, from, to), to), to);
  }

  // Whether a value of f16 or bf16 may have more digits than its type, because operators compute in f32.
  bool is_unrounded(NodeIndex i) const {
    const Meaning meaning = typed_.nodes[i].meaning;
    const bool is_computed = meaning == Meaning::None || meaning == Meaning::Function || meaning == Meaning::Temporary;
    return computed_as(type(i)) != type(i) && is_computed;
  }

  // ---- the function ----

  void finish(const Statement& statement) {
    const auto index = static_cast<std::uint32_t>(&statement - tree_.statements.data());
    const Type output = type(statement.value);
    const std::string& text = expressions_[statement.value].text;
    if (!statement.is_output) {
      if (uses(Meaning::Temporary, index))  // and is no literal
        base::append(body_, "  const {} graft_y{} = {};\n", in_cpp(computed_as(output)), index, text);
      return;
    }
    if (tree_.output_count() == 1) {
      base::append(body_, "  return {};\n", stored(text, output));
      return;
    }
    base::append(body_, "  graft_o{} = {};\n", index, stored(text, output));
    // The value for later statements, which is rounded as the element is.
    if (uses(Meaning::Output, index))
      base::append(body_, "  const {} graft_y{} = {};\n", in_cpp(computed_as(output)), index,
                   loaded(base::format("graft_o{}", index), output));
  }

  bool uses(Meaning meaning, std::uint32_t index) const {
    return std::ranges::any_of(typed_.nodes,
                               [&](const TypedNode& node) { return node.meaning == meaning && node.index == index; });
  }

  static std::string struct_text(const std::string& name, std::string_view field, const std::vector<Variable>& members,
                                 std::string_view prefix) {
    std::string text = base::format("struct {} {{", name);
    for (std::size_t k = 0; k < members.size(); ++k)
      base::append(text, " {} {}{};", field_type(members[k], prefix, k), field, k);
    return text + " };\n";
  }
  // The structs of inputs are graft_x0_struct, ..., those of parameters graft_p0_struct, ...
  static std::string member_type(const Variable& variable, std::string_view prefix, std::size_t k) {
    return variable.fields.empty() ? std::string(in_memory(variable)) : base::format("{}{}_struct", prefix, k);
  }
  // The members of a struct: a complex number that is aligned as its parts is a struct of them.
  static std::string field_type(const Variable& variable, std::string_view prefix, std::size_t k) {
    return is_complex_of_parts(variable)
               ? base::format("struct {{ {} re, im; }}", in_cpp(real_of(type_of(variable.type).value())))
               : member_type(variable, prefix, k);
  }

  std::string structs() const {
    std::string text;
    for (const auto& [variables, prefix] :
         {std::pair{&typed_.names.inputs, "graft_x"}, std::pair{&typed_.names.parameters, "graft_p"}})
      for (std::size_t k = 0; k < variables->size(); ++k)
        if (const Variable& one = (*variables)[k]; !one.fields.empty())
          text += struct_text(member_type(one, prefix, k), "graft_f", one.fields, {});
    if (!typed_.names.parameters.empty())
      text += struct_text("graft_values", "graft_p", typed_.names.parameters, "graft_p");
    return text;
  }

  std::string signature() const {
    std::vector<std::string> parameters;
    const std::vector<Variable>& inputs = typed_.names.inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      parameters.push_back(base::format("{} graft_x{}", member_type(inputs[k], "graft_x", k), k));
    const auto result = [&](const Statement& one) { return in_cpp(typed_.type_of(one)); };
    const bool is_single = tree_.output_count() == 1;
    for (std::size_t k = 0; !is_single && k < tree_.statements.size(); ++k)
      if (tree_.statements[k].is_output)
        parameters.push_back(base::format("{}& graft_o{}", result(tree_.statements[k]), k));
    if (!typed_.names.parameters.empty()) parameters.emplace_back("const graft_values& graft_p");
    return base::format("__device__ {}{} {}({})", size_.is_called ? "__noinline__ " : "",
                        is_single ? result(tree_.statements.back()) : "void", kEntry, base::join(parameters, ", "));
  }

  std::span<const NodeIndex> operands(NodeIndex i) const { return tree_.operands_of(tree_.nodes[i]); }
  Type type(NodeIndex i) const { return typed_.nodes[i].type; }

  const TypedTree& typed_;
  const Tree& tree_;
  std::vector<Expression> expressions_;
  const CodeSize size_;
  Helpers helpers_{size_.calls_functions};
  std::string body_;
};

}  // namespace

std::string write(const TypedTree& typed) {
  return Writer(typed).write();
}

}  // namespace graft::formulas
