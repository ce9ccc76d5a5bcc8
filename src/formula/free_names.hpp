// The names of a formula whose variables have no types yet: those that it declares, and those that it uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/tree.hpp"

namespace graft::formulas {

// A formula, perhaps behind the names of its inputs and parameters: "x, y; a => a * x + y".
struct UntypedFormula {
  bool declares = false;  // whether it has the names
  std::vector<std::string> inputs = {};
  std::vector<std::string> parameters = {};
  std::string formula = {};  // with blanks in place of the names, so that columns are those of the whole text
};

// Throws Error: CompileFailed for a byte that no formula has, InvalidArgument for names in another form.
UntypedFormula split_untyped(std::string_view text);

// The names that are neither constants nor outputs of earlier statements, in the order in which they occur.
std::vector<std::string> free_names(const Tree& tree);

}  // namespace graft::formulas
