// The callbacks of bench_throughput. Each callback is written once. It is used as source for graft and as code for the
// peers that nvcc compiles.
//
//     X(operation, type, text)    text defines a function named operation_type
//
// The callbacks are grouped in families, one for each object file of the peers. Callbacks multiply floating-point
// values by BabelStream's constant 0.4, and integers by 3.
#pragma once

// clang-format off

#define GRAFT_BENCH_STREAM(X, type, T, scalar)                                                             \
  X(copy, type, __device__ T copy_##type(T a) { return a; })                                               \
  X(mul, type, __device__ T mul_##type(T a) { return static_cast<T>(scalar * a); })                        \
  X(add, type, __device__ T add_##type(T a, T b) { return static_cast<T>(a + b); })                        \
  X(triad, type, __device__ T triad_##type(T a, T b) { return static_cast<T>(a + scalar * b); })           \
  X(nstream, type, __device__ T nstream_##type(T a, T b, T c) { return static_cast<T>(a + b + scalar * c); })

#define GRAFT_BENCH_NARROW(X)                                                                              \
  GRAFT_BENCH_STREAM(X, i8, signed char, 3)                                                                \
  GRAFT_BENCH_STREAM(X, i16, short, 3)                                                                     \
  X(gray, u8x3, __device__ unsigned char gray_u8x3(uchar3 p) {                                             \
    return static_cast<unsigned char>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);                  \
  })                                                                                                       \
  X(scale, u8x3, __device__ uchar3 scale_u8x3(uchar3 a) {                                                  \
    return make_uchar3(static_cast<unsigned char>(3 * a.x), static_cast<unsigned char>(3 * a.y),           \
                       static_cast<unsigned char>(3 * a.z));                                               \
  })                                                                                                       \
  X(scale, i16x3, __device__ short3 scale_i16x3(short3 a) {                                                \
    return make_short3(static_cast<short>(3 * a.x), static_cast<short>(3 * a.y),                           \
                       static_cast<short>(3 * a.z));                                                       \
  })

#define GRAFT_BENCH_SINGLE(X)                                                                              \
  GRAFT_BENCH_STREAM(X, f32, float, 0.4f)                                                                  \
  X(scale, f32x3, __device__ float3 scale_f32x3(float3 a) {                                                \
    return make_float3(0.4f * a.x, 0.4f * a.y, 0.4f * a.z);                                                \
  })                                                                                                       \
  X(multiply, f32x2, __device__ float2 multiply_f32x2(float2 a, float2 b) {                                \
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                      \
  })                                                                                                       \
  X(fill, f32, __device__ float fill_f32() { return 0.4f; })                                               \
  X(iota, i32, __device__ int iota_i32(graft::Index i) { return static_cast<int>(i); })

#define GRAFT_BENCH_DOUBLE(X)                                                                              \
  GRAFT_BENCH_STREAM(X, f64, double, 0.4)                                                                  \
  X(copy, f64x2, __device__ double2 copy_f64x2(double2 a) { return a; })                                   \
  X(mul, f64x2, __device__ double2 mul_f64x2(double2 a) { return make_double2(0.4 * a.x, 0.4 * a.y); })    \
  X(add, f64x2, __device__ double2 add_f64x2(double2 a, double2 b) {                                       \
    return make_double2(a.x + b.x, a.y + b.y);                                                             \
  })                                                                                                       \
  X(triad, f64x2, __device__ double2 triad_f64x2(double2 a, double2 b) {                                   \
    return make_double2(a.x + 0.4 * b.x, a.y + 0.4 * b.y);                                                 \
  })                                                                                                       \
  X(nstream, f64x2, __device__ double2 nstream_f64x2(double2 a, double2 b, double2 c) {                    \
    return make_double2(a.x + b.x + 0.4 * c.x, a.y + b.y + 0.4 * c.y);                                     \
  })                                                                                                       \
  X(scale, f64x3, __device__ double3 scale_f64x3(double3 a) {                                              \
    return make_double3(0.4 * a.x, 0.4 * a.y, 0.4 * a.z);                                                  \
  })

// Activation functions of neural networks. Half precision is computed in single precision.
#define GRAFT_BENCH_ACTIVATION(X, type, T, to_float, from_float)                                           \
  X(gelu, type, __device__ T gelu_##type(T value) {                                                        \
    const float x = to_float(value);                                                                       \
    return from_float(0.5f * x * (1.0f + erff(x * 0.70710678f)));                                          \
  })                                                                                                       \
  X(softplus, type, __device__ T softplus_##type(T value) {                                                \
    return from_float(log1pf(expf(to_float(value))));                                                      \
  })                                                                                                       \
  X(sigmoid, type, __device__ T sigmoid_##type(T value) {                                                  \
    return from_float(1.0f / (1.0f + expf(-to_float(value))));                                             \
  })

#define GRAFT_BENCH_HALF(X)                                                                                \
  GRAFT_BENCH_ACTIVATION(X, f16, __half, __half2float, __float2half)                                       \
  GRAFT_BENCH_ACTIVATION(X, bf16, __nv_bfloat16, __bfloat162float, __float2bfloat16)

// A callback of `turns` multiply-adds, each of which needs the result of the previous multiply-add.
#define GRAFT_BENCH_HEAVY(X, operation, turns)                                                             \
  X(operation, f32, __device__ float operation##_f32(float x) {                                            \
    for (int i = 0; i < turns; ++i) x = 0.99f * x + 0.01f;                                                 \
    return x;                                                                                              \
  })

#define GRAFT_BENCH_MATH(X)                                                                                \
  GRAFT_BENCH_ACTIVATION(X, f32, float, float, float)                                                      \
  X(black_scholes, f32, __device__ void black_scholes_f32(float price, float strike, float years,          \
                                                          float& call, float& put) {                       \
    const float rate = 0.02f;                                                                              \
    const float volatility = 0.3f;                                                                         \
    const float deviation = volatility * sqrtf(years);                                                     \
    const float growth = (rate + 0.5f * volatility * volatility) * years;                                  \
    const float d1 = (logf(price / strike) + growth) / deviation;                                          \
    const float d2 = d1 - deviation;                                                                       \
    const float discounted = strike * expf(-rate * years);                                                 \
    call = price * (0.5f * erfcf(-0.70710678f * d1)) - discounted * (0.5f * erfcf(-0.70710678f * d2));     \
    put = call - price + discounted;                                                                       \
  })                                                                                                       \
  GRAFT_BENCH_HEAVY(X, heavy32, 32)                                                                        \
  GRAFT_BENCH_HEAVY(X, heavy64, 64)                                                                        \
  GRAFT_BENCH_HEAVY(X, heavy128, 128)                                                                      \
  GRAFT_BENCH_HEAVY(X, heavy256, 256)                                                                      \
  X(divergent, f32, __device__ float divergent_f32(float x) {                                              \
    const int turns = static_cast<int>(fabsf(x) * 16.0f);                                                  \
    for (int i = 0; i < turns; ++i) x = 0.5f * x + 1.0f / (1.0f + x * x);                                  \
    return x;                                                                                              \
  })

// clang-format on

#define GRAFT_BENCH_OPERATIONS(X) \
  GRAFT_BENCH_NARROW(X)           \
  GRAFT_BENCH_SINGLE(X)           \
  GRAFT_BENCH_DOUBLE(X)           \
  GRAFT_BENCH_HALF(X)             \
  GRAFT_BENCH_MATH(X)
