// Prices of European options by Black and Scholes, with the callback of callbacks/finance.cuh. The callback has three
// inputs, two outputs, and the market as state. The market changes between two launches of one kernel, without a new
// compilation.
//
// The tolerance is 8 u (S + K e^(-r t)) with u = 2^-24. finance.cuh states this bound, which was measured over random
// inputs. The bound is relative to S and K e^(-r t) and not to the price, because the price is a difference of
// multiples of these two and may be much smaller than they are.
#include <fmt/format.h>

#include <cmath>
#include <graft/graft.hpp>
#include <vector>

#include "errors.hpp"
#include "exhibits.hpp"
#include "random.hpp"

namespace quickstart {
namespace {

// This struct has the layout of graft::callbacks::Market<float>.
struct Market {
  float rate;
  float volatility;
};

struct Contracts {
  std::vector<float> spot, strike, expiry;
};

struct Prices {
  std::vector<float> call, put;
};

Contracts random_contracts(std::size_t count) {
  return {random_floats(count, 5.0f, 150.0f), random_floats(count, 10.0f, 100.0f), random_floats(count, 0.25f, 10.0f)};
}

Eigen::ArrayXd normal(const Eigen::ArrayXd& d) {
  return (d * -std::sqrt(0.5)).unaryExpr([](double x) { return std::erfc(x) / 2; });
}

Eigen::ArrayXd errors(const Contracts& contracts, const Prices& prices, const Market& market, Eigen::Index begin,
                      Eigen::Index count) {
  const double rate = market.rate, volatility = market.volatility;
  const Eigen::ArrayXd spot = part(contracts.spot, begin, count), expiry = part(contracts.expiry, begin, count);
  const Eigen::ArrayXd strike = part(contracts.strike, begin, count);
  const Eigen::ArrayXd deviation = volatility * expiry.sqrt();
  const Eigen::ArrayXd discounted = strike * (-rate * expiry).exp();
  const Eigen::ArrayXd d1 = ((spot / strike).log() + (rate + volatility * volatility / 2) * expiry) / deviation;
  const Eigen::ArrayXd d2 = d1 - deviation;
  const Eigen::ArrayXd call = spot * normal(d1) - discounted * normal(d2);
  const Eigen::ArrayXd put = discounted * normal(-d2) - spot * normal(-d1);
  Eigen::ArrayXd distances(2 * count);
  distances << part(prices.call, begin, count) - call, part(prices.put, begin, count) - put;
  return distances.abs() / (spot + discounted).replicate(2, 1);
}

bool price(const Place& place, const graft::Transform& transform, const Contracts& contracts, const Market& market) {
  fmt::print("  market         rate {:.3f}, volatility {:.3f}\n", market.rate, market.volatility);
  const std::size_t count = contracts.spot.size();
  Prices prices{std::vector<float>(count), std::vector<float>(count)};
  run(place, transform, std::tie(contracts.spot, contracts.strike, contracts.expiry), std::tie(prices.call, prices.put),
      market);
  const double error = largest(
      count, [&](Eigen::Index begin, Eigen::Index size) { return errors(contracts, prices, market, begin, size); });
  return within(error, 8 * kUnit, "of S + K e^(-r t)");
}

}  // namespace

bool black_scholes(const Place& place) {
  const std::size_t count = place.count(16 << 20, 256 << 10);
  fmt::print("\nBlack-Scholes: callbacks/finance.cuh, {} options\n", count);
  const graft::Transform transform = make(place, graft::Callback::ready_made("black_scholes<float>"));
  const Contracts contracts = random_contracts(count);
  const auto builds = graft::Engine::shared().counters().builds;
  const bool calm = price(place, transform, contracts, {0.02f, 0.30f});
  const bool stormy = price(place, transform, contracts, {0.05f, 0.75f});
  const auto built = graft::Engine::shared().counters().builds - builds;
  fmt::print("  recompiled     {} kernels for the second market\n", built);
  return calm && stormy && built == 0;
}

}  // namespace quickstart
