// A second, independent implementation of what a kernel computes for one element. This implementation derives the
// parameters' roles from their types and copies values byte by byte. It shares no code with the adapter (graft's code
// that connects a callback to a kernel), so a mistake in the adapter shows as a difference.
#pragma once

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "graft/device.h"

namespace blocks {

struct ElementCall {
  const std::byte* const* inputs;
  std::byte* const* outputs;
  unsigned long long index;
  const void* state;
};

template <class T>
void load(T& value, const std::byte* const*& arrays, unsigned long long index) {
  std::memcpy(&value, *arrays++ + index * sizeof(T), sizeof(T));
}
template <class T>
void store(const T& value, std::byte* const*& arrays, unsigned long long index) {
  std::memcpy(*arrays++ + index * sizeof(T), &value, sizeof(T));
}

template <class T>
struct Argument {  // a parameter by value is an input
  explicit Argument(ElementCall& call) { load(value, call.inputs, call.index); }
  void finish(ElementCall&) const {}
  T value;
};
template <class T>
struct Argument<T&> {  // a parameter by reference is an output
  explicit Argument(ElementCall&) {}
  void finish(ElementCall& call) const { store(value, call.outputs, call.index); }
  T value{};
};
template <class T>
struct Argument<const T&> {  // a parameter by const reference is the state
  explicit Argument(ElementCall& call) { std::memcpy(&value, call.state, sizeof(T)); }
  void finish(ElementCall&) const {}
  T value;
};
template <>
struct Argument<graft::Index> {
  explicit Argument(ElementCall& call) : value{call.index} {}
  void finish(ElementCall&) const {}
  graft::Index value;
};

template <auto Callback, class F = std::remove_pointer_t<decltype(Callback)>>
struct Reference;

template <auto Callback, class R, class... P>
struct Reference<Callback, R(P...)> {
  static void apply(const std::byte* const* inputs, std::byte* const* outputs, unsigned long long index,
                    const void* state) {
    ElementCall call{inputs, outputs, index, state};
    std::tuple<Argument<P>...> arguments{Argument<P>(call)...};
    auto invoke = [](auto&... argument) { return Callback(argument.value...); };
    if constexpr (std::is_same_v<R, graft::Store>) {
      if (!std::apply(invoke, arguments).value) return;
    } else if constexpr (std::is_void_v<R>) std::apply(invoke, arguments);
    else store(std::apply(invoke, arguments), call.outputs, index);
    std::apply([&](auto&... argument) { (argument.finish(call), ...); }, arguments);
  }
};

}  // namespace blocks
