// Integer functions of CUDA for the host route: bits, bytes, products, and the SIMD functions, which treat a 32-bit
// word as two or four integers. host.h includes this file.
#pragma once

inline unsigned int __brev(unsigned int x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
}
// Nibble k of `selector` is the number, 0 to 7, of the byte of y:x that becomes byte k.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int k = 0; k < 4; ++k) result |= static_cast<unsigned int>(bytes >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
  return result;
}

// Funnel shifts of high:low. The shift count wraps at 32; in the functions that end in c it is at most 32.
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}

namespace graft_host {

__extension__ typedef __int128 Signed128;
__extension__ typedef unsigned __int128 Unsigned128;

}  // namespace graft_host

inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<graft_host::Signed128>(x) * y) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<graft_host::Unsigned128>(x) * y) >> 64);
}
// The averages, rounded down (hadd) or up (rhadd). They cannot overflow.
inline int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
inline unsigned int __sad(int x, int y, unsigned int sum) {
  return sum + (x < y ? static_cast<unsigned int>(y) - static_cast<unsigned int>(x)
                      : static_cast<unsigned int>(x) - static_cast<unsigned int>(y));
}
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int sum) {
  return sum + (x < y ? y - x : x - y);
}

namespace graft_host {

// Adds the products to the sum. The sum wraps.
template <class T, class... Product>
inline T wrapping_sum(T sum, Product... products) {
  return static_cast<T>((static_cast<unsigned int>(sum) + ... + static_cast<unsigned int>(products)));
}

}  // namespace graft_host

// Dot products of four bytes, and of two 16-bit integers with two bytes.
#define GRAFT_DOT_PRODUCTS(type, bytes, words)                                        \
  inline type __dp4a(bytes a, bytes b, type sum) {                                    \
    return graft_host::wrapping_sum(sum, a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); \
  }                                                                                   \
  inline type __dp4a(type a, type b, type sum) {                                      \
    return __dp4a(graft_host::bits<bytes>(a), graft_host::bits<bytes>(b), sum);       \
  }                                                                                   \
  inline type __dp2a_lo(words a, bytes b, type sum) {                                 \
    return graft_host::wrapping_sum(sum, a.x * b.x, a.y * b.y);                       \
  }                                                                                   \
  inline type __dp2a_hi(words a, bytes b, type sum) {                                 \
    return graft_host::wrapping_sum(sum, a.x * b.z, a.y * b.w);                       \
  }                                                                                   \
  inline type __dp2a_lo(type a, type b, type sum) {                                   \
    return __dp2a_lo(graft_host::bits<words>(a), graft_host::bits<bytes>(b), sum);    \
  }                                                                                   \
  inline type __dp2a_hi(type a, type b, type sum) {                                   \
    return __dp2a_hi(graft_host::bits<words>(a), graft_host::bits<bytes>(b), sum);    \
  }
GRAFT_DOT_PRODUCTS(int, char4, short2)
GRAFT_DOT_PRODUCTS(unsigned int, uchar4, ushort2)
#undef GRAFT_DOT_PRODUCTS

// ---- SIMD functions ----

namespace graft_host {

// Returns the nearest value of the type Part.
template <class Part>
inline int saturated(int x) {
  constexpr int low = std::is_signed_v<Part> ? -(1 << (8 * sizeof(Part) - 1)) : 0;
  constexpr int high = low + (1 << 8 * sizeof(Part)) - 1;
  return x < low ? low : x > high ? high : x;
}

}  // namespace graft_host

// Defines a function that computes the expression for each pair of integers x and y of the type Part in a and b.
#define GRAFT_PARTWISE(name, Integer, ...)                                            \
  inline unsigned int name(unsigned int a, unsigned int b) {                          \
    using Part = Integer;                                                             \
    constexpr int width = 8 * sizeof(Part);                                           \
    unsigned int result = 0;                                                          \
    for (int at = 0; at < 32; at += width) {                                          \
      const int x = static_cast<Part>(a >> at), y = static_cast<Part>(b >> at);       \
      result |= (static_cast<unsigned int>(__VA_ARGS__) & ((1u << width) - 1)) << at; \
    }                                                                                 \
    return result;                                                                    \
  }
