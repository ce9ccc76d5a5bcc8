// Measures the host time of execute and of other launches, in nanoseconds per call. The contenders are
// Transform::execute, cuLaunchKernel for a kernel that nvcc compiled and whose only arguments are its pointers and the
// count, <<<>>> for the same kernel, and the toolkit's cub::DeviceTransform. The program also measures the extra cost
// of arrays whose types are known only at run time (graft::ArrayRef).
//
// A batch is shorter than the stream's queue, so no call waits for the GPU. Between batches, outside of the timed part,
// the stream is drained. The contenders take turns in a random order in each round; the results are medians over the
// rounds.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cub_transform.hpp"
#include "cuda_check.hpp"
#include "main.hpp"
#include "plain_kernel.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

constexpr int kLaunchesPerBatch = 500;
constexpr int kWarmupRounds = 20;
constexpr unsigned long long kCount = 256;
// Nanoseconds per call that graft may need beyond cuLaunchKernel: kGoal is the aim, and more than kLimit is a failure.
constexpr double kGoal = 80, kLimit = 150;
// The additional nanoseconds per call that execute with ArrayRef may need, compared with execute of typed arrays.
constexpr double kUntypedLimit = 30;

// The arrays of the launches. The host writes and reads them so that it can check each contender's result.
struct Data {
  DeviceBytes in = allocate(kCount * sizeof(float));
  DeviceBytes out = allocate(kCount * sizeof(float));
  const float* input() const { return static_cast<const float*>(in.get()); }
  float* output() const { return static_cast<float*>(out.get()); }
};

struct Way {
  std::string_view name;
  // Queues a whole batch of launches in one call, so that the cost of std::function is negligible.
  std::function<void(int launches)> launch;
  std::vector<double> nanoseconds = {};
};

using LaunchKernel = decltype(::cuLaunchKernel);

LaunchKernel* find_launch_kernel() {
  void* pointer = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &pointer, 12000, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver has no cuLaunchKernel");
  return reinterpret_cast<LaunchKernel*>(pointer);
}

void launch_raw(LaunchKernel* launch, CUfunction function, cudaStream_t stream, const Data& data) {
  const float* in = data.input();
  float* out = data.output();
  unsigned long long count = kCount;
  void* parameters[] = {&in, &out, &count};
  const unsigned int blocks = static_cast<unsigned int>((count + kPlainThreads - 1) / kPlainThreads);
  if (launch(function, blocks, 1, 1, kPlainThreads, 1, 1, 0, stream, parameters, nullptr) != CUDA_SUCCESS)
    throw std::runtime_error("cuLaunchKernel failed");
}

// Calls execute as a caller does that knows the types only at run time. The vectors of ArrayRef are made once per
// batch, so that their cost is negligible.
void execute_untyped(const Transform& transform, cudaStream_t stream, const Data& data, int launches) {
  const ElementType type = ElementType::named("f32");
  const std::vector<ArrayRef> in = {{data.input(), kCount, type}};
  const std::vector<ArrayRef> out = {{data.output(), kCount, type}};
  for (int i = 0; i < launches; ++i) transform.execute(stream, in, out);
}

std::vector<Way> make_ways(const Transform& transform, cudaStream_t stream, const Data& data) {
  return {{"graft",
           [=, &data](int launches) {
             for (int i = 0; i < launches; ++i)
               transform.execute(stream, {data.input(), kCount}, {data.output(), kCount});
           }},
          {"cuLaunchKernel",
           [launch = find_launch_kernel(), function = plain_kernel_function(), stream, &data](int launches) {
             for (int i = 0; i < launches; ++i) launch_raw(launch, function, stream, data);
           }},
          {"<<<>>>",
           [=, &data](int launches) {
             for (int i = 0; i < launches; ++i) launch_plain_kernel(stream, data.input(), data.output(), kCount);
             check(cudaGetLastError());
           }},
          {"cub::DeviceTransform",
           [=, &data](int launches) {
             for (int i = 0; i < launches; ++i) cub_twice(stream, data.input(), data.output(), kCount);
           }},
          {"graft, ArrayRef", [=, &data](int launches) { execute_untyped(transform, stream, data, launches); }}};
}

void verify(const Way& way, cudaStream_t stream, const Data& data) {
  std::vector<float> in(kCount), out(kCount);
  for (std::size_t i = 0; i < kCount; ++i) in[i] = static_cast<float>(i) + 0.25f;
  check(cudaMemcpy(data.in.get(), in.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemset(data.out.get(), 0xff, kCount * sizeof(float)));
  way.launch(1);
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(out.data(), data.out.get(), kCount * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < kCount; ++i)
    if (out[i] != 2.0f * in[i]) throw std::runtime_error(fmt::format("{}: element {} is wrong", way.name, i));
}

void measure(std::vector<Way>& ways, cudaStream_t stream, int samples) {
  std::mt19937 random(std::random_device{}());
  std::vector<Way*> order;
  for (Way& way : ways) order.push_back(&way);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Way* way : order) {
      Stopwatch watch;
      way->launch(kLaunchesPerBatch);
      const double nanoseconds = watch.lap() * 1e6 / kLaunchesPerBatch;
      check(cudaStreamSynchronize(stream));
      if (round >= 0) way->nanoseconds.push_back(nanoseconds);
    }
  }
}

double median_of(const std::vector<Way>& ways, std::string_view name) {
  const auto found = std::ranges::find(ways, name, &Way::name);
  return summarize(found->nanoseconds).median;
}

nlohmann::json print_and_record(const std::vector<Way>& ways) {
  nlohmann::json result;
  fmt::print("{:<22}{:>9}{:>9}{:>9}   ns per launch\n", "", "median", "min", "max");
  for (const Way& way : ways) {
    const Summary summary = summarize(way.nanoseconds);
    fmt::print("{:<22}{:>9.0f}{:>9.0f}{:>9.0f}\n", way.name, summary.median, summary.min, summary.max);
    result[std::string(way.name)] = spread(way.nanoseconds, "ns");
  }
  return result;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Data data;
  const Stream stream = make_stream();
  const Transform transform = Transform::create("__device__ float twice(float x) { return 2.0f * x; }");
  std::vector<Way> ways = make_ways(transform, stream.get(), data);
  for (const Way& way : ways) verify(way, stream.get(), data);
  measure(ways, stream.get(), arguments.samples);

  nlohmann::json record = environment(arguments);
  record["benchmark"] = "host_overhead";
  record["launches_per_batch"] = kLaunchesPerBatch;
  record["batches"] = arguments.samples;
  record["ways"] = print_and_record(ways);
  const double over = median_of(ways, "graft") - median_of(ways, "cuLaunchKernel");
  const double untyped = median_of(ways, "graft, ArrayRef") - median_of(ways, "graft");
  record["over_cuLaunchKernel_ns"] = over;
  record["goal_ns"] = kGoal;
  record["limit_ns"] = kLimit;
  record["untyped_over_typed_ns"] = untyped;
  record["untyped_limit_ns"] = kUntypedLimit;
  fmt::print("graft over cuLaunchKernel: {:.0f} ns; limit {}: {}, goal {}: {}\n", over, kLimit,
             over <= kLimit ? "kept" : "NOT kept", kGoal, over <= kGoal ? "met" : "NOT met");
  fmt::print("ArrayRef over typed arrays: {:.0f} ns; limit {}: {}\n", untyped, kUntypedLimit,
             untyped <= kUntypedLimit ? "kept" : "NOT kept");
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "host_overhead", 401));
  return 0;
}

}  // namespace graft::bench
