// The callbacks for which bench_routes compares routes, from few instructions to many. Each callback is written once.
// It is used as source for graft and as code for the hand-written kernel that nvcc compiles.
#pragma once

#define GRAFT_BENCH_CALLBACKS(X)                                                                                \
  X(                                                                                                            \
      relu, __device__ float relu(float x) { return x > 0.0f ? x : 0.0f; })                                     \
  X(                                                                                                            \
      scale, __device__ float scale(float x) { return 2.5f * x + 1.0f; })                                       \
  X(                                                                                                            \
      polynomial, __device__ float polynomial(float x) {                                                        \
        return 1.0f + x * (0.5f + x * (0.25f + x * (0.125f + x * (0.0625f + x * (0.03125f + x * 0.015625f))))); \
      })                                                                                                        \
  X(                                                                                                            \
      sigmoid, __device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); })                          \
  X(                                                                                                            \
      softplus, __device__ float softplus(float x) { return log1pf(expf(x)); })                                 \
  X(                                                                                                            \
      gelu, __device__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); })               \
  X(                                                                                                            \
      waves, __device__ float waves(float x) { return sinf(x) * cosf(3.0f * x); })                              \
  X(                                                                                                            \
      power, __device__ float power(float x) { return powf(fabsf(x), 1.7f); })                                  \
  X(                                                                                                            \
      chain64, __device__ float chain64(float x) {                                                              \
        for (int i = 0; i < 64; ++i) x = 0.99f * x + 0.01f;                                                     \
        return x;                                                                                               \
      })                                                                                                        \
  X(                                                                                                            \
      chain256, __device__ float chain256(float x) {                                                            \
        for (int i = 0; i < 256; ++i) x = 0.99f * x + 0.01f;                                                    \
        return x;                                                                                               \
      })                                                                                                        \
  X(                                                                                                            \
      divergent, __device__ float divergent(float x) {                                                          \
        const int turns = static_cast<int>(fabsf(x) * 16.0f);                                                   \
        for (int i = 0; i < turns; ++i) x = 0.5f * x + 1.0f / (1.0f + x * x);                                   \
        return x;                                                                                               \
      })
