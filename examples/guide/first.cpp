// A first transform, and the forms in which execute accepts arrays.
// [first]
#include <graft/graft.hpp>

// [/first]
#include <span>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void first(cudaStream_t stream) {
  // [first]
  const char* callback = R"(
      __device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }
  )";
  // [/first]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{-1, 2, 3}), out(3);
  // [first]
  const graft::Transform relu = graft::Transform::create(callback);
  relu.execute(stream, in, out);
  // [/first]
  expect(on_host(out) == std::vector<float>{0, 2, 3});
}

void arrays(cudaStream_t stream) {
  const char* callback = "__device__ float add(float x, float y) { return x + y; }";
  if (only_built(stream, callback)) return;
  const graft::Transform add = graft::Transform::create(callback);
  const DeviceBuffer<float> x(std::vector<float>{1, 2, 3, 4}), y(std::vector<float>{10, 20, 30, 40}), out(4);
  const float *p = x.data(), *q = y.data();
  float* r = out.data();
  // [arrays]
  add.execute(stream, graft::inputs(x, y), out);                                     // whole arrays
  add.execute(stream, graft::inputs(std::span(p, 2), std::span(q, 2)), {r + 1, 2});  // parts of arrays
  add.execute(stream, graft::inputs(out, y), out);                                   // in place
  // [/arrays]
  expect(on_host(out) == std::vector<float>{21, 31, 52, 84});
}

}  // namespace guide
