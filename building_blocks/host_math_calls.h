// math_calls.h for the host route: gives the math functions of a C++ compiler the result types that they have on a GPU.
//
//   * In C++, a float together with an integer goes to double: fmod(x, 2). Under CUDA the result is a float.
//   * CUDA's own functions take integers, too: rsqrt(2) is rsqrt(2.0).
//
// The overloads are also in namespace std, because under NVRTC std::pow is CUDA's pow.
#pragma once
#define GRAFT_MATH_OF_INTEGERS(name)
#define GRAFT_MATH_OF_MIXED(name)
#define GRAFT_MATH_OF_POWER(name)
#define GRAFT_MATH_OF_SIGN(name)
#define GRAFT_MATH_OF_EXTREME(name)
#define GRAFT_MATH_OF_NORM(name)
#define GRAFT_MATH_OF_FIRST(name)
#define GRAFT_MATH_OF_SECOND(name)
#define GRAFT_MATH_OF_MISSING(name)

namespace graft_host {

template <class Result, class... T>
using IfIntegers = std::enable_if_t<(std::is_integral_v<T> && ...), Result>;
template <class T>
using IfPromotedToInt = std::enable_if_t<std::is_same_v<decltype(+T()), int> && std::is_integral_v<T>, float>;

}  // namespace graft_host

// These templates are more specialised than those of the C++ library, which take two or three types.
#define GRAFT_OF_TWO(name)                                     \
  namespace std {                                              \
  template <class I>                                           \
  inline graft_host::IfIntegers<float, I> name(float x, I y) { \
    return std::name(x, static_cast<float>(y));                \
  }                                                            \
  template <class I>                                           \
  inline graft_host::IfIntegers<float, I> name(I x, float y) { \
    return std::name(static_cast<float>(x), y);                \
  }                                                            \
  }                                                            \
  using std::name;
GRAFT_OF_TWO(atan2)
GRAFT_OF_TWO(copysign)
GRAFT_OF_TWO(fdim)
GRAFT_OF_TWO(fmax)
GRAFT_OF_TWO(fmin)
GRAFT_OF_TWO(fmod)
GRAFT_OF_TWO(hypot)
GRAFT_OF_TWO(nextafter)
GRAFT_OF_TWO(remainder)
#undef GRAFT_OF_TWO

#define GRAFT_OF_THREE(name)                                            \
  namespace std {                                                       \
  template <class I>                                                    \
  inline graft_host::IfIntegers<float, I> name(float x, float y, I z) { \
    return std::name(x, y, static_cast<float>(z));                      \
  }                                                                     \
  template <class I>                                                    \
  inline graft_host::IfIntegers<float, I> name(float x, I y, float z) { \
    return std::name(x, static_cast<float>(y), z);                      \
  }                                                                     \
  template <class I>                                                    \
  inline graft_host::IfIntegers<float, I> name(I x, float y, float z) { \
    return std::name(static_cast<float>(x), y, z);                      \
  }                                                                     \
  template <class I, class J>                                           \
  inline graft_host::IfIntegers<float, I, J> name(float x, I y, J z) {  \
    return std::name(x, static_cast<float>(y), static_cast<float>(z));  \
  }                                                                     \
  template <class I, class J>                                           \
  inline graft_host::IfIntegers<float, I, J> name(I x, float y, J z) {  \
    return std::name(static_cast<float>(x), y, static_cast<float>(z));  \
  }                                                                     \
  template <class I, class J>                                           \
  inline graft_host::IfIntegers<float, I, J> name(I x, J y, float z) {  \
    return std::name(static_cast<float>(x), static_cast<float>(y), z);  \
  }                                                                     \
  }                                                                     \
  using std::name;
GRAFT_OF_THREE(fma)
GRAFT_OF_THREE(hypot)
#undef GRAFT_OF_THREE

// CUDA declares the power of a float to an int.
namespace std {
template <class I>
inline graft_host::IfPromotedToInt<I> pow(float x, I y) {
  return std::pow(x, static_cast<float>(y));
}
template <class I>
inline graft_host::IfIntegers<float, I> pow(I x, float y) {
  return std::pow(static_cast<float>(x), y);
}
}  // namespace std
using std::pow;

#define GRAFT_OF_INTEGER(name)                                                                    \
  template <class... I>                                                                           \
  inline std::enable_if_t<sizeof...(I) == 1, graft_host::IfIntegers<double, I...>> name(I... x) { \
    return name(static_cast<double>(x)...);                                                       \
  }
GRAFT_OF_INTEGER(cospi)
GRAFT_OF_INTEGER(cyl_bessel_i0)
GRAFT_OF_INTEGER(cyl_bessel_i1)
GRAFT_OF_INTEGER(erfcinv)
GRAFT_OF_INTEGER(erfcx)
GRAFT_OF_INTEGER(erfinv)
GRAFT_OF_INTEGER(exp10)
GRAFT_OF_INTEGER(j0)
GRAFT_OF_INTEGER(j1)
GRAFT_OF_INTEGER(normcdf)
GRAFT_OF_INTEGER(normcdfinv)
GRAFT_OF_INTEGER(rcbrt)
GRAFT_OF_INTEGER(rsqrt)
GRAFT_OF_INTEGER(sinpi)
GRAFT_OF_INTEGER(y0)
GRAFT_OF_INTEGER(y1)
#undef GRAFT_OF_INTEGER
template <class... I>
inline std::enable_if_t<sizeof...(I) == 1, graft_host::IfIntegers<double, I...>> jn(int order, I... x) {
  return jn(order, static_cast<double>(x)...);
}
template <class... I>
inline std::enable_if_t<sizeof...(I) == 1, graft_host::IfIntegers<double, I...>> yn(int order, I... x) {
  return yn(order, static_cast<double>(x)...);
}
