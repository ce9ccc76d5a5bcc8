// Quantisation: narrow integers with scales and zero points, packed integers, fp8 and bfloat16, companding. The
// references search for the nearest code, or compute in double and integers.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

struct Affine8 {
  float scale;
  int zero_point;
};
struct Stochastic {
  u32 seed;
};

// Rounds to the nearest integer, ties to even, without the library's rounding.
double nearest(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}
double limited(double x, double low, double high) {
  return std::min(std::max(x, low), high);
}

// The value of a code of an 8-bit floating-point format.
double value_of_fp8(unsigned code, int fraction_bits, int bias) {
  const auto exponent = static_cast<int>((code & 0x7f) >> fraction_bits);
  const double fraction = (code & ((1u << fraction_bits) - 1)) / std::ldexp(1.0, fraction_bits);
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return (code & 0x80) != 0 ? -size : size;
}
// The code in [0, largest] whose value is nearest to |x|; of two, the even one.
u8 fp8_of(double x, int fraction_bits, int bias, unsigned largest) {
  unsigned best = 0;
  for (unsigned code = 1; code <= largest; ++code) {
    const double d = std::fabs(value_of_fp8(code, fraction_bits, bias) - std::fabs(x));
    const double d_best = std::fabs(value_of_fp8(best, fraction_bits, bias) - std::fabs(x));
    if (d < d_best || (d == d_best && code % 2 == 0)) best = code;
  }
  return static_cast<u8>(best | (std::signbit(x) ? 0x80 : 0));
}

constexpr std::array<float, 16> kNormalFloat4 = {
    -1.0f,      -0.6961928f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
    0.0795803f, 0.1609302f,  0.2461123f,   0.33791524f,  0.44070983f,  0.562617f,    0.72295684f,  1.0f};

}  // namespace

