// Computes the largest errors over arrays, in parts of 4,096 elements.
#include "errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quickstart {

double largest(std::size_t size, const std::function<Eigen::ArrayXd(Eigen::Index, Eigen::Index)>& errors) {
  constexpr Eigen::Index kPart = 4096;
  const auto total = static_cast<Eigen::Index>(size);
  Eigen::ArrayXd worst((total + kPart - 1) / kPart);
  for (Eigen::Index i = 0; i < worst.size(); ++i)
    worst[i] = errors(i * kPart, std::min(kPart, total - i * kPart)).maxCoeff<Eigen::PropagateNaN>();
  return worst.maxCoeff<Eigen::PropagateNaN>();
}

bool within(double error, double tolerance, std::string_view unit) {
  const bool good = error <= tolerance;
  fmt::print("  largest error  {:.3g} {}, tolerance {:.3g}: {}\n", error, unit, tolerance, good ? "ok" : "TOO LARGE");
  return good;
}

}  // namespace quickstart
