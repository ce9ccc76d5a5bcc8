// Tests reductions on the host route: their results, and that they combine in the documented order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kAdd = "__device__ float add(float a, float b) { return a + b; }";
constexpr const char* kSquare = "__device__ float square(float x) { return x * x; }";

Options on_host() {
  return {.routes = {.required = Route::Host}};
}

// The order of docs/reduce.md, with a plain vector of accumulators in each step.
using Combine = std::function<float(float, float)>;

float in_tree(std::vector<float> lanes, const Combine& combine) {
  for (std::size_t lane = 32; lane < lanes.size(); ++lane) lanes[lane % 32] = combine(lanes[lane % 32], lanes[lane]);
  for (std::size_t distance = 16; distance > 0; distance /= 2)
    for (std::size_t i = 0; i < distance; ++i)
      if (i + distance < lanes.size()) lanes[i] = combine(lanes[i], lanes[i + distance]);
  return lanes[0];
}

// Gives value i to lane i / width % 256.
float by_lanes(const std::vector<float>& values, std::size_t width, const Combine& combine) {
  std::vector<float> lanes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t lane = i / width % 256;
    if (lane == lanes.size()) lanes.push_back(values[i]);
    else lanes[lane] = combine(lanes[lane], values[i]);
  }
  return in_tree(lanes, combine);
}

float in_order(const std::vector<float>& values, std::size_t width, const Combine& combine) {
  const std::size_t groups = (values.size() + width - 1) / width;
  std::size_t chunk = 256;
  while (groups > 1024 * chunk || (chunk < 1024 && chunk * chunk < 4 * groups)) chunk += 256;
  if (groups <= 2048) chunk = 2048;
  chunk *= width;
  std::vector<float> sums;
  for (std::size_t begin = 0; begin < values.size(); begin += chunk)
    sums.push_back(by_lanes({values.begin() + static_cast<std::ptrdiff_t>(begin),
                             values.begin() + static_cast<std::ptrdiff_t>(std::min(begin + chunk, values.size()))},
                            width, combine));
  return by_lanes(sums, 1, combine);
}

std::vector<float> randoms(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = any(random);
  return values;
}

TEST(ReduceOnHost, HasTheBitsOfTheOrder) {
  const Reduce sum = Reduce::create({.map = kSquare, .combine = kAdd}, on_host());
  for (const std::size_t count :
       {1, 2, 3, 4, 5, 31, 127, 128, 129, 1000, 1023, 1024, 1025, 4096, 5000, 262144, 262145, 300001, 1048577}) {
    const std::vector<float> x = randoms(count);
    std::vector<float> squares;
    for (const float value : x) squares.push_back(value * value);
    float result = 0;
    sum.execute(host, x, std::span(&result, 1));
    EXPECT_EQ(result, in_order(squares, 4, std::plus<float>())) << count;
  }
}

TEST(ReduceOnHost, AlignmentChangesNoBits) {
  const Reduce sum = Reduce::create({.combine = kAdd}, on_host());
  std::vector<float> x = randoms(70001);
  float first = 0, second = 0;
  sum.execute(host, std::span(x.data(), 70000), std::span(&first, 1));
  std::move_backward(x.begin(), x.end() - 1, x.end());
  sum.execute(host, std::span(x.data() + 1, 70000), std::span(&second, 1));
  EXPECT_EQ(first, second);
}

TEST(ReduceOnHost, TakesSeveralArraysStateAndIndex) {
  struct State {
    float scale;
  };
  const Reduce dot = Reduce::create(
      {.map = "struct S { float scale; }; __device__ double f(float x, unsigned char b, const S& s, graft::Index i) { "
              "return double(x) * b * s.scale + i; }",
       .combine = "__device__ double add(double a, double b) { return a + b; }"},
      on_host());
  const std::vector<float> x = {1, 2, 3};
  const std::vector<unsigned char> b = {10, 20, 30};
  double result = 0;
  dot.execute(host, inputs(x, b), std::span(&result, 1), State{2});
  EXPECT_EQ(result, 2 * (10 + 40 + 90) + 3);
}

TEST(ReduceOnHost, TheStateMayBeAlignedMoreThanPointers) {
  struct alignas(64) State {
    float scale;
  };
  const Reduce sum = Reduce::create(
      {.map = "struct alignas(64) S { float scale; }; __device__ float f(float x, const S& s) { return x * s.scale; }",
       .combine = kAdd,
       .finish =
           "struct alignas(64) S { float scale; }; __device__ float g(float a, const S& s) { return a + s.scale; }"},
      on_host());
  struct States {
    State map, finish;
  };
  const std::vector<float> x = {1, 2, 3};
  float result = 0;
  sum.execute(host, x, std::span(&result, 1), States{{2}, {100}});
  EXPECT_EQ(result, 112);
}

