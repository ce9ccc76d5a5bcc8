// Butterflies: FFTs of 2 to 16 points, from registers to registers, in place and in natural order:
//
//     Butterfly<R>::run(a)      a[k] becomes the sum over j of a[j] * exp(-2 pi i jk/R)
//
// Three methods make all of them:
//   - 2 and 4 are written out; they need additions only;
//   - an odd prime R pairs a[j] with a[R-j], which halves the multiplications;
//   - R = A*B does B butterflies of A points, multiplies by roots of unity, and does A butterflies of B points. Roots
//     at multiples of an eighth of a turn cost an exchange or two multiplications instead of a complex product.
#pragma once

#include "fft/complex.h"
#include "fft/unit_root.h"

namespace graft_fft {

inline constexpr int kLargestRadix = 16;

// The number of points of the first of two steps, for radices that are done in two steps; 1 for others.
template <int kRadix>
inline constexpr int kFirstStep = kRadix == 6 || kRadix == 10 || kRadix == 14   ? 2
                                  : kRadix == 9 || kRadix == 15                 ? 3
                                  : kRadix == 8 || kRadix == 12 || kRadix == 16 ? 4
                                                                                : 1;

// Returns a * exp(-2 pi i kTurns/kWhole).
template <int kTurns, int kWhole, class Real>
GRAFT_FFT_FUNCTION Complex<Real> turned(const Complex<Real>& a) {
  if constexpr (kTurns % kWhole == 0) {
    return a;
  } else if constexpr (4 * kTurns == kWhole) {
    return times_minus_i(a);
  } else if constexpr (2 * kTurns == kWhole) {
    return {-a.re, -a.im};
  } else if constexpr (8 * kTurns == kWhole || 8 * kTurns == 3 * kWhole) {
    const Real half_diagonal = Real(UnitRoot<1, 8>::kCosine);
    const Real sum = half_diagonal * (a.re + a.im), difference = half_diagonal * (a.im - a.re);
    if constexpr (8 * kTurns == kWhole) return {sum, difference};
    else return {difference, -sum};
  } else {
    const Real cosine = Real(UnitRoot<kTurns, kWhole>::kCosine), sine = Real(UnitRoot<kTurns, kWhole>::kSine);
    return {a.re * cosine + a.im * sine, a.im * cosine - a.re * sine};
  }
}

// R odd and prime. With s[j] = a[j] + a[R-j] and d[j] = a[j] - a[R-j], the outputs k and R-k share all products:
//
//     even = a[0] + sum of cos(2 pi jk/R) * s[j]        a[k]   = even - i * odd
//     odd  =        sum of sin(2 pi jk/R) * d[j]        a[R-k] = even + i * odd            (j from 1 to (R-1)/2)
template <int kRadix>
struct PrimeButterfly {
  static constexpr int kPairs = (kRadix - 1) / 2;

  template <class Real>
  static GRAFT_FFT_FUNCTION void run(Complex<Real>* a) {
    Complex<Real> sums[kPairs + 1], differences[kPairs + 1];
    const Complex<Real> first = a[0];
    GRAFT_FFT_UNROLL
    for (int j = 1; j <= kPairs; ++j) {
      sums[j] = a[j] + a[kRadix - j];
      differences[j] = a[j] - a[kRadix - j];
      a[0] = a[0] + sums[j];
    }
    outputs<1>(a, first, sums, differences);
  }

 private:
  template <int kOutput, class Real>
  static GRAFT_FFT_FUNCTION void outputs(Complex<Real>* a, const Complex<Real>& first, const Complex<Real>* sums,
                                         const Complex<Real>* differences) {
    using Root = UnitRoot<kOutput, kRadix>;
    const Real cosine = Real(Root::kCosine), sine = Real(Root::kSine);
    Complex<Real> even = {first.re + cosine * sums[1].re, first.im + cosine * sums[1].im};
    Complex<Real> odd = {sine * differences[1].re, sine * differences[1].im};
    add_terms<kOutput, 2>(even, odd, sums, differences);
    a[kOutput] = {even.re + odd.im, even.im - odd.re};
    a[kRadix - kOutput] = {even.re - odd.im, even.im + odd.re};
    if constexpr (kOutput < kPairs) outputs<kOutput + 1>(a, first, sums, differences);
  }

