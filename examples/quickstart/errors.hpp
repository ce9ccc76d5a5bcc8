// Compares results with a reference, which the exhibits compute with Eigen in double precision.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string_view>
#include <vector>

namespace quickstart {

// The unit roundoff of float: one correctly rounded operation is off by at most this, relative to its result.
inline constexpr double kUnit = 1.0 / (1 << 24);

// A part of an array, in double precision.
template <class T>
Eigen::ArrayXd part(const std::vector<T>& array, Eigen::Index begin, Eigen::Index count) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(array.data() + begin, count).template cast<double>();
}

// Calls `errors(begin, count)` for each part of an array of `size` elements, and returns the largest value of all; nan
// when any value is nan. Parts that fit the processor's cache make the reference fast and its memory small.
double largest(std::size_t size, const std::function<Eigen::ArrayXd(Eigen::Index, Eigen::Index)>& errors);

// Prints the error and its tolerance, and returns whether the error is within the tolerance; false for nan.
bool within(double error, double tolerance, std::string_view unit);

}  // namespace quickstart
