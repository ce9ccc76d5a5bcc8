// Formulas of the same variables in one callback. Each has the text that graft wrote for it, in a namespace of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "formula/parser.hpp"
#include "formula/type.hpp"
#include "formula/typing.hpp"
#include "graft/graft.hpp"
#include "support/chosen.hpp"

namespace graft::test {

struct ManyFormulas {
  Callback callback = "";  // whose state chooses one of the formulas
  std::vector<formulas::Type> types;

  // The formulas have one output each; the variables are inputs.
  ManyFormulas(const std::vector<std::string>& formulas, std::string_view variables) {
    const FormulaVariables all = formula_variables(variables);
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    for (const Variable& variable : all.inputs) {
      arguments.push_back(base::format("x{}", arguments.size()));
      parameters.push_back(
          base::format("{} {}", formulas::in_cpp(formulas::type_of(variable.type).value()), arguments.back()));
    }
    std::string text;
    std::vector<std::string> calls;
    for (const std::string& one : formulas) {
      const formulas::Tree tree = formulas::parse(one);
      types.push_back(formulas::add_types(tree, {all.inputs, {}, {}}).type_of(tree.statements.back()));
      base::append(text, "namespace formula_{} {{\n{}}}\n", calls.size(), formula(one, all.inputs).text());
      calls.push_back(base::format("formula_{}::graft_formula({})", calls.size(), base::join(arguments, ", ")));
    }
    callback = chosen_of(text, base::join(parameters, ", "), calls);
  }

  std::string_view type_of(std::size_t formula) const { return name(types[formula]); }

  // The values of a formula, of the callback's results.
  std::vector<std::byte> values_of(std::size_t formula, const std::vector<std::byte>& results) const {
    return values_of_results(results, ElementType::named(type_of(formula)).size);
  }
};

}  // namespace graft::test
