// Runs ready-made callbacks on the host and compares them with references of higher precision: double for float, long
// double for double. The error bounds are the ones that the callbacks' files state.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include "graft/graft.hpp"
#include "tests/callbacks/families.hpp"

namespace graft::test {

namespace own = graft::callbacks;

template <class T>
using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

// The type in which a reference for results of type T is computed.
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class T>
inline constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

// The unit roundoff u, half a unit in the last place of 1. The callbacks' files state error bounds as multiples of u.
template <class T>
inline constexpr Wider<T> kUnit = Wider<T>(std::numeric_limits<T>::epsilon()) / 2;

template <class T>
std::string name_of() {
  return std::is_same_v<T, float> ? "float" : "double";
}

inline Callback ready_made(std::string_view family, std::string_view entry) {
  return Callback::file(fmt::format("{}/callbacks/{}.cuh", GRAFT_SOURCE_DIR, family))
      .with_entry(fmt::format("graft::callbacks::{}", entry));
}

inline Transform on_host(std::string_view family, std::string_view entry) {
  Options options;
  options.routes.required = Route::Host;
  return Transform::create(ready_made(family, entry), options);
}

// Builds the callback template `entry` of the file callbacks/<family>.cuh for type T on the host. For example, the
// entry "sigmoid" gives sigmoid<T>.
template <class T>
Transform on_host_of(std::string_view family, std::string_view entry) {
  return on_host(family, fmt::format("{}<{}>", entry, name_of<T>()));
}

template <class T>
Array<T> uniform(Eigen::Index count, double low, double high, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  return Array<T>::NullaryExpr(count, [&] { return static_cast<T>(distribution(random)); });
}

// Returns random magnitudes between `low` and `high` whose exponents are evenly distributed.
template <class T>
Array<T> log_uniform(Eigen::Index count, double low, double high, unsigned seed = 1) {
  return uniform<T>(count, std::log(low), std::log(high), seed).exp();
}

template <class T>
Array<T> joined(const Array<T>& values, std::initializer_list<T> more) {
  Array<T> all(values.size() + static_cast<Eigen::Index>(more.size()));
  all.head(values.size()) = values;
  std::copy(more.begin(), more.end(), all.data() + values.size());
  return all;
}

// Returns the unit in the last place of T at |x|. For x below the normal numbers this is the smallest subnormal number.
template <class T>
Wider<T> ulp_at(Wider<T> x) {
  using Limits = std::numeric_limits<T>;
  const int exponent = std::isfinite(x) && x != 0 ? std::ilogb(x) : Limits::min_exponent - 1;
  return std::ldexp(Wider<T>(1), std::max(exponent, Limits::min_exponent - 1) - Limits::digits + 1);
}

template <class T>
Array<Wider<T>> ulps(Wider<T> count, const Array<Wider<T>>& at) {
  return count * at.unaryExpr([](Wider<T> x) { return ulp_at<T>(x); });
}

// Returns whether |got - want| <= bound. If `want` is NaN, `got` must be NaN. If `want` is outside T's range, `got`
// must be an infinity.
template <class T>
bool is_within(T got, Wider<T> want, Wider<T> bound) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::fabs(want) > Wider<T>(std::numeric_limits<T>::max())) return std::isinf(got) && (got > 0) == (want > 0);
  return std::fabs(Wider<T>(got) - want) <= bound;
}

template <class T>
void expect_within(const Array<T>& got, const Array<Wider<T>>& want, const Array<Wider<T>>& bound) {
  ASSERT_EQ(got.size(), want.size());
  int wrong = 0;
  for (Eigen::Index i = 0; i < got.size() && wrong < 5; ++i) {
    const bool within = is_within<T>(got[i], want[i], bound[i]);
    wrong += !within;
    EXPECT_TRUE(within) << fmt::format("element {}: got {}, want {} within {}", i, got[i], want[i], bound[i]);
  }
}

}  // namespace graft::test
