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
#include "cli/bench/element_layouts.hpp"
#include "compile/state_object.hpp"
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
  return count_unlike(layout_of(element_type<T>()), bytes_of(a), bytes_of(b), scale);
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

TEST(BenchElements, SmallNumbers) {
  // 1, 1 + 1/128 and 2 as half, then as bfloat16.
  EXPECT_EQ(count_unlike(layout_of(ElementType::named("f16")), bytes_of<std::uint16_t>({0x3c00, 0x3c00}),
                         bytes_of<std::uint16_t>({0x3c08, 0x4000}), 1),
            1u);
  EXPECT_EQ(count_unlike(layout_of(ElementType::named("bf16")), bytes_of<std::uint16_t>({0x3f80, 0x3f80, 0x7fc0}),
                         bytes_of<std::uint16_t>({0x3f81, 0x4000, 0x7fc1}), 1),
            1u);
}

format::Field member(ElementType type, std::size_t offset) {
  return {.name = "m", .type = to_string(type), .offset = offset, .element = type, .parts = {}};
}

// Compares structs with these members.
template <class T>
std::uint64_t unlike_structs(std::vector<format::Field> members, const std::vector<T>& a, const std::vector<T>& b) {
  format::Field all;
  all.parts = std::move(members);
  return count_unlike(layout_of(element_type<T>(), all), bytes_of(a), bytes_of(b), 1);
}

const ElementType kF32 = element_type<float>(), kF64 = element_type<double>(), kI32 = element_type<int>();

TEST(BenchElements, StructsAreComparedByTheirMembers) {
  struct Mixed {
    double d;
    float f[2];
  };
  format::Field pair = member(ElementType::structure(8, 4), 8);
  pair.parts = {member(kF32, 8), member(kF32, 12)};
  const std::vector<format::Field> mixed = {member(kF64, 0), pair};
  EXPECT_EQ(unlike_structs<Mixed>(mixed, {{1, {1, 2}}}, {{1 + 1e-14, {1.00001f, 2}}}), 0u);
  EXPECT_EQ(unlike_structs<Mixed>(mixed, {{1, {1, 2}}, {1, {1, 2}}}, {{1.1, {1, 2}}, {1, {1, 2.5f}}}), 2u);

  struct alignas(8) TwoFloats {
    float a, b;
  };
  const std::vector<format::Field> floats = {member(kF32, 0), member(kF32, 4)};
  EXPECT_EQ(unlike_structs<TwoFloats>(floats, {{1, 2}, {1, 2}, {1, 2}}, {{1.5f, 2}, {1, 2.5f}, {1.00001f, 2}}), 2u);
}

// As floating-point numbers, small integers would all be nearly zero.
TEST(BenchElements, IntegersInStructsMustBeEqual) {
  struct alignas(16) FourInts {
    int x, y, z, w;
  };
  EXPECT_EQ(unlike_structs<FourInts>({member(kI32, 0), member(kI32, 4), member(kI32, 8), member(kI32, 12)},
                                     {{1, 2, 3, 4}, {1, 2, 3, 4}}, {{100, 2, 3, 4}, {1, 2, 3, 4}}),
            1u);
  struct Long {
    long long n;
  };
  EXPECT_EQ(unlike_structs<Long>({member(element_type<long long>(), 0)}, {{1}}, {{1ll << 60}}), 1u);
}

TEST(BenchElements, PaddingIsNotCompared) {
  struct Padded {
    float a;
    unsigned char b, padding[3];
  };
  const std::vector<format::Field> members = {member(kF32, 0), member(element_type<unsigned char>(), 4)};
  EXPECT_EQ(unlike_structs<Padded>(members, {{1, 2, {3, 4, 5}}}, {{1, 2, {9, 9, 9}}}), 0u);
  EXPECT_EQ(unlike_structs<Padded>(members, {{1, 2, {3, 4, 5}}}, {{1, 3, {3, 4, 5}}}), 1u);
  EXPECT_FALSE(layout_of(element_type<Padded>()).is_known);
}

