// Tests graft::Reduce on a GPU: the bits of results, streams at the same time, graphs, and what is written.
#include "graft/reduce.hpp"

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/reductions.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

class GpuReduce : public Gpu {};

constexpr const char* kAdd = "__device__ float add(float a, float b) { return a + b; }";
constexpr const char* kSquare = "__device__ float square(float x) { return x * x; }";

struct Moments {
  float mean, variance;
};

// `is_small`: the accumulator has at most 32 bytes, and needs no local memory.
template <class T, class R>
void expect_bits_of_host(const ReduceCallbacks& callbacks, const char* what, bool is_small = true) {
  SCOPED_TRACE(what);
  const Reduce on_host = Reduce::create(callbacks, without_contraction(Route::Host));
  const Reduce on_gpu = Reduce::create(callbacks, without_contraction());
  if (is_small) {
    EXPECT_EQ(on_gpu.report().resources.local_bytes, 0u);
  }
  const DeviceArray<R> out{std::vector<R>(1)};
  for (const std::size_t count :
       {1, 2, 3, 7, 31, 32, 33, 255, 256, 257, 1000, 4095, 4096, 4097, 65536, 70001, 1 << 20, (1 << 22) + 5}) {
    for (const std::size_t offset : {0, 1, 3}) {
      const std::vector<T> values = randoms<T>(count + offset);
      const DeviceArray<T> x{values};
      R wanted = {};
      on_host.execute(host, {values.data() + offset, count}, {&wanted, 1});
      on_gpu.execute(nullptr, {x.data() + offset, count}, out);
      const R result = out.host().front();
      ASSERT_EQ(std::memcmp(&result, &wanted, sizeof wanted), 0) << count << " from " << offset;
    }
  }
}

constexpr const char* kMoments =
    "struct M { float n, mean, m2; };\n"
    "struct R { float mean, variance; };\n"
    "__device__ M one(float x) { return {1, x, 0}; }\n"
    "__device__ M join(M a, M b) {\n"
    "  const float n = a.n + b.n, d = b.mean - a.mean, f = b.n / n;\n"
    "  return {n, a.mean + d * f, a.m2 + b.m2 + d * d * a.n * f};\n"
    "}\n"
    "__device__ R out(M a) { return {a.mean, a.m2 / a.n}; }\n";

constexpr const char* kBest =
    "struct B { float v; unsigned int unused; unsigned long long i; };\n"
    "__device__ B one(float x, graft::Index i) { return {x, 0, i}; }\n"
    "__device__ B better(B a, B b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }\n"
    "__device__ unsigned long long place(B a) { return a.i; }\n";

TEST_F(GpuReduce, HasTheBitsOfTheHostRoute) {
  expect_bits_of_host<float, float>({.map = kSquare, .combine = kAdd}, "f32 sum of squares");
  expect_bits_of_host<float, float>({.combine = kAdd}, "f32 sum");
  expect_bits_of_host<double, double>({.combine = "__device__ double f(double a, double b) { return a < b ? b : a; }"},
                                      "f64 max");
  expect_bits_of_host<signed char, int>({.map = "__device__ int f(signed char x) { return x; }",
                                         .combine = "__device__ int f(int a, int b) { return a + b; }"},
                                        "i8 sum");
  expect_bits_of_host<short, short>({.combine = "__device__ short f(short a, short b) { return a < b ? b : a; }"},
                                    "i16 max");
  expect_bits_of_host<unsigned char, unsigned char>(
      {.combine = "__device__ unsigned char f(unsigned char a, unsigned char b) { return a ^ b; }"}, "u8 xor");
  const Callback wide(
      "struct W { double of[8]; };\n"
      "__device__ W one(unsigned char x) { W w = {}; w.of[x & 7] = x; return w; }\n"
      "__device__ W join(W a, W b) { for (int i = 0; i < 8; ++i) a.of[i] += b.of[i] / 3; return a; }\n"
      "__device__ double sum(W a) { double s = 0; for (int i = 0; i < 8; ++i) s += a.of[i]; return s; }\n");
  expect_bits_of_host<unsigned char, double>(
      {.map = wide.with_entry("one"), .combine = wide.with_entry("join"), .finish = wide.with_entry("sum")},
      "large accumulators of small elements", false);
  expect_bits_of_host<float, float>({.map = chain({"__device__ float half(float x) { return x / 2; }",
                                                   "__device__ float less(float x) { return x - 1; }"}),
                                     .combine = kAdd},
                                    "a chain");
  const Callback moments(kMoments), best(kBest);
  expect_bits_of_host<float, Moments>(
      {.map = moments.with_entry("one"), .combine = moments.with_entry("join"), .finish = moments.with_entry("out")},
      "Welford");
  expect_bits_of_host<float, unsigned long long>(
      {.map = best.with_entry("one"), .combine = best.with_entry("better"), .finish = best.with_entry("place")},
      "argmax");
}

