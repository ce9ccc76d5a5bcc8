// Tests reductions along dimensions of views, on the host route: each result has the bits of a reduction of its
// elements alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/random_reductions.hpp"

namespace graft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAdd = "__device__ float add(float a, float b) { return a + b; }";

Options on_host() {
  return {.routes = {.required = Route::Host}};
}

TEST(ReduceViews, ReducesRowsColumnsAndAll) {
  const Reduce sum = Reduce::create({.combine = kAdd}, on_host());
  const std::vector<float> x = {1, 2, 3, 10, 20, 30};
  std::vector<float> rows(2), columns(3), all(1);
  sum.execute(host, view(x.data(), {2, 3}), view(rows.data(), {2, 1}));
  sum.execute(host, view(x.data(), {2, 3}), view(columns.data(), {1, 3}));
  sum.execute(host, view(x.data(), {2, 3}), view(all.data()));
  EXPECT_THAT(rows, ElementsAre(6, 60));
  EXPECT_THAT(columns, ElementsAre(11, 22, 33));
  EXPECT_THAT(all, ElementsAre(66));
  sum.execute(host, view(x.data(), {2, 3}), view(columns.data(), {3}));  // the first dimension may be missing
  EXPECT_THAT(columns, ElementsAre(11, 22, 33));
}

TEST(ReduceViews, TheIndexIsThatAmongTheElementsOfTheResult) {
  const Reduce last =
      Reduce::create({.map = "__device__ unsigned f(float, graft::Index i) { return i; }",
                      .combine = "__device__ unsigned f(unsigned a, unsigned b) { return a > b ? a : b; }"},
                     on_host());
  const std::vector<float> x(24);
  std::vector<unsigned> out(4);
  last.execute(host, view(x.data(), {2, 4, 3}), view(out.data(), {1, 4, 1}));
  EXPECT_THAT(out, ElementsAre(5, 5, 5, 5));
}

// A combination that is neither associative nor commutative.
constexpr const char* kHash = "__device__ unsigned f(unsigned a, unsigned b) { return a * 31u + b; }";
constexpr const char* kMix =
    "__device__ unsigned f(unsigned short x, unsigned y, graft::Index i) {\n"
    "  return x * 2654435761u + y * 40503u + unsigned(i) * 97u;\n"
    "}";

class Hashes {
 public:
  void check(const RandomReduction& reduction, std::mt19937& random) {
    const RandomView &a = reduction.inputs[0], &b = reduction.inputs[1], &to = reduction.output;
    std::vector<std::uint16_t> x(static_cast<std::size_t>(a.memory));
    std::vector<std::uint32_t> y(static_cast<std::size_t>(b.memory)), out(static_cast<std::size_t>(to.memory), 7);
    for (auto& one : x) one = static_cast<std::uint16_t>(random());
    for (auto& one : y) one = static_cast<std::uint32_t>(random());
    const std::vector<ArrayRef> in = {a.ref(x.data(), element_type<std::uint16_t>()),
                                      b.ref(y.data(), element_type<std::uint32_t>())};
    const std::vector<ArrayRef> result = {to.ref(out.data(), element_type<std::uint32_t>())};
    std::int64_t elements = 1, results = 1;
    for (const std::int64_t extent : reduction.call) elements *= extent;
    for (const std::int64_t extent : reduction.kept) results *= extent;
    if (elements == 0 && results > 0) {
      EXPECT_EQ(error_of([&] { hash_.execute(host, in, result); }).code(), ErrorCode::CountMismatch);
      return;
    }
    hash_.execute(host, in, result);
    for_each_element(reduction.kept, [&](std::int64_t, const Extents& place) {
      std::vector<std::uint16_t> some_x;
      std::vector<std::uint32_t> some_y;
      reduction.for_each_of_result(place, [&](const Extents& at) {
        some_x.push_back(x[static_cast<std::size_t>(a.at(at))]);
        some_y.push_back(y[static_cast<std::size_t>(b.at(at))]);
      });
      std::uint32_t alone = 0;
      hash_.execute(host, inputs(some_x, some_y), std::span(&alone, 1));
      ASSERT_EQ(out[static_cast<std::size_t>(to.at(place))], alone);
    });
  }

