// Checks each contender's result once, then times all contenders whose result was right.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace graft::bench {
namespace {

constexpr double kSampleSeconds = 200e-6;  // intended duration of a sample, which is one batch of launches
constexpr double kShortestLaunch = 2e-6;
constexpr double kBytesPerSecond = 4.5e12;  // upper bound of the memory's speed
constexpr int kMaxBatch = 50;

// Returns the number of launches per sample. A sample must be long enough even if each launch is as fast as possible.
int batch_for(const Group& group) {
  const double seconds = std::max(kShortestLaunch, static_cast<double>(group.bytes()) / kBytesPerSecond);
  return std::clamp(static_cast<int>(std::ceil(kSampleSeconds / seconds)), 1, kMaxBatch);
}

// Describes the arrays of a copy as bytes, because the result of a copy is checked byte by byte.
Arrays copied_arrays(const Operation& operation, const Launch& launch) {
  Arrays arrays;
  arrays.inputs = arrays.outputs = 1;
  arrays.in[0] = {launch.in[0], {Scalar::U8, 1}};
  arrays.out[0] = {launch.out[0], {Scalar::U8, 1}};
  arrays.count = launch.count * operation.largest_element();
  return arrays;
}

// Overwrites the outputs, so that the result of an earlier contender cannot be mistaken for the next contender's.
void poison(cudaStream_t stream, const Arrays& arrays) {
  for (int k = 0; k < arrays.outputs; ++k)
    check(cudaMemsetAsync(const_cast<void*>(arrays.out[k].data), 0xff, arrays.count * arrays.out[k].format.bytes(),
                          stream));
}

unsigned long long verify(cudaStream_t stream, const Operation& operation, const Contender& contender,
                          const Launch& launch) {
  const Arrays arrays = contender.computes ? operation.arrays(launch) : copied_arrays(operation, launch);
  poison(stream, arrays);
  contender.launch(stream, launch);
  return count_wrong(stream, contender.computes ? operation.name : "copy", arrays);
}

// Throws if the GPU can no longer be used. An error in one contender may have destroyed the CUDA context, and then
// nothing else can be measured.
void require_usable_gpu() {
  cudaGetLastError();
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    throw std::runtime_error(std::string("the GPU can no longer be used: ") + cudaGetErrorString(error));
}

struct Entry {
  const Contender* contender;
  Timing* timing;
};

// Checks every contender's result and returns the contenders that can be timed.
std::vector<Entry> verified(const Group& group, const std::vector<Contender>& contenders, GroupResult& result,
                            Arena& arena, cudaStream_t stream) {
  std::vector<Entry> entries;
  for (const Alignment alignment : group.alignments)
    for (const Contender& contender : contenders) {
      if (!contender.computes && group.about_alignment()) continue;
      Timing& timing = result.timings.emplace_back();
      timing.contender = contender.name;
      timing.alignment = alignment;
      timing.bytes = static_cast<double>(contender.computes ? group.bytes() : 2 * group.largest_array());
      timing.error = contender.error;
      if (!contender.launch) continue;
      try {
        timing.wrong =
            verify(stream, *group.operation, contender, arena.next(*group.operation, group.count, alignment));
        if (timing.wrong == 0) entries.push_back({&contender, &timing});
      } catch (const std::exception& error) {
        timing.error = error.what();
        require_usable_gpu();
      }
    }
  return entries;
}

}  // namespace

GroupResult measure(const Group& group, const std::vector<Contender>& contenders, Arena& arena, Sampler& sampler,
                    cudaStream_t stream, int repetitions) {
  GroupResult result{group, batch_for(group), {}};
  // `entries` contains pointers into `timings`, so `timings` must not reallocate.
  result.timings.reserve(group.alignments.size() * contenders.size());
  const std::vector<Entry> entries = verified(group, contenders, result, arena, stream);
  std::vector<std::function<void()>> launches;
  for (const Entry& entry : entries)
    launches.push_back([&, entry] {
      entry.contender->launch(stream, arena.next(*group.operation, group.count, entry.timing->alignment));
    });
  for (const auto& launch : launches) sampler.time(launch, 1);  // one launch of each contender that is not counted
  const std::vector<Samples> samples = sampler.sample(launches, result.batch, repetitions);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].timing->seconds = samples[i].seconds;
    entries[i].timing->error = samples[i].error;
    if (!samples[i].error.empty()) require_usable_gpu();
  }
  return result;
}

}  // namespace graft::bench
