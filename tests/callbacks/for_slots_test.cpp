// Compares the ready-made callbacks for slots of kernels (distances, potentials, models) with references of higher
// precision, and fills slots with them.
#include <gtest/gtest.h>

#include "graft/kernel.hpp"
#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

constexpr Eigen::Index kCount = 4000;

template <class T>
class ForSlots : public testing::Test {
 public:
  using Wide = Array<Wider<T>>;

  // Runs a callback of one or two arrays and compares it with the reference within multiples of u.
  template <class... State>
  static void check(const char* family, const char* name, const Array<T>& x, const Wide& want, const Wide& units,
                    const State&... state) {
    SCOPED_TRACE(name);
    Array<T> got(x.size());
    on_host_of<T>(family, name).execute(host, host_inputs(x), host_outputs(got), state...);
    expect_within<T>(got, want, units * kUnit<T>);
  }
  template <class... State>
  static void check_pair(const char* family, const char* name, const Array<T>& a, const Array<T>& b, const Wide& want,
                         const Wide& units, const State&... state) {
    SCOPED_TRACE(name);
    Array<T> got(a.size());
    on_host_of<T>(family, name).execute(host, host_inputs(a, b), host_outputs(got), state...);
    expect_within<T>(got, want, units * kUnit<T>);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ForSlots, Reals);

TYPED_TEST(ForSlots, Distances) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> a = uniform<T>(kCount, -50, 50, 1), b = uniform<T>(kCount, -50, 50, 2);
  const Array<W> e = (a.template cast<W>() - b.template cast<W>()).abs();
  const auto check = [&](const char* name, const Array<W>& want, W units, const auto&... state) {
    TestFixture::check_pair("distances", name, a, b, want, units * want.abs(), state...);
  };
  check("absolute_difference", e, 1);
  check("squared_difference", e * e, 4);
  const W delta = T(1.75);
  check("huber", (e <= delta).select(e * e / 2, delta * (e - delta / 2)), 6, own::Huber<T>{T(1.75)});
  check("minkowski", e.pow(W(3)), 28, own::Minkowski<T>{T(3)});
  check("canberra", e / (a.template cast<W>().abs() + b.template cast<W>().abs()), 4);
  const Array<T> p = a.abs(), q = b.abs();
  const Array<W> d = p.template cast<W>() - q.template cast<W>(), sum = p.template cast<W>() + q.template cast<W>();
  TestFixture::check_pair("distances", "chi_squared", p, q, d * d / sum, 8 * d * d / sum);

  const Array<T> zero = Array<T>::Zero(1);
  TestFixture::check_pair("distances", "canberra", zero, zero, Array<W>::Zero(1), Array<W>::Zero(1));
  TestFixture::check_pair("distances", "chi_squared", zero, zero, Array<W>::Zero(1), Array<W>::Zero(1));
  const Array<T> nan = Array<T>::Constant(1, kNan<T>);
  for (const char* name : {"absolute_difference", "squared_difference", "canberra", "chi_squared"})
    TestFixture::check_pair("distances", name, nan, zero, Array<W>::Constant(1, kNan<W>), Array<W>::Zero(1));
  TestFixture::check_pair("distances", "huber", nan, zero, Array<W>::Constant(1, kNan<W>), Array<W>::Zero(1),
                          own::Huber<T>{T(1)});
}

