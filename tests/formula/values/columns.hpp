// Runs formulas on the CPU over arrays of values, and compares floating-point numbers by units in the last place.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formula/values/many_formulas.hpp"
#include "graft/graft.hpp"
#include "support/host_bytes.hpp"

namespace graft::test {

template <class T>
ByteArray bytes_of(const std::vector<T>& values) {
  ByteArray bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const ByteArray& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// How many floating-point numbers are between a and b. A nan is next to a nan, and infinitely far from all else.
template <class T>
double distance(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  if (a == b) return 0;
  if (std::isinf(a) || std::isinf(b)) {
    // The number behind the largest one is infinite.
    const T finite = std::isinf(a) ? b : a;
    const T infinite = std::isinf(a) ? a : b;
    if (std::isinf(finite)) return HUGE_VAL;
    const T largest = std::copysign(std::numeric_limits<T>::max(), infinite);
    return 1 + distance(finite, largest);
  }
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const auto place = [](T x) {
    const Bits bits = std::bit_cast<Bits>(x);
    return static_cast<double>(bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits);
  };
  return std::abs(place(a) - place(b));
}

// The results of several formulas over the same inputs, which are compiled together.
template <class Row>
std::vector<ByteArray> run_rows(const std::vector<Row>& rows, std::string_view variables,
                                const std::vector<ByteArray>& inputs, std::size_t count) {
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.emplace_back(row.text);
  const ManyFormulas many(texts, variables);
  const HostBytes compiled(many.callback);
  std::vector<ByteArray> results;
  for (std::size_t k = 0; k < rows.size(); ++k)
    results.push_back(many.values_of(k, compiled.run(inputs, choice_of(k), count)[0]));
  return results;
}

}  // namespace graft::test