  template <int kOutput, int kPair, class Real>
  static GRAFT_FFT_FUNCTION void add_terms(Complex<Real>& even, Complex<Real>& odd, const Complex<Real>* sums,
                                           const Complex<Real>* differences) {
    if constexpr (kPair <= kPairs) {
      using Root = UnitRoot<kOutput * kPair % kRadix, kRadix>;
      const Real cosine = Real(Root::kCosine), sine = Real(Root::kSine);
      even = {even.re + cosine * sums[kPair].re, even.im + cosine * sums[kPair].im};
      odd = {odd.re + sine * differences[kPair].re, odd.im + sine * differences[kPair].im};
      add_terms<kOutput, kPair + 1>(even, odd, sums, differences);
    }
  }
};

// R = A*B. Input B*p + q belongs to point p of the first step's butterfly q, and output k + A*l to point l of the
// second step's butterfly k. For R = 6 = 2*3:
//
//     inputs        3 butterflies of 2        times        2 butterflies of 3       outputs
//     0 1 2         (0 3) (1 4) (2 5)         w6^(kq)      row 0: 0 1 2             0 2 4
//     3 4 5         down the columns                       row 1: 3 4 5             1 3 5
template <int kRadix>
struct Butterfly {
  static constexpr int kA = kFirstStep<kRadix>, kB = kRadix / kA;
  static_assert(kA > 1 && kA * kB == kRadix, "a radix that has no butterfly");

  template <class Real>
  static GRAFT_FFT_FUNCTION void run(Complex<Real>* a) {
    GRAFT_FFT_UNROLL
    for (int q = 0; q < kB; ++q) {
      Complex<Real> column[kA];
      GRAFT_FFT_UNROLL
      for (int p = 0; p < kA; ++p) column[p] = a[p * kB + q];
      Butterfly<kA>::run(column);
      GRAFT_FFT_UNROLL
      for (int p = 0; p < kA; ++p) a[p * kB + q] = column[p];
    }
    turn<1, 1>(a);
    Complex<Real> rows[kRadix];
    GRAFT_FFT_UNROLL
    for (int i = 0; i < kRadix; ++i) rows[i] = a[i];
    GRAFT_FFT_UNROLL
    for (int k = 0; k < kA; ++k) {
      Butterfly<kB>::run(rows + k * kB);
      GRAFT_FFT_UNROLL
      for (int l = 0; l < kB; ++l) a[k + kA * l] = rows[k * kB + l];
    }
  }

 private:
  // Multiplies row k, column q by exp(-2 pi i kq/R), from the given row and column on.
  template <int k, int q, class Real>
  static GRAFT_FFT_FUNCTION void turn(Complex<Real>* a) {
    a[k * kB + q] = turned<k * q, kRadix>(a[k * kB + q]);
    if constexpr (q + 1 < kB) turn<k, q + 1>(a);
    else if constexpr (k + 1 < kA) turn<k + 1, 1>(a);
  }
};

template <>
struct Butterfly<1> {
  template <class Real>
  static GRAFT_FFT_FUNCTION void run(Complex<Real>*) {}
};

template <>
struct Butterfly<2> {
  template <class Real>
  static GRAFT_FFT_FUNCTION void run(Complex<Real>* a) {
    const Complex<Real> second = a[1];
    a[1] = a[0] - second;
    a[0] = a[0] + second;
  }
};

template <>
struct Butterfly<4> {
  template <class Real>
  static GRAFT_FFT_FUNCTION void run(Complex<Real>* a) {
    const Complex<Real> even_sum = a[0] + a[2], even_difference = a[0] - a[2];
    const Complex<Real> odd_sum = a[1] + a[3], odd_difference = times_minus_i(a[1] - a[3]);
    a[0] = even_sum + odd_sum;
    a[1] = even_difference + odd_difference;
    a[2] = even_sum - odd_sum;
    a[3] = even_difference - odd_difference;
  }
};

template <>
struct Butterfly<3> : PrimeButterfly<3> {};
template <>
struct Butterfly<5> : PrimeButterfly<5> {};
template <>
struct Butterfly<7> : PrimeButterfly<7> {};
template <>
struct Butterfly<11> : PrimeButterfly<11> {};
template <>
struct Butterfly<13> : PrimeButterfly<13> {};

// The butterfly of a radix that is known at run time.
template <class Real>
GRAFT_FFT_FUNCTION void run_butterfly(int radix, Complex<Real>* a) {
  switch (radix) {
    case 2:
      return Butterfly<2>::run(a);
    case 3:
      return Butterfly<3>::run(a);
    case 4:
      return Butterfly<4>::run(a);
    case 5:
      return Butterfly<5>::run(a);
    case 6:
      return Butterfly<6>::run(a);
    case 7:
      return Butterfly<7>::run(a);
    case 8:
      return Butterfly<8>::run(a);
    case 9:
      return Butterfly<9>::run(a);
    case 10:
      return Butterfly<10>::run(a);
    case 11:
      return Butterfly<11>::run(a);
    case 12:
      return Butterfly<12>::run(a);
    case 13:
      return Butterfly<13>::run(a);
    case 14:
      return Butterfly<14>::run(a);
    case 15:
      return Butterfly<15>::run(a);
    case 16:
      return Butterfly<16>::run(a);
    default:
      return;  // a radix of 1 leaves its point as it is
  }
}

}  // namespace graft_fft
