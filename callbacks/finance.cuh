// Option pricing.
//
// Prices of European options without dividends, by the formula of Black and Scholes, with S = spot, K = strike, t =
// expiry in years, r = annual rate and sigma = annual volatility (both as fractions, with continuous compounding):
//
//     d1 = (ln(S / K) + (r + sigma^2 / 2) t) / (sigma sqrt t)        call = S N(d1) - K e^(-r t) N(d2)
//     d2 = d1 - sigma sqrt t                                         put  = K e^(-r t) N(-d2) - S N(-d1)
//
// N, the normal distribution, is computed from the tail erfc(|d| / sqrt 2) / 2 and its complement. So one call of erfc
// gives both N(d) and N(-d), and neither loses accuracy by cancellation.
//
// References: F. Black, M. Scholes, "The pricing of options and corporate liabilities", J. Political Economy 81 (1973);
// J. C. Hull, Options, Futures, and Other Derivatives, chapter "The Black-Scholes-Merton model".
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

template <class T>
struct Market {
  T rate;
  T volatility;
};

namespace detail {

template <class T>
struct Normal {
  T below;  // N(d)
  T above;  // N(-d)
};

template <class T>
__device__ Normal<T> normal(T d) {
  const T tail = T(0.5) * erfc(fabs(d) * T(0.70710678118654752440));
  return d > T(0) ? Normal<T>{T(1) - tail, tail} : Normal<T>{tail, T(1) - tail};
}

}  // namespace detail

// Call and put prices. |error| <= 8u (S + K e^(-r t)) for 0.001 <= S / K <= 1000, |r t| <= 1 and sigma sqrt t <= 4;
// u is 2^-24 for float, 2^-53 for double. t = 0 or sigma = 0 gives the discounted payoff. S = 0 or K = 0 gives the
// exact limit. The result is nan if S and K are both 0, if S, K or t is negative, or if an input is nan.
template <class T>
__device__ void black_scholes(T spot, T strike, T expiry, T& call, T& put, const Market<T>& market) {
  const T deviation = market.volatility * sqrt(expiry);
  const T drift = log(spot / strike) + (market.rate + T(0.5) * market.volatility * market.volatility) * expiry;
  const T d1 = drift == T(0) ? T(0) : drift / deviation;  // avoids 0 / 0, for example if S = K and t = 0
  const detail::Normal<T> n1 = detail::normal(d1);
  const detail::Normal<T> n2 = detail::normal(d1 - deviation);
  const T discounted = strike * exp(-market.rate * expiry);
  call = spot * n1.below - discounted * n2.below;
  put = discounted * n2.above - spot * n1.above;
}

}  // namespace graft::callbacks
