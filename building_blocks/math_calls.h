// CUDA's math functions for arguments that C++ accepts and NVRTC finds ambiguous. NVRTC declares each function for
// float and for double, so sqrt(2), pow(x, 0.5f * d) and max(x, 0) of a float fit two functions equally well. nvcc
// accepts most of these calls through the overloads of its <cmath>, and host compilers accept all of them.
//
// The macros below declare the missing overloads of one function each. graft writes a macro for each function that a
// callback's text calls (src/reflect/callback/math_calls.cpp), because the overloads of all functions would take NVRTC
// 2.7 ms, and those of one function take 0.2 ms (13.0, minimum of 200).
//
//     GRAFT_MATH_OF_INTEGERS(sqrt)     sqrt(2) is sqrt(2.0)
//     GRAFT_MATH_OF_MISSING(isless)    is there at all
//     GRAFT_MATH_OF_MIXED(fmod)        fmod(x, 0.5) of a float x is fmod(double(x), 0.5); of two integers, a double
//
// As under CUDA, a float together with integers stays a float: max(x, 0), fmod(x, 2), pow(x, 2). The calls that NVRTC
// accepts keep their meaning. The overloads are variadic templates, so a function of the user, template or not, is a
// better match, and they join no call whose arguments are not all numbers.
#pragma once

namespace graft_math {

template <class T>
__device__ T& graft_example();

template <class T, class = void>
struct graft_kind {
  enum : bool { is_integer = false, is_float = false, is_double = false };
};
template <class T>  // of the types that are no classes, only integers have the operator %=
struct graft_kind<T, decltype(void(graft_example<T>() %= 1))> {
  enum : bool { is_integer = !__is_class(T) && !__is_union(T), is_float = false, is_double = false };
};
template <>
struct graft_kind<float> {
  enum : bool { is_integer = false, is_float = true, is_double = false };
};
template <>
struct graft_kind<double> {
  enum : bool { is_integer = false, is_float = false, is_double = true };
};

template <class... T>
struct graft_kinds {
  enum : bool {
    are_integers = (graft_kind<T>::is_integer && ...),
    are_numbers = ((graft_kind<T>::is_integer || graft_kind<T>::is_float || graft_kind<T>::is_double) && ...),
    have_integer = (graft_kind<T>::is_integer || ...),
    have_both = (graft_kind<T>::is_float || ...) && (graft_kind<T>::is_double || ...)
  };
};

// The type in which a function of several numbers computes: float if there is a float and no double, else double.
template <class T>
struct graft_precision {
  typedef double type;
};
template <>
struct graft_precision<float> {
  typedef float type;
};

template <class... T, class U>
__device__ __forceinline__ typename graft_precision<decltype((T() + ...))>::type graft_precise(U x) {
  return static_cast<typename graft_precision<decltype((T() + ...))>::type>(x);
}
__device__ __forceinline__ float graft_norm(float x, float y, float z) {
  return norm3df(x, y, z);
}
__device__ __forceinline__ double graft_norm(double x, double y, double z) {
  return norm3d(x, y, z);
}

// Whether there are two arguments, of different types.
template <class... T>
struct graft_differ {
  enum : bool { value = sizeof...(T) == 2 };
};
template <class T>
struct graft_differ<T, T> {
  enum : bool { value = false };
};

// Whether pow(A, B) is ambiguous. NVRTC also declares pow(float, int) and pow(double, int).
template <class... T>
struct graft_power {
  enum : bool { value = false };
};
template <class A, class B>
struct graft_power<A, B> {
  enum : bool {
    value = graft_kinds<A, B>::have_both || graft_kinds<A, B>::are_integers ||
            (!graft_kind<A>::is_integer && graft_kind<B>::is_integer && sizeof(B) >= sizeof(int))
  };
};
template <class A>
struct graft_power<A, int> {
  enum : bool { value = graft_kind<A>::is_integer };
};

// The functions of <math.h> that classify and compare numbers.
template <class T>
__device__ __forceinline__ bool graft_isnormal(T x) {
  return x != 0;
}
__device__ __forceinline__ bool graft_isnormal(float x) {
  return fabsf(x) >= 1.17549435e-38f && fabsf(x) <= 3.40282347e+38f;
}
__device__ __forceinline__ bool graft_isnormal(double x) {
  return fabs(x) >= 2.2250738585072014e-308 && fabs(x) <= 1.7976931348623157e+308;
}
// C++ compares integers as doubles, also with a float.
__device__ __forceinline__ float graft_compared(float x) {
  return x;
}
template <class T>
__device__ __forceinline__ double graft_compared(T x) {
  return static_cast<double>(x);
}
#define GRAFT_COMPARISON(name, ...)                        \
  template <class T, class U>                              \
  __device__ __forceinline__ bool graft_##name(T a, U b) { \
    const auto x = graft_compared(a);                      \
    const auto y = graft_compared(b);                      \
    return __VA_ARGS__;                                    \
  }
