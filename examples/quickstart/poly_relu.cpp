// A polynomial activation function of a neural network, as an example of a function that a user invents and that no
// library contains.
//
//     r = max(x, 0)        y = r + r^2 / 2 + r^3 / 8        (Horner: r (1 + r (1/2 + r / 8)))
//
// The tolerance is 4 u relative to y, with u = 2^-24. For r >= 0 no term cancels another, and r / 8 is exact. The other
// four operations (add, multiply, add, multiply) round once each, or fewer times if the compiler fuses them.
#include <fmt/format.h>

#include <graft/graft.hpp>
#include <limits>
#include <vector>

#include "errors.hpp"
#include "exhibits.hpp"
#include "random.hpp"

namespace quickstart {
namespace {

constexpr const char* kCallback = R"(
__device__ float poly_relu(float x) {
  const float r = x > 0.0f ? x : 0.0f;
  return r * (1.0f + r * (0.5f + r * 0.125f));
}
)";

double largest_error(const std::vector<float>& x, const std::vector<float>& y) {
  return largest(x.size(), [&](Eigen::Index begin, Eigen::Index count) -> Eigen::ArrayXd {
    const Eigen::ArrayXd r = part(x, begin, count).max(0.0);
    const Eigen::ArrayXd reference = r + r.square() / 2 + r.cube() / 8;
    // If the reference is 0, divides by the smallest positive number, so that any error exceeds the tolerance.
    return (part(y, begin, count) - reference).abs() / reference.max(std::numeric_limits<double>::min());
  });
}

}  // namespace

bool poly_relu(const Place& place) {
  const std::size_t count = place.count(64 << 20, 1 << 20);
  fmt::print("\nPolynomial ReLU: source text, {} floats\n", count);
  const graft::Transform transform = make(place, kCallback);
  const std::vector<float> x = random_floats(count, -4.0f, 4.0f);
  std::vector<float> y(count);
  run(place, transform, std::tie(x), std::tie(y));
  return within(largest_error(x, y), 4 * kUnit, "relative");
}

}  // namespace quickstart
