// The example of README.md.
// [readme]
#include <graft/graft.hpp>

// [/readme]
#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

void readme(cudaStream_t stream) {
  using examples::DeviceBuffer;
  if (only_built(stream, "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }")) return;
  const DeviceBuffer<float> in(std::vector<float>{-1, 2, 3}), x(std::vector<float>{1, 2, 3});
  const DeviceBuffer<float> y(std::vector<float>{10, 20, 30}), out(3);

  // [readme]
  graft::Transform relu = graft::Transform::create(R"(
      __device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }
  )");
  relu.execute(stream, in, out);  // thrust::device_vector<float>, spans, {pointer, count}

  // [/readme]
  expect(on_host(out) == std::vector<float>{0, 2, 3});
  struct Scale {
    float a;
  };
  // [readme]
  graft::Transform axpy = graft::Transform::create(R"(
      struct Scale { float a; };
      __device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }
  )");
  axpy.execute(stream, graft::inputs(x, y), out, Scale{2.0f});  // new state, same kernel: nothing is recompiled
  // [/readme]
  expect(on_host(out) == std::vector<float>{12, 24, 36});
}

}  // namespace guide