GRAFT_COMPARISON(isgreater, x > y)
GRAFT_COMPARISON(isgreaterequal, x >= y)
GRAFT_COMPARISON(isless, x < y)
GRAFT_COMPARISON(islessequal, x <= y)
GRAFT_COMPARISON(islessgreater, x<y || x> y)
GRAFT_COMPARISON(isunordered, x != x || y != y)
#undef GRAFT_COMPARISON

template <bool Condition, class T>
struct graft_if {};
template <class T>
struct graft_if<true, T> {
  typedef T type;
};

}  // namespace graft_math

#define GRAFT_MATH_IN_DOUBLE(name, condition)                                                       \
  template <class... T>                                                                             \
  __device__ __forceinline__ auto name(T... x)->                                                    \
      typename graft_math::graft_if<(condition), decltype(name(static_cast<double>(x)...))>::type { \
    return name(static_cast<double>(x)...);                                                         \
  }
// A function of one number.
#define GRAFT_MATH_OF_INTEGERS(name) GRAFT_MATH_IN_DOUBLE(name, graft_math::graft_kinds<T...>::are_integers)
// A function of two or three numbers.
#define GRAFT_MATH_OF_MIXED(name) \
  GRAFT_MATH_IN_DOUBLE(name, graft_math::graft_kinds<T...>::are_integers || graft_math::graft_kinds<T...>::have_both)
#define GRAFT_MATH_OF_POWER(name) \
  GRAFT_MATH_IN_DOUBLE(name, graft_math::graft_kinds<T...>::are_numbers&& graft_math::graft_power<T...>::value)

// copysign, which NVRTC declares for a float and a double, too, so that even a float with an int is ambiguous.
#define GRAFT_MATH_OF_SIGN(name)                                                                     \
  template <class... T>                                                                              \
  __device__ __forceinline__ auto name(T... x)                                                       \
      ->typename graft_math::graft_if<graft_math::graft_kinds<T...>::are_numbers &&                  \
                                          graft_math::graft_kinds<T...>::have_integer,               \
                                      decltype(name(graft_math::graft_precise<T...>(x)...))>::type { \
    return name(graft_math::graft_precise<T...>(x)...);                                              \
  }

// max and min, whose result has the type of the arguments' sum.
#define GRAFT_MATH_OF_EXTREME(name)                                                   \
  template <class... T>                                                               \
  __device__ __forceinline__ auto name(T... x)                                        \
      ->typename graft_math::graft_if<graft_math::graft_differ<T...>::value &&        \
                                          graft_math::graft_kinds<T...>::are_numbers, \
                                      decltype((x + ...))>::type {                    \
    return name(static_cast<decltype((x + ...))>(x)...);                              \
  }

// hypot, which CUDA declares for three numbers in namespace std alone.
#define GRAFT_MATH_OF_NORM(name)                                                                                    \
  GRAFT_MATH_OF_MIXED(name)                                                                                         \
  template <class A, class... T>                                                                                    \
  __device__ __forceinline__ auto name(A a, T... x)                                                                 \
      ->typename graft_math::graft_if<sizeof...(T) == 2 && graft_math::graft_kinds<A, T...>::are_numbers,           \
                                      typename graft_math::graft_precision<decltype((a + ... + x))>::type>::type {  \
    return graft_math::graft_norm(graft_math::graft_precise<A, T...>(a), graft_math::graft_precise<A, T...>(x)...); \
  }

// A function that NVRTC does not have: isnormal, isless.
#define GRAFT_MATH_OF_MISSING(name)                                                     \
  template <class... T>                                                                 \
  __device__ __forceinline__ auto name(T... x)                                          \
      ->typename graft_math::graft_if<graft_math::graft_kinds<T...>::are_numbers,       \
                                      decltype(graft_math::graft_##name(x...))>::type { \
    return graft_math::graft_##name(x...);                                              \
  }

// A function whose first argument is the number: ldexp, frexp.
#define GRAFT_MATH_OF_FIRST(name)                                                           \
  template <class T, class... U>                                                            \
  __device__ __forceinline__ auto name(T x, U... u)                                         \
      ->typename graft_math::graft_if<graft_math::graft_kind<T>::is_integer,                \
                                      decltype(name(static_cast<double>(x), u...))>::type { \
    return name(static_cast<double>(x), u...);                                              \
  }
// A function whose second argument is the number: the Bessel functions jn and yn.
#define GRAFT_MATH_OF_SECOND(name)                                                          \
  template <class N, class... T>                                                            \
  __device__ __forceinline__ auto name(N n, T... x)                                         \
      ->typename graft_math::graft_if<graft_math::graft_kinds<T...>::are_integers,          \
                                      decltype(name(n, static_cast<double>(x)...))>::type { \
    return name(n, static_cast<double>(x)...);                                              \
  }
