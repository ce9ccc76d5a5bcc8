// graft::formula: from the text to the callback, by the steps that the files of this folder are named for.
#include "graft/formula.hpp"

#include <string>

#include "formula/mistake.hpp"
#include "formula/parser.hpp"
#include "formula/type.hpp"
#include "formula/typing.hpp"
#include "formula/variables.hpp"
#include "formula/whole_text.hpp"
#include "formula/writer.hpp"

namespace graft {

Callback formula(std::string_view text, const std::vector<Variable>& inputs, const std::vector<Variable>& parameters,
                 const std::vector<FormulaFunction>& functions) {
  const formulas::Names names{inputs, parameters, functions};
  formulas::check_names(names);
  const formulas::Tree tree = formulas::parse(text);
  return Callback::source(formulas::write(formulas::add_types(tree, names)), std::string(formulas::kName))
      .with_entry(std::string(formulas::kEntry));
}

Callback formula(std::string_view text) {
  const formulas::WholeText whole = formulas::split(text);
  return formula(whole.formula, whole.variables.inputs, whole.variables.parameters);
}

std::string formula_types() {
  return formulas::table_of_sums();
}

}  // namespace graft
