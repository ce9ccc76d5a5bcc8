// Parts of reductions (graft::Reduce): functions that make an accumulator of an element (map), combine two, and make
// results of the last one (finish). Sums, products, the smallest and the largest number need no more than `add`,
// `multiply`, `minimum` and `maximum` of arithmetic.cuh as combine.
//
// Every template is for float and double; with_place, smaller, larger, count_nonzero, is_nonzero and square also for
// integers. nan is handed on: a result is nan if an element is. Only counts and questions take nan for a number that is
// not 0. The parts of one reduction must be of one T: types of the same size would be taken for each other.
//
// References: B. P. Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4
// (1962), in the form for two parts of T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise
// algorithm for computing sample variances" (1979); D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2,
// theorem B (the error of a sum).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// ---- a place and its value: argmin, argmax ----

template <class T>
struct Best {
  unsigned long long place;
  T value;
};

namespace detail {

template <class T>
__device__ bool is_nan(T x) {
  return x != x;
}

// Of equal numbers the first; nan is before every number.
template <class T>
__device__ Best<T> better(Best<T> a, Best<T> b, bool is_b_better) {
  if (is_nan(a.value) || is_nan(b.value)) {
    if (is_nan(a.value) && is_nan(b.value)) return a.place < b.place ? a : b;
    return is_nan(a.value) ? a : b;
  }
  if (a.value == b.value) return a.place < b.place ? a : b;
  return is_b_better ? b : a;
}

}  // namespace detail

// map: the element and its index.
template <class T>
__device__ Best<T> with_place(T x, graft::Index i) {
  return {i, x};
}
// combine: the one with the smaller value, or with the larger. Of equal ones that with the smaller index; one with nan
// is preferred to all others, as in NumPy.
template <class T>
__device__ Best<T> smaller(Best<T> a, Best<T> b) {
  return detail::better(a, b, b.value < a.value);
}
template <class T>
__device__ Best<T> larger(Best<T> a, Best<T> b) {
  return detail::better(a, b, b.value > a.value);
}
// finish: the index; the value; both.
template <class T>
__device__ unsigned long long place_of(Best<T> best) {
  return best.place;
}
template <class T>
__device__ T value_of(Best<T> best) {
  return best.value;
}
template <class T>
__device__ void place_and_value(Best<T> best, unsigned long long& place, T& value) {
  place = best.place;
  value = best.value;
}

// ---- mean and variance ----

// Of `count` numbers: their mean, and the sum of the squares of their distances from it.
template <class T>
struct Moments {
  unsigned long long count;
  T mean, squares;
};

// map
template <class T>
__device__ Moments<T> moments_of(T x) {
  return {1, x, 0};
}
// combine. Welford's method for two parts: it does not subtract large squares from each other. The mean of infinities
// of one sign is infinite.
template <class T>
__device__ Moments<T> join_moments(Moments<T> a, Moments<T> b) {
  const unsigned long long count = a.count + b.count;
  const T distance = b.mean - a.mean, share = static_cast<T>(b.count) / static_cast<T>(count);
  const T mean = distance - distance == T(0) ? a.mean + distance * share : a.mean + b.mean;
  return {count, mean, a.squares + b.squares + distance * distance * (static_cast<T>(a.count) * share)};
}
// finish: the mean; the variance, divided by the count, and by one less (nan for one number); mean and variance. The
// variance is nan if the mean is not finite, whatever the squares are.
template <class T>
__device__ T mean_of(Moments<T> all) {
  return all.mean;
}
template <class T>
__device__ T variance_of(Moments<T> all) {
  return all.squares / static_cast<T>(all.count) + (all.mean - all.mean);
}
template <class T>
__device__ T sample_variance_of(Moments<T> all) {
  return all.squares / static_cast<T>(all.count - 1) + (all.mean - all.mean);
}
template <class T>
__device__ void mean_and_variance(Moments<T> all, T& mean, T& variance) {
  mean = mean_of(all);
  variance = variance_of(all);
}

// ---- the logarithm of a sum of exponentials ----

// exp(largest) * sum, where no exponential overflows.
template <class T>
struct Exponentials {
  T largest, sum;
};

// map
template <class T>
__device__ Exponentials<T> exponential_of(T x) {
  return {x, 1};
}
// combine
template <class T>
__device__ Exponentials<T> add_exponentials(Exponentials<T> a, Exponentials<T> b) {
  if (detail::is_nan(a.largest)) return a;
  if (detail::is_nan(b.largest)) return b;
  if (a.largest == b.largest) return {a.largest, a.sum + b.sum};  // also of two infinities
  if (a.largest > b.largest) return {a.largest, a.sum + b.sum * exp(b.largest - a.largest)};
  return {b.largest, b.sum + a.sum * exp(a.largest - b.largest)};
}
// finish: log(exp(x) + exp(y) + ...)
template <class T>
__device__ T log_of_exponentials(Exponentials<T> all) {
  return all.largest + log(all.sum);
}

// ---- sums with twice the precision ----

// A sum, and what its roundings left out.
template <class T>
struct Compensated {
  T sum, rest;
};

// map
template <class T>
__device__ Compensated<T> compensated(T x) {
  return {x, 0};
}
// combine. The rest of each addition is exact (Knuth's TwoSum), so the error of n numbers is about u + n^2 u^2 relative
// to the sum of their magnitudes, and not n u.
template <class T>
__device__ Compensated<T> add_compensated(Compensated<T> a, Compensated<T> b) {
  const T sum = a.sum + b.sum, of_b = sum - a.sum;
  return {sum, a.rest + b.rest + ((a.sum - (sum - of_b)) + (b.sum - of_b))};
}
// finish. The rest of an infinity is nan, and is left out.
template <class T>
__device__ T compensated_sum(Compensated<T> all) {
  return all.sum - all.sum == T(0) ? all.sum + all.rest : all.sum;
}

// ---- counting, and questions about all elements ----

// map: 1 if x is not 0, for add<unsigned long long>; whether it is not 0, for `either` and `both`. nan is not 0.
template <class T>
__device__ unsigned long long count_nonzero(T x) {
  return x != T(0) ? 1 : 0;
}
template <class T>
__device__ bool is_nonzero(T x) {
  return x != T(0);
}
// combine: whether one is, or both are.
__device__ inline bool either(bool a, bool b) {
  return a || b;
}
__device__ inline bool both(bool a, bool b) {
  return a && b;
}

// ---- the Euclidean norm ----

// map, for add<T>
template <class T>
__device__ T square(T x) {
  return static_cast<T>(x * x);
}
// finish
template <class T>
__device__ T root_of(T sum) {
  return sqrt(sum);
}

}  // namespace graft::callbacks
