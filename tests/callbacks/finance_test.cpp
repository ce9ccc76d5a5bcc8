// Compares the ready-made Black-Scholes option prices with references of higher precision and with a textbook's
// example.
#include <gtest/gtest.h>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

template <class T>
class BlackScholes : public testing::Test {
 public:
  struct Prices {
    Array<T> call, put;
  };
  static Prices run(const Array<T>& spot, const Array<T>& strike, const Array<T>& expiry, own::Market<T> market) {
    Prices prices{Array<T>(spot.size()), Array<T>(spot.size())};
    on_host_of<T>("finance", "black_scholes")
        .execute(host, host_inputs(spot, strike, expiry), host_outputs(prices.call, prices.put), market);
    return prices;
  }

  // Returns N(x), the normal distribution function. erfc computes N(x) without cancellation for every x.
  static Array<Wider<T>> normal(const Array<Wider<T>>& x) {
    return x.unaryExpr([](Wider<T> v) { return std::erfc(-v * Wider<T>(M_SQRT1_2l)) / 2; });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BlackScholes, Reals);

TYPED_TEST(BlackScholes, IsWithinItsBound) {
  using T = TypeParam;
  using W = Wider<T>;
  constexpr Eigen::Index n = 20000;
  for (const auto& [rate, volatility] : {std::pair{0.05, 0.2}, {-0.02, 0.05}, {0.03, 0.8}}) {
    const own::Market<T> market{T(rate), T(volatility)};
    const Array<T> spot = log_uniform<T>(n, 0.1, 1000, 1), strike = spot * log_uniform<T>(n, 0.002, 500, 2);
    const Array<T> expiry = log_uniform<T>(n, 0.001, 20, 3);
    const auto prices = this->run(spot, strike, expiry, market);

    const Array<W> s = spot.template cast<W>(), k = strike.template cast<W>(), t = expiry.template cast<W>();
    const W r = market.rate, v = market.volatility;
    const Array<W> d1 = ((s / k).log() + (r + v * v / 2) * t) / (v * t.sqrt());
    const Array<W> d2 = d1 - v * t.sqrt();
    const Array<W> discounted = k * (-r * t).exp();
    const Array<W> bound = 8 * kUnit<T> * (s + discounted);
    expect_within<T>(prices.call, s * this->normal(d1) - discounted * this->normal(d2), bound);
    expect_within<T>(prices.put, discounted * this->normal(-d2) - s * this->normal(-d1), bound);
  }
}

// The worked example of Hull's textbook: S = 42, K = 40, r = 0.10, sigma = 0.20, t = 0.5 gives a call of 4.76 and a put
// of 0.81.
TYPED_TEST(BlackScholes, AgreesWithTheTextbook) {
  using T = TypeParam;
  const auto one = [](double x) { return Array<T>(Array<T>::Constant(1, T(x))); };
  const auto prices = this->run(one(42), one(40), one(0.5), {T(0.1), T(0.2)});
  EXPECT_NEAR(prices.call[0], 4.76, 0.005);
  EXPECT_NEAR(prices.put[0], 0.81, 0.005);
}

TYPED_TEST(BlackScholes, EdgesAreThePayoff) {
  using T = TypeParam;
  Array<T> spot(6), strike(6), expiry(6);
  spot << 5, 3, 4, 0, 4, 0;
  strike << 4, 4, 4, 4, 0, 0;
  expiry << 0, 0, 0, 1, 1, 1;
  const auto prices = this->run(spot, strike, expiry, {T(0), T(0.3)});
  EXPECT_TRUE((prices.call.head(5) == (spot - strike).max(T(0)).head(5)).all()) << prices.call.transpose();
  EXPECT_TRUE((prices.put.head(5) == (strike - spot).max(T(0)).head(5)).all()) << prices.put.transpose();
  EXPECT_TRUE(std::isnan(prices.call[5]) && std::isnan(prices.put[5]));
}

TYPED_TEST(BlackScholes, WithoutVolatilityIsTheDiscountedPayoff) {
  using T = TypeParam;
  const Array<T> spot = uniform<T>(100, 50, 150), strike = Array<T>::Constant(100, 100), year = Array<T>::Ones(100);
  const auto prices = this->run(spot, strike, year, {T(0.05), T(0)});
  const Array<T> forward = spot - T(100) * std::exp(T(-0.05));
  const T tolerance = 400 * std::numeric_limits<T>::epsilon();
  EXPECT_TRUE(((prices.call - forward.max(T(0))).abs() <= tolerance).all());
  EXPECT_TRUE(((prices.put - (-forward).max(T(0))).abs() <= tolerance).all());
}

TYPED_TEST(BlackScholes, InputsOutsideTheDomainAreNan) {
  using T = TypeParam;
  Array<T> spot(4), strike(4), expiry(4);
  spot << -1, 1, 1, kNan<T>;
  strike << 1, -1, 1, 1;
  expiry << 1, 1, -1, 1;
  const auto prices = this->run(spot, strike, expiry, {T(0.05), T(0.2)});
  EXPECT_TRUE(prices.call.isNaN().all()) << prices.call.transpose();
  EXPECT_TRUE(prices.put.isNaN().all()) << prices.put.transpose();
}

}  // namespace
}  // namespace graft::test
