// Compares results with a reference. The exhibits compute the reference with Eigen in double precision.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string_view>
#include <vector>

namespace quickstart {

// The unit roundoff of float. It is the largest error of one correctly rounded operation, relative to the operation's
// result.
inline constexpr double kUnit = 1.0 / (1 << 24);

// Returns a part of an array, converted to double precision.
template <class T>
Eigen::ArrayXd part(const std::vector<T>& array, Eigen::Index begin, Eigen::Index count) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(array.data() + begin, count).template cast<double>();
}

// Calls `errors(begin, count)` for each part of an array of `size` elements. Returns the largest of all values, or nan
// if any value is nan. Each part fits the processor's cache, which makes the computation of the reference fast and its
// memory small.
double largest(std::size_t size, const std::function<Eigen::ArrayXd(Eigen::Index, Eigen::Index)>& errors);

// Prints the error and its tolerance. Returns whether the error is within the tolerance, which is false for nan.
bool within(double error, double tolerance, std::string_view unit);

}  // namespace quickstart
