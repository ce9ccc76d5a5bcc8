// Tests what `graft bench` measures with: random elements and their comparison, and Measurement on the CPU, where the
// subject and the reference are both kernels of the host route. A subject that computes something else must be found.
#include "cli/bench/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/bytes.hpp"
#include "cli/bench/bench_result.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

using testing::HasSubstr;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::uint64_t unlike(const std::vector<T>& a, const std::vector<T>& b, double scale = 1) {
  return count_unlike(element_type<T>(), bytes_of(a), bytes_of(b), scale);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(BenchElements, NumbersMayDifferByTheirRounding) {
  EXPECT_EQ(unlike<float>({1, 2, 3}, {1, 2.00001f, 3}), 0u);
  EXPECT_EQ(unlike<float>({1, 2, 3}, {1, 2.01f, 3.5f}), 2u);
  EXPECT_EQ(unlike<double>({1, 2}, {1 + 1e-14, 2.00001}), 1u);
  EXPECT_EQ(unlike<float>({1e-6f, 1e20f}, {2e-6f, 1.00001e20f}), 0u);
  EXPECT_EQ(unlike<float>({1}, {2}, 1e6), 0u);
  EXPECT_EQ(unlike<int>({1, 2, 3}, {1, 3, 3}), 1u);
  EXPECT_EQ((unlike<graft::complex<float>>({{1, 2}}, {{1, 3}})), 1u);
}

TEST(BenchElements, ANanEqualsANanAlone) {
  EXPECT_EQ(unlike<float>({kNan, kNan, 1, kInfinity}, {kNan, 1, kNan, kInfinity}), 2u);
  EXPECT_EQ(unlike<float>({kNan}, {-kNan}), 0u);
  EXPECT_EQ(unlike<float>({kInfinity, kInfinity, 1}, {-kInfinity, 3e38f, kInfinity}), 3u);
}

TEST(BenchElements, SmallNumbersAndStructs) {
  // 1, 1 + 1/128 and 2 as half, then as bfloat16.
  EXPECT_EQ(count_unlike(ElementType::named("f16"), bytes_of<std::uint16_t>({0x3c00, 0x3c00}),
                         bytes_of<std::uint16_t>({0x3c08, 0x4000}), 1),
            1u);
  EXPECT_EQ(count_unlike(ElementType::named("bf16"), bytes_of<std::uint16_t>({0x3f80, 0x3f80, 0x7fc0}),
                         bytes_of<std::uint16_t>({0x3f81, 0x4000, 0x7fc1}), 1),
            1u);
  struct Point {
    float x, y, z;
  };
  EXPECT_EQ(unlike<Point>({{1, 2, 3}}, {{1, 2, 3.00001f}}), 0u);
  EXPECT_EQ(unlike<Point>({{1, 2, 3}}, {{1, 2.5f, 3}}), 1u);
  struct Mixed {
    double d;
    float f[2];
  };
  EXPECT_EQ(unlike<Mixed>({{1, {1, 2}}}, {{1 + 1e-14, {1.00001f, 2}}}), 0u);
  EXPECT_EQ(unlike<Mixed>({{1, {1, 2}}, {1, {1, 2}}}, {{1.1, {1, 2}}, {1, {1, 2.5f}}}), 2u);
}

TEST(BenchElements, RandomValuesFitTheirTypes) {
  Random random;
  for (const char* name : {"f32", "f64", "f16", "bf16", "c64"}) {
    std::vector<std::byte> bytes(4096);
    fill_elements(random, ElementType::named(name), bytes);
    const double largest = largest_magnitude(ElementType::named(name), bytes);
    EXPECT_GT(largest, 1.5) << name;
    EXPECT_LE(largest, 2) << name;
  }
  std::vector<std::byte> bytes(4096);
  fill_elements(random, ElementType::named("i32"), bytes);
  std::vector<int> integers(1024);
  std::memcpy(integers.data(), bytes.data(), bytes.size());
  EXPECT_EQ(*std::ranges::min_element(integers), 1);
  EXPECT_EQ(*std::ranges::max_element(integers), 100);
  fill_elements(random, ElementType::named("bool"), bytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0} || b == std::byte{1}; }));
  EXPECT_GT(std::ranges::count(bytes, std::byte{1}), 1000);
}