TYPED_TEST(ForSlots, Potentials) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> r2 = log_uniform<T>(kCount, 0.5, 100);
  const Array<W> r = r2.template cast<W>().sqrt();
  const auto check = [&](const char* name, const Array<W>& want, const Array<W>& units, const auto& state) {
    TestFixture::check("potentials", name, r2, want, units, state);
  };
  const Array<W> sixth = (W(T(1.25)) / r).pow(W(6));
  check("lennard_jones", 4 * W(T(0.5)) * (sixth * sixth - sixth), 40 * 4 * W(0.5) * (sixth * sixth + sixth),
        own::LennardJones<T>{T(0.5), T(1.25)});
  const Array<W> coulomb = W(-3) / r;
  check("coulomb", coulomb, 4 * coulomb.abs(), own::Coulomb<T>{T(-3)});
  const Array<W> yukawa = 2 * (-r / 4).exp() / r;
  check("yukawa", yukawa, (16 + r) * yukawa, own::Yukawa<T>{T(2), T(4)});
  const Array<W> e = (W(-1.5) * (r - 2)).exp();
  check("morse", 5 * (1 - e).square(), (16 + W(12) * (r + 2)) * 5 * (1 + e).square(),
        own::Morse<T>{T(5), T(1.5), T(2)});
  check("harmonic", W(0.5) * 7 * (r - 3).square(), 8 * 7 * (r + 3).square(), own::Harmonic<T>{T(7), T(3)});
}

TYPED_TEST(ForSlots, Models) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = uniform<T>(kCount, 0.01, 8);
  const Array<W> wide = x.template cast<W>();
  const auto check = [&](const char* name, const Array<W>& want, const Array<W>& units, const auto& state) {
    TestFixture::check("models", name, x, want, units, state);
  };
  const Array<W> e = 3 * (W(-0.75) * wide).exp();
  check("decay", e - W(0.5), (16 + 3 * wide) * (e + W(0.5)), own::Decay<T>{T(3), T(0.75), T(-0.5)});
  const Array<W> t = (wide - 3) / W(0.75);
  const Array<W> gauss = 2 * (-t * t / 2).exp(), lorentz = 2 / (1 + t * t);
  check("gaussian_peak", gauss, (16 + 8 * t * t) * gauss, own::Peak<T>{T(2), T(3), T(0.75)});
  check("lorentzian_peak", lorentz, 12 * lorentz, own::Peak<T>{T(2), T(3), T(0.75)});
  const Array<W> arg = W(1.5) * (wide - 4), growth = 10 / (1 + (-arg).exp());
  check("logistic_growth", growth, (16 + 4 * arg.abs()) * growth, own::Growth<T>{T(10), T(1.5), T(4)});
  const Array<W> enzyme = 6 * wide / (W(1.25) + wide), power = W(0.5) * wide.pow(W(1.75));
  check("michaelis_menten", enzyme, 6 * enzyme, own::Saturation<T>{T(6), T(1.25)});
  check("power_law", power, 20 * power, own::PowerLaw<T>{T(0.5), T(1.75)});
}

// A kernel's author passes the state as `const void*`, or as a struct of the same bytes.
TEST(ForSlots, FillSlots) {
  const KernelCode code =
      "struct Room { float values[4]; };\n"
      "__device__ float metric(float a, float b, const Room& state);\n"
      "__device__ float potential(float r2, const void* state);\n"
      "__device__ double model(double x, const void* state);\n"
      "extern \"C\" __global__ void k(float* x, double* y, const __grid_constant__ Room s) {\n"
      "  x[0] = metric(x[0], x[1], s) + potential(x[2], &s);\n"
      "  y[0] = model(y[0], y + 1);\n"
      "}\n";
  for (const auto& [metric, potential, model] : {std::tuple("absolute_difference", "lennard_jones", "decay"),
                                                 {"squared_difference", "coulomb", "gaussian_peak"},
                                                 {"huber", "yukawa", "lorentzian_peak"},
                                                 {"minkowski", "morse", "logistic_growth"},
                                                 {"canberra", "harmonic", "michaelis_menten"},
                                                 {"chi_squared", "harmonic", "power_law"}}) {
    const Image image = build(code,
                              {{"metric", ready_made("distances", fmt::format("{}<float>", metric))},
                               {"potential", ready_made("potentials", fmt::format("{}<float>", potential))},
                               {"model", ready_made("models", fmt::format("{}<double>", model))}},
                              90);
    for (const Report::Slot& slot : image.report().slots) EXPECT_EQ(slot.how, "inlined") << slot.callback;
  }
}

}  // namespace
}  // namespace graft::test
