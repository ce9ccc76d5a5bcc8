// Compares execute on the host route with Eigen, for random callbacks, element types, counts, element-aligned pointers,
// and with or without in-place operation. Each array ends where its allocation ends, so AddressSanitizer reports every
// access past the end. With GRAFT_CXX="g++ -fsanitize=address" the callback is compiled with AddressSanitizer too,
// which then also reports the callback's own accesses.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test {
namespace {

template <class T>
using Values = Eigen::Array<T, Eigen::Dynamic, 1>;

// The parameters of a run that RapidCheck chooses at random.
struct Scenario {
  std::size_t count = 0;
  std::vector<std::size_t> shifts;  // for each array, the number of elements between an aligned address and its start
  unsigned seed = 0;
  bool in_place = false;
};

// Holds `count` elements. They start `shift` elements after the allocation's start and end where the allocation ends.
template <class T>
class ExactArray {
 public:
  ExactArray(std::size_t count, std::size_t shift)
      : memory_(new unsigned char[(count + shift) * sizeof(T)]), shift_(shift), count_(count) {}
  explicit ExactArray(const Values<T>& values, std::size_t shift = 0)
      : ExactArray(static_cast<std::size_t>(values.size()), shift) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() const { return reinterpret_cast<T*>(memory_.get()) + shift_; }
  std::size_t size() const { return count_; }
  T* begin() const { return data(); }
  T* end() const { return data() + count_; }
  Values<T> values() const {
    Values<T> copy(static_cast<Eigen::Index>(count_));
    std::copy(data(), data() + count_, copy.begin());
    return copy;
  }