// Also where the compiler joins a multiplication of map and an addition of combine.
TEST_F(GpuReduce, AlignmentChangesNoBits) {
  for (const char* const type : {"float", "short"}) {
    const std::string element = type;
    const Reduce sum =
        Reduce::create({.map = "__device__ float f(" + element + " x) { return x * 0.3f + x * x; }", .combine = kAdd});
    const std::size_t size = sum.signature().inputs()[0].size;
    std::vector<unsigned char> bytes(size * 70000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7919 % 64);
    std::vector<float> results;
    for (std::size_t shift = 0; shift < 9; ++shift) {
      std::vector<unsigned char> shifted(shift * size);
      shifted.insert(shifted.end(), bytes.begin(), bytes.end());
      const DeviceArray<unsigned char> x{shifted};
      const DeviceArray<float> out{std::vector<float>(1)};
      for (const std::size_t count : {5, 1000, 70000}) {
        sum.execute(nullptr, ArrayRef(x.data() + shift * size, count, sum.signature().inputs()[0]),
                    ArrayRef(out.data(), 1, element_type<float>()));
        results.push_back(out.host().front());
        EXPECT_EQ(results.back(), results[results.size() % 3 == 0 ? 2 : results.size() % 3 - 1]) << shift;
      }
    }
  }
}

// The outputs of map and the result have the bytes of the host route, wherever the arrays begin.
template <class T, class Y>
void expect_outputs_of_host(const ReduceCallbacks& callbacks, const char* what) {
  SCOPED_TRACE(what);
  const Reduce on_host = Reduce::create(callbacks, without_contraction(Route::Host));
  const Reduce on_gpu = Reduce::create(callbacks, without_contraction());
  EXPECT_EQ(on_gpu.report().resources.local_bytes, 0u);
  for (const std::size_t count : {1, 3, 4, 255, 4096, 4099, 70001, 1 << 20})
    for (const std::size_t offset : {0, 1, 3}) {
      const std::vector<T> x = randoms<T>(count + offset);
      std::vector<Y> y(count + offset + 8, Y(7));
      std::vector<int> calls(count + offset, 5);
      std::vector<float> sum(1);
      const DeviceArray<T> on_x{x};
      const DeviceArray<Y> on_y{y};
      const DeviceArray<int> on_calls{calls};
      const DeviceArray<float> on_sum{sum};
      on_host.execute(host, std::span(x).subspan(offset),
                      outputs(sum, std::span(y).subspan(offset, count), std::span(calls).subspan(offset)));
      on_gpu.execute(
          nullptr, {on_x.data() + offset, count},
          outputs(on_sum, std::span(on_y.data() + offset, count), std::span(on_calls.data() + offset, count)));
      ASSERT_EQ(on_sum.host(), sum) << count << " from " << offset;
      ASSERT_EQ(on_y.host(), y) << count << " from " << offset;
      ASSERT_EQ(on_calls.host(), calls) << count << " from " << offset;
    }
}

TEST_F(GpuReduce, MapMayStoreOutputs) {
  const auto callbacks = [](const std::string& x, const std::string& y) {
    return ReduceCallbacks{.map = "__device__ float f(" + x + " x, " + y +
                                  "& y, graft::InOut<int> calls) { y = x * 3; calls += 1; return x * x; }",
                           .combine = kAdd};
  };
  expect_outputs_of_host<float, float>(callbacks("float", "float"), "f32");
  expect_outputs_of_host<signed char, float>(callbacks("signed char", "float"), "i8 to f32");
  expect_outputs_of_host<double, int>(callbacks("double", "int"), "f64 to i32");
  expect_outputs_of_host<short, double>(callbacks("short", "double"), "i16 to f64");
  const auto some = [](const std::string& x, const std::string& y) {
    return ReduceCallbacks{.map = "__device__ graft::Store f(" + x + " x, float& sum, " + y +
                                  "& y, graft::InOut<int> calls, graft::Index i) { sum = x * x; y = x * 3; calls += 1; "
                                  "return graft::Store(i / 40 % 3 == 0 || i % 3 == 1); }",
                           .combine = kAdd};
  };
  expect_outputs_of_host<float, float>(some("float", "float"), "some f32");
  expect_outputs_of_host<signed char, float>(some("signed char", "float"), "some i8 to f32");
  expect_outputs_of_host<double, int>(some("double", "int"), "some f64 to i32");
  const char* const more = "__device__ float f(float x, float& y) { y = x + 1; return x; }";
  Reduce in_place = Reduce::create({.map = more, .combine = kAdd});
  const DeviceArray<float> x{std::vector<float>(100000, 1)}, sum{std::vector<float>(1)};
  for (int i = 1; i < 10; ++i) {
    in_place.execute(nullptr, x, outputs(sum, x));
    EXPECT_EQ(sum.host()[0], 100000.0f * static_cast<float>(i));
  }
  EXPECT_EQ(
      error_of([&] {
        in_place.prepare_shapes(view(x.data(), {100, 1000}), outputs(view(sum.data()), view(x.data(), {100, 1000})));
      }).code(),
      ErrorCode::InvalidArgument);
  Options any;
  any.any_shape = true;
  EXPECT_EQ(error_of([&] { Reduce::create({.map = more, .combine = kAdd}, any); }).code(),
            ErrorCode::UnsupportedParameter);
}

