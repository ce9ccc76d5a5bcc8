// Uses transforms in CUDA graphs, on other threads and on several devices, and reads the callback's __device__
// variables.
#include <future>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::check;
using examples::DeviceBuffer;

void graph(cudaStream_t stream) {
  const char* callback = "__device__ float twice(float x) { return 2 * x; }";
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  // [graph]
  const graft::Transform twice = graft::Transform::create(callback);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  twice.execute(stream, in, out);
  twice.execute(stream, out, out);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, stream));
  // [/graph]
  expect(on_host(out) == std::vector<float>{4, 8, 12});
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

void async(cudaStream_t stream) {
  const char* callback = "__device__ float later(float x) { return x - 1; }";
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  // [async]
  const std::shared_future<graft::Transform> later = graft::Transform::create_async(callback);
  // ... other work of this thread ...
  later.get().execute(stream, in, out);
  // [/async]
  expect(on_host(out) == std::vector<float>{0, 1, 2});
}

void devices(cudaStream_t stream) {
  const char* callback = "__device__ float plus(float x) { return x + 1; }";
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  int count = 0;
  check(cudaGetDeviceCount(&count));
  // [devices]
  graft::Options options;
  for (int device = 0; device < count; ++device) options.devices.push_back(device);
  const graft::Transform plus = graft::Transform::create(callback, options);
  check(cudaSetDevice(0));
  plus.execute(stream, in, out);  // a stream and arrays of device 0
  // [/devices]
  expect(on_host(out) == std::vector<float>{2, 3, 4});
}

void symbol(cudaStream_t stream) {
  // [symbol]
  const char* callback = R"(
      __device__ unsigned clipped;
      __device__ float clip(float x) {
        if (x > 1) atomicAdd(&clipped, 1);
        return x > 1 ? 1 : x;
      }
  )";
  // [/symbol]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{0.5f, 2, 3}), out(3);
  // [symbol]
  const graft::Transform clip = graft::Transform::create(callback);
  clip.execute(stream, in, out);
  unsigned clipped = 0;
  check(cudaMemcpyAsync(&clipped, clip.symbol("clipped").pointer, sizeof clipped, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  // [/symbol]
  expect(clipped == 2);
  expect(on_host(out) == std::vector<float>{0.5f, 1, 1});
}

}  // namespace guide