 private:
  Reduce hash_ = Reduce::create({.map = kMix, .combine = kHash}, on_host());
};

TEST(ReduceViews, EveryResultHasTheBitsOfItsElementsAlone) {
  Hashes hashes;
  std::mt19937 random(7);
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE(i);
    const Extents call = random_shape(random, 4, 400);
    ASSERT_NO_FATAL_FAILURE(hashes.check(random_reduction(call, random() % 16, 2, random), random));
  }
}

TEST(ReduceViews, LongResultsHaveTheBitsOfTheirElementsAlone) {
  Hashes hashes;
  std::mt19937 random(8);
  for (const auto& [call, axes] : std::vector<std::pair<Extents, unsigned>>{
           {{3, 3000}, 2}, {{9000, 3}, 1}, {{40000, 2}, 1}, {{2, 20011}, 2}, {{101, 3, 211}, 5}, {{2, 70000}, 3}})
    ASSERT_NO_FATAL_FAILURE(hashes.check(random_reduction(call, axes, 2, random), random));
}

TEST(ReduceViews, ShapesThatDoNotFitAreRefused) {
  const Reduce sum = Reduce::create({.combine = kAdd}, on_host());
  std::vector<float> x(12), out(12);
  struct Case {
    View<float> in, out;
    ErrorCode code;
    const char* words;
  };
  const Case table[] = {
      {view(x.data(), {3, 4}), view(out.data(), {3, 2}), ErrorCode::CountMismatch,
       "counted from the right, dimension 1"},
      {view(x.data(), {3, 4}), view(out.data(), {3}), ErrorCode::CountMismatch, "counted from the right, dimension 1"},
      {view(x.data(), {3, 4}), view(x.data() + 2, {3, 1}), ErrorCode::Overlap,
       "output 0 (of the shape (3, 1)) overlaps"},
      {view(x.data(), {3, 4}), view(out.data(), {3, 1}, {0, 1}), ErrorCode::Overlap, "several elements in one place"},
      {view(x.data(), {3, 0}), view(out.data(), {3, 1}), ErrorCode::CountMismatch, "no elements to combine"},
      {view(static_cast<float*>(nullptr), {3, 4}), view(out.data(), {3, 1}), ErrorCode::InvalidArgument, "is null"},
      {view(x.data(), {3, -4}), view(out.data(), {3, 1}), ErrorCode::InvalidArgument, "negative extent"},
  };
  for (const Case& one : table) {
    const Error error = error_of([&] { sum.execute(host, one.in, one.out); });
    EXPECT_EQ(error.code(), one.code) << one.words;
    EXPECT_THAT(error.message(), HasSubstr(one.words));
  }
  // Nothing to make.
  sum.execute(host, view(x.data(), {0, 4}), view(out.data(), {0, 1}));
  const Reduce two = Reduce::create(
      {.combine = kAdd, .finish = "__device__ void f(float a, float& b, float& c) { b = a; c = -a; }"}, on_host());
  const Error error = error_of([&] {
    two.execute(host, view(x.data(), {3, 4}), outputs(view(out.data(), {3, 1}), view(out.data() + 6, {1, 4})));
  });
  EXPECT_EQ(error.code(), ErrorCode::CountMismatch);
  EXPECT_THAT(error.message(), HasSubstr("output 0 has the shape (3, 1), and output 1 has (1, 4)"));
}

TEST(ReduceSegments, EveryOneHasTheBitsOfItsElementsAlone) {
  const Reduce hash = Reduce::create({.map = kMix, .combine = kHash}, on_host());
  std::mt19937 random(9);
  std::vector<std::uint16_t> x(30000);
  std::vector<std::uint32_t> y(x.size());
  for (auto& one : x) one = static_cast<std::uint16_t>(random());
  for (auto& one : y) one = static_cast<std::uint32_t>(random());
  std::vector<std::int32_t> offsets = {0};
  while (offsets.back() < 29000)
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(random() % (random() % 50 == 0 ? 1000 : 20)));
  std::vector<std::uint32_t> out(offsets.size() - 1, 7);
  hash.execute_segments(host, inputs(x, y), offsets, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offsets[i]), count = static_cast<std::size_t>(offsets[i + 1]) - begin;
    std::uint32_t alone = 7;  // of an empty one, which is left as it was
    if (count > 0)
      hash.execute(host, inputs(std::span(x).subspan(begin, count), std::span(y).subspan(begin, count)),
                   std::span(&alone, 1));
    ASSERT_EQ(out[i], alone) << i;
  }
}

