// Callbacks that update arrays in place, and callbacks that have no outputs.
#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void in_place(cudaStream_t stream) {
  // [in_place]
  const char* callback = R"(
      __device__ void drift(graft::InOut<float> position, float velocity, const float& dt) {
        position += dt * velocity;
      }
  )";
  // [/in_place]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> position(std::vector<float>{1, 2, 3}), velocity(std::vector<float>{10, 20, 30});
  // [in_place]
  const graft::Transform drift = graft::Transform::create(callback);
  drift.execute(stream, velocity, position, 0.5f);  // position is read and written
  // [/in_place]
  expect(on_host(position) == std::vector<float>{6, 12, 18});
}

void no_outputs(cudaStream_t stream) {
  // [no_outputs]
  const char* callback = R"(
      struct Histogram { unsigned* bins; float low, scale; };
      __device__ void count(float x, const Histogram& h) {
        const int bin = static_cast<int>((x - h.low) * h.scale);
        if (bin >= 0 && bin < 4) atomicAdd(h.bins + bin, 1u);
      }
  )";
  struct Histogram {
    unsigned* bins;  // in device memory
    float low, scale;
  };
  // [/no_outputs]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> x(std::vector<float>{0.1f, 0.3f, 0.9f, 0.95f, 2});
  const DeviceBuffer<unsigned> bins(std::vector<unsigned>(4));
  // [no_outputs]
  const graft::Transform histogram = graft::Transform::create(callback);
  histogram.execute(stream, x, graft::outputs(), Histogram{bins.data(), 0, 4});
  // [/no_outputs]
  expect(on_host(bins) == std::vector<unsigned>{1, 1, 0, 2});
}

void no_arrays(cudaStream_t stream) {
  // [no_arrays]
  const char* callback = R"(
      struct Scatter { const float* values; const unsigned* places; float* to; };
      __device__ void scatter(graft::Index i, const Scatter& s) { s.to[s.places[i]] = s.values[i]; }
  )";
  struct Scatter {
    const float* values;
    const unsigned* places;
    float* to;
  };
  // [/no_arrays]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> values(std::vector<float>{1, 2, 3}), to(std::vector<float>(4));
  const DeviceBuffer<unsigned> places(std::vector<unsigned>{3, 0, 1});
  const std::size_t count = 3;
  // [no_arrays]
  const graft::Transform scatter = graft::Transform::create(callback);
  scatter.execute(stream, graft::count(count), Scatter{values.data(), places.data(), to.data()});
  // [/no_arrays]
  expect(on_host(to) == std::vector<float>{2, 3, 0, 1});
}

}  // namespace guide