constexpr const char* kMoments =
    "struct M { float n, mean, m2; };\n"
    "__device__ M one(float x) { return {1, x, 0}; }\n"
    "__device__ M join(M a, M b) {\n"
    "  const float n = a.n + b.n, d = b.mean - a.mean, f = b.n / n;\n"
    "  return {n, a.mean + d * f, a.m2 + b.m2 + d * d * a.n * f};\n"
    "}\n"
    "__device__ void out(M a, float& mean, float& variance) { mean = a.mean; variance = a.m2 / a.n; }\n";

TEST(ReduceOnHost, AccumulatorsAreStructsAndResultsSeveral) {
  const Callback source(kMoments);
  const Reduce moments = Reduce::create(
      {.map = source.with_entry("one"), .combine = source.with_entry("join"), .finish = source.with_entry("out")},
      on_host());
  const std::vector<float> x = randoms(100000);
  double sum = 0, squares = 0;
  for (const float value : x) {
    sum += value;
    squares += double(value) * value;
  }
  const double mean = sum / 100000;
  float results[2] = {};
  moments.execute(host, x, outputs(std::span(&results[0], 1), std::span(&results[1], 1)));
  EXPECT_NEAR(results[0], mean, 1e-5);
  EXPECT_NEAR(results[1], squares / 100000 - mean * mean, 1e-5);
}

TEST(ReduceOnHost, LargeAccumulatorsNeedNoArrayOfTheirType) {
  const Callback source(
      "struct W { double of[8]; };\n"
      "__device__ W one(int x) { W w = {}; w.of[x & 7] = 1; return w; }\n"
      "__device__ W join(W a, W b) { for (int i = 0; i < 8; ++i) a.of[i] += b.of[i]; return a; }\n"
      "__device__ double most(W a) {\n"
      "  double m = 0;\n"
      "  for (int i = 0; i < 8; ++i) m = a.of[i] > m ? a.of[i] : m;\n"
      "  return m;\n"
      "}\n");
  const Reduce mode = Reduce::create(
      {.map = source.with_entry("one"), .combine = source.with_entry("join"), .finish = source.with_entry("most")},
      on_host());
  std::vector<int> x(10000, 3);
  for (int i = 0; i < 4000; ++i) x[static_cast<std::size_t>(i)] = i;
  double most = 0;
  mode.execute(host, x, std::span(&most, 1));
  EXPECT_EQ(most, 6000 + 500);
}

TEST(ReduceOnHost, AChainMayBeTheMap) {
  const Reduce sum = Reduce::create({.map = chain({"__device__ float twice(float x) { return 2 * x; }",
                                                   "__device__ int whole(float x) { return x; }"}),
                                     .combine = "__device__ int add(int a, int b) { return a + b; }"},
                                    on_host());
  const std::vector<float> x = {0.5f, 1.4f, 2};
  int result = 0;
  sum.execute(host, x, std::span(&result, 1));
  EXPECT_EQ(result, 1 + 2 + 4);
}

TEST(ReduceOnHost, FinishMayReadItsOutputs) {
  const Reduce add_to = Reduce::create(
      {.map = kSquare,
       .combine = kAdd,
       .finish = "__device__ float f(float a, graft::InOut<double> total, int& calls, graft::InOut<int> largest) {\n"
                 "  total += a;\n"
                 "  calls = 7;\n"
                 "  largest = largest < a ? int(a) : int(largest);\n"
                 "  return -a;\n"
                 "}"},
      on_host());
  const std::vector<float> x = {1, 2, 3};
  float negative = 0;
  double total = 100;
  int calls = 0, largest = 5;
  add_to.execute(host, x,
                 outputs(std::span(&negative, 1), std::span(&total, 1), std::span(&calls, 1), std::span(&largest, 1)));
  EXPECT_EQ(negative, -14);
  EXPECT_EQ(total, 114);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(largest, 14);
}

