// Helpers that compare an exhibit's results with a reference, which the exhibit computes with Eigen in double
// precision.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string_view>
#include <vector>

namespace quickstart {

// The unit roundoff of float: the largest error of one correctly rounded operation, relative to the operation's result.
inline constexpr double kUnit = 1.0 / (1 << 24);

// Returns the `count` elements of an array that begin at index `begin`, converted to double precision.
template <class T>
Eigen::ArrayXd part(const std::vector<T>& array, Eigen::Index begin, Eigen::Index count) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(array.data() + begin, count).template cast<double>();
}

// Divides an array of `size` elements into parts and calls `errors(begin, count)` for each part. Returns the largest of
// all errors that these calls return, or nan if any error is nan. A part fits into the processor's cache, so that
// computing the reference is fast and needs little memory.
double largest(std::size_t size, const std::function<Eigen::ArrayXd(Eigen::Index, Eigen::Index)>& errors);

// Prints the error, its unit and the tolerance. Returns whether the error is at most the tolerance; for nan, it returns
// false.
bool within(double error, double tolerance, std::string_view unit);

}  // namespace quickstart