std::unique_ptr<const Subject> on_host(const std::string& source, const base::Bytes& state = {}) {
  Options options;
  options.routes.required = Route::Host;
  return transform_subject(Transform::create(source, options).image(), 0, state);
}

BenchRow measured(const Subject& subject, const Subject& reference, std::uint64_t items) {
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, subject, &reference);
  measurement.prepare({items});
  return measurement.measure(items, 3);
}

void expect_right(const std::string& source, std::uint64_t items, const base::Bytes& state = {}) {
  SCOPED_TRACE(source);
  const auto subject = on_host(source, state);
  const BenchRow row = measured(*subject, *subject, items);
  EXPECT_EQ(row.items, items);
  ASSERT_TRUE(row.comparison);
  EXPECT_GT(row.comparison->compared, 0u);
  EXPECT_EQ(row.comparison->unlike, 0u);
  EXPECT_FALSE(row.is_wrong());
  EXPECT_GT(row.seconds.median, 0);
  EXPECT_LE(row.seconds.min, row.seconds.median);
  EXPECT_LE(row.seconds.median, row.seconds.max);
  EXPECT_GT(row.speed(), 0);
  EXPECT_GT(row.copy_speed(), 0);
}

// Each callback has arrays that the measurement must lay out, fill and compare in its own way.
TEST(BenchMeasurement, EqualKernelsAgree) {
  expect_right("__device__ float f(float x, double y) { return x + static_cast<float>(y); }", 100'001);
  expect_right("struct S { float a; char b[3]; }; __device__ S f(S s, short k) { s.a += k; return s; }", 50'000);
  expect_right("__device__ void f(graft::InOut<float> x, float y) { x += y; }", 65'536);
  expect_right("__device__ float f(float x, graft::Index i) { return x + static_cast<float>(i); }", 100'000);
  expect_right("__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }", 100'000);
  expect_right("__device__ float f(graft::Index i) { return static_cast<float>(i); }", 1000);
  expect_right("__device__ float f(float x, graft::Bit keeps) { return keeps ? x : 0; }", 100'003);
  expect_right("__device__ graft::Bit f(float x) { return x > 1; }", 100'003);
  const float scale = 3;
  expect_right("__device__ float f(float x, const float& s) { return s * x; }", 1,
               base::Bytes(base::as_bytes(std::string_view(reinterpret_cast<const char*>(&scale), 4)).begin(),
                           base::as_bytes(std::string_view(reinterpret_cast<const char*>(&scale), 4)).end()));
}

TEST(BenchMeasurement, BytesAreThoseThatMove) {
  EXPECT_EQ(on_host("__device__ float f(float x, short y) { return x + y; }")->bytes(1000), 10'000u);
  EXPECT_EQ(on_host("__device__ void f(graft::InOut<float> x) { x = x + 1; }")->bytes(1000), 8'000u);
  EXPECT_EQ(on_host("__device__ float f(float x, graft::Bit b) { return b ? x : 0; }")->bytes(1024), 8'192u + 128);
}

void expect_wrong(const std::string& source, const std::string& other, std::uint64_t items) {
  SCOPED_TRACE(source);
  const auto subject = on_host(source), reference = on_host(other);
  const BenchRow row = measured(*subject, *reference, items);
  EXPECT_TRUE(row.is_wrong()) << row.comparison->unlike << " of " << row.comparison->compared;
  EXPECT_EQ(row.seconds.median, 0) << "a wrong row has no times";
}

TEST(BenchMeasurement, OtherResultsAreFound) {
  expect_wrong("__device__ float f(float x) { return x * 2; }", "__device__ float f(float x) { return x * 2.01f; }", 5);
  expect_wrong("__device__ float f(float x) { return x; }",
               "__device__ float f(float x) { return x > 1.8f ? 0.0f / 0.0f : x; }", 100'000);
  expect_wrong("__device__ int f(float x, graft::Index i) { return static_cast<int>(i); }",
               "__device__ int f(float x, graft::Index i) { return static_cast<int>(i % 4096); }", 100'000);
  // A kernel that leaves elements alone has not computed them, whatever the memory held before.
  expect_wrong("__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }",
               "__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(true); }", 100'000);
  expect_wrong("__device__ void f(graft::InOut<int> x) { x = x + 1; }",
               "__device__ void f(graft::InOut<int> x) { x = x + 2; }", 10'000);
  expect_wrong("__device__ graft::Bit f(float x) { return x > 1; }",
               "__device__ graft::Bit f(float x) { return x > 0; }", 100'000);
}

TEST(BenchMeasurement, UsualCountsGrowToTheLargest) {
  const auto subject = on_host("__device__ double f(float x) { return x; }");
  const std::unique_ptr<Place> place = host_place();
  const std::vector<std::uint64_t> counts = Measurement(*place, *subject, nullptr).usual_counts(1024);
  ASSERT_GE(counts.size(), 3u);
  EXPECT_EQ(counts.front(), 1024u);
  for (std::size_t i = 1; i + 1 < counts.size(); ++i) EXPECT_EQ(counts[i], 4 * counts[i - 1]);
  EXPECT_LE(subject->largest_array(counts.back()), place->limits().most_array);
}

TEST(BenchMeasurement, ArraysMustFit) {
  const auto subject = on_host("__device__ double f(float x) { return x; }");
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, *subject, nullptr);
  const Error error = test::error_of([&] { measurement.prepare({std::uint64_t{1} << 40}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("are free on the CPU"));
}

TEST(BenchMeasurement, NoArraysNoSpeed) {
  EXPECT_EQ(test::error_of([] {
              on_host("struct S { int* p; }; __device__ void f(graft::Index i, const S& s) { s.p[i] = 0; }",
                      base::Bytes(8));
            }).code(),
            ErrorCode::UnsupportedParameter);
}

BenchResult with_rows() {
  BenchResult result;
  result.title = "relu.cu";
  result.place = "a GPU";
  result.word = "elements";
  result.reports.emplace_back();
  BenchRow right;
  right.items = 1'048'576;
  right.bytes = 8 * right.items;
  right.copy_bytes = right.bytes;
  right.seconds = {9e-6, 9.9e-6, 10e-6, 10.1e-6, 11e-6};
  right.copy_seconds = {8e-6, 8e-6, 8e-6, 8e-6, 8e-6};
  right.comparison = Comparison{3000, 2};
  BenchRow wrong;
  wrong.items = 1024;
  wrong.comparison = Comparison{1024, 1000};
  result.rows = {wrong, right};
  return result;
}

TEST(BenchResults, ATableAndAPlot) {
  const std::string table = table_of(with_rows());
  EXPECT_THAT(table, HasSubstr("1,048,576     8.0 MiB        10.00 us   1.0 %    838.9     1048.6   0.80\n"));
  EXPECT_THAT(table, HasSubstr("1,024     0 bytes  wrong results\n"));
  EXPECT_THAT(table, HasSubstr("3,000 elements, 2 of them unlike"));
  EXPECT_THAT(plot_of(with_rows()), HasSubstr("1,048,576 " + std::string(40, '#') + std::string(10, '.') + " 838.9\n"));
  ASSERT_EQ(problems_of(with_rows()).size(), 1u);
  EXPECT_THAT(problems_of(with_rows())[0], HasSubstr("of 1,024 elements, 1000 of 1024 elements that were compared"));
}

}  // namespace
}  // namespace graft::cli
