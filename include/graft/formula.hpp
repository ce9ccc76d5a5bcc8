// Formulas: callbacks that users type, without C++.
//
//     const graft::Callback callback = graft::formula("a * max(x, 0) + b", "f32 x; f32 a, b");
//     const graft::Callback same = graft::formula("a * max(x, 0) + b", {{"x", "f32"}}, {{"a", "f32"}, {"b", "f32"}});
//
//     const graft::Transform transform = graft::Transform::create(callback);
//     graft::Parameters values("f32 a, b");
//     values.set("a", 2);
//     transform.execute(stream, x, y, values.state());   // or a struct { float a, b; }
//
// graft parses the formula itself, against a list of what a formula may hold: arithmetic, comparisons, conditions (&&
// || !, and or not, & | ~ of bool), c ? x : y and x if c else y, calls of the functions in docs/formulas.md, also by
// the names of NumPy (np.where, arcsin), and of functions that the application registers, fields of the application's
// structs, casts by the names of types, values with a name (let t = x * x), and comments (# to the end of the line).
// The text that is compiled is written anew from the syntax tree, with names of graft's own, so no byte of the formula
// reaches a compiler. A formula has no loops, reads no memory but its elements, and divides integers without a trap.
// Therefore a formula of a stranger is safe on every route, on the CPU too, without the closed mode. docs/formulas.md
// has the language, the table of types and the accuracy on each route.
//
// A formula is a callback like any other: it can be a part of a chain or of graft::Stages, a callback of an FFT, a
// reduction or a kernel of one's own, and it can be precompiled. Its signature has one parameter by value for each
// input, in their order, and `const S&` if there are parameters, where S is a struct with the parameters as members.
// Its outputs are the formula's, with the types that the expressions have.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/callback.hpp>
#include <graft/element.hpp>
#include <graft/export.hpp>
#include <graft/transform.hpp>

namespace graft {

// A name that a formula may use, with its type: {"x", "f32"}, or {"x", graft::element_type<float>()}. A name consists
// of letters, digits and underscores of ASCII, and may be any word: `linux`, `asm` and `max` work; a variable hides the
// constants pi, e, inf and nan. Types are bool, integers of up to 64 bits, half, bfloat16, float, double,
// complex<float>, complex<double>, and `bit` for inputs that are bit arrays; and structs, of which the formula reads
// the fields:
//
//     graft::formula("p.x * p.x + p.y * p.y", {{"p", {{"x", "f32"}, {"y", "f32"}}}})     // struct { float x, y; }
//
// A struct's fields are in memory as in a C++ struct of the same members, which have no structs among them. A type has
// the alignment that C++ gives it; complex numbers that of graft::complex ("c64") or, by element_type, of std::complex.
struct GRAFT_API Variable {
  Variable(std::string its_name, ElementType its_type) : name(std::move(its_name)), type(its_type) {}
  Variable(std::string its_name, std::string_view type_name)
      : Variable(std::move(its_name), ElementType::named(type_name)) {}
  Variable(std::string its_name, const char* type_name) : Variable(std::move(its_name), std::string_view(type_name)) {}
  // A struct. Throws Error(InvalidArgument) if there are no fields.
  Variable(std::string its_name, std::vector<Variable> its_fields);

  std::string name;
  ElementType type;
  std::vector<Variable> fields = {};  // empty unless the variable is a struct

