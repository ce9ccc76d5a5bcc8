// European options by Black and Scholes, from callbacks/finance.cuh: three inputs, two outputs, and the market as
// state. The market changes between two launches of one kernel, and nothing is compiled for that.
//
// Tolerance: 8 u (S + K e^(-r t)), u = 2^-24: the bound that finance.cuh states, measured over random inputs. It is
// relative to the two terms whose difference a price is, not to the price, which may be much smaller.
#include <fmt/format.h>

#include <cmath>
#include <graft/graft.hpp>
#include <vector>

#include "errors.hpp"
#include "exhibits.hpp"
#include "random.hpp"

namespace quickstart {
namespace {

// The bytes of graft::callbacks::Market<float>.
struct Market {
  float rate;
  float volatility;
};

struct Options {
  std::vector<float> spot, strike, expiry;
};

struct Prices {
  std::vector<float> call, put;
};

Options random_options(std::size_t count) {
  return {random_floats(count, 5.0f, 150.0f), random_floats(count, 10.0f, 100.0f), random_floats(count, 0.25f, 10.0f)};
}

Eigen::ArrayXd normal(const Eigen::ArrayXd& d) {
  return (d * -std::sqrt(0.5)).unaryExpr([](double x) { return std::erfc(x) / 2; });
}

Eigen::ArrayXd errors(const Options& options, const Prices& prices, const Market& market, Eigen::Index begin,
                      Eigen::Index count) {
  const double rate = market.rate, volatility = market.volatility;
  const Eigen::ArrayXd spot = part(options.spot, begin, count), expiry = part(options.expiry, begin, count);
  const Eigen::ArrayXd strike = part(options.strike, begin, count);
  const Eigen::ArrayXd deviation = volatility * expiry.sqrt();
  const Eigen::ArrayXd discounted = strike * (-rate * expiry).exp();
  const Eigen::ArrayXd d1 = ((spot / strike).log() + (rate + volatility * volatility / 2) * expiry) / deviation;
  const Eigen::ArrayXd d2 = d1 - deviation;
  const Eigen::ArrayXd call = spot * normal(d1) - discounted * normal(d2);
  const Eigen::ArrayXd put = discounted * normal(-d2) - spot * normal(-d1);
  const Eigen::ArrayXd worse = (part(prices.call, begin, count) - call)
                                   .abs()
                                   .max<Eigen::PropagateNaN>((part(prices.put, begin, count) - put).abs());
  return worse / (spot + discounted);
}

bool price(const Place& place, const graft::Transform& transform, const Options& options, const Market& market) {
  fmt::print("  market         rate {:.3f}, volatility {:.3f}\n", market.rate, market.volatility);
  const std::size_t count = options.spot.size();
  Prices prices{std::vector<float>(count), std::vector<float>(count)};
  run(place, transform, std::tie(options.spot, options.strike, options.expiry), std::tie(prices.call, prices.put),
      market);
  const double error = largest(
      count, [&](Eigen::Index begin, Eigen::Index size) { return errors(options, prices, market, begin, size); });
  return within(error, 8 * kUnit, "of S + K e^(-r t)");
}

}  // namespace

bool black_scholes(const Place& place) {
  const std::size_t count = place.count(16 << 20, 256 << 10);
  fmt::print("\nBlack-Scholes: callbacks/finance.cuh, {} options\n", count);
  const graft::Transform transform = make(place, graft::Callback::file(GRAFT_SOURCE_DIR "/callbacks/finance.cuh")
                                                     .with_entry("graft::callbacks::black_scholes<float>"));
  const Options options = random_options(count);
  const auto builds = graft::Engine::shared().counters().builds;
  const bool calm = price(place, transform, options, {0.02f, 0.30f});
  const bool stormy = price(place, transform, options, {0.05f, 0.75f});
  const auto built = graft::Engine::shared().counters().builds - builds;
  fmt::print("  recompiled     {} kernels for the second market\n", built);
  return calm && stormy && built == 0;
}

}  // namespace quickstart
