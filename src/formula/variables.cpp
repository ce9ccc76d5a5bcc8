#include "formula/variables.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/bounds.hpp"
#include "formula/token.hpp"
#include "formula/type.hpp"

namespace graft {

Variable::Variable(std::string its_name, std::vector<Variable> its_fields)
    : name(std::move(its_name)), fields(std::move(its_fields)) {
  if (fields.empty())
    refuse(base::format("the struct {} of a formula has no fields", formulas::in_quotes(name)),
           "List the struct's members.");
  type = formulas::layout_of(fields).type;
}

namespace formulas {
namespace {

constexpr std::string_view kTypes =
    "Use bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64, c128, or a struct of them.";

class NameCheck {
 public:
  void check(std::string_view name, std::string_view what) {
    if (!is_name(name))
      refuse(base::format("{} is no name for {} of a formula", in_quotes(name), what),
             "Use letters, digits and underscores, and no digit first.");
    if (!names_.insert(name).second)
      refuse(base::format("the name {} occurs twice in a formula's declarations", in_quotes(name)),
             "Give each variable and each function a name of its own.");
  }

 private:
  std::unordered_set<std::string_view> names_;
};

void check_type(const Variable& variable, bool is_input) {
  const bool is_bit = variable.type.kind == ElementKind::Bit;
  if (!type_of(variable.type) || (is_bit && !is_input))
    refuse(base::format("the type of {} is {}, with which formulas do not compute", in_quotes(variable.name),
                        to_string(variable.type)),
           std::string(kTypes));
}

// A member of a struct or a parameter. The text that is compiled has the members that C++ has, so no other layout is
// possible. Only complex numbers have two: std::complex is aligned as its parts, and graft::complex as a whole.
void check_member(const Variable& member) {
  if (member.fields.empty()) check_type(member, false);
  // What C++ gives it: a number is aligned to its size.
  const bool is_struct = !member.fields.empty();
  const ElementType in_cpp = is_struct ? layout_of(member.fields).type : member.type;
  const std::size_t wanted = is_struct ? in_cpp.alignment : member.type.size;
  const std::size_t given = member.type.alignment;
  const bool is_of_parts = is_complex_of_parts(member);
  const bool is_same = member.type == in_cpp;
  if (!is_same || (given != wanted && !is_of_parts))
    refuse(
        base::format("the type of {} has the alignment {}, and in C++ it is {}", in_quotes(member.name), given, wanted),
        "Use the type's name, or graft::element_type<T>().");
}

void check_variable(const Variable& variable, bool is_input) {
  if (variable.fields.empty()) return check_type(variable, is_input);
  NameCheck fields;
  for (const Variable& field : variable.fields) {
    fields.check(field.name, "a field");
    check_type(field, false);
  }
  check_member(variable);
}

void check_function(const FormulaFunction& function) {
  const auto check = [&](std::string_view type) {
    if (!type_named(type))
      refuse(base::format("{}, a type of the function {}, is no type with which formulas compute", in_quotes(type),
                          in_quotes(function.name)),
             std::string(kTypes));
  };
  check(function.result);
  for (const std::string& parameter : function.parameters) check(parameter);
  if (function.parameters.size() > kMostInputs)
    refuse(base::format("the function {} has more than {} parameters", in_quotes(function.name), kMostInputs),
           "Give the function a struct's fields one by one, or split it.");
}

}  // namespace

bool is_complex_of_parts(const Variable& member) {
  return member.type.kind == ElementKind::Complex && member.type.alignment == member.type.size / 2;
}

Layout layout_of(std::span<const Variable> members) {
  Layout layout;
  std::size_t end = 0;
  std::size_t alignment = 1;
  const auto round_up = [&](std::size_t to) { end = (end + to - 1) / to * to; };
  for (const Variable& member : members) {
    check_member(member);
    round_up(member.type.alignment);
    layout.offsets.push_back(end);
    end += member.type.size;
    alignment = std::max<std::size_t>(alignment, member.type.alignment);
  }
  round_up(alignment);
  layout.type = ElementType::structure(end, alignment);
  return layout;
}

void check_parameters(const std::vector<Variable>& parameters) {
  NameCheck names;
  for (const Variable& parameter : parameters) {
    names.check(parameter.name, "a parameter");
    check_variable(parameter, false);
  }
  check_size_of_parameters(parameters);
}

void check_size_of_parameters(std::span<const Variable> parameters) {
  if (!parameters.empty() && layout_of(parameters).type.size > kMostParameterBytes)
    refuse(base::format("the parameters of a formula have more than {} bytes", kMostParameterBytes),
           "Pass large data as an input.");
}

void check_names(const Names& names, std::span<const std::string> weak) {
  NameCheck all;
  for (const Variable& input : names.inputs) {
    all.check(input.name, "an input");
    check_variable(input, true);
  }
  if (names.inputs.size() > kMostInputs)
    refuse(base::format("a formula has {} inputs, and at most {} are possible", names.inputs.size(), kMostInputs),
           "Put several arrays into one array of structs.");
  check_parameters(names.parameters);
  for (const Variable& parameter : names.parameters) all.check(parameter.name, "a parameter");
  for (const std::string& name : weak) all.check(name, "a parameter");
  NameCheck functions;  // of their own: f and f(x) are different things
  for (const FormulaFunction& function : names.functions) {
    functions.check(function.name, "a function");
    check_function(function);
  }
}

}  // namespace formulas
}  // namespace graft
