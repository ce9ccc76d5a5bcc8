// What the names of a formula mean: its variables, the outputs of earlier statements, the constants pi, e, inf and nan,
// and what can be called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formula/constant.hpp"
#include "formula/type.hpp"
#include "formula/typing.hpp"

namespace graft::formulas {

// What a variable's name stands for.
struct Known {
  Meaning meaning = Meaning::None;
  std::uint32_t index = 0;
  std::optional<Type> type = {};          // nothing for a struct
  const Variable* variable = nullptr;     // null for an output or a temporary
  std::optional<Constant> constant = {};  // of a temporary that is one
};

class Scope {
 public:
  // `names` must outlive the scope.
  explicit Scope(const Names& names);

  // Returns whether the name was free. The text of `name` must outlive the scope.
  bool add_output(std::string_view name, const Known& output);

  // Each returns null, or nothing, for a name that means no such thing.
  const Known* variable(std::string_view name) const;
  static std::optional<double> constant(std::string_view name);
  // The same of "np.pi": of a name behind the point of a library.
  static std::optional<double> constant_of(std::string_view library, std::string_view name);
  const FormulaFunction* registered(std::string_view name) const;
  // An example of a call: "sqrt(x)", or an empty text if there is none of this name.
  std::string example_of_call(std::string_view name) const;

  // The common type of the inputs, or of the parameters if there are no inputs.
  std::optional<Type> common_type() const { return common_; }
  // The integer type of weak integers that meet no other value; nothing beside floating-point inputs, whose type they
  // take.
  std::optional<Type> integer_alone() const;

  // The variable, or what can be called, of which a name is probably a misspelling; or an empty text.
  std::string nearest_variable(std::string_view name) const;
  std::string nearest_function(std::string_view name) const;

 private:
  void add(const std::vector<Variable>& variables, Meaning meaning);

  const Names& names_;
  std::unordered_map<std::string_view, Known> known_;
  std::optional<Type> common_;
};

}  // namespace graft::formulas
