// Kernels with slots, and callbacks for them, which the tests link and compare with the callback written in by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graft/kernel.hpp"

namespace graft::test {

struct OwnKernel {
  const char* name;
  const char* code;
  std::vector<std::string> entries;
  // The slot, a callback for it, and the slot's definition if the author writes the callback into the kernel.
  struct Fill {
    const char* slot;
    const char* callback;
    const char* written_in;
  };
  std::vector<Fill> fills;

  KernelCode with_slots() const { return with_entries(KernelCode::source(code, std::string(name) + ".cu")); }
  KernelCode written_in() const {
    std::string text = code;
    for (const Fill& fill : fills) text += fill.written_in;
    return with_entries(KernelCode::source(std::move(text), std::string(name) + "_written_in.cu"));
  }
  std::vector<SlotCallback> callbacks() const {
    std::vector<SlotCallback> all;
    for (const Fill& fill : fills) all.push_back({fill.slot, Callback(fill.callback)});
    return all;
  }

 private:
  KernelCode with_entries(KernelCode kernel) const {
    for (const std::string& entry : entries) kernel = kernel.with_entry(entry);
    return kernel;
  }
};

// Distances of all queries to all points, by tiles: many inlined calls, and a state.
inline const OwnKernel kNeighbours = {"neighbours",
                                      R"(
struct Metric { float delta, weight; };
__device__ float metric(float a, float b, const Metric& state);
extern "C" __global__ void __launch_bounds__(128) neighbours(const float* queries, const float* points, int count,
                                                             int* nearest, const __grid_constant__ Metric state) {
  __shared__ float tile[8][128];
  const int query = blockIdx.x * 128 + threadIdx.x;
  float own[8];
#pragma unroll
  for (int d = 0; d < 8; ++d) own[d] = queries[query * 8 + d];
  float best = 3.0e38f;
  int place = -1;
  for (int begin = 0; begin < count; begin += 128) {
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 8; ++d) tile[d][threadIdx.x] = points[(begin + threadIdx.x) * 8 + d];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; ++j) {
      float sum = 0;
#pragma unroll
      for (int d = 0; d < 8; ++d) sum += metric(own[d], tile[d][j], state);
      if (sum < best) { best = sum; place = begin + j; }
    }
  }
  nearest[query] = place;
}
)",
                                      {},
                                      {{"metric",
                                        R"(struct Huber { float delta, weight; };
__device__ float huber(float a, float b, const Huber& s) {
  const float e = fabsf(a - b);
  return s.weight * (e < s.delta ? 0.5f * e * e : s.delta * (e - 0.5f * s.delta));
})",
                                        R"(__device__ float metric(float a, float b, const Metric& s) {
  const float e = fabsf(a - b);
  return s.weight * (e < s.delta ? 0.5f * e * e : s.delta * (e - 0.5f * s.delta));
})"}}};

// A step of a fit: the slot writes through pointers to the kernel's registers.
inline const OwnKernel kFit = {
    "fit",
    R"(
namespace lib {
__device__ void model(float x, const float* parameters, float* value, float* gradient);
}
__global__ void fit(const float* x, const float* y, int count, const float* start, float* step) {
  float parameters[3], normal[6] = {}, right[3] = {};
  for (int i = 0; i < 3; ++i) parameters[i] = start[3 * blockIdx.x + i];
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float value, gradient[3];
    lib::model(x[i], parameters, &value, gradient);
    const float rest = y[i] - value;
    int at = 0;
    for (int a = 0; a < 3; ++a) {
      right[a] += gradient[a] * rest;
      for (int b = a; b < 3; ++b) normal[at++] += gradient[a] * gradient[b];
    }
  }
  for (int i = 0; i < 6; ++i) atomicAdd(step + 9 * blockIdx.x + i, normal[i]);
  for (int i = 0; i < 3; ++i) atomicAdd(step + 9 * blockIdx.x + 6 + i, right[i]);
}
)",
    {},
    {{"lib::model",
      R"(__device__ void decay(float x, const float* p, float* value, float* gradient) {
  const float e = expf(-p[1] * x);
  *value = p[0] * e + p[2];
  gradient[0] = e;
  gradient[1] = -p[0] * x * e;
  gradient[2] = 1;
})",
      R"(namespace lib { __device__ void model(float x, const float* p, float* value, float* gradient) {
  const float e = expf(-p[1] * x);
  *value = p[0] * e + p[2];
  gradient[0] = e;
  gradient[1] = -p[0] * x * e;
  gradient[2] = 1;
} })"}}};