  bool operator==(const Variable&) const = default;
};

// A function of the application's that formulas may call. The source is CUDA C++, which the application is trusted with
// as with any callback: it defines a __device__ function with this name, these parameters by value and this result, and
// perhaps others. Arguments are converted to the parameters' types as the operands of + are, so an argument of a wider
// type is refused. The function may be called where a formula would not need it, such as in the branch of a condition
// that is not taken, and as often as graft likes. So it must not trap, run for ever or have other effects than its
// result, whatever its arguments are.
//
//     graft::FormulaFunction gamut{"gamut", "f32", {"f32", "f32"},
//                                  "__device__ float gamut(float x, float y) { return x < y ? x : y; }"};
struct FormulaFunction {
  std::string name = {};
  std::string result = {};                   // the names of types, as for Variable; no structs, no bits
  std::vector<std::string> parameters = {};  // at most 16
  std::string source = {};
};

// Makes the callback of a formula.
//
// Throws Error(CompileFailed) for a mistake in the formula. Error::diagnostics() has one element, with line and column
// (from 1, in bytes), what stands there, and what was probably meant. Throws Error(InvalidArgument) for names or types
// that are none, names that occur twice, more than 16 inputs, and parameters of more than 2,048 bytes. A formula has at
// most 4,096 words, numbers and symbols, 256 calls, 8 outputs, and a nesting of 200; the Error says which bound was
// reached. Thread-safe; compiles nothing.
GRAFT_API Callback formula(std::string_view text, const std::vector<Variable>& inputs,
                           const std::vector<Variable>& parameters = {},
                           const std::vector<FormulaFunction>& functions = {});

// The variables in one line, as in C: the inputs, and behind a semicolon the parameters. A type holds until the next
// one.
//
//     "f32 x, y; f64 a, b"
struct FormulaVariables {
  std::vector<Variable> inputs = {};
  std::vector<Variable> parameters = {};
};
// Throws Error(InvalidArgument) for a line that has another form; the message says where.
GRAFT_API FormulaVariables formula_variables(std::string_view line);

template <class Text>
requires std::convertible_to<const Text&, std::string_view> Callback
formula(std::string_view text, const Text& variables, const std::vector<FormulaFunction>& functions = {}) {
  const FormulaVariables all = formula_variables(variables);
  return formula(text, all.inputs, all.parameters, functions);
}

// The variables and the formula in one text, as the program `graft` takes it, and as it is kept in a file of settings:
//
//     "f32 x; f32 a, b => a * max(x, 0) + b"
//
// Throws what the functions above throw. Columns are those of the whole text.
GRAFT_API Callback formula(std::string_view text);

// The table of types in docs/formulas.md: the type of x + y, by those of x and y.
GRAFT_API std::string formula_types();

// Values of a formula's parameters, which are set by name. `state()` is the state for execute; it points into this
// object. All values are zero at first. Setting a value compiles nothing.
class GRAFT_API Parameters {
 public:
  // The same list as for graft::formula. Throws Error(InvalidArgument).
  explicit Parameters(const std::vector<Variable>& parameters);
  // The same in one line, without inputs: "f32 a, b".
  explicit Parameters(std::string_view line);
  explicit Parameters(const char* line) : Parameters(std::string_view(line)) {}

  // Sets a value, converted to the parameter's type: "a", or "p.x" for a field. Throws Error(InvalidArgument) if there
  // is no such parameter, or if its type is an integer that does not hold the value, or if a complex number is given
  // for a real parameter.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void set(std::string_view name, Number value) {
    if constexpr (std::is_floating_point_v<Number>) set_real(name, static_cast<double>(value), 0);
    else if constexpr (std::is_signed_v<Number>) set_signed(name, static_cast<std::int64_t>(value));
    else set_unsigned(name, static_cast<std::uint64_t>(value));
  }
  void set(std::string_view name, std::complex<double> value) { set_real(name, value.real(), value.imag()); }

  StateRef state() const noexcept { return StateRef(bytes_.data(), type_); }

 private:
  struct Place {
    std::string name;
    ElementType type;
    std::size_t offset;
  };
  const Place& find(std::string_view name) const;
  void set_real(std::string_view name, double value, double imaginary);
  void set_signed(std::string_view name, std::int64_t value);
  void set_unsigned(std::string_view name, std::uint64_t value);

  Parameters() = default;

  std::shared_ptr<const std::vector<Place>> places_;
  std::vector<std::byte> bytes_;
  ElementType type_;

  friend class WeakCallback;
  friend class WeakFormula;
};

