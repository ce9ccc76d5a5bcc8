// Formulas of integers, beside the same operations in 128 bits: they wrap, and no division traps. Conversions saturate.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "formula/values/columns.hpp"

namespace graft::test {
namespace {

using Wide = graft::detail::Int128;

struct Row {
  const char* text;
  std::function<Wide(Wide, Wide)> expected;  // the result is the lowest bits of this
};

Wide floor_divide(Wide x, Wide y) {
  if (y == 0) return 0;
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}
Wide power(Wide x, Wide n) {
  if (n < 0) return x == 1 ? 1 : x == -1 ? (n % 2 == 0 ? 1 : -1) : 0;
  unsigned long long value = 1;
  auto base = static_cast<unsigned long long>(x);
  for (; n > 0; n /= 2, base *= base)
    if (n % 2 != 0) value *= base;
  return static_cast<Wide>(value);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"x + y", [](Wide x, Wide y) { return x + y; }},
      {"x - y", [](Wide x, Wide y) { return x - y; }},
      {"x * y", [](Wide x, Wide y) { return x * y; }},
      {"x // y", floor_divide},
      {"x % y", [](Wide x, Wide y) { return y == 0 ? 0 : x - floor_divide(x, y) * y; }},
      {"x ^ y", power},
      {"x ^ 2", [](Wide x, Wide) { return x * x; }},
      {"x ** 3", [](Wide x, Wide) { return power(x, 3); }},
      {"-x", [](Wide x, Wide) { return -x; }},
      {"abs(x)", [](Wide x, Wide) { return x < 0 ? -x : x; }},
      {"min(x, y)", [](Wide x, Wide y) { return std::min(x, y); }},
      {"max(x, y, 3)", [](Wide x, Wide y) { return std::max(std::max(x, y), Wide(3)); }},
      {"clamp(x, 1, 100)", [](Wide x, Wide) { return std::clamp<Wide>(x, 1, 100); }},
      {"relu(x)", [](Wide x, Wide) { return std::max<Wide>(x, 0); }},
      {"sign(x)", [](Wide x, Wide) -> Wide { return x > 0   ? 1
                                                    : x < 0 ? -1
                                                            : 0; }},
      {"step(x, y)", [](Wide x, Wide y) -> Wide { return y >= x ? 1 : 0; }},
      {"floor(x) + round(y)", [](Wide x, Wide y) { return x + y; }},
      {"x > y ? x : 7", [](Wide x, Wide y) { return x > y ? x : 7; }},
      {"x + (x < y) + (x == y ? 2 : 0)", [](Wide x, Wide y) { return x + (x < y ? 1 : 0) + (x == y ? 2 : 0); }},
      {"x // 2 * 2 + x % 2", [](Wide x, Wide) { return x; }},
      {"real(x) * norm(y)", [](Wide x, Wide y) { return x * y * y; }},
      // What messages suggest for x & 48, x | 48 and ~x.
      {"x // 16 % 4 * 16", [](Wide x, Wide) { return x & 48; }},
      {"x - x // 16 % 4 * 16 + 48", [](Wide x, Wide) { return x | 48; }},
      {"-x - 1", [](Wide x, Wide) { return ~x; }},
  };
  return all;
}

template <class T>
std::pair<std::vector<T>, std::vector<T>> pairs() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::min(),
                           Limits::max(),
                           0,
                           1,
                           2,
                           3,
                           5,
                           7,
                           10,
                           100,
                           static_cast<T>(Limits::max() - 1),
                           static_cast<T>(Limits::min() + 1)};
  for (const int value : {-1, -2, -3, -7, -100}) values.push_back(static_cast<T>(value));
  std::vector<T> xs;
  std::vector<T> ys;
  for (const T x : values)
    for (const T y : values) {
      xs.push_back(x);
      ys.push_back(y);
    }
  return {xs, ys};
}

template <class T>
void check(const char* type) {
  const auto [xs, ys] = pairs<T>();
  const std::vector<ByteArray> results =
      run_rows(rows(), std::string(type) + " x, y", {bytes_of(xs), bytes_of(ys)}, xs.size());
  ASSERT_EQ(results.size(), rows().size());
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const std::vector<T> values = values_of<T>(results[k]);
    ASSERT_EQ(values.size(), xs.size()) << type << ": " << rows()[k].text;
    for (std::size_t i = 0; i < xs.size(); ++i)
      ASSERT_EQ(values[i], static_cast<T>(rows()[k].expected(xs[i], ys[i])))
          << type << ": " << rows()[k].text << " of x = " << +xs[i] << ", y = " << +ys[i];
  }
}

TEST(FormulaValues, OfI8) {
  check<std::int8_t>("i8");
}
TEST(FormulaValues, OfI16) {
  check<std::int16_t>("i16");
}
TEST(FormulaValues, OfI32) {
  check<std::int32_t>("i32");
}
TEST(FormulaValues, OfI64) {
  check<long long>("i64");
}
TEST(FormulaValues, OfU8) {
  check<std::uint8_t>("u8");
}
TEST(FormulaValues, OfU16) {
  check<std::uint16_t>("u16");
}
TEST(FormulaValues, OfU32) {
  check<std::uint32_t>("u32");
}
TEST(FormulaValues, OfU64) {
  check<unsigned long long>("u64");
}

// ---- conversions ----