// A product of a sparse matrix and a vector over any semiring: a template of a kernel, and slots that are templates.
inline const OwnKernel kSparse = {
    "sparse",
    R"(
namespace lib {
template <class T> __device__ T times(T a, T b);
template <class T> __device__ T plus(T a, T b);
template <class T, int kLanes> __global__ void sparse(const int* rows, const int* columns, const T* values, const T* in,
                                                      T* out, int count) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
  if (row >= count) return;
  const int lane = threadIdx.x % kLanes;
  T sum = 0;
  for (int i = rows[row] + lane; i < rows[row + 1]; i += kLanes)
    sum = plus<T>(sum, times<T>(values[i], in[columns[i]]));
#pragma unroll
  for (int width = kLanes / 2; width > 0; width /= 2) sum = plus<T>(sum, __shfl_xor_sync(~0u, sum, width));
  if (lane == 0) out[row] = sum;
}
}
)",
    {"lib::sparse<float, 8>"},
    {{"times", "__device__ float f(float a, float b) { return a + b; }",
      "template <> __device__ float lib::times<float>(float a, float b) { return a + b; }"},
     {"plus", "[](float a, float b) { return fmaxf(a, b); }",
      "template <> __device__ float lib::plus<float>(float a, float b) { return fmaxf(a, b); }"}}};

// Rays through a field of distances: a class of CUDA's by value, and a slot that is called in a loop and behind it.
inline const OwnKernel kMarch = {"march",
                                 R"(
struct Scene { float radius, height; };
__device__ float scene(float3 p, const Scene& s);
extern "C" __global__ void march(float* depth, int width, int height, const __grid_constant__ Scene s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (x - 0.5f * width) / height, v = (y - 0.5f * height) / height;
  const float scale = rsqrtf(u * u + v * v + 1.0f);
  float t = 0;
  for (int i = 0; i < 64; ++i) {
    const float d = scene(make_float3(u * scale * t, v * scale * t, scale * t - 3.0f), s);
    if (d < 1e-3f || t > 20.0f) break;
    t += d;
  }
  const float e = 1e-3f;
  const float3 p = make_float3(u * scale * t, v * scale * t, scale * t - 3.0f);
  const float slope = scene(make_float3(p.x + e, p.y, p.z), s) - scene(make_float3(p.x - e, p.y, p.z), s);
  depth[y * width + x] = t + slope;
}
)",
                                 {},
                                 {{"scene",
                                   R"(struct Ball { float radius, height; };
__device__ float ball(float3 p, const Ball& s) {
  const float y = p.y - s.height;
  return fminf(sqrtf(p.x * p.x + y * y + p.z * p.z) - s.radius, p.y + 1.0f);
})",
                                   R"(__device__ float scene(float3 p, const Scene& s) {
  const float y = p.y - s.height;
  return fminf(sqrtf(p.x * p.x + y * y + p.z * p.z) - s.radius, p.y + 1.0f);
})"}}};

// The smallest: an extern "C" slot, whose name shows no types.
inline const OwnKernel kSaxpy = {
    "saxpy",
    R"(
extern "C" __device__ float combine(float a, float x, float y);
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = combine(a, x[i], y[i]);
}
)",
    {},
    {{"combine", "[](float a, float x, float y) { return a * x + y; }",
      "extern \"C\" __device__ float combine(float a, float x, float y) { return a * x + y; }"}}};

inline const OwnKernel* const kOwnKernels[] = {&kNeighbours, &kFit, &kSparse, &kMarch, &kSaxpy};

}  // namespace graft::test