// ---- Weak parameters: numbers without a type ----
//
// A weak parameter counts as a literal does, as if its value were written into the formula: an expression of weak
// parameters and literals alone is computed once, on the host, in integers of 128 bits and in doubles, and takes the
// type that it meets. So `x * (a - b)` of floats x, with 100000001 and 100000000, is x, and `n / (N * N)` of integers
// n of 32 bits does not overflow. This is how numbers of a language without types are given to a formula. Other numbers
// compile nothing.
//
//     const graft::WeakFormula formula("x * (a - b)", {{"x", "f32"}}, {"a", "b"});
//     const graft::WeakValues values = formula.values({100000001, 100000000});
//     const graft::WeakCallback weak = formula.callback(values);  // once for all values of these kinds
//     const graft::Transform transform = graft::Transform::create(weak.callback());
//     transform.execute(stream, x, y, weak.parameters(values).state());

// A number as a literal of a formula is one: a bool, an integer of up to 128 bits, a floating-point number or a complex
// number.
class Number {
 public:
  enum class Kind : std::uint8_t { Bool, Integer, Real, Complex };

  template <class T>
  requires std::is_arithmetic_v<T> Number(T value)
      : kind_(std::is_same_v<T, bool>       ? Kind::Bool
              : std::is_floating_point_v<T> ? Kind::Real
                                            : Kind::Integer) {
    if constexpr (std::is_floating_point_v<T>) value_ = static_cast<double>(value);
    else integer_ = value;
  }
  Number(detail::Int128 value) : kind_(Kind::Integer), integer_(value) {}
  Number(std::complex<double> value) : kind_(Kind::Complex), value_(value) {}

  Kind kind() const noexcept { return kind_; }
  detail::Int128 integer() const noexcept { return integer_; }    // of Bool and Integer
  std::complex<double> value() const noexcept { return value_; }  // of Real and Complex

 private:
  Kind kind_;
  detail::Int128 integer_ = 0;
  std::complex<double> value_ = 0;
};

// The values of a WeakFormula's expressions of weak parameters.
class GRAFT_API WeakValues {
 public:
  // A letter for the kind of each value: b, i, f or c, and w for an integer that the common type of the inputs does not
  // hold, if this is one of integers. A callback serves all values of the same kinds. They follow from the kinds of the
  // parameters, except that an integer to a negative power, and one that leaves 128 bits, are floating-point numbers.
  const std::string& kinds() const noexcept { return kinds_; }

 private:
  std::vector<Number> values_;
  std::string kinds_;

  friend class WeakFormula;
  friend class WeakCallback;
};

// The callback of a formula with weak parameters, for values of certain kinds.
class GRAFT_API WeakCallback {
 public:
  const Callback& callback() const noexcept;

  // The members of the callback's state: the parameters that have types, and one for each value and each type that it
  // meets, whose name is its text in the formula, such as "a - b".
  const std::vector<Variable>& members() const noexcept;

  // Returns the state with these values; the parameters that have types are zero until they are set. Throws
  // Error(InvalidArgument) for a value that the type that it meets does not hold, as literals are refused: an integer
  // beyond the type, a number that would become infinite or zero, and a negative exponent of an integer; and for values
  // of other kinds.
  Parameters parameters(const WeakValues& values) const;

 private:
  struct Data;
  explicit WeakCallback(std::shared_ptr<const Data> data);

  std::shared_ptr<const Data> data_;

  friend class WeakFormula;
};

// A formula some of whose parameters are weak. Its objects are values that may be used by several threads.
class GRAFT_API WeakFormula {
 public:
  // As graft::formula, with the names of the weak parameters. Throws what graft::formula throws; what depends on types
  // is found by `callback`.
  WeakFormula(std::string_view text, std::vector<Variable> inputs, std::vector<std::string> weak,
              std::vector<Variable> parameters = {}, std::vector<FormulaFunction> functions = {});

  // Computes the expressions of weak parameters. `numbers` has one for each name. Throws Error(InvalidArgument) for
  // another number of them and for an integer division by zero whose result is needed, and Error(CompileFailed) for an
  // operator or function that complex numbers do not have. Takes a time that is linear in the formula.
  WeakValues values(const std::vector<Number>& numbers) const;

  // Makes the callback for values of these kinds. Throws Error(CompileFailed) for a mistake in the formula, and
  // Error(InvalidArgument) for a state of more than 2,048 bytes. Compiles nothing.
  WeakCallback callback(const WeakValues& values) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace graft