// On one GPU, one part after the other.
TEST_F(GpuReduce, ShardsHaveTheBitsOfOneCall) {
  const ReduceCallbacks callbacks = {.map = "__device__ float f(float x, graft::Index i) { return x * x + i % 7; }",
                                     .combine = "__device__ float add(float a, float b) { return a / 3 + b; }"};
  const Reduce on_host = Reduce::create(callbacks, without_contraction(Route::Host));
  const Reduce on_gpu = Reduce::create(callbacks, without_contraction());
  for (const std::size_t count : {5, 8193, 100000, 3000001}) {
    const std::vector<float> values = randoms<float>(count);
    const DeviceArray<float> x{values}, one{std::vector<float>(1)};
    on_gpu.execute(nullptr, x, one);
    const float wanted = one.host()[0];
    for (const std::uint32_t parts : {1u, 2u, 5u}) {
      const std::size_t chunks = on_gpu.shard(count, 0, parts).all_chunks;
      const DeviceArray<float> partials{std::vector<float>(chunks)};
      std::vector<float> of_host(chunks);
      for (std::uint32_t part = 0; part < parts; ++part) {
        const ReduceShard shard = on_gpu.shard(count, part, parts);
        on_gpu.partials(nullptr, {x.data() + shard.begin, shard.count}, shard, partials.data() + shard.first_chunk);
        on_host.partials(host, std::span(values).subspan(shard.begin, shard.count), shard,
                         of_host.data() + shard.first_chunk);
      }
      EXPECT_EQ(partials.host(), of_host);
      const DeviceArray<float> result{std::vector<float>(1)};
      on_gpu.finish(nullptr, partials.data(), count, result);
      EXPECT_EQ(result.host()[0], wanted) << count << " in " << parts;
    }
  }
}

TEST_F(GpuReduce, ShardsOnSeveralDevicesHaveTheBitsOfOneCall) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "there is one device";
  Reduce sum = Reduce::create({.map = kSquare, .combine = kAdd});
  constexpr std::size_t kCount = 20'000'003;
  const std::vector<float> values = randoms<float>(kCount);
  const DeviceArray<float> x{values}, one{std::vector<float>(1)}, result{std::vector<float>(1)};
  sum.execute(nullptr, x, one);
  const auto parts = static_cast<std::uint32_t>(devices);
  const DeviceArray<float> partials{std::vector<float>(sum.shard(kCount, 0, parts).all_chunks)};
  for (std::uint32_t part = 0; part < parts; ++part) {
    const ReduceShard shard = sum.shard(kCount, part, parts);
    check(cudaSetDevice(static_cast<int>(part)));
    sum.prepare_current();
    {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(shard.begin);
      const DeviceArray<float> own{std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(shard.count))};
      const DeviceArray<float> made{std::vector<float>(shard.chunks)};
      sum.partials(nullptr, own, shard, made.data());
      check(cudaDeviceSynchronize());
      check(cudaMemcpyPeer(partials.data() + shard.first_chunk, 0, made.data(), static_cast<int>(part),
                           shard.chunks * sizeof(float)));
    }
  }
  check(cudaSetDevice(0));
  sum.finish(nullptr, partials.data(), kCount, result);
  EXPECT_EQ(result.host()[0], one.host()[0]);
}