void add_quantisations(Table& table) {
  table.begin_kind("Quantisation");

  table
      .add("int8_symmetric", "signed char(float, const float&)", R"(
__device__ signed char quantize(float x, const float& scale) {
  const float q = rintf(x / scale);
  return static_cast<signed char>(fminf(fmaxf(q, -127.0f), 127.0f));
})",
           from(reals(-5, 5)),
           [](float x) { return static_cast<signed char>(limited(nearest(x / 0.03125f), -127, 127)); })
      .state(0.03125f);

  table
      .add("uint8_with_zero_point", "unsigned char(float, const Affine8&)", R"(
struct Affine8 { float scale; int zero_point; };
__device__ unsigned char quantize(float x, const Affine8& to) {
  const int q = __float2int_rn(__fdiv_rn(x, to.scale)) + to.zero_point;
  return static_cast<unsigned char>(min(max(q, 0), 255));
})",
           from(reals(-30, 30)), [](float x) { return static_cast<u8>(limited(nearest(x / 0.1f) + 128, 0, 255)); })
      .state(Affine8{0.1f, 128});

  table
      .add("uint8_to_float_by_channel", "float(unsigned char, graft::Index, const Channels&)", R"(
struct Channels { float scale[4]; int zero[4]; };
__device__ float dequantize(unsigned char q, graft::Index i, const Channels& c) {
  const int channel = i & 3;
  return c.scale[channel] * static_cast<float>(q - c.zero[channel]);
})",
           from(any<u8>()),
           [](u8 q, Index i) {
             const std::array scale = {0.5f, 0.1f, 3.0f, 0.7f};
             const std::array zero = {0, 128, 255, 3};
             return static_cast<float>((q - zero[i.value % 4]) * static_cast<double>(scale[i.value % 4]));
           })
      .state([](Memory&) {
        struct Channels {
          float scale[4];
          int zero[4];
        };
        return Channels{{0.5f, 0.1f, 3.0f, 0.7f}, {0, 128, 255, 3}};
      });

  table.add("requantise_int32", "signed char(int)", R"(
// Fixed-point multiplication by 0.7071 * 2^-7, rounded half up, as integer inference does.
__device__ signed char requantize(int accumulator) {
  const long long product = static_cast<long long>(accumulator) * 1518500250;
  const int scaled = static_cast<int>((product + (1ll << 37)) >> 38);
  return static_cast<signed char>(scaled < -128 ? -128 : scaled > 127 ? 127 : scaled);
})",
            from(integers<int>(-40000, 40000)), [](int x) {
              return static_cast<signed char>(limited(std::floor(x * 1518500250.0 / 274877906944.0 + 0.5), -128, 127));
            });

  table.add("unpack_int4_with_scale", "void(unsigned char, float, float&, float&)", R"(
__device__ void unpack(unsigned char packed, float scale, float& low, float& high) {
  const int l = static_cast<signed char>(packed << 4) >> 4, h = static_cast<signed char>(packed) >> 4;
  low = scale * l;
  high = scale * h;
})",
            from(any<u8>(), reals(0.1, 2)), [](u8 packed, float scale) {
              const auto number = [](int nibble) { return static_cast<float>(nibble < 8 ? nibble : nibble - 16); };
              return std::tuple(number(packed % 16) * scale, number(packed / 16) * scale);
            });

  table
      .add("pack_int2_from_four", "unsigned char(float, float, float, float)", R"(
namespace {
__device__ unsigned code(float x) { return x < -0.5f ? 0u : x < 0.0f ? 1u : x < 0.5f ? 2u : 3u; }
}
__device__ unsigned char pack(float a, float b, float c, float d) {
  return static_cast<unsigned char>(code(a) | code(b) << 2 | code(c) << 4 | code(d) << 6);
})",
           from(reals(-1, 1), reals(-1, 1), reals(-1, 1), reals(-1, 1)),
           [](float a, float b, float c, float d) {
             int packed = 0;
             for (const float x : {d, c, b, a}) packed = 4 * packed + static_cast<int>(std::floor(2 * x)) + 2;
             return static_cast<u8>(packed);
           })
      .entry("pack");

  table
      .add("e4m3_by_cuda_fp8", "unsigned char(float)", R"(
#include <cuda_fp8.h>
__device__ unsigned char encode(float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); })",
           from(reals(-500, 500)), [](double x) { return fp8_of(x, 3, 7, 0x7e); })
      .includes_toolkit_headers();

  table
      .add("e5m2_by_cuda_fp8", "float(float)", R"(
#include <cuda_fp8.h>
__device__ float through_e5m2(float x) { return static_cast<float>(__nv_fp8_e5m2(x)); })",
           from(reals(-200, 200)),
           [](double x) { return static_cast<float>(value_of_fp8(fp8_of(x, 2, 15, 0x7b), 2, 15)); })
      .includes_toolkit_headers();

  table.add("bfloat16_rounding_by_bits", "unsigned short(float)", R"(
__device__ unsigned short to_bfloat16(float x) {
  const unsigned bits = __float_as_uint(x);
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
})",
            from(reals(-1000, 1000)), [](float x) {
              const double step = std::ldexp(1.0, std::ilogb(x) - 7);
              return static_cast<u16>(std::bit_cast<u32>(static_cast<float>(nearest(x / step) * step)) >> 16);
            });

  table
      .add("stochastic_bfloat16", "unsigned short(float, graft::Index, const unsigned int&)", R"(
__device__ unsigned hash(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__device__ unsigned short round(float x, graft::Index i, const unsigned& seed) {
  const unsigned noise = hash(static_cast<unsigned>(i) ^ seed) & 0xffffu;
  return static_cast<unsigned short>((__float_as_uint(x) + noise) >> 16);
})",
           from(reals(-10, 10)),
           [](float x, Index i) {
             u32 h = static_cast<u32>(i.value) ^ 5;
             h = static_cast<u32>((h ^ h / 65536) * std::uint64_t{0x7feb352d});
             h = static_cast<u32>((h ^ h / 32768) * std::uint64_t{0x846ca68b});
             h = (h ^ h / 65536) % 65536;
             const u32 bits = std::bit_cast<u32>(x);
             return static_cast<u16>(bits / 65536 + (bits % 65536 + h >= 65536 ? 1 : 0));
           })
      .entry("round")
      .state(5u);

  table.add("normal_float_4", "unsigned char(float)", R"(
__device__ const float nf4[16] = {-1.0f, -0.6961928f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                                  -0.09105004f, 0.0f, 0.0795803f, 0.1609302f, 0.2461123f, 0.33791524f,
                                  0.44070983f, 0.562617f, 0.72295684f, 1.0f};
__device__ unsigned char encode(float x) {
  int code = 0;
  for (int i = 1; i < 16; ++i) code += x > 0.5f * (nf4[i - 1] + nf4[i]);
  return code;
})",
            from(reals(-1.1, 1.1)), [](float x) {
              const auto distance = [&](float y) { return std::fabs(static_cast<double>(x) - y); };
              const auto* best = std::min_element(kNormalFloat4.begin(), kNormalFloat4.end(),
                                                  [&](float a, float b) { return distance(a) < distance(b); });
              return static_cast<u8>(best - kNormalFloat4.begin());
            });

  table.add(
      "mu_law_encode", "float(float)", R"(
__device__ float mu_law(float x) { return copysignf(log1pf(255.0f * fabsf(x)) / log1pf(255.0f), x); })",
      from(reals(-1, 1)),
      [](double x) { return static_cast<float>((x < 0 ? -1 : 1) * std::log2(1 + 255 * std::fabs(x)) / 8); },
      within(2e-6));

  table.add("g711_mu_law_decode", "short(unsigned char)", R"(
__device__ short decode(unsigned char code) {
  const unsigned char u = ~code;
  const int magnitude = ((((u & 0x0f) << 3) + 0x84) << ((u & 0x70) >> 4)) - 0x84;
  return static_cast<short>(u & 0x80 ? -magnitude : magnitude);
})",
            from(any<u8>()), [](u8 code) {
              const int u = 255 - code, step = u % 16, segment = u / 16 % 8;
              const double magnitude = std::ldexp(2 * step + 33, segment + 2) - 132;
              return static_cast<short>(u >= 128 ? -magnitude : magnitude);
            });

  table
      .add(
          "fake_quantisation", "float(float, const float&)", R"(
__device__ float fake(float x, const float& scale) {
  return fminf(fmaxf(rintf(x / scale), -8.0f), 7.0f) * scale;
})",
          from(reals(-3, 3)), [](float x) { return static_cast<float>(limited(nearest(x * 4.0), -8, 7) / 4); },
          within(1e-7))
      .state(0.25f);

  table.add("power_of_two_scale", "void(float, signed char&, float&)", R"(
__device__ void split(float x, signed char& exponent, float& fraction) {
  int e;
  fraction = frexpf(x, &e);
  exponent = static_cast<signed char>(e);
})",
            from(reals(-1e6, 1e6)), [](float x) {
              const int e = std::ilogb(x) + 1;
              return std::tuple(static_cast<signed char>(e), static_cast<float>(x / std::exp2(e)));
            });

  table.add("unorm16_and_snorm8", "void(float, unsigned short&, signed char&)", R"(
__device__ void pack(float x, unsigned short& u, signed char& s) {
  u = static_cast<unsigned short>(__float2uint_rn(__saturatef(x) * 65535.0f));
  s = static_cast<signed char>(__float2int_rn(fminf(fmaxf(x, -1.0f), 1.0f) * 127.0f));
})",
            from(reals(-1.2, 1.2)), [](float x) {
              return std::tuple(static_cast<u16>(nearest(static_cast<float>(limited(x, 0, 1)) * 65535.0f)),
                                static_cast<signed char>(nearest(static_cast<float>(limited(x, -1, 1)) * 127.0f)));
            });

  table.add("ternary_weights", "char(float)", "__device__ char ternary(float w) { return (w > 0.05f) - (w < -0.05f); }",
            from(reals(-0.2, 0.2)), [](float w) {
              return static_cast<char>(std::fabs(w) <= 0.05f ? 0 : w < 0 ? -1 : 1);
            });
}

}  // namespace graft::test::table