TEST(BenchElements, RandomValuesFitTheirTypes) {
  Random random;
  for (const char* name : {"f32", "f64", "f16", "bf16", "c64"}) {
    std::vector<std::byte> bytes(4096);
    fill_elements(random, layout_of(ElementType::named(name)), bytes);
    const double largest = largest_magnitude(layout_of(ElementType::named(name)), bytes);
    EXPECT_GT(largest, 1.5) << name;
    EXPECT_LE(largest, 2) << name;
  }
  std::vector<std::byte> bytes(4096);
  fill_elements(random, layout_of(ElementType::named("i32")), bytes);
  std::vector<int> integers(1024);
  std::memcpy(integers.data(), bytes.data(), bytes.size());
  EXPECT_EQ(*std::ranges::min_element(integers), 1);
  EXPECT_EQ(*std::ranges::max_element(integers), 100);
  fill_elements(random, layout_of(ElementType::named("bool")), bytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0} || b == std::byte{1}; }));
  EXPECT_GT(std::ranges::count(bytes, std::byte{1}), 1000);
}

ElementLayouts layouts_of(const std::string& text) {
  BuildRequest request;
  request.callback = text;
  Options options;
  options.routes.required = Route::Program;
  const Image image = build(Callback::source(text), Architecture(90), options);
  return element_layouts(request, image, [](const BuildRequest& asked) {
    return compile::state_object(asked.read_callback(), Architecture(90), asked.options());
  });
}

TEST(BenchElements, TheCompilerFindsTheMembersOfStructs) {
  const ElementLayouts own = layouts_of(
      "struct S { float a; char b; }; __device__ S f(S s, graft::InOut<int4> n, short k) { s.a += k; return s; }");
  EXPECT_EQ(own.unknown_output, "");
  ASSERT_EQ(own.layouts.size(), 4u) << "the inputs s and k, then the result and n";
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_EQ(own.layouts[i].parts.size(), 2u);
    EXPECT_TRUE(own.layouts[i].is_known);
    EXPECT_EQ(own.layouts[i].size, 8u);
    EXPECT_EQ(own.layouts[i].parts[0].kind, ElementKind::Float);
    EXPECT_EQ(own.layouts[i].parts[1].offset, 4u);
    EXPECT_EQ(own.layouts[i].parts[1].size, 1u);
  }
  EXPECT_EQ(own.layouts[1].parts.size(), 1u);
  ASSERT_EQ(own.layouts[3].parts.size(), 4u);
  EXPECT_EQ(own.layouts[3].parts[3].kind, ElementKind::Signed);
  EXPECT_EQ(own.layouts[3].parts[3].offset, 12u);
  const ElementLayouts lambda = layouts_of("[](float3 v) { return v; }");
  EXPECT_EQ(lambda.unknown_output, "");
  EXPECT_EQ(lambda.layouts.at(0).parts.size(), 3u);
  const ElementLayouts with_union = layouts_of("union U { int n; float x; }; __device__ U f(U u) { return u; }");
  EXPECT_EQ(with_union.unknown_output, "U");
  EXPECT_FALSE(with_union.layouts.at(1).is_known);
}

std::unique_ptr<const Subject> on_host(const std::string& source, const base::Bytes& state = {}) {
  Options options;
  options.routes.required = Route::Host;
  return transform_subject(Transform::create(source, options).image(), 0, state);
}

// The layouts of arrays that hold no structs whose members a test must know.
std::vector<ElementLayout> guessed_layouts(const Subject& subject) {
  std::vector<ElementLayout> layouts;
  for (const BenchArray& array : subject.arrays()) layouts.push_back(layout_of(array.type));
  return layouts;
}

BenchRow measured(const Subject& subject, const Subject& reference, std::uint64_t items) {
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, subject, guessed_layouts(subject), &reference);
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
  const std::vector<std::uint64_t> counts = Measurement(*place, *subject, {}, nullptr).usual_counts(1024);
  ASSERT_GE(counts.size(), 3u);
  EXPECT_EQ(counts.front(), 1024u);
  for (std::size_t i = 1; i + 1 < counts.size(); ++i) EXPECT_EQ(counts[i], 4 * counts[i - 1]);
  EXPECT_LE(subject->largest_array(counts.back()), place->limits().most_array);
}

