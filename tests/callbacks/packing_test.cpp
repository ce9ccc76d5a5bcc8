// Tests the ready-made conversions to narrow numbers: saturating casts, 4-bit integers, and every fp8 code.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

template <class To, class From>
std::vector<To> apply(const char* entry, const std::vector<From>& in) {
  std::vector<To> out(in.size());
  on_host("packing", entry).execute(host, in, out);
  return out;
}

TEST(Saturate, RoundsToNearestEvenAndStopsAtTheEnds) {
  const std::vector<float> in = {0.5f,    1.5f,    -0.5f,       -1.5f,        126.5f,      127.5f, 300.0f,
                                 -128.5f, -300.0f, kInf<float>, -kInf<float>, kNan<float>, 254.5f, 255.5f};
  EXPECT_EQ((apply<signed char>("saturate<signed char, float>", in)),
            (std::vector<signed char>{0, 2, 0, -2, 126, 127, 127, -128, -128, 127, -128, 0, 127, 127}));
  EXPECT_EQ((apply<unsigned char>("saturate<unsigned char, float>", in)),
            (std::vector<unsigned char>{0, 2, 0, 0, 126, 128, 255, 0, 0, 255, 0, 0, 254, 255}));
  EXPECT_EQ((apply<int>("saturate<int, double>", std::vector<double>{2147483647.4, 2147483648.0, -2147483649.0, -0.5})),
            (std::vector<int>{2147483647, 2147483647, -2147483647 - 1, 0}));
  EXPECT_EQ((apply<unsigned>("saturate<unsigned int, float>", std::vector<float>{4294967040.0f, 4294967296.0f, -1.0f})),
            (std::vector<unsigned>{4294967040u, 4294967295u, 0u}));
}

TEST(Saturate, LimitsIntegers) {
  const std::vector<int> in = {-2147483647 - 1, -129, -128, -1, 0, 127, 128, 255, 256, 2147483647};
  EXPECT_EQ((apply<signed char>("saturate_integer<signed char, int>", in)),
            (std::vector<signed char>{-128, -128, -128, -1, 0, 127, 127, 127, 127, 127}));
  EXPECT_EQ((apply<unsigned short>("saturate_integer<unsigned short, int>", in)),
            (std::vector<unsigned short>{0, 0, 0, 0, 0, 127, 128, 255, 256, 65535}));
}

TEST(Int4, PacksAndUnpacksEveryPair) {
  std::vector<unsigned char> bytes(256), packed(256);
  std::vector<signed char> low(256), high(256);
  for (unsigned i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i);
  on_host("packing", "unpack_int4").execute(host, bytes, host_outputs(low, high));
  for (unsigned i = 0; i < 256; ++i) {
    ASSERT_EQ(low[i], static_cast<int>(i & 15) - ((i & 8) != 0 ? 16 : 0));
    ASSERT_EQ(high[i], static_cast<int>(i >> 4) - ((i & 128) != 0 ? 16 : 0));
  }
  on_host("packing", "pack_int4").execute(host, host_inputs(low, high), packed);
  EXPECT_EQ(packed, bytes);
  std::vector<unsigned char> first(256), second(256);
  on_host("packing", "unpack_uint4").execute(host, bytes, host_outputs(first, second));
  on_host("packing", "pack_uint4").execute(host, host_inputs(first, second), packed);
  EXPECT_EQ(packed, bytes);
}

TEST(Int4, LimitsWhatDoesNotFit) {
  const std::vector<signed char> low = {-128, 127, -9, 8}, high = {127, -128, 8, -9};
  std::vector<unsigned char> packed(4);
  on_host("packing", "pack_int4").execute(host, host_inputs(low, high), packed);
  EXPECT_EQ(packed, (std::vector<unsigned char>{0x78, 0x87, 0x78, 0x87}));
}

TEST(Int4, QuantizesWithAScale) {
  const std::vector<float> low = {0.74f, -4.1f, 100.0f, kNan<float>}, high = {-0.75f, 3.4f, -100.0f, 0.25f};
  std::vector<unsigned char> packed(4);
  std::vector<float> a(4), b(4);
  const own::Int4Scale scale{0.5f};
  on_host("packing", "quantize_int4").execute(host, host_inputs(low, high), packed, scale);
  on_host("packing", "dequantize_int4").execute(host, packed, host_outputs(a, b), scale);
  EXPECT_EQ(a, (std::vector<float>{0.5f, -4.0f, 3.5f, 0.0f}));
  EXPECT_EQ(b, (std::vector<float>{-1.0f, 3.5f, -4.0f, 0.0f}));
}