TEST(ReduceSegments, MistakesAreRefused) {
  const Reduce sum = Reduce::create({.combine = kAdd}, on_host());
  std::vector<float> x(12), out(3);
  const std::vector<std::int64_t> good = {0, 3, 3, 12}, descending = {0, 5, 3, 12}, beyond = {0, 5, 6, 13}, none;
  const std::vector<double> numbers(4);
  const auto refused = [&](const HostInputs& offsets, const HostOutputs& to, ErrorCode code, const char* words) {
    const Error error = error_of([&] { sum.execute_segments(host, x, offsets, to); });
    EXPECT_EQ(error.code(), code) << words;
    EXPECT_THAT(error.message(), HasSubstr(words));
  };
  refused(descending, out, ErrorCode::InvalidArgument, "offset 2 is 3, behind 5");
  refused(beyond, out, ErrorCode::InvalidArgument, "offset 3 is 13");
  refused(none, out, ErrorCode::CountMismatch, "there are no offsets");
  refused(numbers, out, ErrorCode::TypeMismatch, "the offsets are");
  refused(good, std::span(out).first(2), ErrorCode::CountMismatch, "the segments are 3");
  refused(good, std::span(x).first(3), ErrorCode::Overlap, "output 0 overlaps another array");
  sum.execute_segments(host, x, std::span(good).first(1), std::span(out).first(0));  // no segments
  sum.execute_segments(host, x, good, out);
}

TEST(ReduceInitial, IsTheAccumulatorOfResultsWithoutElements) {
  const Reduce sum = Reduce::create(
      {.combine = kAdd, .finish = "__device__ float f(float a) { return a * 10; }", .initial = 4.0f}, on_host());
  std::vector<float> x = {1, 2, 3}, out(3);
  sum.execute(host, std::span(x).first(0), std::span(out).first(1));
  EXPECT_EQ(out[0], 40);
  sum.execute(host, std::span(x), std::span(out).first(1));  // it is combined with no element
  EXPECT_EQ(out[0], 60);
  sum.execute(host, view(x.data(), {3, 0}), view(out.data(), {3, 1}));
  EXPECT_THAT(out, ElementsAre(40, 40, 40));
  sum.execute_segments(host, x, std::vector<std::int32_t>{0, 1, 1, 3}, out);
  EXPECT_THAT(out, ElementsAre(10, 40, 50));
  float* const none = nullptr;
  EXPECT_EQ(error_of([&] {
              sum.execute(host, view(none, {3, 0}), view(none, {3, 1}));
            }).code(),
            ErrorCode::InvalidArgument);
  sum.execute(host, view(none, {3, 0}), view(out.data(), {3, 1}));
  EXPECT_EQ(error_of([&] { Reduce::create({.combine = kAdd, .initial = std::array<double, 9>{}}, on_host()); }).code(),
            ErrorCode::InvalidArgument);
  EXPECT_THAT(error_of([&] { Reduce::create({.combine = kAdd, .initial = 0}, on_host()); }).message(),
              HasSubstr("has an accumulator of another type than ReduceCallbacks::initial"));
  EXPECT_THAT(error_of([&] { Reduce::create({.combine = kAdd, .initial = 0.0}, on_host()); }).message(),
              HasSubstr("has an accumulator of another type than ReduceCallbacks::initial"));
}

TEST(ReduceViews, ShapesAreDescribed) {
  const Reduce sum = Reduce::create({.combine = kAdd}, on_host());
  float* const none = nullptr;
  EXPECT_EQ(sum.describe_shapes(view(none, {300, 40}), view(none, {300, 1})),
            "300 results of 40 elements each, in 2 dimensions; made on the host");
}

}  // namespace
}  // namespace graft::test
