// graft::Parameters: sets the bytes of a formula's state by name.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/constant.hpp"
#include "formula/nearest.hpp"
#include "formula/put.hpp"
#include "formula/type.hpp"
#include "formula/variables.hpp"
#include "graft/formula.hpp"

namespace graft {
namespace {

using formulas::Constant;
using formulas::Type;

[[noreturn]] void refuse_value(std::string_view name, Type type, const std::string& value) {
  refuse(base::format("the parameter {} has the type {}, which does not hold {}", formulas::in_quotes(name),
                      formulas::name(type), value),
         "Give a value of this type, or declare the parameter with another type.");
}

void put_value(std::byte* at, std::string_view name, Type type, const Constant& value) {
  if (value.imaginary != 0 && !formulas::is_complex(type)) refuse_value(name, type, "a complex number");
  if (!formulas::is_integer(type)) return formulas::put(at, type, value);
  const double real = value.real;
  const bool is_whole = value.is_integer() || (real == std::floor(real) && std::abs(real) < 0x1p64);
  const Constant whole =
      value.is_integer() || !is_whole ? value : Constant::of(static_cast<formulas::WideInteger>(real));
  if (!is_whole || !formulas::fits(whole, type)) refuse_value(name, type, formulas::to_text(value));
  formulas::put(at, type, whole);
}

}  // namespace

Parameters::Parameters(const std::vector<Variable>& parameters) {
  formulas::check_parameters(parameters);
  if (parameters.empty())
    refuse("graft::Parameters was given no parameters", "Declare at least one, or call execute without a state.");
  const formulas::Layout layout = formulas::layout_of(parameters);
  std::vector<Place> places;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Variable& one = parameters[k];
    if (one.fields.empty()) places.push_back({one.name, one.type, layout.offsets[k]});
    const formulas::Layout inner = one.fields.empty() ? formulas::Layout{} : formulas::layout_of(one.fields);
    for (std::size_t f = 0; f < one.fields.size(); ++f)
      places.push_back({one.name + "." + one.fields[f].name, one.fields[f].type, layout.offsets[k] + inner.offsets[f]});
  }
  places_ = std::make_shared<const std::vector<Place>>(std::move(places));
  type_ = layout.type;
  bytes_.resize(type_.size);
}

Parameters::Parameters(std::string_view line)
    : Parameters([&] {
        FormulaVariables all = formula_variables(line);
        if (!all.parameters.empty())
          refuse("the line for graft::Parameters has a semicolon", "Leave out the inputs: `f32 a, b`.");
        return std::move(all.inputs);
      }()) {}

const Parameters::Place& Parameters::find(std::string_view name) const {
  const auto found = std::ranges::find(*places_, name, &Place::name);
  if (found != places_->end()) return *found;
  std::vector<std::string> names;
  for (const Place& place : *places_) names.push_back(place.name);
  const std::string guess = formulas::nearest(name, names);
  refuse(base::format("the formula has no parameter {}", formulas::in_quotes(name)),
         guess.empty() ? base::format("The parameters are: {}.", base::join(names, ", "))
                       : base::format("Did you mean `{}`?", guess));
}

void Parameters::set_real(std::string_view name, double value, double imaginary) {
  const Place& place = find(name);
  put_value(bytes_.data() + place.offset, name, formulas::type_of(place.type).value(),
            {.kind = formulas::NumberKind::Real, .real = value, .imaginary = imaginary});
}
void Parameters::set_signed(std::string_view name, std::int64_t value) {
  const Place& place = find(name);
  put_value(bytes_.data() + place.offset, name, formulas::type_of(place.type).value(), Constant::of(value));
}
void Parameters::set_unsigned(std::string_view name, std::uint64_t value) {
  const Place& place = find(name);
  put_value(bytes_.data() + place.offset, name, formulas::type_of(place.type).value(), Constant::of(value));
}

}  // namespace graft