#define GRAFT_SIGNED(name, ...)               \
  GRAFT_PARTWISE(name##2, short, __VA_ARGS__) \
  GRAFT_PARTWISE(name##4, signed char, __VA_ARGS__)
#define GRAFT_UNSIGNED(name, ...)                      \
  GRAFT_PARTWISE(name##2, unsigned short, __VA_ARGS__) \
  GRAFT_PARTWISE(name##4, unsigned char, __VA_ARGS__)
GRAFT_UNSIGNED(__vadd, x + y)
GRAFT_SIGNED(__vaddss, graft_host::saturated<Part>(x + y))
GRAFT_UNSIGNED(__vaddus, graft_host::saturated<Part>(x + y))
GRAFT_UNSIGNED(__vsub, x - y)
GRAFT_SIGNED(__vsubss, graft_host::saturated<Part>(x - y))
GRAFT_UNSIGNED(__vsubus, graft_host::saturated<Part>(x - y))
GRAFT_UNSIGNED(__vavgu, (x + y + 1) / 2)
GRAFT_UNSIGNED(__vhaddu, (x + y) / 2)
GRAFT_SIGNED(__vmins, x < y ? x : y)
GRAFT_UNSIGNED(__vminu, x < y ? x : y)
GRAFT_SIGNED(__vmaxs, x < y ? y : x)
GRAFT_UNSIGNED(__vmaxu, x < y ? y : x)
GRAFT_SIGNED(__vabsdiffs, x < y ? y - x : x - y)
GRAFT_UNSIGNED(__vabsdiffu, x < y ? y - x : x - y)
// Comparisons: all bits of a part are 1 (vcmp), or the part is 1 (vset), where the comparison holds.
#define GRAFT_COMPARISON(name, DEFINE, ...)    \
  DEFINE(__vcmp##name, (__VA_ARGS__) ? -1 : 0) \
  DEFINE(__vset##name, (__VA_ARGS__) ? 1 : 0)
GRAFT_COMPARISON(eq, GRAFT_UNSIGNED, x == y)
GRAFT_COMPARISON(ne, GRAFT_UNSIGNED, x != y)
GRAFT_COMPARISON(ges, GRAFT_SIGNED, x >= y)
GRAFT_COMPARISON(geu, GRAFT_UNSIGNED, x >= y)
GRAFT_COMPARISON(gts, GRAFT_SIGNED, x > y)
GRAFT_COMPARISON(gtu, GRAFT_UNSIGNED, x > y)
GRAFT_COMPARISON(les, GRAFT_SIGNED, x <= y)
GRAFT_COMPARISON(leu, GRAFT_UNSIGNED, x <= y)
GRAFT_COMPARISON(lts, GRAFT_SIGNED, x < y)
GRAFT_COMPARISON(ltu, GRAFT_UNSIGNED, x < y)
#undef GRAFT_COMPARISON
#undef GRAFT_SIGNED
#undef GRAFT_UNSIGNED
#undef GRAFT_PARTWISE

#define GRAFT_OF_ONE_WORD(size)                        \
  inline unsigned int __vneg##size(unsigned int a) {   \
    return __vsub##size(0, a);                         \
  }                                                    \
  inline unsigned int __vnegss##size(unsigned int a) { \
    return __vsubss##size(0, a);                       \
  }                                                    \
  inline unsigned int __vabs##size(unsigned int a) {   \
    return __vabsdiffs##size(a, 0);                    \
  }                                                    \
  inline unsigned int __vabsss##size(unsigned int a) { \
    return __vmaxs##size(a, __vnegss##size(a));        \
  }
GRAFT_OF_ONE_WORD(2)
GRAFT_OF_ONE_WORD(4)
#undef GRAFT_OF_ONE_WORD
