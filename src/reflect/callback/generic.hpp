// Generic callbacks, which are templates and lambdas with `auto` parameters, and their instances for given types.
//
//     template <class T> __device__ T mix(T a, T b, float t)      for arrays of double, double and float
//
// graft writes the instance as the callback's entry. It is a lambda with these types, whose call lets the compiler
// deduce the template's arguments:
//
//     [](double graft_x0, double graft_x1, float graft_x2) { return mix<>(graft_x0, graft_x1, graft_x2); }
//
// So the compiler decides which instance this is. The instance of a lambda is its text with the types in place of
// `auto`, because NVRTC takes every generic lambda for host code.
//
//     [](auto x) { return x * x; }    ->    [](float x) { return x * x; }
//
// The text is read here only for what the lambda's own parameters must be: how many there are, which of them are
// inputs, outputs or the state, and where a type is written that does not depend on the arrays. If the text does not
// show this, the callback is not generic.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graft/signature.hpp"
#include "reflect/text/text.hpp"

namespace graft::reflect {

// In an instance that is a part of a chain, the part before it: graft_output_of<graft_previous, 0>
// (building_blocks/compose.h).
inline constexpr std::string_view kPrevious = "graft_previous";

// What to do with a generic callback that is no instance yet.
inline constexpr std::string_view kGiveTypes =
    "give the arrays' types: Transform::create(callback, graft::types(\"f32\")), or for a part of graft::Stages "
    "graft::GenericCallback(part).instance(graft::types(\"f32\")).";

struct GenericParameter {
  Role role = Role::Input;  // Input, Output, InOut, State, Index or Position
  std::string type = {};    // the element's type as the text writes it: "T", "float", "graft::Position<2>"
  bool is_open = false;     // the type depends on a template parameter, or is `auto`
  bool is_pack = false;     // it takes all inputs that are left: "T... x"
  // Where a lambda's `auto` is in the text.
  std::size_t place = 0;
  std::size_t size = 0;
};

struct GenericFunction {
  std::string name;  // as it is called: "shapes::mix<>"; empty for a lambda
  int line = 0;
  bool is_generic = false;
  std::vector<GenericParameter> parameters = {};
  GenericParameter result = {};  // of Role::None if no array takes it
  std::string undeduced = {};    // a template parameter that occurs in no parameter's type; empty if there is none

  std::size_t count(Role role) const;
  // The number of outputs: the result, and the parameters by reference.
  std::size_t outputs() const;
  bool takes_any_number() const { return !parameters.empty() && parameters.back().is_pack; }
  // As messages name it: "`mix`", "the lambda".
  std::string title() const;
};

// Returns the function or the lambda that is the callback, which may be generic or not. Returns nothing if the text
// does not show it: an object, an overload set, an instance that the entry names, a function that a macro hides.
std::optional<GenericFunction> find_function(const Text& text, std::string_view entry);

// The types of the arrays and of the state, in C++. Outputs and state may be left out if they follow from the inputs.
struct GivenTypes {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs = {};
  std::string state = {};
};

struct Instance {
  std::string entry;                 // empty for a lambda
  std::string text;                  // of a lambda
  std::vector<std::string> outputs;  // their types; empty texts for those that only the compiler knows
};

// Writes the instance of a function for these types. `text` is that of the callback, and `file` is the callback's name
// in messages. Throws Error: AmbiguousEntry if the types do not determine the template's arguments, SignatureMismatch
// if there are too few or too many types, a type for a state that the function does not have, or if a parameter's type
// is written and is another.
Instance instance_of(const GenericFunction& function, const GivenTypes& types, std::string_view text,
                     std::string_view file);

// Whether an instance with this entry and text takes its types from the part before it in a chain.
bool takes_from_previous(std::string_view entry, std::string_view text) noexcept;

// What an entry that instance_of wrote is an instance of: "mix" and "double, double, float". Returns nothing for other
// entries.
struct InstanceWords {
  std::string name;
  std::string types;
};
std::optional<InstanceWords> read_instance(std::string_view entry);

// Returns the function that an entry names: of an entry that instance_of wrote, "mix"; of another one, the entry.
std::string called_function(std::string_view entry);

}  // namespace graft::reflect