// Of sizes that do not divide a group, at places that no word is aligned to, with a state.
TEST_F(GpuReduce, TakesSeveralInputs) {
  struct Rgb {
    unsigned char r, g, b;
  };
  struct State {
    float scale;
  };
  const ReduceCallbacks callbacks = {
      .map =
          "struct Rgb { unsigned char r, g, b; }; struct S { float scale; };\n"
          "__device__ double f(Rgb c, unsigned short w, const S& s, graft::Index i) { return (c.r + 2.0 * c.g + 3.0 * "
          "c.b) * w * s.scale + i; }",
      .combine = "__device__ double add(double a, double b) { return a + b / 7; }"};
  const Reduce on_host = Reduce::create(callbacks, without_contraction(Route::Host));
  const Reduce on_gpu = Reduce::create(callbacks, without_contraction());
  for (const std::size_t count : {1, 5, 1279, 1280, 50001, 300007}) {
    std::vector<Rgb> colours(count);
    const std::vector<unsigned short> weights = randoms<unsigned short>(count + 1);
    for (std::size_t i = 0; i < count; ++i)
      colours[i] = {static_cast<unsigned char>(i), static_cast<unsigned char>(i * 7),
                    static_cast<unsigned char>(i >> 3)};
    const DeviceArray<Rgb> on_colours{colours};
    const DeviceArray<unsigned short> on_weights{weights};
    const DeviceArray<double> out{std::vector<double>(1)};
    double wanted = 0;
    on_host.execute(host, inputs(colours, std::span(weights).subspan(1)), std::span(&wanted, 1), State{0.5f});
    on_gpu.execute(nullptr, inputs(on_colours, std::span(on_weights.data() + 1, count)), out, State{0.5f});
    EXPECT_EQ(out.host().front(), wanted) << count;
  }
}

TEST_F(GpuReduce, StreamsAtTheSameTimeDoNotDisturbEachOther) {
  const Reduce sum = Reduce::create({.map = kSquare, .combine = kAdd});
  constexpr std::size_t kCount = 1 << 20, kStreams = 8;
  std::vector<cudaStream_t> streams(kStreams);
  for (cudaStream_t& stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<std::unique_ptr<DeviceArray<float>>> inputs;
  const DeviceArray<float> out{std::vector<float>(kStreams)};
  std::vector<float> wanted;
  for (std::size_t i = 0; i < kStreams; ++i) {
    inputs.push_back(std::make_unique<DeviceArray<float>>(randoms<float>(kCount + i)));
    sum.execute(nullptr, *inputs[i], {out.data() + i, 1});
    check(cudaDeviceSynchronize());
    wanted.push_back(out.host()[i]);
  }
  for (int round = 0; round < 100; ++round)
    for (std::size_t i = 0; i < kStreams; ++i) sum.execute(streams[i], *inputs[i], {out.data() + i, 1});
  check(cudaDeviceSynchronize());
  EXPECT_EQ(out.host(), wanted);
  for (cudaStream_t stream : streams) check(cudaStreamDestroy(stream));
}

TEST_F(GpuReduce, CapturesNeedAWorkspaceThatTheGraphOwns) {
  const Reduce sum = Reduce::create({.map = kSquare, .combine = kAdd});
  constexpr std::size_t kCount = 1 << 20;
  const DeviceArray<float> x{randoms<float>(kCount)}, out{std::vector<float>(3)};
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const Error error = error_of([&] { sum.execute(stream, x, {out.data(), 1}); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphDestroy(graph));

  sum.prepare(stream);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sum.execute(stream, x, {out.data(), 1});
  sum.execute(stream, x, {out.data() + 1, 1});  // shares the graph's workspace
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  sum.execute(stream, x, {out.data() + 2, 1});
  for (int i = 0; i < 20; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaDeviceSynchronize());
  const std::vector<float> results = out.host();
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[1], results[2]);
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST_F(GpuReduce, IsRightBehindAKernelThatWritesItsInput) {
  const Transform fill = Transform::create("__device__ float fill(const float& value) { return value; }");
  const Reduce sum = Reduce::create({.combine = kAdd});
  constexpr std::size_t kCount = 1 << 16;
  const DeviceArray<float> x{std::vector<float>(kCount)}, out{std::vector<float>(50)};
  for (int i = 0; i < 50; ++i) {
    fill.execute(nullptr, graft::inputs(), x, static_cast<float>(i));
    sum.execute(nullptr, x, {out.data() + i, 1});
  }
  const std::vector<float> results = out.host();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], static_cast<float>(i) * kCount);
}

}  // namespace
}  // namespace graft::test
