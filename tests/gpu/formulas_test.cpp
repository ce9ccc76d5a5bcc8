// Runs the everyday formulas of tests/scenarios/formulas on a GPU. Their values are those of the host.
#include "scenarios/formulas/formulas.hpp"

#include <cmath>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

const std::vector<float> kPoints = {0.25f, 0.5f, 1.0f, 1.75f};

template <class T>
std::vector<double> run_as(const Transform& transform) {
  const DeviceArray<float> in(kPoints);
  const DeviceArray<T> out{std::vector<T>(kPoints.size())};
  transform.execute(nullptr, in, out);
  const std::vector<T> found = out.host();
  return {found.begin(), found.end()};
}

std::vector<double> run(const Transform& transform, std::string_view type) {
  if (type == "float") return run_as<float>(transform);
  if (type == "double") return run_as<double>(transform);
  if (type == "int") return run_as<int>(transform);
  if (type == "unsigned int") return run_as<unsigned>(transform);
  return run_as<long>(transform);
}

class GpuFormulas : public Gpu {};

TEST_F(GpuFormulas, HaveTheValuesOfTheHost) {
  for (const Formula& formula : kFormulas) {
    const Transform transform = Transform::create(lambda(formula.text));
    ASSERT_EQ(transform.signature().text(), std::string(formula.type) + "(float)") << formula.text;
    const std::vector<double> found = run(transform, formula.type);
    for (std::size_t i = 0; i < kPoints.size(); ++i) {
      const double value = formula.value(kPoints[i]);
      EXPECT_NEAR(found[i], value, 1e-6 * std::fmax(1, std::fabs(value))) << formula.text << " at " << kPoints[i];
    }
  }
}

}  // namespace
}  // namespace graft::test