template <class To, class From>
To nearest_integer(From value) {
  if (value != value) return 0;
  if (static_cast<long double>(value) >= static_cast<long double>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  if (static_cast<long double>(value) <= static_cast<long double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

template <class To, class From>
void check_conversion(const ByteArray& bytes, const std::vector<From>& from, const char* name) {
  const std::vector<To> values = values_of<To>(bytes);
  ASSERT_EQ(values.size(), from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    EXPECT_EQ(values[i], nearest_integer<To>(from[i])) << name << " of " << +from[i];
}

struct Cast {
  const char* text;
};
template <class From>
void check_conversions(const char* type, const std::vector<From>& from) {
  const std::vector<Cast> casts = {{"i8(x)"}, {"i16(x)"}, {"i32(x)"}, {"i64(x)"},
                                   {"u8(x)"}, {"u16(x)"}, {"u32(x)"}, {"u64(x)"}};
  const std::vector<ByteArray> results = run_rows(casts, std::string(type) + " x", {bytes_of(from)}, from.size());
  ASSERT_EQ(results.size(), 8u);
  check_conversion<std::int8_t>(results[0], from, "i8");
  check_conversion<std::int16_t>(results[1], from, "i16");
  check_conversion<std::int32_t>(results[2], from, "i32");
  check_conversion<long long>(results[3], from, "i64");
  check_conversion<std::uint8_t>(results[4], from, "u8");
  check_conversion<std::uint16_t>(results[5], from, "u16");
  check_conversion<std::uint32_t>(results[6], from, "u32");
  check_conversion<unsigned long long>(results[7], from, "u64");
}

TEST(FormulaConversions, OfFloatingPointNumbersSaturate) {
  std::vector<double> values = {0,
                                -0.0,
                                0.9,
                                -0.9,
                                1.5,
                                -1.5,
                                126.9,
                                127.5,
                                128,
                                -128.9,
                                255,
                                256,
                                1e4,
                                -1e4,
                                65535,
                                65536,
                                1e9,
                                -1e9,
                                2147483647.5,
                                4294967296.0,
                                1e18,
                                -1e18,
                                9223372036854775807.0,
                                1.8446744073709552e19,
                                1e30,
                                -1e30,
                                HUGE_VAL,
                                -HUGE_VAL};
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  check_conversions("f64", values);
  check_conversions("f32", std::vector<float>(values.begin(), values.end()));
}

TEST(FormulaConversions, OfIntegersSaturate) {
  check_conversions("i64", std::get<0>(pairs<long long>()));
  check_conversions("u64", std::get<0>(pairs<unsigned long long>()));
  check_conversions("i16", std::get<0>(pairs<std::int16_t>()));
  check_conversions("u32", std::get<0>(pairs<std::uint32_t>()));
  check_conversions("i32", std::vector<std::int32_t>{0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, 65536});
}

// ---- operands of several types ----

TEST(FormulaValues, OfSeveralTypes) {
  const std::vector<Cast> rows = {{"i + x"},      {"i / j"},  {"u / 2"}, {"u * 0.5"},
                                  {"i // 2 + u"}, {"u - u2"}, {"i < u"}, {"(m + m) * x"}};
  const std::vector<std::int32_t> i = {7, -7, std::numeric_limits<std::int32_t>::max()};
  const std::vector<std::int32_t> j = {2, 0, 3};
  const std::vector<std::uint8_t> u = {3, 255, 0};
  const std::vector<std::uint8_t> u2 = {4, 1, 1};
  const std::vector<float> x = {0.5f, 1e10f, -2};
  const std::vector<std::uint8_t> m = {1, 0, 1};
  const std::vector<ByteArray> results =
      run_rows(rows, "i32 i, j, u8 u, u2, f32 x, bool m",
               {bytes_of(i), bytes_of(j), bytes_of(u), bytes_of(u2), bytes_of(x), bytes_of(m)}, 3);
  ASSERT_EQ(results.size(), rows.size());
  EXPECT_EQ(values_of<float>(results[0]), (std::vector<float>{7.5f, -7 + 1e10f, 2147483648.0f - 2}));
  EXPECT_EQ(values_of<double>(results[1]), (std::vector<double>{3.5, -HUGE_VAL, 2147483647.0 / 3}));
  EXPECT_EQ(values_of<float>(results[2]), (std::vector<float>{1.5f, 127.5f, 0}));
  EXPECT_EQ(values_of<float>(results[3]), (std::vector<float>{1.5f, 127.5f, 0}));
  EXPECT_EQ(values_of<std::int32_t>(results[4]), (std::vector<std::int32_t>{6, 251, 1073741823}));
  EXPECT_EQ(values_of<std::uint8_t>(results[5]), (std::vector<std::uint8_t>{255, 254, 255}));
  EXPECT_EQ(values_of<std::uint8_t>(results[6]), (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(values_of<float>(results[7]), (std::vector<float>{1, 0, -4}));
}

// No integer type holds the values of both.
TEST(FormulaValues, OfComparisonsOfI64WithU64) {
  const std::vector<Cast> rows = {{"x < y"},  {"x == y"}, {"x >= y"}, {"y < x"},
                                  {"y != x"}, {"y <= x"}, {"x > y"},  {"y > x"}};
  std::vector<long long> xs;
  std::vector<unsigned long long> ys;
  for (const long long x :
       {0ll, 1ll, -1ll, std::numeric_limits<long long>::max(), std::numeric_limits<long long>::min()})
    for (const unsigned long long y : {0ull, 1ull, ~0ull, 1ull << 63, (1ull << 63) - 1, (1ull << 63) - 2}) {
      xs.push_back(x);
      ys.push_back(y);
    }
  const std::vector<ByteArray> results = run_rows(rows, "i64 x, u64 y", {bytes_of(xs), bytes_of(ys)}, xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const Wide x = xs[i];
    const Wide y = ys[i];
    const bool expected[] = {x<y, x == y, x >= y, y<x, y != x, y <= x, x> y, y> x};
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_EQ(values_of<std::uint8_t>(results[k])[i], expected[k] ? 1 : 0) << rows[k].text << xs[i] << " " << ys[i];
  }
}

}  // namespace
}  // namespace graft::test
