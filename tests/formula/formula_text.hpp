// Short ways from a formula to what a test compares.
#pragma once

#include <string>
#include <string_view>

#include "formula/parser.hpp"
#include "formula/typing.hpp"
#include "formula/writer.hpp"
#include "graft/formula.hpp"
#include "support/errors.hpp"

namespace graft::test {

inline constexpr const char* kVariables =
    "bool m, i8 i8_, i16 i16_, i32 i, i64 i64_, u8 u8_, u16 u16_, u32 u32_, u64 u64_, f16 h, bf16 b, f32 x, f64 d, "
    "c64 z, c128 w; f32 p";

// The type of a formula of kVariables.
inline std::string type_of_formula(std::string_view text) {
  const FormulaVariables all = formula_variables(kVariables);
  const formulas::Tree tree = formulas::parse(text);
  const formulas::TypedTree typed = formulas::add_types(tree, {all.inputs, all.parameters, {}});
  return std::string(formulas::name(typed.type_of(tree.statements.back())));
}

// The expression that the writer makes, without helpers, signature and names of the single output.
inline std::string written(std::string_view text, std::string_view variables = kVariables) {
  const FormulaVariables all = formula_variables(variables);
  const std::string whole = formula(text, all.inputs, all.parameters).text();
  const std::size_t body = whole.find("{\n", whole.find(formulas::kEntry)) + 2;
  return whole.substr(body, whole.rfind('}') - body);
}

inline Error error_of_formula(std::string_view text, std::string_view variables = kVariables) {
  return error_of([&] { formula(text, variables); });
}

}  // namespace graft::test
