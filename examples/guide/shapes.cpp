// Arrays of any shape: rows and columns that repeat, pitches, other orders of dimensions.
#include <vector>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

namespace {

constexpr const char* kTriad = "__device__ float triad(float a, float b, float c) { return a * b + c; }";
constexpr const char* kTwice = "__device__ float twice(float x) { return 2 * x; }";

graft::Options any_shape() {
  graft::Options options;
  options.any_shape = true;
  return options;
}

}  // namespace

void broadcast(cudaStream_t stream) {
  if (only_built(stream, kTriad)) return;
  const char* callback = kTriad;
  const int m = 2, n = 3;
  const DeviceBuffer<float> a(std::vector<float>{1, 2, 3, 4, 5, 6}), row(std::vector<float>{10, 20, 30}),
      column(std::vector<float>{1, 2}), out(std::vector<float>(6));
  // [broadcast]
  graft::Options options;
  options.any_shape = true;
  const graft::Transform triad = graft::Transform::create(callback, options);
  triad.execute(stream, graft::inputs(graft::view(a.data(), {m, n}), row, graft::view(column.data(), {m, 1})),
                graft::view(out.data(), {m, n}));  // out[i][j] = a[i][j] * row[j] + column[i]
  // [/broadcast]
  expect(on_host(out) == std::vector<float>{11, 41, 91, 42, 102, 182});
}

void pitch(cudaStream_t stream) {
  if (only_built(stream, kTwice)) return;
  const graft::Transform twice = graft::Transform::create(kTwice, any_shape());
  const int rows = 2, columns = 3, pitch = 4;
  const DeviceBuffer<float> in(std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}), out(std::vector<float>(6));
  // [pitch]
  twice.execute(stream, graft::view(in.data(), {rows, columns}, {pitch, 1}), graft::view(out.data(), {rows, columns}));
  // [/pitch]
  expect(on_host(out) == std::vector<float>{2, 4, 6, 8, 10, 12});
}

void transposed(cudaStream_t stream) {
  if (only_built(stream, kTwice)) return;
  const graft::Transform twice = graft::Transform::create(kTwice, any_shape());
  const int h = 2, w = 2;
  const DeviceBuffer<float> pixels(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
      planes(std::vector<float>(12));
  // [transposed]
  const auto hwc = graft::view(pixels.data(), {h, w, 3});
  twice.execute(stream, graft::permuted(hwc, 2, 0, 1), graft::view(planes.data(), {3, h, w}));
  // [/transposed]
  expect(on_host(planes) == std::vector<float>{2, 8, 14, 20, 4, 10, 16, 22, 6, 12, 18, 24});
}

void scalar(cudaStream_t stream) {
  if (only_built(stream, kTriad)) return;
  const graft::Transform triad = graft::Transform::create(kTriad, any_shape());
  const DeviceBuffer<float> a(std::vector<float>{1, 2, 3}), scale(std::vector<float>{10}),
      c(std::vector<float>{5, 6, 7});
  // [scalar]
  triad.execute(stream, graft::inputs(a, graft::view(scale.data()), c), c);  // *scale is read by the kernel
  // [/scalar]
  expect(on_host(c) == std::vector<float>{15, 26, 37});
}

void halves(cudaStream_t stream) {
  if (only_built(stream, kTwice)) return;
  const graft::Transform twice = graft::Transform::create(kTwice, any_shape());
  const int rows = 2, columns = 4;
  const DeviceBuffer<float> matrix(std::vector<float>{1, 2, 0, 0, 3, 4, 0, 0});
  // [halves]
  float* const right = matrix.data() + columns / 2;  // the right half of each row from the left one
  twice.execute(stream, graft::view(matrix.data(), {rows, columns / 2}, {columns, 1}),
                graft::view(right, {rows, columns / 2}, {columns, 1}));
  // [/halves]
  expect(on_host(matrix) == std::vector<float>{1, 2, 2, 4, 3, 4, 6, 8});
}

void examples_of_shapes(cudaStream_t stream) {
  if (only_built(stream, kTwice)) return;
  const int m = 17, n = 20;
  const DeviceBuffer<float> in(std::vector<float>(m * n, 1.5F)), out(std::vector<float>(m * n));
  // [examples_of_shapes]
  graft::Options options;
  options.shapes.emplace_back(graft::view(in.data(), {m, n}, {1, m}), graft::view(out.data(), {m, n}));
  const graft::Transform twice = graft::Transform::create(kTwice, options);  // makes the kernel through tiles, too
  twice.execute(stream, graft::view(in.data(), {m, n}, {1, m}), graft::view(out.data(), {m, n}));
  // [/examples_of_shapes]
  expect(on_host(out) == std::vector<float>(m * n, 3));
}

void position(cudaStream_t stream) {
  // [position]
  const char* callback = R"(
      struct Matrix { const float* values; unsigned columns; };
      __device__ float transpose(graft::Position<2> p, const Matrix& m) { return m.values[p[1] * m.columns + p[0]]; }
  )";
  struct Matrix {
    const float* values;
    unsigned columns;
  };
  // [/position]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> from(std::vector<float>{1, 2, 3, 4, 5, 6}), to(std::vector<float>(6));
  const unsigned rows = 2, columns = 3;
  // [position]
  const graft::Transform transpose = graft::Transform::create(callback);
  transpose.execute(stream, graft::inputs(), graft::view(to.data(), {columns, rows}), Matrix{from.data(), columns});
  // [/position]
  expect(on_host(to) == std::vector<float>{1, 4, 2, 5, 3, 6});
}

}  // namespace guide
