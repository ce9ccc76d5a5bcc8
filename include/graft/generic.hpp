// Generic callbacks: templates, lambdas with `auto` parameters, and formulas without types. They take their types from
// the arrays.
//
//     const char* mix = "template <class T> __device__ T mix(T a, T b, float t) { return a + t * (b - a); }";
//     const graft::Transform doubles = graft::Transform::create(mix, graft::types("f64, f64, f32"));
//
// What is made for given types is an *instance*. The compiler deduces the template's arguments from the types of the
// inputs, and the types of the outputs from the instance. Nothing is converted: a parameter whose type is written
// (`float t`) has this type, and no other.
//
// A GenericTransform keeps one transform for each list of types that prepare was called with, and execute takes the one
// that fits the arrays:
//
//     graft::GenericTransform any(mix);
//     any.prepare(graft::types<float, float, float>());
//     any.prepare(graft::types<double, double, float>());
//     any.execute(stream, in, out);            // arrays of either types
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/arrays.hpp>
#include <graft/callback.hpp>
#include <graft/element.hpp>
#include <graft/engine.hpp>
#include <graft/export.hpp>
#include <graft/formula.hpp>
#include <graft/options.hpp>
#include <graft/transform.hpp>

namespace graft {

// The type of an array, of a state, or of a formula's variable.
struct GRAFT_API InstanceType {
  // Numbers, complex numbers (as graft::complex) and bits. Throws Error(InvalidArgument) for structs and enums, whose
  // names an ElementType does not have.
  InstanceType(const ElementType& type);
  // A name of ElementType::named ("f32", "float"), or a type as the callback's text calls it from the global scope:
  // "unsigned int", "float3", "shapes::Point". `its_name` is the name of a formula's variable. Throws
  // Error(InvalidArgument) for a text that is no name of a type.
  explicit InstanceType(std::string_view type, std::string its_name = {});

  std::string in_cpp;                       // "float", "graft::complex<float>", "shapes::Point"
  std::optional<ElementType> element = {};  // nothing for a type of the callback's own, which the compiler knows
  std::string name = {};                    // of a formula's variable; may be empty

  bool operator==(const InstanceType&) const = default;
};

// The types for which an instance is made, in the order of the arrays.
class GRAFT_API InstanceTypes {
 public:
  // Types of inputs in braces: create(callback, {graft::element_type<float>(), graft::ElementType::named("f64")}).
  template <std::same_as<ElementType>... More>
  InstanceTypes(const ElementType& first, const More&... more) : inputs_{first, more...} {}
  explicit InstanceTypes(std::vector<InstanceType> inputs) : inputs_(std::move(inputs)) {}

  // Return a copy with the types of the outputs, or with that of the state or those of a formula's parameters. They may
  // be left out if they follow: an output has the type of the result, or the type of an input that the text writes in
  // the same way (`T& y` as `T x`), or a type that is written.
  InstanceTypes with_outputs(const InstanceTypes& outputs) const;
  InstanceTypes with_state(const InstanceTypes& state) const;

  const std::vector<InstanceType>& inputs() const noexcept { return inputs_; }
  const std::vector<InstanceType>& outputs() const noexcept { return outputs_; }
  const std::vector<InstanceType>& state() const noexcept { return state_; }

  // As messages show them: "float, float; Scale -> float".
  std::string text() const;

  bool operator==(const InstanceTypes&) const = default;

 private:
  std::vector<InstanceType> inputs_;
  std::vector<InstanceType> outputs_ = {};
  std::vector<InstanceType> state_ = {};
};

// Reads types from one line: those of the inputs, of the state or of a formula's parameters behind a semicolon, and of
// the outputs behind an arrow. Variables of a formula may have their names, and a type then holds until the next one.
//
//     "f32, f32"     "f64, Point; Scale"     "f32 -> f32, f32"     "f32 x, y; f64 a"
//
// Throws Error(InvalidArgument) for a text that is no name of a type.
GRAFT_API InstanceTypes types(std::string_view line);

namespace detail {

template <class T>
const char* function_of() noexcept {
  return __PRETTY_FUNCTION__;
}

// `pretty_function` contains the name of T. A struct or an enum is called without the namespaces that it is in.
GRAFT_API InstanceType instance_type(const ElementType& type, std::string_view pretty_function);

}  // namespace detail

// The types of the inputs, as C++ types: types<float, Point>(). A struct or an enum must have this name in the
// callback's text too, at global scope; for one in a namespace there, give the text "shapes::Point".
template <class... T>
InstanceTypes types() {
  return InstanceTypes(std::vector<InstanceType>{
      detail::instance_type(element_type<T>(), detail::function_of<std::remove_cv_t<T>>())...});
}

// A callback whose types are not known yet. It is an immutable value, like Callback, and any thread may use it.
class GRAFT_API GenericCallback {
 public:
  // Source whose entry is a template, or whose text is one lambda expression with parameters such as `auto x`, and
  // neither a template list nor `auto...`. A template's arguments that come first may be named ("convert<float>").
  // Every other callback is taken as what it is, with the types that it has; so is a template whose arguments are all
  // named. A template in an #included file, and one that a plain function overloads, are named with their arguments.
  template <class C>
  requires std::convertible_to<const C&, Callback> GenericCallback(const C& callback)
      : GenericCallback(Callback(callback), 0) {}

