// Splits a callback's function type as graft does. `R(A...)` has an input for each parameter passed by value, and an
// output for the result and for each parameter passed by reference. Both graft's contender and the peers get their
// inputs and outputs from here.
#pragma once

#include <graft/device.h>

#include <numeric>
#include <tuple>
#include <type_traits>

namespace graft::bench {

namespace detail {

template <class T>
using InputOf = std::conditional_t<std::is_reference_v<T> || std::is_same_v<T, Index>, std::tuple<>, std::tuple<T>>;

template <class T>
using ReferredOf = std::conditional_t<std::is_reference_v<T>, std::tuple<std::remove_reference_t<T>>, std::tuple<>>;

template <class R>
using ResultOf = std::conditional_t<std::is_void_v<R>, std::tuple<>, std::tuple<R>>;

template <class... Tuples>
using Joined = decltype(std::tuple_cat(std::declval<Tuples>()...));

}  // namespace detail

template <class Function>
struct SignatureOf;
template <class R, class... A>
struct SignatureOf<R(A...)> {
  using Inputs = detail::Joined<std::tuple<>, detail::InputOf<A>...>;
  using Outputs = detail::Joined<detail::ResultOf<R>, detail::ReferredOf<A>...>;
  static constexpr bool takes_index = (std::is_same_v<A, Index> || ...);
};

}  // namespace graft::bench
