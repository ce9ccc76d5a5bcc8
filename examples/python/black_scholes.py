#!/usr/bin/env python3
"""Prices European options with the package graft-cuda: a formula for each option, and a reduction over all of them.

    pip install './python[cuda13]'
    black_scholes.py [numpy|cupy|torch]       where the arrays are made; without a word, NumPy
"""

import math
import sys

import graft_cuda as graft

# The price of a call, with the normal distribution written by erfc.
PRICE = """
d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / (volatility * sqrt(years));
d2 = d1 - volatility * sqrt(years);
price = spot * erfc(-d1 / sqrt(2.0)) / 2 - strike * exp(-rate * years) * erfc(-d2 / sqrt(2.0)) / 2
"""


def made_by(library, count):
    """Return prices of shares and of exercise as arrays of the library."""
    spots = [80 + 40 * i / (count - 1) for i in range(count)]
    strikes = [100.0 + i % 7 for i in range(count)]
    if library == "torch":
        import torch

        return [torch.tensor(values, dtype=torch.float64, device="cuda") for values in (spots, strikes)]
    if library == "cupy":
        import cupy as np
    else:
        import numpy as np
    return [np.asarray(values, dtype=np.float64) for values in (spots, strikes)]


def expected(spot, strike, rate, volatility, years):
    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * math.sqrt(years))
    d2 = d1 - volatility * math.sqrt(years)

    def normal(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    return spot * normal(d1) - strike * math.exp(-rate * years) * normal(d2)


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else "numpy"
    spot, strike = made_by(library, 1001)
    price = graft.transform(PRICE)
    largest = graft.reduction("max(a, b)")
    for volatility in (0.2, 0.4):  # a new parameter for the same kernel
        market = {"rate": 0.03, "volatility": volatility, "years": 0.5}
        _, _, prices = price(spot=spot, strike=strike, **market)
        for i in (0, 500, 1000):
            wanted = expected(float(spot[i]), float(strike[i]), **market)
            assert abs(float(prices[i]) - wanted) <= 1e-9 * wanted + 1e-12, (i, prices[i], wanted)
        print(f"volatility {volatility}: the dearest option costs {float(largest(prices)):.4f}")
    try:
        price(spot=spot, strike=strike, rate=0.03)
    except graft.GraftError as error:
        print(f"a parameter that is missing: {error.code}")


if __name__ == "__main__":
    main()
