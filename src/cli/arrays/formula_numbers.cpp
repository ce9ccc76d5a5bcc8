#include "cli/arrays/formula_numbers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/trimmed.hpp"
#include "cli/arrays/state_fields.hpp"
#include "cli/arrays/state_source.hpp"
#include "cli/help/suggestion.hpp"
#include "core/fail.hpp"
#include "formula/constant.hpp"
#include "formula/free_names.hpp"
#include "formula/parser.hpp"
#include "formula/scope.hpp"
#include "formula/token.hpp"
#include "formula/variables.hpp"
#include "formula/whole_text.hpp"
#include "graft/error.hpp"
#include "graft/formula.hpp"

namespace graft::cli {
namespace {

using formulas::Constant;
using formulas::Token;
using formulas::TokenKind;

std::optional<Constant> value_of_token(TokenKind kind, std::string_view text) {
  if (kind == TokenKind::Number) return formulas::parse_number(text);
  if (kind != TokenKind::Name) return std::nullopt;
  if (text == "true" || text == "True") return Constant::of_bool(true);
  if (text == "false" || text == "False") return Constant::of_bool(false);
  const std::optional<double> named = formulas::Scope::constant(text);
  return named ? std::optional(Constant::of_real(*named)) : std::nullopt;
}

// Reads a literal or a constant of formulas, perhaps with a sign: 2, -0.5, true, -inf.
std::optional<graft::Number> parse_formula_number(std::string_view text) {
  std::vector<Token> tokens;
  try {
    tokens = formulas::tokenize(text);
  } catch (const Error&) {
    return std::nullopt;
  }
  const TokenKind sign = tokens.front().kind;
  const bool has_sign = sign == TokenKind::Minus || sign == TokenKind::Plus;
  if (tokens.size() != (has_sign ? 3 : 2)) return std::nullopt;  // the last is the end
  const Token& token = tokens[tokens.size() - 2];
  std::optional<Constant> value = value_of_token(token.kind, token.in(text));
  if (value && has_sign) value = formulas::compute(sign, *value);
  if (!value) return std::nullopt;
  if (value->kind == formulas::NumberKind::Bool) return graft::Number(value->integer != 0);
  return value->is_integer() ? graft::Number(value->integer) : graft::Number(value->real);
}

// The name of an item of --state: "p" of "p.x=1". Empty if it has none.
std::string_view name_of_item(std::string_view item) {
  const std::size_t equals = item.substr(0, item.find('{')).find('=');
  if (equals == item.npos) return {};
  return base::trimmed(item.substr(0, std::min(equals, item.find_first_of(".["))));
}

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& one : variables) names.push_back(one.name);
  return names;
}

// The names that the formula uses and does not declare.
std::vector<std::string> undeclared_names(const formulas::WholeText& whole) {
  std::vector<std::string> names = formulas::free_names(formulas::parse(whole.formula));
  for (const auto* const declared : {&whole.variables.inputs, &whole.variables.parameters})
    for (const Variable& one : *declared) std::erase(names, one.name);
  return names;
}

void take_number(BuildRequest& request, std::string_view name, std::string_view value) {
  if (std::ranges::find(request.numbers, name, &FormulaNumber::name) != request.numbers.end())
    refuse(base::format("the state gives `{}` twice", name), "Give each name of the formula one number.");
  const std::optional<graft::Number> number = parse_formula_number(value);
  if (!number)
    refuse(base::format("`{}` is no number for `{}`, which has no type in the formula", value, name),
           "Give a number as it is typed into a formula (a=2, a=-0.5, a=1e-3, a=true, a=pi), or declare the name with "
           "its type: 'f32 x; f32 a => a * x'.");
  request.numbers.push_back({std::string(name), *number});
}

}  // namespace

std::string take_numbers(BuildRequest& request, const std::string& state) {
  const bool is_fields = !state.starts_with("hex:") && !state.starts_with('@');
  if (request.asked_job() != nullptr || !request.is_formula() || !is_fields) return state;
  const std::optional<std::vector<std::string_view>> items = split_items(state);
  if (!items || std::ranges::all_of(*items, &std::string_view::empty, name_of_item)) return state;
  const formulas::WholeText whole = formulas::split(request.callback);
  std::vector<std::string> known = undeclared_names(whole);
  if (known.empty()) return state;
  const std::vector<std::string> typed = names_of(whole.variables.parameters);
  const auto is_in = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string_view> rest;
  for (const std::string_view item : *items) {
    const std::string_view name = name_of_item(item);
    if (is_in(known, name)) {
      take_number(request, name, base::trimmed(item.substr(item.find('=') + 1)));
    } else if (is_in(typed, name)) {
      rest.push_back(item);
    } else {
      known.insert(known.end(), typed.begin(), typed.end());
      refuse(name.empty() ? base::format("the state gives `{}` without a name", item)
                          : base::format("the formula has no parameter `{}`.{}", name, did_you_mean(name, known)),
             base::format("Give a value for each of {}.", base::join(known, ", ")));
    }
  }
  return base::join(rest, ",");
}

base::Bytes state_with_numbers(const BuildRequest& request, const std::string& text) {
  const FormulaWithNumbers formula = request.formula_with_numbers();
  const Parameters parameters = formula.callback.parameters(formula.values);
  const auto* const bytes = static_cast<const std::byte*>(parameters.state().bytes);
  base::Bytes state(bytes, bytes + parameters.state().type.size);
  const std::vector<Variable> typed = formulas::split(request.callback).variables.parameters;
  if (text.empty() && !typed.empty())
    refuse(base::format("the state gives no value for {}", base::join(names_of(typed), ", ")), "Give it with --state.");
  if (text.empty()) return state;
  // The members that have types come first. Padding may be behind the last of them, in which a number may lie.
  const base::Bytes of_typed = bytes_of_fields(text, fields_of_variables(typed));
  const std::size_t end = formulas::layout_of(typed).offsets.back() + typed.back().type.size;
  std::copy_n(of_typed.begin(), end, state.begin());
  return state;
}

}  // namespace graft::cli
