// Measures a chain of 100 small launches, each of which needs the result of the previous one. Every launch reads one of
// two arrays and writes the doubled values to the other array. The launches are queued one by one, with and without
// programmatic dependent launch, and as a CUDA graph. The contenders are graft, a hand-written kernel with and without
// the launch attribute, and cub::DeviceTransform.
//
// Each chain is timed in two ways, in microseconds for all launches. The time "together" is what a caller waits, on the
// host's clock: it begins with the first call, on an idle stream, and ends when the last launch has finished. The time
// "gpu" is the time between an event before and an event after the launches. All launches are queued while a spinning
// kernel keeps the GPU busy, so the time "gpu" contains no waiting for the host. The contenders take turns in a random
// order in each round, and the results are medians over the rounds.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <vector>

#include "cub_transform.hpp"
#include "cuda_check.hpp"
#include "main.hpp"
#include "plain_kernel.hpp"
#include "programmatic_kernel.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

constexpr int kLaunches = 100;
constexpr unsigned long long kCounts[] = {4'096, 65'536, 1'048'576};
constexpr int kWarmupRounds = 5;
constexpr long long kSpinCycles = 4'000'000;  // about 2 ms, longer than the host needs to queue 100 launches

struct Buffers {
  unsigned long long count;
  DeviceBytes first = allocate(count * sizeof(float));
  DeviceBytes second = allocate(count * sizeof(float));
  float* a() const { return static_cast<float*>(first.get()); }
  float* b() const { return static_cast<float*>(second.get()); }
};

using Launch = std::function<void(cudaStream_t, const float*, float*, unsigned long long)>;

struct Way {
  std::string name;
  std::function<void(cudaStream_t)> run;
  std::string failure = {};
  std::vector<double> together = {};
  std::vector<double> gpu = {};
};

struct DestroyGraph {
  void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};
using Graph = std::shared_ptr<CUgraphExec_st>;

void run_chain(const Launch& launch, cudaStream_t stream, const Buffers& buffers) {
  for (int i = 0; i < kLaunches; ++i)
    if (i % 2 == 0) launch(stream, buffers.a(), buffers.b(), buffers.count);
    else launch(stream, buffers.b(), buffers.a(), buffers.count);
}

Graph capture(const Launch& launch, cudaStream_t stream, const Buffers& buffers) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::string failure;
  try {
    run_chain(launch, stream, buffers);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  cudaGraph_t graph = nullptr;
  // End the capture after a failure too, because the stream must leave capture mode.
  check(cudaStreamEndCapture(stream, &graph));
  if (!failure.empty()) throw std::runtime_error(failure);
  cudaGraphExec_t executable = nullptr;
  const cudaError_t result = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(result);
  return Graph(executable, DestroyGraph());
}

// Adds two ways to run a contender's chain: launch by launch, and as a CUDA graph.
void add_ways(std::vector<Way>& ways, const std::string& name, const Launch& launch, cudaStream_t stream,
              const Buffers& buffers) {
  ways.push_back({name, [=, &buffers](cudaStream_t on) { run_chain(launch, on, buffers); }});
  Way graph{name + ", graph", {}};
  try {
    graph.run = [executable = capture(launch, stream, buffers)](cudaStream_t on) {
      check(cudaGraphLaunch(executable.get(), on));
    };
  } catch (const std::exception& error) {
    graph.failure = error.what();
  }
  ways.push_back(std::move(graph));
}

Launch graft_launch(bool programmatic) {
  Options options;
  options.policy.programmatic_launch = programmatic;
  const Transform transform = Transform::create("__device__ float twice(float x) { return 2.0f * x; }", options);
  return [transform](cudaStream_t stream, const float* in, float* out, unsigned long long count) {
    transform.execute(stream, {in, count}, {out, count});
  };
}

std::vector<Way> make_ways(cudaStream_t stream, const Buffers& buffers) {
  std::vector<Way> ways;
  add_ways(ways, "by hand", launch_plain_kernel, stream, buffers);
  add_ways(ways, "by hand, programmatic", launch_programmatic_kernel, stream, buffers);
  add_ways(ways, "cub::DeviceTransform", cub_twice, stream, buffers);
  add_ways(ways, "graft", graft_launch(false), stream, buffers);
  add_ways(ways, "graft, programmatic", graft_launch(true), stream, buffers);
  return ways;
}

// Checks a chain's result. Doubling is exact, so a launch that is lost, runs twice or reads too early changes the
// result.
void verify(Way& way, cudaStream_t stream, const Buffers& buffers) {
  if (!way.failure.empty()) return;
  std::vector<float> values(buffers.count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) + 0.25f;
  const std::size_t bytes = values.size() * sizeof(float);
  check(cudaMemcpy(buffers.a(), values.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemset(buffers.b(), 0xff, bytes));
  check(cudaDeviceSynchronize());  // cudaMemset runs on the default stream, for which `stream` does not wait
  way.run(stream);
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(values.data(), buffers.a(), bytes, cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != std::ldexp(static_cast<float>(i % 1000) + 0.25f, kLaunches)) {
      way.failure = fmt::format("element {} is wrong", i);
      return;
    }
}

double together(const Way& way, cudaStream_t stream) {
  check(cudaStreamSynchronize(stream));
  Stopwatch watch;
  way.run(stream);
  check(cudaStreamSynchronize(stream));
  return 1000 * watch.lap();
}

double on_gpu(const Way& way, cudaStream_t stream, cudaEvent_t begin, cudaEvent_t end) {
  launch_spin(stream, kSpinCycles);
  check(cudaEventRecord(begin, stream));
  way.run(stream);
  check(cudaEventRecord(end, stream));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1000 * static_cast<double>(milliseconds);
}

// Times all chains. The values double until they are infinite, which does not disturb the timing, because doubling
// takes the same time for every value.
void measure(std::vector<Way>& ways, cudaStream_t stream, int samples) {
  const Event begin = make_event(), end = make_event();
  std::mt19937 random(std::random_device{}());
  std::vector<Way*> order;
  for (Way& way : ways)
    if (way.failure.empty()) order.push_back(&way);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Way* way : order) {
      const double wall = together(*way, stream), gpu = on_gpu(*way, stream, begin.get(), end.get());
      if (round < 0) continue;
      way->together.push_back(wall);
      way->gpu.push_back(gpu);
    }
  }
}

nlohmann::json print_and_record(const std::vector<Way>& ways, unsigned long long count) {
  nlohmann::json record = {{"count", count}};
  fmt::print("{:<32}{:>10}{:>10}   us for {} launches of {} elements\n", "", "together", "gpu", kLaunches, count);
  for (const Way& way : ways) {
    if (!way.failure.empty()) {
      fmt::print("{:<32}{}\n", way.name, way.failure);
      record["ways"][way.name]["failure"] = way.failure;
      continue;
    }
    fmt::print("{:<32}{:>10.1f}{:>10.1f}\n", way.name, summarize(way.together).median, summarize(way.gpu).median);
    record["ways"][way.name] = {{"together", spread(way.together, "us")}, {"gpu", spread(way.gpu, "us")}};
  }
  return record;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Stream stream = make_stream();
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "chain";
  record["launches"] = kLaunches;
  record["rounds"] = arguments.samples;
  for (const unsigned long long count : kCounts) {
    const Buffers buffers{count};
    std::vector<Way> ways = make_ways(stream.get(), buffers);
    for (Way& way : ways) verify(way, stream.get(), buffers);
    measure(ways, stream.get(), arguments.samples);
    record["cells"].push_back(print_and_record(ways, count));
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "chain", 101));
  return 0;
}

}  // namespace graft::bench
