// A state is a value that is the same for all elements. The examples pass a state at each launch, pass a pointer to
// data in device memory, and bake a state into the kernel as constants.
#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void state(cudaStream_t stream) {
  // [state]
  GRAFT_DEFINE_STRUCT(Line, float slope, offset;);  // for the program, and as a text for the callback
  const graft::Callback callback = graft::declaration<Line>() + R"(
      __device__ float line(float x, const Line& l) { return l.slope * x + l.offset; }
  )";
  // [/state]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  // [state]
  const graft::Transform line = graft::Transform::create(callback);
  line.execute(stream, in, out, Line{2.0f, 1.0f});
  line.execute(stream, out, out, Line{0.5f, 0.0f});  // nothing is compiled for the new state
  // [/state]
  expect(on_host(out) == std::vector<float>{1.5f, 2.5f, 3.5f});
}

void table(cudaStream_t stream) {
  // [table]
  const char* callback = R"(
      struct Table { const float* values; unsigned count; };
      __device__ float look_up(unsigned char i, const Table& t) { return i < t.count ? t.values[i] : 0; }
  )";
  struct Table {
    const float* values;  // in device memory
    unsigned count;
  };
  // [/table]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<unsigned char> in(std::vector<unsigned char>{2, 0, 9});
  const DeviceBuffer<float> values(std::vector<float>{1, 10, 100}), out(3);
  // [table]
  const graft::Transform look_up = graft::Transform::create(callback);
  look_up.execute(stream, in, out, Table{values.data(), 3});
  // [/table]
  expect(on_host(out) == std::vector<float>{100, 1, 0});
}

void baked(cudaStream_t stream) {
  // [baked]
  const char* callback = R"(
      struct Polynomial { int degree; float c[8]; };
      __device__ float evaluate(float x, const Polynomial& p) {
        float y = p.c[p.degree];
        for (int k = p.degree - 1; k >= 0; --k) y = y * x + p.c[k];
        return y;
      }
  )";
  struct Polynomial {
    int degree;
    float c[8];
  };
  graft::Options options;
  options.bake(Polynomial{2, {1, 0, 3}});  // 3 x^2 + 1: the loop unrolls, and the numbers become constants
  // [/baked]
  if (only_built(stream, callback, options)) return;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  // [baked]
  const graft::Transform square = graft::Transform::create(callback, options);
  square.execute(stream, in, out);
  // [/baked]
  expect(on_host(out) == std::vector<float>{4, 13, 28});
}

}  // namespace guide