TEST(ReduceOnHost, MapMayStoreOutputs) {
  const Reduce soft = Reduce::create({.map = "__device__ double f(float x, float& y, graft::InOut<int> calls) {\n"
                                             "  y = x * 2;\n"
                                             "  calls += 1;\n"
                                             "  return y;\n"
                                             "}",
                                      .combine = "__device__ double f(double a, double b) { return a + b; }",
                                      .finish = "__device__ float f(double a) { return a; }"},
                                     on_host());
  EXPECT_EQ(soft.signature().text(), "float(float, Accumulator<double>, float&, graft::InOut<int>)");
  std::vector<float> x(3000), y(x.size()), sum(1);
  std::vector<int> calls(x.size(), 5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 10);
  soft.execute(host, x, outputs(sum, y, calls));
  EXPECT_EQ(sum[0], 2 * 4.5f * 3000);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i]);
  EXPECT_EQ(calls, std::vector<int>(x.size(), 6));
  soft.execute(host, x, outputs(sum, x, calls));  // in place
  EXPECT_EQ(x, y);
  const auto refused = [&](const HostOutputs& to, ErrorCode code, const char* words) {
    const Error error = error_of([&] { soft.execute(host, x, to); });
    EXPECT_EQ(error.code(), code) << words;
    EXPECT_THAT(error.message(), HasSubstr(words));
  };
  refused(outputs(sum, std::span(y).first(2999), calls), ErrorCode::CountMismatch, "map stores one for each");
  refused(outputs(sum, std::span(x).first(2999), calls), ErrorCode::CountMismatch, "map stores one for each");
  const Error views = error_of([&] {
    soft.execute(host, view(x.data(), {30, 100}),
                 outputs(view(sum.data()), view(y.data(), {30, 100}), view(calls.data(), {30, 100})));
  });
  EXPECT_EQ(views.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(views.message(), HasSubstr("map stores outputs"));
}

// A map that returns graft::Store has its accumulator in front of what it stores.
TEST(ReduceOnHost, MapMayStoreSomeOutputs) {
  const Reduce positive = Reduce::create(
      {.map = "__device__ graft::Store f(float x, double& sum, float& y, graft::InOut<int> calls, graft::Index i) {\n"
              "  sum = x;\n"
              "  y = x * 2;\n"
              "  calls += 1;\n"
              "  return graft::Store(i % 3 == 1);\n"
              "}",
       .combine = "__device__ double f(double a, double b) { return a + b; }"},
      on_host());
  EXPECT_EQ(positive.signature().text(), "double(float, graft::Index, Accumulator<double>, float&, graft::InOut<int>)");
  std::vector<float> x(3000, 0.5f), y(x.size(), -1);
  std::vector<double> sum(1);
  std::vector<int> calls(x.size(), 5);
  positive.execute(host, x, outputs(sum, y, calls));
  EXPECT_EQ(sum[0], 1500);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(y[i], i % 3 == 1 ? 1.0f : -1.0f) << i;
    ASSERT_EQ(calls[i], i % 3 == 1 ? 6 : 5) << i;
  }
  for (const char* const map : {"__device__ graft::Store f(float x, float& a) { a = x; return graft::Store(true); }",
                                "__device__ graft::Store f(float x, graft::InOut<float> a, float& y) {"
                                " a = x; y = x; return graft::Store(true); }"})
    EXPECT_THAT(error_of([&] { Reduce::create({.map = map, .combine = kAdd}, on_host()); }).message(),
                HasSubstr("does not make an accumulator of elements"));
}

