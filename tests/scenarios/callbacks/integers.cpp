// Integers of all widths: saturation, fixed point, number theory, 128 bits. The references use wider types and loops.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i64 = long long;
using u64 = unsigned long long;
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

}  // namespace

void add_integers(Table& table) {
  table.begin_kind("Integers");

  table.add("saturated_uint8_sum", "unsigned char(unsigned char, unsigned char)", R"(
__device__ uint8_t add(uint8_t a, uint8_t b) {
  const uint8_t sum = a + b;
  return sum | -(sum < a);
})",
            from(any<u8>(), any<u8>()), [](u8 a, u8 b) { return static_cast<u8>(std::min(a + b, 255)); });

  table.add("saturated_int8_difference", "signed char(signed char, signed char)", R"(
__device__ int8_t subtract(int8_t a, int8_t b) { return static_cast<int8_t>(max(-128, min(127, a - b))); })",
            from(any<i8>(), any<i8>()), [](i8 a, i8 b) { return static_cast<i8>(std::clamp(a - b, -128, 127)); });

  table.add("fixed_point_product_q15", "short(short, short)", R"(
__device__ int16_t q15(int16_t a, int16_t b) {
  const int32_t product = (static_cast<int32_t>(a) * b + 0x4000) >> 15;
  return product > 32767 ? 32767 : product;
})",
            from(any<i16>(), any<i16>()),
            [](i16 a, i16 b) { return static_cast<i16>(std::min(32767.0, std::floor(a * (b / 32768.0) + 0.5))); });

  table.add("average_without_overflow", "unsigned long long(unsigned long long, unsigned long long)", R"(
typedef unsigned long long Word;
__device__ Word average(Word a, Word b) { return (a & b) + ((a ^ b) >> 1); })",
            from(any<u64>(), any<u64>()),
            [](u64 a, u64 b) { return static_cast<u64>((static_cast<u128>(a) + b) / 2); });

  table.add("floored_remainder", "void(long long, long long, long long&, long long&)", R"(
__device__ void divide(long long a, long long b, long long& quotient, long long& remainder) {
  quotient = a / b;
  remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b, --quotient;
})",
            from(integers<i64>(-1000000, 1000000),
                 [](Random& random) {
                   const i64 b = integers<i64>(1, 5000)(random);
                   return random() % 2 == 0 ? b : -b;
                 }),
            [](i64 a, i64 b) {
              const auto quotient =
                  static_cast<i64>(std::floor(static_cast<long double>(a) / static_cast<long double>(b)));
              return std::tuple(quotient, a - quotient * b);
            });

  table.add("high_half_of_a_product", "unsigned int(unsigned int, unsigned int)",
            "__device__ uint32_t high(uint32_t a, uint32_t b) { return __umulhi(a, b) ^ a; }",
            from(any<u32>(), any<u32>()),
            [](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b / 4294967296u) ^ a; });

  table.add("integer_square_root", "unsigned int(unsigned long long)", R"(
__device__ unsigned root(unsigned long long n) {
  unsigned long long r = 0;
  for (unsigned long long bit = 1ull << 62; bit != 0; bit >>= 2) {
    if (n >= r + bit) {
      n -= r + bit;
      r = (r >> 1) + bit;
    } else {
      r >>= 1;
    }
  }
  return static_cast<unsigned>(r);
})",
            from(any<u64>()), [](u64 n) {
              auto r = static_cast<u64>(std::sqrt(static_cast<long double>(n)));
              while (static_cast<u128>(r) * r > n) --r;
              while (static_cast<u128>(r + 1) * (r + 1) <= n) ++r;
              return static_cast<u32>(r);
            });

  table.add("greatest_common_divisor", "unsigned int(unsigned int, unsigned int)", R"(
__device__ unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
})",
            from(integers<u32>(0, 5000), integers<u32>(0, 5000)), [](u32 a, u32 b) { return std::gcd(a, b); });

  table
      .add("power_modulo_a_prime", "unsigned long long(unsigned long long, unsigned short, const unsigned long long&)",
           R"(
__device__ unsigned long long multiply(unsigned long long a, unsigned long long b, unsigned long long m) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b % m);
}
__device__ unsigned long long power(unsigned long long base, unsigned short exponent, const unsigned long long& m) {
  unsigned long long result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base, m);
    base = multiply(base, base, m);
  }
  return result;
})",
           from(integers<u64>(2, 1000000000000000), integers<u16>(0, 300)),
           [](u64 base, u16 exponent) {
             u128 result = 1;
             for (int i = 0; i < exponent; ++i) result = result * base % 2305843009213693951u;
             return static_cast<u64>(result);
           })
      .entry("power")
      .state(u64{2305843009213693951u});

  table.add("wide_sum_of_int128", "__int128(__int128, long long)", R"(
__device__ __int128 sum(__int128 a, long long b) { return a + static_cast<__int128>(b) * 1000000007; })",
            from(any<i128>(), any<i64>()), [](i128 a, i64 b) {
              u128 sum = static_cast<u128>(a);
              for (int bit = 0; bit < 30; ++bit)
                if (1000000007 >> bit & 1) sum += static_cast<u128>(static_cast<i128>(b)) << bit;
              return static_cast<i128>(sum);
            });

  table.add("decimal128_to_units", "void(unsigned long long, long long&, int&)", R"(
// Splits cents into units and cents, by multiplication with the reciprocal.
__device__ void split(unsigned long long cents, long long& units, int& rest) {
  const unsigned __int128 product = static_cast<unsigned __int128>(cents >> 2) * 0x28f5c28f5c28f5c3ull;
  units = static_cast<long long>(static_cast<unsigned long long>(product >> 64) >> 2);
  rest = static_cast<int>(cents - 100ull * units);
})",
            from(any<u64>()),
            [](u64 cents) { return std::tuple(static_cast<i64>(cents / 100), static_cast<int>(cents % 100)); });

  table.add("collatz_steps", "unsigned short(unsigned int)", R"(
__device__ unsigned short collatz(unsigned start) {
  unsigned short steps = 0;
  for (unsigned long long n = start; n > 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
})",
            from(integers<u32>(1, 5000)), [](u32 start) {
              u16 steps = 0;
              for (u64 n = start; n != 1;) {
                const int zeros = __builtin_ctzll(n);
                n >>= zeros, steps = static_cast<u16>(steps + zeros);
                if (n != 1) n = 3 * n + 1, ++steps;
              }
              return steps;
            });

  table.add("decimal_digits", "uchar4(unsigned short)", R"(
__device__ uchar4 digits(unsigned short n) {
  uchar4 d;
  d.w = '0' + n % 10; n /= 10;
  d.z = '0' + n % 10; n /= 10;
  d.y = '0' + n % 10; n /= 10;
  d.x = '0' + n;
  return d;
})",
            from(integers<u16>(0, 9999)), [](u16 n) {
              struct alignas(4) Text {
                char digits[4];
              };
              const std::string text = std::to_string(10000 + n);
              return Text{{text[1], text[2], text[3], text[4]}};
            });

  table.add("overflow_flag", "bool(int, int)", R"(
__device__ bool overflows(int a, int b) {
  const int sum = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  return ((a ^ sum) & (b ^ sum)) < 0;
})",
            from(any<int>(), any<int>()), [](int a, int b) {
              int sum;
              return __builtin_add_overflow(a, b, &sum);
            });
}

}  // namespace graft::test::table
