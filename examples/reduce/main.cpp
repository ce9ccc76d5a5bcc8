// Runs the examples of docs/reduce.md, each with a check of its result, on the GPU or, without one, on the CPU. Exits
// with 1 if an example fails. Lines between `[name]` and `[/name]` comments are shown on that page word for word
// (tests/docs compares them).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <graft/graft.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "support/arrays.hpp"
#include "support/cuda.hpp"

namespace {

using examples::array;
using examples::values_of;

void expect_near(double found, double expected, int line = __builtin_LINE()) {
  if (!(std::abs(found - expected) <= 1e-4 * std::abs(expected)))
    throw std::runtime_error(fmt::format("line {}: {} is not what docs/reduce.md says", line, found));
}

template <class Stream>
void norm(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>(10000, 3));
  auto out = array(stream, std::vector<float>(1));
  // [norm]
  const graft::Reduce norm =
      graft::Reduce::create({.map = "__device__ float square(float x) { return x * x; }",
                             .combine = "__device__ float add(float a, float b) { return a + b; }",
                             .finish = "__device__ float root(float sum) { return sqrtf(sum); }"},
                            options);
  norm.execute(stream, x, out);  // out: array of one float
  // [/norm]
  expect_near(values_of(out)[0], 300);
}

template <class Stream>
void moments(Stream stream, const graft::Options& options) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 10);
  const auto x = array(stream, values);
  auto mean = array(stream, std::vector<float>(1)), variance = array(stream, std::vector<float>(1));
  // [moments]
  const graft::Callback text = R"(
      struct Moments { float count, mean, squares; };
      __device__ Moments one(float x) { return {1, x, 0}; }
      __device__ Moments join(Moments a, Moments b) {  // Welford's method, for two parts
        const float count = a.count + b.count, distance = b.mean - a.mean, share = b.count / count;
        return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
      }
      __device__ void results(Moments all, float& mean, float& variance) {
        mean = all.mean;
        variance = all.squares / all.count;
      }
  )";
  const graft::Reduce moments = graft::Reduce::create(
      {.map = text.with_entry("one"), .combine = text.with_entry("join"), .finish = text.with_entry("results")},
      options);
  moments.execute(stream, x, graft::outputs(mean, variance));
  // [/moments]
  expect_near(values_of(mean)[0], 4.5);
  expect_near(values_of(variance)[0], 8.25);
}

template <class Stream>
void argmax(Stream stream, const graft::Options& options) {
  std::vector<float> values(5000);
  values[1234] = values[4321] = 7;
  const auto x = array(stream, values);
  auto place = array(stream, std::vector<unsigned long long>(1));
  // [argmax]
  const graft::Callback text = R"(
      struct Best { unsigned long long place; float value; };
      __device__ Best one(float x, graft::Index i) { return {i, x}; }
      __device__ Best better(Best a, Best b) {  // of equals the first
        return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
      }
      __device__ unsigned long long place(Best best) { return best.place; }
  )";
  const graft::Reduce argmax = graft::Reduce::create(
      {.map = text.with_entry("one"), .combine = text.with_entry("better"), .finish = text.with_entry("place")},
      options);
  argmax.execute(stream, x, place);
  // [/argmax]
  expect_near(static_cast<double>(values_of(place)[0]), 1234);
}

template <class Stream>
void axes(Stream stream, graft::Options options) {
  constexpr std::int64_t rows = 100, columns = 300;
  const auto x = array(stream, std::vector<float>(rows * columns, 2));
  auto of_rows = array(stream, std::vector<float>(rows)), of_columns = array(stream, std::vector<float>(columns));
  // [axes]
  options.any_shape = true;
  const graft::Reduce sum =
      graft::Reduce::create({.combine = "__device__ float add(float a, float b) { return a + b; }"}, options);
  const auto matrix = graft::view(x.data(), {rows, columns});
  sum.execute(stream, matrix, graft::view(of_rows.data(), {rows, 1}));        // of each row
  sum.execute(stream, matrix, graft::view(of_columns.data(), {1, columns}));  // of each column
  // [/axes]
  expect_near(values_of(of_rows)[rows - 1], 2 * columns);
  expect_near(values_of(of_columns)[columns - 1], 2 * rows);
}

template <class Stream>
void segments(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  // [segments]
  graft::Reduce sum = graft::Reduce::create(
      {.combine = "__device__ float add(float a, float b) { return a + b; }", .initial = 0.0f}, options);
  sum.prepare_segments();
  const auto offsets = array(stream, std::vector<int>{0, 3, 3, 7});
  auto sums = array(stream, std::vector<float>(3));
  sum.execute_segments(stream, x, offsets, sums);  // 6, 0, 22
  // [/segments]
  expect_near(values_of(sums)[0], 6);
  expect_near(values_of(sums)[1], 0);
  expect_near(values_of(sums)[2], 22);
}