// Shards give the bits of one call, for each number of parts.
TEST(ReduceOnHost, ShardsHaveTheBitsOfOneCall) {
  const Reduce hash = Reduce::create(
      {.map =
           "__device__ unsigned f(float x, graft::Index i) { return unsigned(x) * 2654435761u + unsigned(i) * 97u; }",
       .combine = "__device__ unsigned f(unsigned a, unsigned b) { return a * 31u + b; }",
       .finish = "__device__ unsigned long long f(unsigned a) { return a; }"},
      on_host());
  EXPECT_EQ(hash.accumulator_bytes(), 4u);
  for (const std::size_t count : {1, 7, 8192, 8193, 100000, 1048577}) {
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 7919 % 1009);
    std::vector<unsigned long long> whole(1), of_parts(1);
    hash.execute(host, x, whole);
    for (const std::uint32_t parts : {1u, 2u, 3u, 4u, 7u}) {
      std::vector<unsigned> partials(hash.shard(count, 0, parts).all_chunks);
      std::uint64_t elements = 0;
      for (std::uint32_t part = 0; part < parts; ++part) {
        const ReduceShard shard = hash.shard(count, part, parts);
        EXPECT_EQ(shard.begin, elements);
        elements += shard.count;
        hash.partials(host, std::span(x).subspan(shard.begin, shard.count), shard, partials.data() + shard.first_chunk);
      }
      EXPECT_EQ(elements, count);
      hash.finish(host, partials.data(), count, of_parts);
      EXPECT_EQ(of_parts[0], whole[0]) << count << " in " << parts;
    }
  }
  std::vector<float> x(10);
  std::vector<unsigned> to(1);
  const ReduceShard all = hash.shard(10, 0, 1);
  EXPECT_EQ(error_of([&] { hash.shard(10, 2, 2); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { hash.shard(0, 0, 2); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { hash.partials(host, std::span(x).first(9), all, to.data()); }).code(),
            ErrorCode::CountMismatch);
  EXPECT_EQ(error_of([&] { hash.partials(host, x, all, nullptr); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { hash.finish(host, to.data(), 10, to); }).code(), ErrorCode::TypeMismatch);
}

struct Refused {
  ReduceCallbacks callbacks;
  const char* words;
};

// A shard may come from a file or from another machine.
TEST(ReduceOnHost, ShardsThatCannotBeAreRefused) {
  const Reduce sum = Reduce::create({.combine = kAdd, .initial = 5.0F}, on_host());
  const std::vector<float> x(100000, 1);
  std::vector<float> partials(1024);
  const ReduceShard good = sum.shard(x.size(), 1, 3);
  const auto message = [&](const ReduceShard& shard) {
    const std::size_t count = std::min<std::size_t>(shard.count, x.size());
    return error_of([&] { sum.partials(host, std::span(x).first(count), shard, partials.data()); }).message();
  };
  for (const auto member : {&ReduceShard::elements, &ReduceShard::begin, &ReduceShard::count, &ReduceShard::first_chunk,
                            &ReduceShard::chunks, &ReduceShard::all_chunks})
    for (const std::uint64_t value : {std::uint64_t{0}, good.*member + 1, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
      if (member == &ReduceShard::elements && value == good.elements + 1) continue;  // the same part of one more
      ReduceShard forged = good;
      forged.*member = value;
      EXPECT_THAT(message(forged), HasSubstr("the shard is none of")) << value;
    }
  EXPECT_THAT(message({.elements = 10, .begin = 0, .count = 10, .first_chunk = 0, .chunks = 0, .all_chunks = 1}),
              HasSubstr("the shard is none of"));
  std::vector<float> in_place(100000, 1);
  EXPECT_EQ(
      error_of([&] { sum.partials(host, std::span(in_place).first(good.count), good, in_place.data() + 7); }).code(),
      ErrorCode::Overlap);
  EXPECT_EQ(error_of([&] { sum.partials(host, std::span(x).first(good.count), good, nullptr); }).code(),
            ErrorCode::InvalidArgument);

  float out = 0;
  const auto code_of_finish = [&](const void* from, std::uint64_t elements, float* to) {
    return error_of([&] { sum.finish(host, from, elements, {to, 1}); }).code();
  };
  EXPECT_EQ(code_of_finish(nullptr, 100, &out), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of_finish(partials.data(), 100, nullptr), ErrorCode::InvalidArgument);
  EXPECT_EQ(
      code_of_finish(partials.data(), 100, reinterpret_cast<float*>(reinterpret_cast<char*>(partials.data()) + 1)),
      ErrorCode::Misaligned);
  sum.finish(host, nullptr, 0, {&out, 1});  // of no parts
  EXPECT_EQ(out, 5);
}

TEST(ReduceOnHost, EveryNumberOfThreadsHasTheSameBits) {
  const ReduceCallbacks callbacks = {.map = "__device__ float map(short x, float y) { return x * y; }",
                                     .combine = kAdd,
                                     .finish = "__device__ double out(float sum) { return 1 / (double)sum; }"};
  constexpr std::size_t kCount = 3000001;
  std::mt19937 random(7);
  std::vector<short> x(kCount);
  std::vector<float> y(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<short>(random() % 1000);
    y[i] = static_cast<float>(random() % 1000) / 7;
  }
  std::vector<unsigned> offsets = {0};
  while (offsets.back() < kCount) offsets.push_back(std::min<unsigned>(offsets.back() + random() % 5000, kCount));
  const auto results_with = [&](int threads) {
    Options options = on_host();
    options.host_threads = threads;
    const Reduce reduce = Reduce::create(callbacks, options);
    std::vector<double> results(1), more(1732), segments(offsets.size() - 1);
    reduce.execute(host, inputs(x, y), results);
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1732, 1}, {1, 1732}}) {
      reduce.execute(host, inputs(view(x.data(), {1732, 1732}), view(y.data(), {1732, 1732})),
                     view(more.data(), shape));
      results.insert(results.end(), more.begin(), more.end());
    }
    reduce.execute_segments(host, inputs(x, y), offsets, segments);
    results.insert(results.end(), segments.begin(), segments.end());
    return results;
  };
  const std::vector<double> of_one = results_with(1);
  EXPECT_EQ(std::ranges::count(of_one, 0.0), 0);
  for (const int threads : {2, 7, 0}) EXPECT_EQ(results_with(threads), of_one) << threads;
  for (const int threads : {-1, 1025})
    EXPECT_THAT(error_of([&] { results_with(threads); }).message(), HasSubstr("Options::host_threads"));
}

