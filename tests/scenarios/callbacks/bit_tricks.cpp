// Bit tricks, with CUDA's intrinsics and without. The references use <bit>, std::bitset and one bit at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;

template <class T>
T reversed(T x) {
  std::string bits = std::bitset<8 * sizeof(T)>(x).to_string();
  std::reverse(bits.begin(), bits.end());
  return static_cast<T>(std::bitset<8 * sizeof(T)>(bits).to_ullong());
}
// Bit i of x becomes bit i * stride + shift.
u64 spread(u64 x, int stride, int shift) {
  u64 y = 0;
  for (int i = 0; i * stride + shift < 64; ++i) y |= (x >> i & 1) << (i * stride + shift);
  return y;
}
template <class F>
u32 bytewise(u32 x, u32 y, F f) {
  const auto a = std::bit_cast<std::array<u8, 4>>(x), b = std::bit_cast<std::array<u8, 4>>(y);
  std::array<u8, 4> c;
  for (std::size_t i = 0; i < 4; ++i) c[i] = static_cast<u8>(f(a[i], b[i]));
  return std::bit_cast<u32>(c);
}

struct Field {
  int low, width;
};

}  // namespace

void add_bit_tricks(Table& table) {
  table.begin_kind("Bit tricks");
  table.add("hamming_distance", "int(unsigned long long, unsigned long long)",
            "__device__ int hamming(unsigned long long a, unsigned long long b) { return __popcll(a ^ b); }",
            from(any<u64>(), any<u64>()),
            [](u64 a, u64 b) { return static_cast<int>(std::bitset<64>(a ^ b).count()); });

  table.add("population_count_by_halves", "unsigned char(unsigned int)", R"(
__device__ unsigned char count(unsigned x) {
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
})",
            from(any<u32>()), [](u32 x) { return static_cast<u8>(std::popcount(x)); });

  table.add("parity", "bool(int)", "__device__ bool parity(int x) { return __popc(x) & 1; }", from(any<int>()),
            [](int x) { return std::bitset<32>(static_cast<u32>(x)).count() % 2 == 1; });

  table.add("bits_reversed_by_brev", "unsigned int(unsigned int)",
            "__device__ unsigned reverse(unsigned x) { return __brev(x); }", from(any<u32>()),
            [](u32 x) { return reversed(x); });

  table.add("bits_reversed_in_a_byte", "unsigned char(unsigned char)", R"(
__device__ unsigned char reverse(unsigned char b) {
  return (b * 0x80200802ull & 0x0884422110ull) * 0x0101010101ull >> 32;
})",
            from(any<u8>()), [](u8 x) { return reversed(x); });

  table.add("bytes_swapped_by_permute", "unsigned int(unsigned int)",
            "__device__ unsigned swap(unsigned x) { return __byte_perm(x, 0, 0x0123); }", from(any<u32>()),
            [](u32 x) { return __builtin_bswap32(x); });

  table
      .add("morton_code_2d", "unsigned int(unsigned short, unsigned short)", R"(
__device__ unsigned part(unsigned x) {
  x = (x | x << 8) & 0x00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}
__device__ unsigned morton(unsigned short x, unsigned short y) { return part(x) | part(y) << 1; })",
           from(any<u16>(), any<u16>()),
           [](u16 x, u16 y) { return static_cast<u32>(spread(x, 2, 0) | spread(y, 2, 1)); })
      .entry("morton");

  table
      .add("morton_decode_2d", "ushort2(unsigned int)", R"(
__device__ unsigned short even(unsigned x) {
  x &= 0x55555555;
  x = (x | x >> 1) & 0x33333333;
  x = (x | x >> 2) & 0x0f0f0f0f;
  x = (x | x >> 4) & 0x00ff00ff;
  return static_cast<unsigned short>(x | x >> 8);
}
__device__ ushort2 decode(unsigned code) { return make_ushort2(even(code), even(code >> 1)); })",
           from(any<u32>()),
           [](u32 code) {
             struct alignas(4) Point {
               u16 x, y;
             };
             Point p = {0, 0};
             for (int i = 15; i >= 0; --i) {
               p.x = static_cast<u16>(2 * p.x + (code >> 2 * i & 1));
               p.y = static_cast<u16>(2 * p.y + (code >> (2 * i + 1) & 1));
             }
             return p;
           })
      .entry("decode");

  table
      .add("morton_code_3d", "unsigned long long(uint3)", R"(
template <int... Shifts>
__device__ unsigned long long spread(unsigned long long x, const unsigned long long (&masks)[sizeof...(Shifts)]) {
  int k = 0;
  ((x = (x | x << Shifts) & masks[k++]), ...);
  return x;
}
__device__ unsigned long long part(unsigned x) {
  const unsigned long long masks[] = {0x1f00000000ffff, 0x1f0000ff0000ff, 0x100f00f00f00f00f, 0x10c30c30c30c30c3,
                                      0x1249249249249249};
  return spread<32, 16, 8, 4, 2>(x & 0x1fffff, masks);
}
__device__ unsigned long long morton(uint3 p) { return part(p.x) | part(p.y) << 1 | part(p.z) << 2; })",
           from([](Random& random) {
             struct Cell {
               u32 x, y, z;
             };
             const auto part = integers<u32>(0, (1 << 21) - 1);
             return Cell{part(random), part(random), part(random)};
           }),
           [](const auto& p) { return spread(p.x, 3, 0) | spread(p.y, 3, 1) | spread(p.z, 3, 2); })
      .entry("morton");

  table.add(
      "gray_code", "unsigned int(graft::Index)",
      "__device__ unsigned gray(graft::Index i) { const unsigned n = static_cast<unsigned>(i); return n ^ n >> 1; }",
      from(),
      [](Index i) {  // bit k changes at odd multiples of 2^k
        u32 code = 0;
        for (int k = 0; k < 31; ++k) code |= static_cast<u32>(((i.value + (1ull << k)) >> (k + 1)) & 1) << k;
        return code;
      });

  table.add("gray_decode", "unsigned int(unsigned int)", R"(
__device__ unsigned decode(unsigned code) {
#pragma unroll
  for (int shift = 16; shift > 0; shift >>= 1) code ^= code >> shift;
  return code;
})",
            from(any<u32>()), [](u32 code) {
              u32 n = 0, bit = 0;
              for (int k = 31; k >= 0; --k) n |= (bit ^= code >> k & 1) << k;
              return n;
            });

  table.add("logarithm_by_leading_zeros", "void(int, long long, signed char&, signed char&)", R"(
__device__ void logarithms(int a, long long b, signed char& log_a, signed char& log_b) {
  log_a = 31 - __clz(a);
  log_b = 63 - __clzll(b);
})",
            from(integers<int>(0, 2147483647), integers<long long>(0, 1ll << 62)), [](int a, long long b) {
              return std::tuple(static_cast<signed char>(std::bit_width(static_cast<u32>(a)) - 1),
                                static_cast<signed char>(std::bit_width(static_cast<u64>(b)) - 1));
            });

  table.add("funnel_shift", "unsigned int(unsigned int, unsigned int, int)",
            "__device__ unsigned shift(unsigned low, unsigned high, int n) { return __funnelshift_r(low, high, n); }",
            from(any<u32>(), any<u32>(), integers<int>(0, 31)),
            [](u32 low, u32 high, int n) { return static_cast<u32>((static_cast<u64>(high) << 32 | low) >> n); });

  table.add("next_power_of_two", "unsigned int(unsigned int)", R"(
__device__ unsigned up(unsigned x) {
  --x;
  x |= x >> 1; x |= x >> 2; x |= x >> 4; x |= x >> 8; x |= x >> 16;
  return x + 1;
})",
            from(integers<u32>(1, 1u << 31)), [](u32 x) { return std::bit_ceil(x); });

  table.add("lowest_set_bit", "void(unsigned int, unsigned int&, int&)", R"(
__device__ void lowest(unsigned x, unsigned& isolated, int& place) {
  isolated = x & -x;
  place = __ffs(static_cast<int>(x)) - 1;
})",
            from(integers<u32>(0, 4096)), [](u32 x) {
              return std::tuple(x == 0 ? 0u : 1u << std::countr_zero(x), x == 0 ? -1 : std::countr_zero(x));
            });

  table.add("next_of_equal_weight", "unsigned int(unsigned int)", R"(
__device__ unsigned next(unsigned x) {
  const unsigned low = x & (~x + 1), ripple = x + low;
  return ripple | ((x ^ ripple) / low >> 2);
})",
            from(integers<u32>(1, 100000)), [](u32 x) {
              u32 y = x + 1;
              while (std::popcount(y) != std::popcount(x)) ++y;
              return y;
            });

  table
      .add("bit_field", "int(int, const Field&)", R"(
struct Field { int low, width; };
__device__ int field(int x, const Field& f) { return x << (32 - f.low - f.width) >> (32 - f.width); })",
           from(any<int>()),
           [](int x) {
             const int raw = static_cast<int>(std::floor(x / 32.0)) & 0x1ff;
             return raw >= 256 ? raw - 512 : raw;
           })
      .state(Field{5, 9});

  table.add("has_zero_byte", "bool(unsigned int)",
            "__device__ bool has_zero(unsigned v) { return ((v - 0x01010101u) & ~v & 0x80808080u) != 0; }",
            from([](Random& random) {
              u32 x = 0;
              for (int i = 0; i < 4; ++i) x = x << 8 | integers<u32>(0, 5)(random);
              return x;
            }),
            [](u32 x) { return x % 256 == 0 || x / 256 % 256 == 0 || x / 65536 % 256 == 0 || x / 16777216 == 0; });

  table.add("four_sums_in_a_word", "unsigned int(unsigned int, unsigned int)", R"(
__device__ unsigned sums(unsigned a, unsigned b) {
  return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
})",
            from(any<u32>(), any<u32>()),
            [](u32 a, u32 b) { return bytewise(a, b, [](int x, int y) { return x + y; }); });

  table.add("byte_averages_by_simd", "unsigned int(unsigned int, unsigned int)",
            "__device__ unsigned averages(unsigned a, unsigned b) { return __vavgu4(a, b); }",
            from(any<u32>(), any<u32>()),
            [](u32 a, u32 b) { return bytewise(a, b, [](int x, int y) { return (x + y + 1) / 2; }); });

  table.add("dot_product_of_bytes", "int(int, int, int)",
            "__device__ int dot(int a, int b, int sum) { return __dp4a(a, b, sum); }",
            from(any<int>(), any<int>(), integers<int>(-1000, 1000)), [](int a, int b, int sum) {
              for (int i = 0; i < 4; ++i)
                sum += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
              return sum;
            });

  table
      .add("majority_by_inline_ptx", "unsigned int(unsigned int, unsigned int, unsigned int)", R"(
__device__ unsigned majority(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
})",
           from(any<u32>(), any<u32>(), any<u32>()),
           [](u32 a, u32 b, u32 c) {
             u32 d = 0;
             for (int i = 0; i < 32; ++i) d |= ((a >> i & 1) + (b >> i & 1) + (c >> i & 1)) / 2 << i;
             return d;
           })
      .refused({{Route::Host}, ErrorCode::CompileFailed, "lop3", "#ifndef __CUDACC_RTC__"});

  table.add("parts_of_a_float", "void(float, bool&, short&, unsigned int&)", R"(
__device__ void parts(float x, bool& negative, short& exponent, unsigned& fraction) {
  const int bits = __float_as_int(x);
  negative = bits < 0;
  exponent = static_cast<short>((bits >> 23 & 0xff) - 127);
  fraction = bits & 0x7fffff;
})",
            from(reals(-1e5, 1e5)), [](float x) {
              const int e = std::ilogb(x);
              return std::tuple(x < 0, static_cast<short>(e),
                                static_cast<u32>(std::ldexp(std::fabs(static_cast<double>(x)), 23 - e)) - (1u << 23));
            });

  table.add("float_to_sortable_integer", "unsigned int(float)", R"(
__device__ unsigned sortable(float x) {
  const unsigned bits = __float_as_uint(x), mask = -static_cast<int>(bits >> 31) | 0x80000000u;
  return bits ^ mask;
})",
            from(reals(-10, 10)), [](float x) {
              const u32 size = std::bit_cast<u32>(std::fabs(x));
              return x < 0 || std::signbit(x) ? 0x7fffffffu - size : 0x80000000u + size;
            });

  table.add("hilbert_curve_point", "uchar2(unsigned short)", R"(
__device__ uchar2 hilbert(unsigned short d) {
  unsigned x = 0, y = 0, t = d;
  for (unsigned s = 1; s < 256; s *= 2) {
    const unsigned rx = 1 & t / 2, ry = 1 & (t ^ rx);
    if (ry == 0) {
      if (rx == 1) { x = s - 1 - x; y = s - 1 - y; }
      const unsigned swap = x; x = y; y = swap;
    }
    x += s * rx;
    y += s * ry;
    t /= 4;
  }
  return make_uchar2(x, y);
})",
            from(any<u16>()),
            [](u16 d) {  // from the largest square down, in a frame that turns on the way
              struct alignas(2) Point {
                u8 x, y;
              };
              int x = 0, y = 0, ax = 1, ay = 0, bx = 0, by = 1;  // the frame: b is the curve's first step, a its second
              for (int level = 7; level >= 0; --level) {
                const int quadrant = d >> 2 * level & 3, size = 1 << level;
                const int along = quadrant < 2 ? 0 : quadrant == 2 ? size : 2 * size - 1;
                const int across = quadrant == 0 ? 0 : quadrant < 3 ? size : size - 1;
                x += along * ax + across * bx;
                y += along * ay + across * by;
                if (quadrant % 3 == 0) std::swap(ax, bx), std::swap(ay, by);
                if (quadrant == 3) ax = -ax, ay = -ay, bx = -bx, by = -by;
              }
              return Point{static_cast<u8>(x), static_cast<u8>(y)};
            });
}

}  // namespace graft::test::table
