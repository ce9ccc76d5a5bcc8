// Runs the everyday formulas of tests/scenarios/formulas on a GPU. Their values are those of the host.
#include "scenarios/formulas/formulas.hpp"

#include <cmath>

#include "gpu/device.hpp"
#include "scenarios/formulas/typed_formulas.hpp"

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

template <class T>
DeviceArray<T> column(T TypedValues::*member) {
  std::vector<T> values;
  for (const TypedValues& all : kTypedValues) values.push_back(all.*member);
  return DeviceArray<T>(values);
}

TEST_F(GpuFormulas, OfSeveralTypesHaveTheValuesOfTheHost) {
  struct alignas(8) AnyValue {
    std::byte bytes[kAnyValueBytes];
  };
  const auto x = column(&TypedValues::x);
  const auto d = column(&TypedValues::d);
  const auto i = column(&TypedValues::i);
  const auto u = column(&TypedValues::u);
  const auto k = column(&TypedValues::k);
  const auto s = column(&TypedValues::s);
  const auto c = column(&TypedValues::c);
  const DeviceArray<unsigned char> m({1, 0, 1});
  std::vector<__half> halves;
  for (const TypedValues& all : kTypedValues) halves.push_back(__float2half_rn(all.h));
  const DeviceArray<__half> h(halves);
  const DeviceArray<AnyValue> out{std::vector<AnyValue>(kTypedValues.size())};
  const std::size_t count = kTypedValues.size();
  const auto ref = [&](const auto& array, ElementType type) { return ArrayRef(array.data(), count, type); };
  const std::vector<ArrayRef> in = {
      ref(x, element_type<float>()),         ref(d, element_type<double>()),    ref(i, element_type<int>()),
      ref(u, element_type<unsigned>()),      ref(k, element_type<long long>()), ref(s, element_type<short>()),
      ref(c, element_type<unsigned char>()), ref(m, element_type<bool>()),      ref(h, element_type<__half>())};
  for (const Route route : {Route::Program, Route::Lto, Route::Ptx, Route::Indirect}) {
    Options options;
    options.routes.required = route;
    const Transform transform = Transform::create(all_typed_formulas(), options);
    for (std::size_t formula = 0; formula < kTypedFormulas.size(); ++formula) {
      const int which = static_cast<int>(formula);
      transform.execute(nullptr, in, std::vector<ArrayRef>{ref(out, transform.signature().outputs().at(0))},
                        StateRef(&which, *transform.signature().state()));
      const std::vector<AnyValue> found = out.host();
      for (std::size_t element = 0; element < count; ++element)
        expect_value(kTypedFormulas[formula], element, typed_value(kTypedFormulas[formula].type, &found[element]));
    }
  }
}

}  // namespace
}  // namespace graft::test