TEST(ReduceOnHost, AMisspeltEntryIsNamedWithItsCallback) {
  const Callback text =
      "__device__ float add(float a, float b) { return a + b; }\n"
      "__device__ float square(float x) { return x * x; }\n";
  const Error ambiguous = error_of([&] { Reduce::create({.combine = text}, on_host()); });
  EXPECT_THAT(ambiguous.remedy(), HasSubstr("with Callback::with_entry"));
  const Error misspelt = error_of([&] { Reduce::create({.combine = text.with_entry("ad")}, on_host()); });
  EXPECT_EQ(misspelt.code(), ErrorCode::NoSuchEntry);
  EXPECT_THAT(misspelt.remedy(), HasSubstr("with Callback::with_entry"));
}

TEST(ReduceOnHost, ReportsSayWhichPromiseHolds) {
  const auto notes_of = [](const ReduceCallbacks& callbacks, const Options& options = {}) {
    return build(callbacks, Architecture(90), options).front().report().notes;
  };
  const auto says = [](const char* words) { return testing::Contains(HasSubstr(words)); };
  Options separate;
  separate.floating_point.contraction = false;
  Options with_header = separate;
  with_header.headers.push_back({"mine.h", "// empty"});
  EXPECT_THAT(notes_of({.combine = kAdd}), says("unless Options::floating_point.contraction is off"));
  EXPECT_THAT(notes_of({.combine = kAdd}, separate), says("on the host too, because the callbacks' texts call no"));
  EXPECT_THAT(
      notes_of({.map = "__device__ float f(float x) { return /* logf(x) */ expf(x); }", .combine = kAdd}, separate),
      says("because the callbacks' texts call expf"));
  EXPECT_THAT(notes_of({.map = chain(kSquare, "__device__ float f(float x) { return tanhf(x); }"), .combine = kAdd}),
              says("because the callbacks' texts call tanhf"));
  const char* const includes = "#include \"mine.h\"\n__device__ float f(float a, float b) { return a + b; }";
  EXPECT_THAT(notes_of({.combine = includes}, with_header),
              says("as far as the compiled callbacks and included headers use"));
  EXPECT_THAT(notes_of({.combine = "__device__ int f(int a, int b) { return a + b; }"}), says("are integers"));
  EXPECT_THAT(notes_of({.combine = kAdd}), testing::Not(says("wider type")));
  EXPECT_THAT(notes_of({.combine = "__device__ short f(short a, short b) { return a + b; }"}),
              says("the accumulator is int16: sums of many elements do not fit"));
}

TEST(ReduceOnHost, TheStateMayBeBaked) {
  struct Both {
    float factor;
    double divisor;
  };
  const ReduceCallbacks callbacks = {
      .map = "__device__ float scale(float x, const float& a) { return a * x; }",
      .combine = kAdd,
      .finish = "__device__ double divide(float sum, const double& d) { return sum / d; }"};
  const std::vector<float> x(1000, 1);
  double out = 0;
  const Reduce baked = Reduce::create(callbacks, on_host().bake(Both{3, 8}));
  baked.execute(host, x, {&out, 1});
  EXPECT_EQ(out, 375);
  EXPECT_THAT(error_of([&] {
                baked.execute(host, x, {&out, 1}, Both{3, 8});
              }).message(),
              HasSubstr("compiled into the kernel"));
  EXPECT_THAT(error_of([&] { Reduce::create(callbacks, on_host().bake(3.0F)); }).message(),
              HasSubstr("has 16 bytes, but 4 bytes were baked"));
  EXPECT_THAT(error_of([&] { Reduce::create({.combine = kAdd}, on_host().bake(3.0F)); }).message(),
              HasSubstr("no state to bake"));
  const Image image = build(callbacks, Architecture(90), Options().bake(Both{3, 8})).front();
  EXPECT_THAT(image.signature().text(), HasSubstr("const"));
  EXPECT_FALSE(image.signature().state());
}

