// A GenericCallback is a Callback whose entry may be generic (reflect/callback/generic.hpp), a formula without types,
// or a chain of these. Its instance is written without a compiler.
//
// In a chain, a part's types are those of the outputs of the part before it. Where only the compiler knows them (the
// result of `[](auto x) { return 2 * x; }`), the instance names them by what they are:
// graft_output_of<graft_previous, 0>.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "formula/free_names.hpp"
#include "formula/mistake.hpp"
#include "formula/parser.hpp"
#include "graft/error.hpp"
#include "graft/generic.hpp"
#include "reflect/callback/generic.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft {
namespace {

using reflect::GenericFunction;
using reflect::GivenTypes;

struct Formula {
  std::string text;
  std::vector<FormulaFunction> functions;
};

std::optional<GenericFunction> function_of(const Callback& callback) {
  if (callback.form() != Form::Source || !callback.signature().empty()) return std::nullopt;
  return reflect::find_function(callback.text(), callback.entry());
}

std::vector<std::string> names_in_cpp(const std::vector<InstanceType>& types) {
  std::vector<std::string> list;
  for (const InstanceType& type : types) list.push_back(type.in_cpp);
  return list;
}

std::string state_in(const std::vector<InstanceType>& state, const std::string& callback) {
  if (state.size() > 1)
    refuse(
        base::format("{} types were given for the state of {}, and a callback has one state", state.size(), callback),
        "Give the type of the callback's `const T&`.");
  return state.empty() ? std::string() : state.front().in_cpp;
}

// Returns the callback that is the instance of `callback`.
Callback made_of(const Callback& callback, const GenericFunction& function, const reflect::Instance& instance) {
  if (!function.is_generic) return callback;
  if (!instance.entry.empty()) return callback.with_entry(instance.entry);
  Callback made = Callback::source(instance.text, callback.name()).with_folder(callback.folder());
  for (const Callback& input : callback.link_inputs()) made = made.with_link_input(input);
  return callback.floating_point() ? made.with_floating_point(*callback.floating_point()) : made;
}

Callback instance_of(const Callback& callback, const InstanceTypes& types) {
  const std::optional<GenericFunction> function = function_of(callback);
  if (!function) return callback;
  const auto is_known = [](const reflect::GenericParameter& parameter) {
    return parameter.role != Role::Input || reflect::known_type(parameter.type).has_value();
  };
  // Of other callbacks that are not generic, create compares the compiler's types.
  if (!function->is_generic && !std::ranges::all_of(function->parameters, is_known)) return callback;
  const GivenTypes given{names_in_cpp(types.inputs()), names_in_cpp(types.outputs()),
                         state_in(types.state(), callback.name())};
  return made_of(callback, *function, reflect::instance_of(*function, given, callback.text(), callback.name()));
}

// ---- formulas ----

std::vector<std::string> variable_names(const std::vector<InstanceType>& types) {
  std::vector<std::string> names;
  for (const InstanceType& type : types)
    if (!type.name.empty()) names.push_back(type.name);
  return names;
}

std::vector<Variable> variables(const std::vector<std::string>& names, const std::vector<InstanceType>& types) {
  std::vector<Variable> list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!types[i].element)
      refuse(base::format("the variable {} of a formula was given the type {}, which graft does not know",
                          formulas::in_quotes(names[i]), types[i].in_cpp),
             "Declare structs with their fields in graft::formula.");
    list.emplace_back(names[i], *types[i].element);
  }
  return list;
}

[[noreturn]] void refuse_variables(const std::vector<std::string>& inputs, const std::vector<std::string>& parameters,
                                   const InstanceTypes& types) {
  std::string names = base::join(inputs, ", ");
  if (!parameters.empty()) names += "; " + base::join(parameters, ", ");
  fail(ErrorCode::SignatureMismatch,
       base::format("the formula has the variables {}, and the types {} were given",
                    names.empty() ? "none" : formulas::in_quotes(names), formulas::in_quotes(types.text())),
       "Give one type for each variable, parameters behind a semicolon, with the names if the formula does not begin "
       "with them: graft::types(\"f32 x; f32 a, b\").");
}

Callback instance_of(const Formula& formula, const InstanceTypes& types) {
  const formulas::UntypedFormula untyped = formulas::split_untyped(formula.text);
  std::vector<std::string> inputs = untyped.inputs, parameters = untyped.parameters;
  if (!untyped.declares) {
    inputs = variable_names(types.inputs());
    parameters = variable_names(types.state());
    if (inputs.empty() && parameters.empty()) inputs = formulas::free_names(formulas::parse(untyped.formula));
  }
  if (inputs.size() != types.inputs().size() || parameters.size() != types.state().size())
    refuse_variables(inputs, parameters, types);
  return graft::formula(untyped.formula, variables(inputs, types.inputs()), variables(parameters, types.state()),
                        formula.functions);
}

}  // namespace

