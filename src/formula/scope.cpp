#include "formula/scope.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "base/format.hpp"
#include "formula/cuda_names.hpp"
#include "formula/elsewhere.hpp"
#include "formula/functions.hpp"
#include "formula/nearest.hpp"

namespace graft::formulas {
namespace {

struct NamedConstant {
  std::string_view name;
  double value;
};
constexpr NamedConstant kConstants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

// Adds the types of the variables, or of their fields.
void add_types(const std::vector<Variable>& variables, std::vector<Type>& types) {
  for (const Variable& variable : variables) {
    if (variable.fields.empty()) types.push_back(type_of(variable.type).value());
    else add_types(variable.fields, types);
  }
}

}  // namespace

Scope::Scope(const Names& names) : names_(names) {
  add(names.inputs, Meaning::Input);
  add(names.parameters, Meaning::Parameter);
  std::vector<Type> types;  // those that a literal alone meets
  add_types(names.inputs, types);
  if (types.empty()) add_types(names.parameters, types);
  if (!types.empty()) common_ = common_of(types);
}

void Scope::add(const std::vector<Variable>& variables, Meaning meaning) {
  for (const Variable& variable : variables)
    known_.emplace(variable.name, Known{meaning, static_cast<std::uint32_t>(&variable - variables.data()),
                                        variable.fields.empty() ? type_of(variable.type) : std::nullopt, &variable});
}

bool Scope::add_output(std::string_view name, const Known& output) {
  return known_.emplace(name, output).second;
}

const Known* Scope::variable(std::string_view name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : &found->second;
}

std::optional<double> Scope::constant_of(std::string_view library, std::string_view name) {
  return is_library(library) ? constant(name) : std::nullopt;
}

std::optional<double> Scope::constant(std::string_view name) {
  for (const NamedConstant& one : kConstants)
    if (one.name == name) return one.value;
  return std::nullopt;
}

const FormulaFunction* Scope::registered(std::string_view name) const {
  const auto found = std::ranges::find(names_.functions, name, &FormulaFunction::name);
  return found == names_.functions.end() ? nullptr : &*found;
}

std::string Scope::example_of_call(std::string_view wanted) const {
  if (const FormulaFunction* const function = registered(wanted)) {
    std::vector<std::string> arguments(function->parameters.size(), "x");
    return base::format("{}({})", wanted, base::join(arguments, ", "));
  }
  if (const NamedOperator* const named = find_operator(wanted))
    return base::format("{}({})", wanted, named->operands == 1 ? "x" : "x, y");
  if (const Function* const function = find_function(wanted)) return example_of(*function);
  if (const TypeElsewhere* const type = type_elsewhere(wanted)) return base::format("{}(x)", type->in_python);
  if (const std::optional<Type> type = type_named(wanted)) return base::format("{}(x)", name(*type));
  return {};
}

std::optional<Type> Scope::integer_alone() const {
  const Type common = common_.value_or(Type::Bool);
  if (common == Type::Bool) return Type::I32;
  return is_integer(common) ? common_ : std::nullopt;
}

std::string Scope::nearest_variable(std::string_view name) const {
  if (const Elsewhere* const elsewhere = name_elsewhere(name)) return std::string(elsewhere->here);
  std::vector<std::string> candidates;
  for (const auto& [known, one] : known_) candidates.emplace_back(known);
  std::ranges::sort(candidates);  // the same suggestion in every process
  for (const NamedConstant& one : kConstants) candidates.emplace_back(one.name);
  std::string found = nearest(name, candidates);
  return found.empty() ? nearest_function(name) : found;
}

std::string Scope::nearest_function(std::string_view wanted) const {
  if (const Elsewhere* const elsewhere = name_elsewhere(wanted)) return std::string(elsewhere->here);
  if (const Function* const function = find_function(plain_name(wanted))) return std::string(function->name);
  std::vector<std::string> candidates;
  for (const FormulaFunction& one : names_.functions) candidates.push_back(one.name);
  for (const Function& one : functions()) candidates.emplace_back(one.name);
  for (const Type type : value_types()) candidates.emplace_back(name(type));
  return nearest(wanted, candidates);
}

}  // namespace graft::formulas
