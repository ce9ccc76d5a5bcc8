// Models of measurements, f(x) with a few parameters, for the slot of a kernel that fits curves (docs/kernels.md,
// examples/fit), and for transforms that evaluate them. The parameters are the state.
//
// |error| is given as a multiple of u, which is 2^-24 for float and 2^-53 for double, and holds as long as nothing
// overflows or becomes subnormal. nan gives nan.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

template <class T>
struct Decay {
  T amplitude;
  T rate;
  T offset;
};

// amplitude exp(-rate x) + offset; (16 + 4 |rate x|) u of |amplitude| exp(-rate x) + |offset|.
template <class T>
__device__ T decay(T x, const Decay<T>& p) {
  return p.amplitude * exp(-p.rate * x) + p.offset;
}

template <class T>
struct Peak {
  T height;
  T center;
  T width;
};

// height exp(-t^2 / 2) with t = (x - center) / width; (16 + 8 t^2) u of the result.
template <class T>
__device__ T gaussian_peak(T x, const Peak<T>& p) {
  const T t = (x - p.center) / p.width;
  return p.height * exp(T(-0.5) * t * t);
}

// height / (1 + t^2) with t = (x - center) / width, a Lorentz curve; 12u of the result.
template <class T>
__device__ T lorentzian_peak(T x, const Peak<T>& p) {
  const T t = (x - p.center) / p.width;
  return p.height / (T(1) + t * t);
}

template <class T>
struct Growth {
  T limit;
  T rate;
  T middle;
};

// limit / (1 + exp(-rate (x - middle))), logistic growth; (16 + 4 |rate (x - middle)|) u of the result.
template <class T>
__device__ T logistic_growth(T x, const Growth<T>& p) {
  return p.limit / (T(1) + exp(-p.rate * (x - p.middle)));
}

template <class T>
struct Saturation {
  T limit;
  T half;  // the x at which half of the limit is reached
};

// limit x / (half + x), as of enzymes; 6u of the result for x and half that are not negative. L. Michaelis, M. L.
// Menten, Biochem. Z. 49 (1913).
template <class T>
__device__ T michaelis_menten(T x, const Saturation<T>& p) {
  return p.limit * x / (p.half + x);
}

template <class T>
struct PowerLaw {
  T factor;
  T exponent;
};

// factor x^exponent; 20u of the result.
template <class T>
__device__ T power_law(T x, const PowerLaw<T>& p) {
  return p.factor * pow(x, p.exponent);
}

}  // namespace graft::callbacks