TEST(BenchMeasurement, ArraysMustFit) {
  const auto subject = on_host("__device__ double f(float x) { return x; }");
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, *subject, guessed_layouts(*subject), nullptr);
  const Error error = test::error_of([&] { measurement.prepare({std::uint64_t{1} << 40}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("are free on the CPU"));
}

// The CPU as a place that tells what a measurement does with it.
class WatchedPlace final : public Place {
 public:
  PlaceLimits limits() const override {
    PlaceLimits limits = place_->limits();
    limits.traffic = 1;
    return limits;
  }
  std::string title() const override { return place_->title(); }
  std::size_t free_bytes() const override { return place_->free_bytes(); }
  bool is_host() const noexcept override { return true; }
  CUstream_st* stream() const noexcept override { return nullptr; }
  std::byte* allocate(std::size_t bytes) override {
    allocated += bytes;
    return place_->allocate(bytes);
  }
  void write(std::byte* to, std::span<const std::byte> from) override { place_->write(to, from); }
  void read(std::span<std::byte> to, const std::byte* from) override { place_->read(to, from); }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (!is_timing) ++copies_before;
    else EXPECT_GT(copies_before, 0);
    place_->copy(to, from, bytes);
  }
  double seconds(const std::function<void()>& queue) override {
    is_timing = true;
    const double found = place_->seconds(queue);
    is_timing = false;
    return found;
  }
  double host_seconds(const std::function<void()>& queue) override { return seconds(queue); }

  std::size_t allocated = 0;
  int copies_before = 0;
  bool is_timing = false;

 private:
  std::unique_ptr<Place> place_ = host_place();
};

class CalledSubject final : public Subject {
 public:
  CalledSubject(const Signature& signature, std::uint64_t per_item, std::function<void()> call)
      : Subject(signature, per_item, per_item), call_(std::move(call)) {}
  bool makes_sums() const noexcept override { return false; }
  std::string word() const override { return "calls"; }
  std::function<void()> call(CUstream_st*, const std::vector<std::byte*>&, std::uint64_t) const override {
    return call_;
  }

 private:
  std::function<void()> call_;
};

TEST(BenchMeasurement, TheFirstCallAndTheFirstCopyAreNotTimed) {
  WatchedPlace place;
  int before = 0;
  const CalledSubject subject(Signature::of<float(float)>(), 1, [&] {
    if (!place.is_timing) ++before;
    else EXPECT_GT(before, 0);
  });
  Measurement measurement(place, subject, guessed_layouts(subject), nullptr);
  measurement.prepare({100});
  measurement.measure(100, 2);
  EXPECT_EQ(before, 1);
  EXPECT_EQ(place.copies_before, 1);
}

// Two calls, each with two items, have other memory; the copy has as much as the two arrays.
TEST(BenchMeasurement, LargeItemsOfOddSizesTakeLittleMemory) {
  WatchedPlace place;
  constexpr std::uint64_t kPoints = 99'999;
  const CalledSubject subject(Signature::of<complex<float>(complex<float>)>(), kPoints, [] {});
  Measurement(place, subject, guessed_layouts(subject), nullptr).prepare({1});
  EXPECT_GE(place.allocated, 4 * 2 * kPoints * sizeof(complex<float>));
  EXPECT_LE(place.allocated, 4 * 8 * kPoints * sizeof(complex<float>));
}

TEST(BenchMeasurement, AReferenceThatFailsEndsTheComparisonAlone) {
  const CalledSubject subject(Signature::of<float(float)>(), 1, [] {});
  const CalledSubject reference(Signature::of<float(float)>(), 1, [] {
    throw Error(ErrorCode::LaunchFailed, {"the CPU cannot do this", "Do something else.", "", {}});
  });
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, subject, guessed_layouts(subject), &reference);
  measurement.prepare({100});
  const BenchRow row = measurement.measure(100, 2);
  EXPECT_FALSE(row.comparison);
  EXPECT_GT(row.copy_seconds.median, 0);
  EXPECT_EQ(measurement.unverified(), "the CPU cannot do this");
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
  EXPECT_THAT(table, HasSubstr("4,024 elements, 1,002 of them unlike"));
  EXPECT_THAT(plot_of(with_rows()), HasSubstr("1,048,576 " + std::string(40, '#') + std::string(10, '.') + " 838.9\n"));
  ASSERT_EQ(problems_of(with_rows()).size(), 1u);
  EXPECT_THAT(problems_of(with_rows())[0], HasSubstr("of 1,024 elements, 1000 of 1024 elements that were compared"));
}

}  // namespace
}  // namespace graft::cli