template <class Stream>
void stored(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>{-1, 2, -3, 4});
  auto sum = array(stream, std::vector<float>(1)), y = array(stream, std::vector<float>(4));
  // [stored]
  const graft::Reduce relu =
      graft::Reduce::create({.map = "__device__ float relu(float x, float& y) { y = x > 0 ? x : 0; return y; }",
                             .combine = "__device__ float add(float a, float b) { return a + b; }"},
                            options);
  relu.execute(stream, x, graft::outputs(sum, y));
  // [/stored]
  expect_near(values_of(sum)[0], 6);
  expect_near(values_of(y)[2], 0);
  expect_near(values_of(y)[3], 4);
}

template <class Stream>
void shards(Stream stream, const graft::Options& options) {
  constexpr std::uint64_t count = 1000000;
  constexpr std::uint32_t parts = 3;
  const auto x = array(stream, std::vector<float>(count, 1));
  auto out = array(stream, std::vector<float>(1));
  const graft::Reduce sum =
      graft::Reduce::create({.combine = "__device__ float add(float a, float b) { return a + b; }"}, options);
  auto partials = array(stream, std::vector<float>(sum.shard(count, 0, parts).all_chunks));
  // [shards]
  for (std::uint32_t part = 0; part < parts; ++part) {  // each part on a device or a machine of its own
    const graft::ReduceShard shard = sum.shard(count, part, parts);
    sum.partials(stream, std::span(x.data() + shard.begin, shard.count), shard, partials.data() + shard.first_chunk);
  }
  sum.finish(stream, partials.data(), count, out);  // where the accumulators of all parts are
  // [/shards]
  expect_near(values_of(out)[0], count);
}

// Loading needs a GPU. The function is called without one too, to make the pack.
void from_pack(CUstream_st* stream, bool has_gpu) {
  const graft::ReduceCallbacks callbacks = {.combine = "__device__ float add(float a, float b) { return a + b; }"};
  if (!has_gpu) {
    if (graft::precompile(callbacks, {75}).empty()) throw std::runtime_error("the pack is empty");
    return;
  }
  // [pack]
  graft::Options all;
  all.any_shape = true;
  const std::vector<std::byte> pack = graft::precompile(callbacks, {75}, graft::PrecompileFormat::Pack, all);
  // ... on another machine, of this architecture or a newer one:
  const graft::Reduce sum = graft::Reduce::load(pack);
  // [/pack]
  const examples::DeviceBuffer<float> x(std::vector<float>(100000, 1)), out(std::vector<float>(1));
  sum.execute(stream, x, out);
  expect_near(on_host(out)[0], 100000);
}

template <class Stream>
void running_total(Stream stream, const graft::Options& options) {
  const auto x = array(stream, std::vector<float>(1000, 1));
  auto total = array(stream, std::vector<double>{500});
  // [total]
  const graft::Reduce add_to =
      graft::Reduce::create({.combine = "__device__ float add(float a, float b) { return a + b; }",
                             .finish = "__device__ void more(float sum, graft::InOut<double> total) { total += sum; }"},
                            options);
  add_to.execute(stream, x, total);
  // [/total]
  expect_near(values_of(total)[0], 1500);
}

template <class Stream>
void run_all(Stream stream, const graft::Options& options) {
  segments(stream, options);
  running_total(stream, options);
  stored(stream, options);
  shards(stream, options);
  axes(stream, options);
  norm(stream, options);
  moments(stream, options);
  argmax(stream, options);
}

void capture(cudaStream_t stream) {
  const examples::DeviceBuffer<float> x(std::vector<float>(1 << 20, 1)), out(std::vector<float>(1));
  const graft::Reduce sum =
      graft::Reduce::create({.combine = "__device__ float add(float a, float b) { return a + b; }"});
  cudaGraph_t graph = nullptr;
  // [capture]
  sum.prepare(stream);  // the workspace that the graph takes
  examples::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sum.execute(stream, x, out);
  examples::check(cudaStreamEndCapture(stream, &graph));
  // [/capture]
  cudaGraphExec_t executable = nullptr;
  examples::check(cudaGraphInstantiate(&executable, graph, 0));
  examples::check(cudaGraphLaunch(executable, stream));
  expect_near(on_host(out)[0], 1 << 20);
  examples::check(cudaGraphExecDestroy(executable));
  examples::check(cudaGraphDestroy(graph));
}

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  fmt::print("Running on {}\n", has_gpu ? examples::gpu_name() : "the CPU");
  if (has_gpu) {
    const examples::Stream stream = examples::make_stream();
    run_all(stream.get(), {});
    capture(stream.get());
    from_pack(stream.get(), true);
  } else {
    run_all(graft::host, graft::Options::cpu());
    from_pack(nullptr, false);
  }
  fmt::print("ok\n");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