namespace {

using Part = std::variant<Callback, Formula>;

bool is_generic(const Part& part) {
  const Callback* const callback = std::get_if<Callback>(&part);
  if (callback == nullptr) return true;
  const std::optional<GenericFunction> function = function_of(*callback);
  return function && function->is_generic;
}

std::string title_of(const Part& part) {
  const Callback* const callback = std::get_if<Callback>(&part);
  return callback != nullptr ? callback->name() : std::string(formulas::kName);
}

// Gives the parts of a chain their types, from the first part to the last.
class ChainTypes {
 public:
  ChainTypes(const InstanceTypes& types, std::size_t parts) : types_(types), left_(types.inputs()), parts_(parts) {}

  // Returns the instance of the next part.
  Callback next(const Callback& part) {
    ++part_;
    const std::optional<GenericFunction> function = function_of(part);
    if (!function) {
      hidden_ = part.name();
      return part;
    }
    GivenTypes given{take(*function, part.name())};
    if (part_ == parts_) given.outputs = names_in_cpp(types_.outputs());
    if (function->count(Role::State) > 0 && state_ < types_.state().size())
      given.state = types_.state()[state_++].in_cpp;
    const reflect::Instance instance = reflect::instance_of(*function, given, part.text(), part.name());
    previous_ = instance.outputs;
    return made_of(part, *function, instance);
  }

  Callback next(const Formula& formula) {
    const formulas::UntypedFormula untyped = formulas::split_untyped(formula.text);
    const std::vector<std::string> names =
        untyped.declares ? untyped.inputs : formulas::free_names(formulas::parse(untyped.formula));
    GenericFunction function{.name = std::string(formulas::kName)};
    function.parameters.resize(names.size());
    std::vector<InstanceType> inputs;
    ++part_;
    for (const std::string& type : take(function, formulas::kName)) {
      if (type.starts_with("graft_"))
        refuse(base::format("part {} of the chain is a formula, and the text of part {} does not show the type that it "
                            "gives",
                            part_, part_ - 1),
               "Write the result's type out in that part, or declare the formula's types: graft::formula(\"2 * x\", "
               "\"f32 x\").");
      inputs.emplace_back(type);
    }
    std::vector<InstanceType> state;
    while (state.size() < untyped.parameters.size() && state_ < types_.state().size())
      state.push_back(types_.state()[state_++]);
    const Callback made = instance_of(formula, InstanceTypes(inputs).with_state(InstanceTypes(state)));
    previous_ = outputs_of(made);
    return made;
  }

  void check_end() const {
    if (!hidden_.empty()) return;
    if (state_ < types_.state().size())
      fail(ErrorCode::SignatureMismatch,
           base::format("the parts of the chain take {} types of states together, and {} were given: ({})", state_,
                        types_.state().size(), types_.text()),
           "Give one type for each part that has a state, and one for each parameter of a formula.");
    if (left_.empty()) return;
    fail(ErrorCode::SignatureMismatch,
         base::format("the parts of the chain take {} inputs together, and {} types were given: ({})",
                      types_.inputs().size() - left_.size(), types_.inputs().size(), types_.text()),
         "Give one type for each input of the first part, and for each input of a later part that the part before it "
         "does not give.");
  }

 private:
  static std::vector<std::string> outputs_of(const Callback& typed_formula) {
    const std::optional<GenericFunction> function = function_of(typed_formula);
    GivenTypes given;
    for (const reflect::GenericParameter& parameter : function->parameters)
      if (parameter.role == Role::Input) given.inputs.push_back(parameter.type);
    return reflect::instance_of(*function, given, typed_formula.text(), typed_formula.name()).outputs;
  }

  // Takes the types of a part's inputs: those that the part before it gives, and of the others those that are left.
  std::vector<std::string> take(const GenericFunction& function, std::string_view name) {
    if (!hidden_.empty())
      refuse(base::format("the types of {}, part {} of the chain, come from {}, whose text does not show what it takes "
                          "and gives",
                          name, part_, hidden_),
             "Name the instance by Callback::with_entry, or make the part before it a function or a lambda.");
    std::vector<std::string> taken;
    const std::size_t count =
        function.takes_any_number() ? previous_.size() + left_.size() : function.count(Role::Input);
    for (std::size_t i = 0; i < std::min(count, previous_.size()); ++i)
      taken.push_back(!previous_[i].empty() ? previous_[i]
                                            : base::format("graft_output_of<{}, {}>", reflect::kPrevious, i));
    while (taken.size() < count && !left_.empty()) {
      taken.push_back(left_.front().in_cpp);
      left_ = left_.subspan(1);
    }
    return taken;
  }