 private:
  std::unique_ptr<unsigned char[]> memory_;
  std::size_t shift_;
  std::size_t count_;
};

template <class T>
Values<T> random_values(const Scenario& scenario, unsigned which) {
  std::mt19937 random(scenario.seed * 8 + which);
  std::uniform_real_distribution<double> numbers(-100, 100);
  const auto next = [&] {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(random());
    else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(numbers(random));
    else return T(static_cast<float>(numbers(random)), static_cast<float>(numbers(random)));
  };
  return Values<T>::NullaryExpr(static_cast<Eigen::Index>(scenario.count), next);
}

Transform on_host(const char* source) {
  Options options;
  options.routes.required = Route::Host;
  return Transform::create(source, options);
}

template <class T>
void require_equal(const Values<T>& got, const Values<T>& expected) {
  for (Eigen::Index i = 0; i < expected.size(); ++i)
    if (!(got[i] == expected[i])) RC_FAIL("element " + std::to_string(i) + " differs");
}

template <class T>
void one_input(const Transform& transform, const Scenario& scenario,
               const std::function<Values<T>(const Values<T>&)>& reference) {
  const Values<T> x = random_values<T>(scenario, 0);
  const ExactArray<T> in(x, scenario.shifts[0]);
  const ExactArray<T> apart(scenario.count, scenario.shifts[1]);
  const ExactArray<T>& out = scenario.in_place ? in : apart;
  transform.execute(host, in, out);
  require_equal<T>(out.values(), reference(x));
  if (!scenario.in_place) require_equal<T>(in.values(), x);
}

template <class T>
void two_inputs(const Transform& transform, const Scenario& scenario,
                const std::function<Values<T>(const Values<T>&, const Values<T>&)>& reference) {
  const Values<T> x = random_values<T>(scenario, 0);
  const Values<T> y = random_values<T>(scenario, 1);
  const ExactArray<T> in_x(x, scenario.shifts[0]);
  const ExactArray<T> in_y(y, scenario.shifts[1]);
  const ExactArray<T> apart(scenario.count, scenario.shifts[2]);
  const ExactArray<T>& out = scenario.in_place ? in_y : apart;
  transform.execute(host, inputs(in_x, in_y), out);
  require_equal<T>(out.values(), reference(x, y));
}

void relu(const Scenario& scenario) {
  static const Transform t = on_host("__device__ float relu(float x) { return x > 0 ? x : 0; }");
  one_input<float>(t, scenario, [](const Values<float>& x) { return Values<float>(x.max(0.0f)); });
}

void scale_by_state(const Scenario& scenario) {
  static const Transform t = on_host("__device__ double scale(double x, const double& a) { return a * x; }");
  const Values<double> x = random_values<double>(scenario, 0);
  const ExactArray<double> in(x, scenario.shifts[0]);
  const ExactArray<double> out(scenario.count, scenario.shifts[1]);
  for (const double a : {2.5, -1.0 / 3}) {
    t.execute(host, in, out, a);
    require_equal<double>(out.values(), a * x);
  }
}

void wrapping_product(const Scenario& scenario) {
  static const Transform t = on_host("__device__ uint16_t f(uint16_t a, uint16_t b) { return 1u * a * b; }");
  two_inputs<std::uint16_t>(t, scenario, [](const auto& a, const auto& b) {
    return Values<std::uint16_t>(
        (a.template cast<unsigned>() * b.template cast<unsigned>()).template cast<std::uint16_t>());
  });
}

void complex_product(const Scenario& scenario) {
  using C = std::complex<float>;
  static const Transform t =
      on_host("__device__ graft::complex<float> f(graft::complex<float> a, graft::complex<float> b) { return a * b; }");
  two_inputs<C>(t, scenario, [](const Values<C>& a, const Values<C>& b) {
    Values<C> product(a.size());
    product.real() = a.real() * b.real() - a.imag() * b.imag();
    product.imag() = a.real() * b.imag() + a.imag() * b.real();
    return product;
  });
}

void triad(const Scenario& scenario) {
  static const Transform t = on_host("__device__ float f(float a, float b) { return a + 0.5f * b; }");
  two_inputs<float>(t, scenario, [](const auto& a, const auto& b) { return Values<float>(a + 0.5f * b); });
}

struct Rgb {
  std::uint8_t r, g, b;
};

void gray(const Scenario& scenario) {
  static const Transform t = on_host(
      "struct Rgb { uint8_t r, g, b; };"
      "__device__ uint8_t gray(Rgb p) { return (77 * p.r + 150 * p.g + 29 * p.b + 128) >> 8; }");
  using Channel = Eigen::Map<const Values<std::uint8_t>, 0, Eigen::InnerStride<3>>;
  Scenario bytes = scenario;
  bytes.count = 3 * scenario.count;
  const Values<std::uint8_t> pixels = random_values<std::uint8_t>(bytes, 0);
  const ExactArray<std::uint8_t> in(pixels, 3 * scenario.shifts[0]);
  const ExactArray<std::uint8_t> out(scenario.count, scenario.shifts[1]);
  t.execute(host, HostInputs(reinterpret_cast<const Rgb*>(in.data()), scenario.count), out);
  const auto channel = [&](int k) {
    return Channel(pixels.size() == 0 ? nullptr : pixels.data() + k, static_cast<Eigen::Index>(scenario.count))
        .cast<int>();
  };
  const Values<int> sum = 77 * channel(0) + 150 * channel(1) + 29 * channel(2) + 128;
  require_equal<std::uint8_t>(out.values(), (sum / 256).cast<std::uint8_t>());
}

void mixed_sizes(const Scenario& scenario) {
  static const Transform t =
      on_host("__device__ double f(float a, signed char b, double c) { return a * 2.0 + b - c; }");
  const Values<float> a = random_values<float>(scenario, 0);
  const Values<std::int8_t> b = random_values<std::int8_t>(scenario, 1);
  const Values<double> c = random_values<double>(scenario, 2);
  const ExactArray<float> in_a(a, scenario.shifts[0]);
  const ExactArray<std::int8_t> in_b(b, scenario.shifts[1]);
  const ExactArray<double> in_c(c, scenario.shifts[2]);
  const ExactArray<double> apart(scenario.count, scenario.shifts[3]);
  const ExactArray<double>& out = scenario.in_place ? in_c : apart;
  t.execute(host, host_inputs(in_a, in_b, in_c), out);
  require_equal<double>(out.values(), a.cast<double>() * 2.0 + b.cast<double>() - c);
}

void quotient_and_remainder(const Scenario& scenario) {
  static const Transform t =
      on_host("__device__ int64_t f(int64_t x, int32_t& remainder) { remainder = x % 1000; return x / 1000; }");
  const Values<std::int64_t> x = random_values<std::int64_t>(scenario, 0);
  const ExactArray<std::int64_t> in(x, scenario.shifts[0]);
  const ExactArray<std::int64_t> apart(scenario.count, scenario.shifts[1]);
  const ExactArray<std::int64_t>& quotient = scenario.in_place ? in : apart;
  const ExactArray<std::int32_t> remainder(scenario.count, scenario.shifts[2]);
  t.execute(host, in, host_outputs(quotient, remainder));
  const Values<std::int64_t> thousandth = x / 1000;
  require_equal<std::int64_t>(quotient.values(), thousandth);
  require_equal<std::int32_t>(remainder.values(), (x - 1000 * thousandth).cast<std::int32_t>());
}

void iota(const Scenario& scenario) {
  static const Transform t = on_host("__device__ unsigned f(graft::Index i) { return i.value * i.value + 7; }");
  const ExactArray<unsigned> out(scenario.count, scenario.shifts[0]);
  t.execute(host, host_inputs(), out);
  const Values<unsigned> i = Values<unsigned>::NullaryExpr(static_cast<Eigen::Index>(scenario.count),
                                                           [](Eigen::Index k) { return static_cast<unsigned>(k); });
  require_equal<unsigned>(out.values(), i * i + 7u);
}

struct Case {
  const char* name;
  void (*check)(const Scenario&);
};
constexpr Case kCases[] = {
    {"relu", relu},
    {"scale_by_state", scale_by_state},
    {"wrapping_product", wrapping_product},
    {"complex_product", complex_product},
    {"triad", triad},
    {"gray", gray},
    {"mixed_sizes", mixed_sizes},
    {"quotient_and_remainder", quotient_and_remainder},
    {"iota", iota},
};

Scenario any_scenario() {
  Scenario scenario;
  const auto near = [](std::size_t edge) { return rc::gen::inRange<std::size_t>(edge - 2, edge + 3); };
  scenario.count = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 40), near(64), near(256), near(4096));
  scenario.shifts = *rc::gen::container<std::vector<std::size_t>>(4, rc::gen::inRange<std::size_t>(0, 9));
  scenario.seed = *rc::gen::inRange(0u, 100'000u);
  scenario.in_place = *rc::gen::arbitrary<bool>();
  return scenario;
}

class HostProperties : public testing::TestWithParam<Case> {};

TEST_P(HostProperties, AgreeWithEigen) {
  EXPECT_TRUE(rc::check(GetParam().name, [] { GetParam().check(any_scenario()); }));
}

INSTANTIATE_TEST_SUITE_P(Callbacks, HostProperties, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace graft::test
