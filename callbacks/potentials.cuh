// Potentials of pairs of particles, of the squared distance r2, for the slot of a kernel that sums over pairs
// (docs/kernels.md), and for transforms. The parameters are the state.
//
// |error| is given as a multiple of u, which is 2^-24 for float and 2^-53 for double, and holds as long as nothing
// overflows or becomes subnormal. r2 = 0 gives inf or nan where the formula does, and nan gives nan.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

template <class T>
struct LennardJones {
  T depth;  // epsilon
  T sigma;  // the distance at which the potential is 0
};

// 4 epsilon ((sigma / r)^12 - (sigma / r)^6); 40u of the sum of both terms. J. E. Lennard-Jones, "Cohesion", Proc.
// Phys. Soc. 43 (1931).
template <class T>
__device__ T lennard_jones(T r2, const LennardJones<T>& s) {
  const T ratio = s.sigma * s.sigma / r2;
  const T sixth = ratio * ratio * ratio;
  return T(4) * s.depth * (sixth * sixth - sixth);
}

template <class T>
struct Coulomb {
  T strength;  // the product of the charges, with the constant of the units
};

// strength / r; 4u of the result.
template <class T>
__device__ T coulomb(T r2, const Coulomb<T>& s) {
  return s.strength / sqrt(r2);
}

template <class T>
struct Yukawa {
  T strength;
  T length;  // over which the potential is screened
};

// strength exp(-r / length) / r; (16 + 4 r / length) u of the result. H. Yukawa, Proc. Phys.-Math. Soc. Japan 17
// (1935).
template <class T>
__device__ T yukawa(T r2, const Yukawa<T>& s) {
  const T r = sqrt(r2);
  return s.strength * exp(-r / s.length) / r;
}

template <class T>
struct Morse {
  T depth;
  T steepness;  // a
  T distance;   // r0, of the minimum
};

// depth (1 - exp(-a (r - r0)))^2; (16 + 8 |a| (r + r0)) u of depth (1 + exp(-a (r - r0)))^2. P. M. Morse, Phys. Rev. 34
// (1929).
template <class T>
__device__ T morse(T r2, const Morse<T>& s) {
  const T rest = T(1) - exp(-s.steepness * (sqrt(r2) - s.distance));
  return s.depth * rest * rest;
}

template <class T>
struct Harmonic {
  T stiffness;
  T distance;  // r0, at rest
};

// stiffness (r - r0)^2 / 2; 8u of stiffness (r + r0)^2.
template <class T>
__device__ T harmonic(T r2, const Harmonic<T>& s) {
  const T rest = sqrt(r2) - s.distance;
  return T(0.5) * s.stiffness * rest * rest;
}

}  // namespace graft::callbacks
