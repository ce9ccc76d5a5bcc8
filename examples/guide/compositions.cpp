// Puts several callbacks into one kernel: a chain, and a load callback, which reads its element from memory itself.
#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void chain(cudaStream_t stream) {
  // [chain]
  const graft::Callback dequantize = "__device__ float dequantize(signed char q) { return 0.5f * q; }";
  const graft::Callback relu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
  const graft::Callback add = "__device__ float add(float x, float y) { return x + y; }";
  const graft::Callback whole = graft::chain(dequantize, relu, add);
  // [/chain]
  if (only_built(stream, whole)) return;
  const DeviceBuffer<signed char> quantized(std::vector<signed char>{-4, 4, 6});
  const DeviceBuffer<float> bias(std::vector<float>{10, 20, 30}), out(3);
  // [chain]
  const graft::Transform transform = graft::Transform::create(whole);  // float(signed char, float)
  transform.execute(stream, graft::inputs(quantized, bias), out);
  // [/chain]
  expect(on_host(out) == std::vector<float>{10, 22, 33});
}

void stages(cudaStream_t stream) {
  // [stages]
  const graft::Callback gather = R"(
      __device__ float gather(void* data, unsigned long long offset, void* caller_info, void* shared) {
        const int* places = static_cast<const int*>(caller_info);
        return static_cast<const float*>(data)[places[offset]];
      }
  )";
  const graft::Callback op = "__device__ float twice(float x) { return 2 * x; }";
  // [/stages]
  if (only_built(stream, graft::Stages{.load = gather, .op = op})) return;
  const DeviceBuffer<float> values(std::vector<float>{1, 10, 100}), out(4);
  const DeviceBuffer<int> places(std::vector<int>{2, 0, 1, 1});
  // [stages]
  const graft::Transform transform = graft::Transform::create(graft::Stages{.load = gather, .op = op});
  transform.execute(stream, values, out, graft::CallerInfo{.load = places.data()});  // places: in device memory
  // [/stages]
  expect(on_host(out) == std::vector<float>{200, 2, 20, 20});
}

}  // namespace guide
