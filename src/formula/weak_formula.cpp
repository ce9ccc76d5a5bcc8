// graft::WeakFormula: from the text to the callbacks for the kinds of values, and from values to the state.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/mistake.hpp"
#include "formula/parser.hpp"
#include "formula/put.hpp"
#include "formula/scope.hpp"
#include "formula/typing.hpp"
#include "formula/variables.hpp"
#include "formula/weak.hpp"
#include "formula/writer.hpp"
#include "graft/formula.hpp"

namespace graft {
namespace {

using formulas::Constant;
using formulas::NumberKind;

constexpr std::string_view kKinds = "bifc";  // in the order of NumberKind
constexpr char kWide = 'w';

Constant constant_of(const Number& number) {
  // The least integer of 128 bits has no negative one beside it, and is none of a formula.
  if (number.kind() == Number::Kind::Integer && number.integer() == std::numeric_limits<formulas::WideInteger>::min())
    return Constant::of_real(static_cast<double>(number.integer()));
  return {.kind = static_cast<NumberKind>(number.kind()),
          .integer = number.integer(),
          .real = number.value().real(),
          .imaginary = number.value().imag()};
}

Number number_of(const Constant& constant) {
  switch (constant.kind) {
    case NumberKind::Bool:
      return constant.integer != 0;
    case NumberKind::Integer:
      return constant.integer;
    case NumberKind::Real:
      return constant.real;
    case NumberKind::Complex:
      break;
  }
  return constant.as_complex();
}

}  // namespace

struct WeakFormula::Data {
  std::string text;
  std::vector<Variable> inputs;
  std::vector<std::string> weak;
  std::vector<Variable> parameters;
  std::vector<FormulaFunction> functions;
  formulas::WeakExpressions expressions;
  std::optional<formulas::Type> integer_alone;

  Data(std::string_view its_text, std::vector<Variable> its_inputs, std::vector<std::string> its_weak,
       std::vector<Variable> its_parameters, std::vector<FormulaFunction> its_functions)
      : text(its_text),
        inputs(std::move(its_inputs)),
        weak(std::move(its_weak)),
        parameters(std::move(its_parameters)),
        functions(std::move(its_functions)),
        expressions(checked_tree(), names(), weak),
        integer_alone(formulas::Scope(names()).integer_alone()) {}

  formulas::Names names() const { return {inputs, parameters, functions}; }
  formulas::Tree checked_tree() const {
    formulas::check_names(names(), weak);
    return formulas::parse(text);
  }
};

struct WeakCallback::Data {
  Callback callback;
  std::string kinds;
  std::vector<Variable> members;
  std::vector<formulas::WeakMember> weak;
  std::vector<std::size_t> offsets;  // of the weak members
  Parameters zero;
};

WeakFormula::WeakFormula(std::string_view text, std::vector<Variable> inputs, std::vector<std::string> weak,
                         std::vector<Variable> parameters, std::vector<FormulaFunction> functions)
    : data_(std::make_shared<const Data>(text, std::move(inputs), std::move(weak), std::move(parameters),
                                         std::move(functions))) {}

WeakValues WeakFormula::values(const std::vector<Number>& numbers) const {
  if (numbers.size() != data_->weak.size())
    refuse(base::format("{} numbers were given for {} weak parameters", numbers.size(), data_->weak.size()),
           "Give one for each name, in their order.");
  std::vector<Constant> constants;
  constants.reserve(numbers.size());
  for (const Number& one : numbers) constants.push_back(constant_of(one));
  WeakValues values;
  values.values_.reserve(data_->expressions.size());
  for (const Constant& one : data_->expressions.values(constants)) {
    values.values_.push_back(number_of(one));
    const bool is_wide = one.kind == NumberKind::Integer && data_->integer_alone && !fits(one, *data_->integer_alone);
    values.kinds_ += is_wide ? kWide : kKinds[static_cast<std::size_t>(one.kind)];
  }
  return values;
}

WeakCallback WeakFormula::callback(const WeakValues& values) const {
  if (values.values_.size() != data_->expressions.size())
    refuse("the values are those of another formula", "Give what WeakFormula::values of this formula returned.");
  formulas::Names names = data_->names();
  for (const Number& one : values.values_) names.weak.push_back(formulas::type_of(static_cast<NumberKind>(one.kind())));
  for (const char kind : values.kinds_) names.wide.push_back(kind == kWide);
  formulas::TypedTree typed = formulas::add_types(data_->expressions.rest(), names);
  const std::size_t typed_number = data_->parameters.size();
  std::vector<formulas::WeakMember> weak = formulas::make_parameters(typed, typed_number);

  std::vector<Variable> members = data_->parameters;
  for (const formulas::WeakMember& one : weak)
    members.emplace_back(std::string(data_->expressions.text_of(one.expression)), formulas::name(one.type));
  formulas::check_size_of_parameters(members);
  const formulas::Layout layout = members.empty() ? formulas::Layout{} : formulas::layout_of(members);
  Parameters zero;
  zero.places_ = data_->parameters.empty() ? std::make_shared<const std::vector<Parameters::Place>>()
                                           : Parameters(data_->parameters).places_;
  zero.type_ = layout.type;
  zero.bytes_.resize(layout.type.size);

  const formulas::Names with_members{names.inputs, members, names.functions};
  const formulas::TypedTree whole{typed.tree, with_members, std::move(typed.nodes)};
  const Callback callback =
      Callback::source(formulas::write(whole), std::string(formulas::kName)).with_entry(std::string(formulas::kEntry));
  std::vector<std::size_t> offsets(layout.offsets.begin() + static_cast<std::ptrdiff_t>(typed_number),
                                   layout.offsets.end());
  return WeakCallback(std::make_shared<const WeakCallback::Data>(WeakCallback::Data{
      callback, values.kinds_, std::move(members), std::move(weak), std::move(offsets), std::move(zero)}));
}

WeakCallback::WeakCallback(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

const Callback& WeakCallback::callback() const noexcept {
  return data_->callback;
}

const std::vector<Variable>& WeakCallback::members() const noexcept {
  return data_->members;
}

Parameters WeakCallback::parameters(const WeakValues& values) const {
  if (values.kinds_ != data_->kinds)
    refuse(base::format("the values have the kinds {}, and the callback is for {}", values.kinds_, data_->kinds),
           "Make the callback for these values by WeakFormula::callback.");
  Parameters parameters = data_->zero;
  for (std::size_t k = 0; k < data_->weak.size(); ++k) {
    const formulas::WeakMember& member = data_->weak[k];
    Constant value = constant_of(values.values_[member.expression]);
    if (member.is_saturated) value = formulas::saturated(value, member.type);
    const auto shown = [&] {
      const std::string& text = data_->members[data_->members.size() - data_->weak.size() + k].name;
      return base::format("{} is {}", formulas::in_quotes(text), formulas::to_text(value));
    };
    if (!formulas::fits(value, member.type))
      refuse(base::format("{}, which {} does not hold", shown(), formulas::name(member.type)),
             "A number without a type takes the type that it meets, as a literal does. Cast what it meets to a wider "
             "type, as f64(x) does, or give the parameter a type of its own.");
    if (member.is_exponent && value.integer < 0)
      refuse(base::format("{}, and an integer to a negative power is no integer", shown()),
             "Cast the base to a floating-point number, as f64(i) does.");
    formulas::put(parameters.bytes_.data() + data_->offsets[k], member.type, value);
  }
  return parameters;
}

}  // namespace graft