TEST(ReduceOnHost, CallbacksThatDoNotFitAreRefused) {
  const char* const five = "struct P { char c[6]; }; __device__ P f(P a, P b) { return a; }";
  const char* const ninth = "struct P { double d[10]; }; __device__ P f(P a, P b) { return a; }";
  const Refused table[] = {
      {{.map = kSquare, .combine = "__device__ float f(float a) { return a; }"}, "does not combine two accumulators"},
      {{.combine = "__device__ float f(float a, int b) { return a; }"}, "does not combine two accumulators"},
      {{.combine = "__device__ void f(float a, float b, float& c) { c = a; }"}, "does not combine two accumulators"},
      {{.map = kSquare, .combine = "__device__ double f(double a, double b) { return a + b; }"},
       "returns another type than combine takes"},
      {{.map = "__device__ void f(float x, float& y) { y = x; }", .combine = kAdd},
       "does not make an accumulator of elements"},
      {{.map = "__device__ float f(float x, graft::Position<2> p) { return x; }", .combine = kAdd},
       "takes a graft::Position"},
      {{.combine = kAdd, .finish = "__device__ float f(double a) { return a; }"},
       "takes another type than combine returns"},
      {{.combine = kAdd, .finish = "__device__ float f(float a, float b) { return a; }"},
       "does not make outputs of an accumulator"},
      {{.map = "__device__ float f(graft::Index i) { return i; }", .combine = kAdd},
       "does not make an accumulator of elements"},
      {{.combine = kAdd, .finish = "__device__ float f(float a, graft::Index i) { return a; }"},
       "does not make outputs of an accumulator"},
      {{.combine = five}, "has an accumulator that a reduction cannot have"},
      {{.combine = ninth}, "has an accumulator that a reduction cannot have"},
      {{.combine = "struct P { double d[5]; }; __device__ P f(P a, P b) { return a; }"}, "larger than 32 bytes"},
  };
  for (const Refused& one : table) {
    const Error error = error_of([&] { Reduce::create(one.callbacks, on_host()); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << one.words;
    EXPECT_THAT(error.message(), HasSubstr(one.words));
  }
}

TEST(ReduceOnHost, CallsThatCannotBeAreRefused) {
  const Reduce sum = Reduce::create({.map = kSquare, .combine = kAdd}, on_host());
  float x[4] = {1, 2, 3, 4}, out[2] = {};
  const double wrong[1] = {1};
  struct Case {
    std::function<void()> call;
    ErrorCode code;
    const char* words;
  };
  const Case table[] = {
      {[&] { sum.execute(host, std::span(x, 0), std::span(out, 1)); }, ErrorCode::CountMismatch, "no elements"},
      {[&] { sum.execute(host, std::span(x, 4), std::span(out, 2)); }, ErrorCode::CountMismatch, "are reduced to one"},
      {[&] { sum.execute(host, std::span(x, 4), std::span(x + 3, 1)); }, ErrorCode::Overlap,
       "output 0 overlaps input 0"},
      {[&] { sum.execute(host, std::span(wrong, 1), std::span(out, 1)); }, ErrorCode::TypeMismatch, "must hold"},
      {[&] { sum.execute(host, inputs(std::span(x, 2), std::span(x, 2)), std::span(out, 1)); },
       ErrorCode::CountMismatch, "takes 1 input arrays"},
      {[&] { sum.execute(host, std::span(x, 4), std::span(out, 1), 3.0f); }, ErrorCode::TypeMismatch,
       "state of 0 bytes"},
      {[&] {
         sum.execute(host, ArrayRefs({ArrayRef(nullptr, 4, element_type<float>())}),
                     ArrayRefs({ArrayRef(out, 1, element_type<float>())}));
       },
       ErrorCode::InvalidArgument, "input 0 is null"},
      {[&] { sum.execute(nullptr, std::span(x, 4), std::span(out, 1)); }, ErrorCode::InvalidArgument,
       "runs on the host"},
  };
  for (const Case& one : table) {
    const Error error = error_of(one.call);
    EXPECT_EQ(error.code(), one.code) << one.words;
    EXPECT_THAT(error.message(), HasSubstr(one.words));
  }
  EXPECT_EQ(out[0], 0);
}

}  // namespace
}  // namespace graft::test