  // A formula, whose variables have no types. If it begins with their names, "x, y; a => a * x + y", instance gives
  // them types in this order. If it does not, the types have the names ("f32 x; f32 a"), or all variables are inputs in
  // the order in which they occur. For structs, declare the variables in graft::formula. Throws what graft::formula
  // throws for mistakes that have nothing to do with types.
  static GenericCallback formula(std::string_view text, const std::vector<FormulaFunction>& functions = {});

  // As graft::chain, which makes a chain of Callbacks: each part takes its instance from the outputs of the part before
  // it and, for further inputs, from the types that are left.
  static GenericCallback chain(const std::vector<GenericCallback>& parts);

  // Returns the callback for arrays of these types, which can be used like any other: in Fft, Reduce, Stages,
  // precompile, and Transform::create_async, which compares no types. Reads the text, and compiles nothing; so types
  // that fit no template are refused by create. Throws Error: AmbiguousEntry if the types do not determine the
  // template's arguments or an output's type, SignatureMismatch for too few or too many types, also of states, and for
  // a parameter whose type is written and is another, InvalidArgument if a part of a chain comes behind one whose text
  // does not show its parameters or its result, and for a formula what graft::formula throws.
  Callback instance(const InstanceTypes& types) const;

  // Whether types choose what it is: of a template whose arguments are not all named, a lambda with `auto` parameters,
  // a formula without types, and a chain with such a part. The instance of every other callback is itself. Reads the
  // text.
  bool takes_types() const;

  // As messages call it: that of the Callback, "formula", or "chain of a.cu, b.cu".
  std::string name() const;

  // Returns a copy with an entry function (Options::entry). Throws Error(InvalidArgument) for a formula or a chain.
  GenericCallback with_entry(std::string entry) const;

 private:
  struct Data;
  GenericCallback(const Callback& callback, int);
  explicit GenericCallback(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

// Transforms of one generic callback, one for each list of types that was prepared. A GenericTransform is a cheap,
// copyable handle; copies share their instances. All functions are thread-safe, also beside each other.
class GRAFT_API GenericTransform {
 public:
  // Compiles nothing. `options` are those of each instance; Options::entry names the template. The engine must live as
  // long as prepare is called. Throws Error(InvalidArgument) for Options::entry beside a formula or a chain.
  explicit GenericTransform(GenericCallback callback, Options options = {});
  GenericTransform(Engine& engine, GenericCallback callback, Options options = {});

  // Makes the instance for these types as Transform::create does, with the caches of the engine, and returns it. Takes
  // the one that is there if the types were prepared before, and prepares it in the current context. Blocks until the
  // kernel is ready. Throws what Transform::create throws, and Error(InvalidArgument) for an instance whose arrays
  // cannot be told from those of another one: structs of equal size, an enum and an integer, another type of state, or
  // variables of a formula in another order.
  Transform prepare(const InstanceTypes& types);

  // Returns the instance whose types these arrays have. Never compiles. Throws Error(NotPrepared), which names the
  // types, those that were prepared, and prepare.
  const Transform& at(ArrayRefs in, ArrayRefs out) const;

  // The instances, in the order in which they were prepared.
  std::vector<Transform> instances() const;

  // As Transform::execute, of the instance whose types the arrays have. Never compiles or locks. Throws
  // Error(NotPrepared) as at does.
  void execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    at(in, out).execute(stream, in, out, state, info);
  }
  template <class = void>
  void execute(CUstream_st* stream, const Inputs& in, const Outputs& out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    execute(stream, in.refs(), out.refs(), state, info);
  }
  void execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state = {}, const CallerInfo& info = {}) const {
    at(in, out).execute(host, in, out, state, info);
  }
  template <class = void>
  void execute(HostTag, const HostInputs& in, const HostOutputs& out, const StateRef& state = {},
               const CallerInfo& info = {}) const {
    execute(host, in.refs(), out.refs(), state, info);
  }

 private:
  struct Instances;
  std::shared_ptr<Instances> instances_;
};

}  // namespace graft