  const InstanceTypes& types_;
  std::span<const InstanceType> left_;  // of the inputs
  std::size_t state_ = 0;               // how many of the states have their types
  std::size_t parts_;
  std::size_t part_ = 0;               // the number of the part, from 1
  std::vector<std::string> previous_;  // the outputs of the part before; empty texts for types that are not known
  std::string hidden_;                 // the part whose text does not show its parameters; empty if there is none
};

}  // namespace

struct GenericCallback::Data {
  // A chain, whose parts are no chains.
  struct Chain {
    std::vector<Part> parts;
    // The chain of Callbacks that it was made of, which may have link inputs and floating-point options.
    std::optional<Callback> made_of = {};
  };
  std::variant<Callback, Formula, Chain> what;

  template <class T>
  const T* as() const noexcept {
    return std::get_if<T>(&what);
  }
};

GenericCallback::GenericCallback(const Callback& callback, int) {
  auto data = std::make_shared<Data>(Data{callback});
  const Callback::Composition* const made = callback.composition();
  if (made != nullptr && made->kind == Callback::Composition::Chain && callback.signature().empty()) {
    Data::Chain chain{.parts = {}, .made_of = callback};
    for (const std::optional<Callback>& part : made->parts) chain.parts.emplace_back(*part);
    data->what = std::move(chain);
  }
  data_ = std::move(data);
}

GenericCallback GenericCallback::formula(std::string_view text, const std::vector<FormulaFunction>& functions) {
  (void)formulas::parse(formulas::split_untyped(text).formula);
  return GenericCallback(std::make_shared<const Data>(Data{Formula{std::string(text), functions}}));
}

GenericCallback GenericCallback::chain(const std::vector<GenericCallback>& parts) {
  Data::Chain whole;
  for (const GenericCallback& part : parts) {
    if (const auto* inner = part.data_->as<Data::Chain>()) {
      if (inner->made_of && (!inner->made_of->link_inputs().empty() || inner->made_of->floating_point()))
        refuse(
            base::format("{}, a part of the chain, has link inputs or floating-point options of its own", part.name()),
            "Give them to the callbacks that it consists of.");
      whole.parts.insert(whole.parts.end(), inner->parts.begin(), inner->parts.end());
    } else if (const auto* formula = part.data_->as<Formula>()) {
      whole.parts.emplace_back(*formula);
    } else {
      whole.parts.emplace_back(*part.data_->as<Callback>());
    }
  }
  return GenericCallback(std::make_shared<const Data>(Data{std::move(whole)}));
}

Callback GenericCallback::instance(const InstanceTypes& types) const {
  if (const auto* formula = data_->as<Formula>()) return instance_of(*formula, types);
  if (const auto* callback = data_->as<Callback>()) return instance_of(*callback, types);
  const Data::Chain& chain = *data_->as<Data::Chain>();
  if (chain.made_of && std::ranges::none_of(chain.parts, is_generic)) return *chain.made_of;
  ChainTypes chained(types, chain.parts.size());
  std::vector<Callback> parts;
  for (const Part& part : chain.parts)
    parts.push_back(std::visit([&](const auto& one) { return chained.next(one); }, part));
  chained.check_end();
  Callback whole = graft::chain(parts);
  if (!chain.made_of) return whole;
  for (const Callback& input : chain.made_of->link_inputs()) whole = whole.with_link_input(input);
  return chain.made_of->floating_point() ? whole.with_floating_point(*chain.made_of->floating_point()) : whole;
}

bool GenericCallback::takes_types() const {
  if (const auto* callback = data_->as<Callback>()) return is_generic(*callback);
  const auto* chain = data_->as<Data::Chain>();
  return chain == nullptr || std::ranges::any_of(chain->parts, is_generic);
}

std::string GenericCallback::name() const {
  if (const auto* callback = data_->as<Callback>()) return callback->name();
  if (data_->as<Formula>() != nullptr) return std::string(formulas::kName);
  std::vector<std::string> names;
  for (const Part& part : data_->as<Data::Chain>()->parts) names.push_back(title_of(part));
  return "chain of " + base::join(names, ", ");
}

GenericCallback GenericCallback::with_entry(std::string entry) const {
  const auto* callback = data_->as<Callback>();
  if (callback == nullptr)
    refuse(base::format("Options::entry names a function of {}, which is no source", name()),
           "Name the entry function of each callback with Callback::with_entry.");
  return GenericCallback(callback->with_entry(std::move(entry)));
}

}  // namespace graft
