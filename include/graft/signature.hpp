// A Signature holds the roles and types of a callback's parameters and result. A parameter's type alone decides its
// role (except in load and store callbacks, see graft::Stages):
//
//     T f(...)          the result is one element of the first output array
//     T                 one element of the next input array (0 to 16 inputs)
//     T&                one element of the next output array: write-only, zero on entry (0 to 8 outputs in all)
//     graft::InOut<T>   one element of the next output array, which the callback also reads: its value on entry is the
//                       element (counts as an input and as an output)
//     const T&          the state: host bytes that are passed to each execute (at most one, up to 2,048 bytes)
//     graft::Index      the index of the element
//     graft::Bit        in place of T: one bit of a bit array (graft::bits)
//     graft::Store f(...)   the result says whether the element's outputs are stored (a selective callback)
//
// An element has at most 32 bytes. The alignment of a state is at most 64 bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/device.h>
#include <graft/element.hpp>
#include <graft/export.hpp>

namespace graft {

// Do not change the numbers, because they are compiled into the device code by which the compiler reports a callback's
// signature (the probe in building_blocks/adapter.h).
enum class Role : std::uint8_t {
  Input = 0,
  Output = 1,
  State = 2,
  Index = 3,
  None = 4,   // the result of a callback that returns void (no role has the number 5)
  Baked = 6,  // a state that is compiled into the kernel as a constant; execute takes no state
  InOut = 7,  // an array that the callback reads and writes
  Store = 8,  // the result graft::Store, which says whether the outputs of an element are stored
  // An input array of an FFT's store callback. It has the layout of the output; other inputs have that of the input.
  FurtherInput = 9,
  Position = 10,     // graft::Position
  Accumulator = 11,  // what a graft::Reduce combines; no array has it
};

struct Parameter {
  Role role = Role::Input;
  ElementType type;
  // The type as the source's compiler prints it: "float", "const Scale&". The type of an in-out parameter is written
  // "graft::InOut<float>".
  std::string spelling = {};

  bool operator==(const Parameter&) const = default;
};

// A Signature is a value, safe to read from many threads.
class GRAFT_API Signature {
 public:
  Signature() = default;
  // `result` has Role::Output, Role::Store, or Role::None for a callback that returns void.
  Signature(Parameter result, std::vector<Parameter> parameters);

  // The signature of a C++ function type: Signature::of<float(float, float)>(). Types that graft knows by name are
  // allowed: fundamental types, half, bfloat16, complex of float and double, CUDA vector types.
  template <class F>
  static Signature of();

  const Parameter& result() const noexcept { return result_; }
  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }

  // The element types of the inputs and outputs, in the order in which execute takes the arrays. The arrays of in-out
  // parameters are among the outputs, and in_outs() has their indices in outputs().
  const std::vector<ElementType>& inputs() const noexcept { return inputs_; }
  // How many of the inputs, the last ones, are arrays of an FFT's store callback (Role::FurtherInput).
  std::size_t further_inputs() const noexcept { return further_inputs_; }
  const std::vector<ElementType>& outputs() const noexcept { return outputs_; }
  const std::vector<std::size_t>& in_outs() const noexcept { return in_outs_; }
  const std::optional<ElementType>& state() const noexcept { return state_; }
  bool takes_index() const noexcept { return takes_index_; }
  // How many coordinates of an element the callback takes (graft::Position).
  std::uint32_t coordinates() const noexcept { return coordinates_; }
  // What a graft::Reduce combines; nothing for other callbacks.
  const std::optional<ElementType>& accumulator() const noexcept { return accumulator_; }
  // Whether the callback returns graft::Store, and so may leave elements of its outputs as they are.
  bool is_selective() const noexcept { return result_.role == Role::Store; }

  // Returns a copy in which the state has Role::Baked.
  Signature with_baked_state() const;

  // Returns the signature as C++ text, with the types as the callback's compiler spells them: "float(float, const
  // Scale&)".
  std::string text() const;

  // Returns a text for human readers, with the role, size and alignment of each parameter and of the result, one line
  // for each.
  std::string describe() const;

  // Compares the roles, kinds, sizes and alignments of parameters and result, but not their spellings.
  bool operator==(const Signature& other) const noexcept;

 private:
  Parameter result_;
  std::vector<Parameter> parameters_ = {};
  std::vector<ElementType> inputs_ = {};
  std::size_t further_inputs_ = 0;
  std::vector<ElementType> outputs_ = {};
  std::vector<std::size_t> in_outs_ = {};
  std::optional<ElementType> state_ = {};
  bool takes_index_ = false;
  std::uint32_t coordinates_ = 0;
  std::optional<ElementType> accumulator_ = {};
};

namespace detail {

GRAFT_API std::string spelling_of(const char* pretty_function);

// Returns the name of T as the host compiler spells it.
template <class T>
std::string type_name() {
  return spelling_of(__PRETTY_FUNCTION__);
}

template <class T>
inline constexpr bool kIsPosition = false;
template <int N>
inline constexpr bool kIsPosition<Position<N>> = true;

template <class P>
Parameter declared_parameter() {
  static_assert(
      !(std::is_rvalue_reference_v<P> && std::is_const_v<std::remove_reference_t<P>>),
      "graft: a parameter is an rvalue reference to const; take it by value (an input), by T& (an output), as "
      "graft::InOut<T> (both) or by const T& (state)");
  using Bare = std::remove_cvref_t<P>;
  if constexpr (std::is_void_v<P>) return {Role::None, {}, "void"};
  else {
    constexpr bool by_value = !std::is_reference_v<P>;
    constexpr bool is_const = std::is_const_v<std::remove_reference_t<P>>;
    const Role role = std::is_same_v<Bare, Index>     ? Role::Index
                      : kIsPosition<Bare>             ? Role::Position
                      : by_value                      ? Role::Input
                      : is_const                      ? Role::State
                      : std::is_rvalue_reference_v<P> ? Role::InOut
                                                      : Role::Output;
    return {role, element_type<Bare>(), type_name<P>()};
  }
}

template <class F>
struct DeclaredSignature;

template <class R, class... P>
struct DeclaredSignature<R(P...)> {
  static Signature make() {
    Parameter result = declared_parameter<R>();
    if (!std::is_void_v<R>) result.role = std::is_same_v<std::remove_cv_t<R>, Store> ? Role::Store : Role::Output;
    return Signature(std::move(result), {declared_parameter<P>()...});
  }
};

}  // namespace detail

template <class F>
Signature Signature::of() {
  return detail::DeclaredSignature<F>::make();
}

}  // namespace graft