// An fp8 format: the callbacks that convert from and to float, and the numbers that define the value of each code.
struct Format {
  const char* encode;
  const char* decode;
  int fraction, bias;          // number of fraction bits, and the bias of the exponent
  unsigned largest, infinity;  // codes; `infinity` is 0 if the format has none
};

double meaning(const Format& format, unsigned code) {
  const unsigned magnitude = code & 0x7f;
  const double sign = (code & 0x80) != 0 ? -1 : 1;
  if (format.infinity != 0 && magnitude == format.infinity) return sign * kInf<double>;
  if (magnitude > format.largest) return kNan<double>;
  const auto exponent = static_cast<int>(magnitude >> format.fraction);
  const double fraction = (magnitude & ((1u << format.fraction) - 1)) / std::ldexp(1.0, format.fraction);
  return sign *
         (exponent == 0 ? std::ldexp(fraction, 1 - format.bias) : std::ldexp(1 + fraction, exponent - format.bias));
}

class Fp8 : public testing::TestWithParam<Format> {};

TEST_P(Fp8, DecodesEveryCodeAndEncodesItBack) {
  const Format& format = GetParam();
  std::vector<unsigned char> codes(256);
  for (unsigned i = 0; i < 256; ++i) codes[i] = static_cast<unsigned char>(i);
  const std::vector<float> values = apply<float>(format.decode, codes);
  const std::vector<unsigned char> back = apply<unsigned char>(format.encode, values);
  for (unsigned i = 0; i < 256; ++i) {
    const double want = meaning(format, i);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
      EXPECT_EQ(back[i], 0x7f) << i;
    } else {
      EXPECT_EQ(values[i], want) << i;
      EXPECT_EQ(back[i], std::isinf(want) ? (i & 0x80) | format.largest : i) << i;
    }
  }
}

// For each two adjacent fp8 magnitudes, converts the middle between them, the float just below the middle, the float
// just above the middle, and the negatives of the three floats.
TEST_P(Fp8, RoundsToNearestEvenBetweenAllNeighbours) {
  const Format& format = GetParam();
  std::vector<float> in;
  std::vector<unsigned char> want;
  for (unsigned code = 0; code < format.largest; ++code) {
    const auto middle = static_cast<float>((meaning(format, code) + meaning(format, code + 1)) / 2);
    const unsigned even = (code & 1) != 0 ? code + 1 : code;
    for (const auto& [value, nearest] : {std::pair{std::nextafter(middle, 0.0f), code},
                                         {middle, even},
                                         {std::nextafter(middle, kInf<float>), code + 1}}) {
      in.insert(in.end(), {value, -value});
      want.insert(want.end(), {static_cast<unsigned char>(nearest), static_cast<unsigned char>(nearest | 0x80)});
    }
  }
  for (const float huge : {1e30f, kInf<float>}) {
    in.insert(in.end(), {huge, -huge});
    want.insert(want.end(),
                {static_cast<unsigned char>(format.largest), static_cast<unsigned char>(format.largest | 0x80)});
  }
  EXPECT_EQ((apply<unsigned char>(format.encode, in)), want);
}

INSTANTIATE_TEST_SUITE_P(Formats, Fp8,
                         testing::Values(Format{"float_to_e4m3", "e4m3_to_float", 3, 7, 0x7e, 0},
                                         Format{"float_to_e5m2", "e5m2_to_float", 2, 15, 0x7b, 0x7c}),
                         [](const auto& test) { return test.index == 0 ? "E4m3" : "E5m2"; });

TEST(Bytes, PackAndUnpack) {
  const std::vector<unsigned> words = {0, 0x04030201u, 0xffffffffu, 0x80000001u};
  std::vector<unsigned char> a(4), b(4), c(4), d(4);
  std::vector<unsigned> back(4);
  on_host("packing", "unpack_bytes").execute(host, words, host_outputs(a, b, c, d));
  EXPECT_EQ((std::array{a[1], b[1], c[1], d[1]}), (std::array<unsigned char, 4>{1, 2, 3, 4}));
  on_host("packing", "pack_bytes").execute(host, host_inputs(a, b, c, d), back);
  EXPECT_EQ(back, words);
}

}  // namespace
}  // namespace graft::test
