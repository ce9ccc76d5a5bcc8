// Compares the ready-made activation functions (relu, sigmoid, gelu, ...) with references of higher precision.
#include <gtest/gtest.h>

#include <functional>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

template <class T>
class Activations : public testing::Test {
 public:
  using Reference = std::function<Wider<T>(Wider<T>)>;

  // Returns inputs of every magnitude: values where the curve bends, very large and very small values, infinities and
  // NaN.
  static Array<T> inputs() {
    const T far = static_cast<T>(sizeof(T) == 4 ? 1e30 : 1e250);
    Array<T> x(9 * kPart);
    x << uniform<T>(3 * kPart, -8, 8, 1), uniform<T>(3 * kPart, -120, 120, 2), log_uniform<T>(kPart, 1e-30, 1e3, 3),
        -log_uniform<T>(kPart, 1e-30, 1e3, 4), uniform<T>(kPart, -1000, 1000, 5);
    return joined<T>(x, {T(0), T(-0.0), T(1), T(-1), far, -far, kInf<T>, -kInf<T>, kNan<T>});
  }

  static Array<T> run(const char* entry, const Array<T>& x) {
    Array<T> y(x.size());
    on_host_of<T>("activations", entry).execute(host, x, y);
    return y;
  }
  template <class State>
  static Array<T> run(const char* entry, const Array<T>& x, const State& state) {
    Array<T> y(x.size());
    on_host_of<T>("activations", entry).execute(host, x, y, state);
    return y;
  }

  static Array<Wider<T>> exact(const Array<T>& x, const Reference& f) {
    return x.template cast<Wider<T>>().unaryExpr(f);
  }

  // Returns the function x f(x). Where x is -infinity, f is 0 and the function returns its limit 0 instead of NaN.
  static Reference times_x(Reference f) {
    return [f](Wider<T> x) { return x == -kInf<Wider<T>> ? Wider<T>(0) : x * f(x); };
  }
  static Wider<T> logistic(Wider<T> x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

 private:
  static constexpr Eigen::Index kPart = 2000;
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Activations, Reals);

TYPED_TEST(Activations, ReluIsExact) {
  using T = TypeParam;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, [](Wider<T> v) { return v < 0 ? 0 : v; });
  expect_within<T>(this->run("relu", x), want, 0 * ulps<T>(1, want));
}

TYPED_TEST(Activations, LeakyReluRoundsOnce) {
  using T = TypeParam;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, [](Wider<T> v) { return v < 0 ? v * Wider<T>(T(0.01)) : v; });
  const Array<T> slopes = Array<T>::Constant(x.size(), T(0.01));
  Array<T> y(x.size());
  on_host_of<T>("activations", "prelu").execute(host, host_inputs(x, slopes), y);
  expect_within<T>(this->run("leaky_relu", x, own::Slope<T>{T(0.01)}), want, ulps<T>(Wider<T>(0.5), want));
  expect_within<T>(y, want, ulps<T>(Wider<T>(0.5), want));
}

TYPED_TEST(Activations, PolyRelu) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = joined<T>(uniform<T>(5000, -2, 6), {T(0), -kInf<T>, kInf<T>, kNan<T>});
  const own::PolyRelu<T> p{{T(0.3), T(-1.7), T(0.9), T(0.11)}};
  const auto polynomial = [](W a, W b, W c, W d) {
    return [=](W v) {
      const W r = v < 0 ? 0 : v;
      return a + r * (b + r * (c + r * d));
    };
  };
  const auto want = this->exact(x, polynomial(p.a[0], p.a[1], p.a[2], p.a[3]));
  const auto size = this->exact(x, polynomial(p.a[0], -W(p.a[1]), p.a[2], p.a[3]));
  expect_within<T>(this->run("poly_relu", x, p), want, W(6.01) * kUnit<T> * size);
}

TYPED_TEST(Activations, Elu) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, [](W v) { return v < 0 ? W(1.5) * std::expm1(v) : v; });
  expect_within<T>(this->run("elu", x, own::Elu<T>{T(1.5)}), want, ulps<T>(3, want));
}

TYPED_TEST(Activations, Sigmoid) {
  using T = TypeParam;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, this->logistic);
  expect_within<T>(this->run("sigmoid", x), want, ulps<T>(4, want));
}

TYPED_TEST(Activations, Silu) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, this->times_x(this->logistic));
  const W normal_from = std::log(W(std::numeric_limits<T>::min()));
  const Array<W> tail = 2 * W(std::numeric_limits<T>::denorm_min()) * x.template cast<W>().abs();
  const Array<W> bound = (x.template cast<W>() >= normal_from).select(ulps<T>(5, want), tail);
  expect_within<T>(this->run("silu", x), want, bound);
}

TYPED_TEST(Activations, Softplus) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, [](W v) { return (v > 0 ? v : 0) + std::log1p(std::exp(-std::fabs(v))); });
  expect_within<T>(this->run("softplus", x), want, ulps<T>(4, want));
}

TYPED_TEST(Activations, Gelu) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, this->times_x([](W v) { return std::erfc(-v * W(M_SQRT1_2l)) / 2; }));
  expect_within<T>(this->run("gelu", x), want, 4 * kUnit<T> * x.template cast<W>().abs());
}

TYPED_TEST(Activations, GeluTanh) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->inputs();
  const auto want = this->exact(x, this->times_x([](W v) {
    return Activations<T>::logistic(W(2 * M_SQRT2l) / std::sqrt(W(M_PIl)) * (v + W(0.044715L) * v * v * v));
  }));
  expect_within<T>(this->run("gelu_tanh", x), want, 4 * kUnit<T> * x.template cast<W>().abs());
}

// Half and bfloat16 callbacks compute in float and round once. Their results must have the same bits as the rounded
// results of the float callback.
TEST(HalfActivations, RoundTheFloatResultOnce) {
  const Array<float> x = uniform<float>(4000, -8, 8).unaryExpr([](float v) { return __half2float(__half(v)); });
  Array<float> y(x.size());
  on_host("activations", "gelu<float>").execute(host, x, y);

  std::vector<__half> in(static_cast<std::size_t>(x.size()));
  std::vector<__half> out(in.size());
  std::copy(x.begin(), x.end(), in.begin());
  Options options;
  options.routes.required = Route::Host;
  const Callback gelu = Callback::source("#include <cuda_fp16.h>\n" + ready_made("activations", "").text())
                            .with_entry("graft::callbacks::gelu<__half>");
  Transform::create(gelu, options).execute(host, in, out);
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(__half2float(out[i]), __half2float(__half(y[static_cast<Eigen::Index>(i)]))) << x[i];
}

TEST(HalfActivations, AreInlinedOnTheGpu) {
  const Callback gelu = Callback::source("#include <cuda_fp16.h>\n" + ready_made("activations", "").text());
  const Image image = build(gelu.with_entry("graft::callbacks::gelu<__half>"), Architecture(90));
  EXPECT_EQ(image.signature().text(), "__half(__half)");
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
}

}  // namespace
}  // namespace graft::test
