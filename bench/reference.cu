// The random data of reference.hpp, and one struct for each operation with the operation's formula in double precision.
// A kernel evaluates the formula for every element and compares the result. Only rounding errors are permitted.
#include <stdexcept>
#include <string>

#include "cuda_check.hpp"
#include "reference.hpp"

namespace graft::bench {
namespace {

constexpr int kBlocks = 4096;
constexpr int kThreads = 256;

// ---- random data ----

// The last step of splitmix64. Every bit of the result depends on every bit of index and seed.
__device__ unsigned long long hash(unsigned long long index, unsigned seed) {
  unsigned long long x = index + 0x9e3779b97f4a7c15ull * (seed + 1ull);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ double uniform(unsigned long long bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

template <class Body>
__device__ void for_each_index(std::size_t count, Body body) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) body(i);
}

// Writes eight random bytes at a time. No byte is zero.
__global__ void bytes_kernel(unsigned char* data, std::size_t count, unsigned seed) {
  for_each_index((count + 7) / 8, [=](std::size_t i) {
    const unsigned long long bits = hash(i, seed);
    const uint2 word = {__vmaxu4(static_cast<unsigned>(bits), 0x01010101u),
                        __vmaxu4(static_cast<unsigned>(bits >> 32), 0x01010101u)};
    if (8 * i + 8 <= count) reinterpret_cast<uint2*>(data)[i] = word;
    else
      for (std::size_t k = 8 * i; k < count; ++k) data[k] = static_cast<unsigned char>(word.x >> 8 * (k % 4));
  });
}

__device__ void put(__half* to, double value) {
  *to = __double2half(value);
}
__device__ void put(__nv_bfloat16* to, double value) {
  *to = __double2bfloat16(value);
}
__device__ void put(float* to, double value) {
  *to = static_cast<float>(value);
}
__device__ void put(double* to, double value) {
  *to = value;
}

template <class T>
__global__ void numbers_kernel(T* data, std::size_t count, Range range, unsigned seed) {
  for_each_index(count, [=](std::size_t i) {
    const unsigned long long bits = hash(i, seed);
    const double magnitude = range.low + (range.high - range.low) * uniform(bits);
    put(data + i, range.both_signs && bits & 1 ? -magnitude : magnitude);
  });
}

// ---- the formula of each operation ----

// `value` is the exact result of an operation. `scale` is the number to which allowance() makes the permitted rounding
// error of the callback's steps proportional: the sum of the magnitudes of the terms of the result, or a multiple of it
// for several steps, or 0 if no step rounds.
struct Expected {
  double value = 0;
  double scale = 0;
};

// The values of all arrays at one index, as doubles.
struct Element {
  double in[kMaxReferenceInputs][kMaxComponents] = {};
  Expected out[kMaxReferenceOutputs][kMaxComponents];
  std::size_t index = 0;
  double scalar = 0;  // the operation's constant, rounded to the callback's precision
};

// Applies a function of single numbers to each component of an element separately.
template <class Function>
struct Componentwise {
  __device__ static void apply(Element& e) {
#pragma unroll
    for (int c = 0; c < kMaxComponents; ++c)
      e.out[0][c] = Function::value(e.in[0][c], e.in[1][c], e.in[2][c], e.scalar);
  }
};

struct CopyOf {
  __device__ static Expected value(double a, double, double, double) { return {a, 0}; }
};
struct MulOf {
  __device__ static Expected value(double a, double, double, double s) { return {s * a, fabs(a)}; }
};
struct AddOf {
  __device__ static Expected value(double a, double b, double, double) { return {a + b, fabs(a) + fabs(b)}; }
};
struct TriadOf {
  __device__ static Expected value(double a, double b, double, double s) { return {a + s * b, fabs(a) + fabs(s * b)}; }
};
struct NstreamOf {
  __device__ static Expected value(double a, double b, double c, double s) {
    return {a + b + s * c, 2 * (fabs(a) + fabs(b) + fabs(s * c))};
  }
};
// The permitted error is proportional to |x| and not to the result: for negative x the sum 1 + erf cancels, so the
// absolute error of the sum is small but its relative error is large.
struct GeluOf {
  __device__ static Expected value(double x, double, double, double) {
    return {0.5 * x * (1.0 + erf(x * 0.70710678118654752)), 4 * fabs(x)};
  }
};
struct SoftplusOf {
  __device__ static Expected value(double x, double, double, double) {
    const double exact = log1p(exp(x));
    return {exact, 8 * exact};
  }
};
struct SigmoidOf {
  __device__ static Expected value(double x, double, double, double) {
    const double exact = 1.0 / (1.0 + exp(-x));
    return {exact, 8 * exact};
  }
};
template <int turns>
struct HeavyOf {
  __device__ static Expected value(double x, double, double, double) {
    const double scale = turns * fmax(1.0, fabs(x));
    for (int i = 0; i < turns; ++i) x = 0.99f * x + 0.01f;
    return {x, scale};
  }
};
struct DivergentOf {
  __device__ static Expected value(double x, double, double, double) {
    const int turns = static_cast<int>(fabsf(static_cast<float>(x)) * 16.0f);
    for (int i = 0; i < turns; ++i) x = 0.5 * x + 1.0 / (1.0 + x * x);
    return {x, 32};
  }
};

// Computes the grey value before it is rounded to an integer. A correctly rounded result differs from this value by at
// most 0.5, which allowance() permits.
struct Gray {
  __device__ static void apply(Element& e) {
    e.out[0][0] = {0.299 * e.in[0][0] + 0.587 * e.in[0][1] + 0.114 * e.in[0][2], 1};
  }
};
struct ComplexProduct {
  __device__ static void apply(Element& e) {
    const double a = e.in[0][0], b = e.in[0][1], c = e.in[1][0], d = e.in[1][1];
    e.out[0][0] = {a * c - b * d, 2 * (fabs(a * c) + fabs(b * d))};
    e.out[0][1] = {a * d + b * c, 2 * (fabs(a * d) + fabs(b * c))};
  }
};
struct BlackScholes {
  __device__ static void apply(Element& e) {
    const double price = e.in[0][0], strike = e.in[1][0], years = e.in[2][0];
    const double rate = 0.02f, volatility = 0.3f, deviation = volatility * sqrt(years);
    const double d1 = (log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    const double discounted = strike * exp(-rate * years);
    const double call = price * normcdf(d1) - discounted * normcdf(d1 - deviation);
    e.out[0][0] = {call, 64 * (price + strike)};
    e.out[1][0] = {call - price + discounted, 64 * (price + strike)};
  }
};
struct Fill {
  __device__ static void apply(Element& e) { e.out[0][0] = {e.scalar, 0}; }
};
struct Iota {
  __device__ static void apply(Element& e) { e.out[0][0] = {static_cast<double>(e.index), 0}; }
};

// ---- reading elements as doubles and comparing them ----

__device__ double read(Scalar scalar, const void* array, std::size_t i) {
  switch (scalar) {
    case Scalar::I8:
      return static_cast<const signed char*>(array)[i];
    case Scalar::U8:
      return static_cast<const unsigned char*>(array)[i];
    case Scalar::I16:
      return static_cast<const short*>(array)[i];
    case Scalar::I32:
      return static_cast<const int*>(array)[i];
    case Scalar::F16:
      return __half2float(static_cast<const __half*>(array)[i]);
    case Scalar::Bf16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(array)[i]);
    case Scalar::F32:
      return static_cast<const float*>(array)[i];
    case Scalar::F64:
      break;
  }
  return static_cast<const double*>(array)[i];
}

__device__ double read(const TypedArray& array, std::size_t element, int component) {
  return read(array.format.scalar, array.data, element * array.format.components + component);
}

template <class Reference>
__device__ Element expect(const Arrays& arrays, std::size_t i, double scalar) {
  Element e;
  e.index = i;
  e.scalar = scalar;
#pragma unroll
  for (int k = 0; k < kMaxReferenceInputs; ++k)
#pragma unroll
    for (int c = 0; c < kMaxComponents; ++c)
      if (k < arrays.inputs && c < arrays.in[k].format.components) e.in[k][c] = read(arrays.in[k], i, c);
  Reference::apply(e);
  return e;
}

// Returns the permitted error of a floating-point result: one rounding to the output's type, plus the rounding errors
// of the steps before in single or double precision. An integer result must be exact if `scale` is 0. A `scale` above 0
// means that the callback rounds a fraction to this integer, so the result may be half a step away.
__device__ double allowance(Scalar scalar, const Expected& expected) {
  constexpr double single = 0x1p-23, twice = 0x1p-52;
  const double size = fabs(expected.value);
  switch (scalar) {
    case Scalar::F16:
      return 0x1.02p-11 * size + 0x1p-25 + single * expected.scale;
    case Scalar::Bf16:
      return 0x1.02p-8 * size + single * expected.scale;
    case Scalar::F32:
      return 0x1.02p-24 * size + single * expected.scale;
    case Scalar::F64:
      return 0x1.02p-53 * size + twice * expected.scale;
    default:
      return expected.scale > 0 ? 0.5001 : 0;
  }
}

// Returns expected minus got. Integers wrap around, so their difference is taken modulo the type's range.
__device__ double difference(Scalar scalar, double expected, double got) {
  const double apart = expected - got;
  switch (scalar) {
    case Scalar::I8:
    case Scalar::U8:
      return apart - 0x1p8 * rint(apart * 0x1p-8);
    case Scalar::I16:
      return apart - 0x1p16 * rint(apart * 0x1p-16);
    case Scalar::I32:
      return apart - 0x1p32 * rint(apart * 0x1p-32);
    default:
      return apart;
  }
}

template <class Reference>
__global__ void count_kernel(Arrays arrays, double scalar, unsigned long long* wrong) {
  for_each_index(arrays.count, [&](std::size_t i) {
    const Element e = expect<Reference>(arrays, i, scalar);
    bool right = true;
#pragma unroll
    for (int k = 0; k < kMaxReferenceOutputs; ++k)
#pragma unroll
      for (int c = 0; c < kMaxComponents; ++c) {
        if (k >= arrays.outputs || c >= arrays.out[k].format.components) continue;
        const Scalar type = arrays.out[k].format.scalar;
        const double apart = difference(type, e.out[k][c].value, read(arrays.out[k], i, c));
        right = right && fabs(apart) <= allowance(type, e.out[k][c]);  // the comparison is also false for NaN
      }
    if (!right) atomicAdd(wrong, 1ull);
  });
}

template <class Reference>
__global__ void evaluate_kernel(Arrays arrays, double scalar, double* expected) {
  for_each_index(arrays.count, [&](std::size_t i) {
    const Element e = expect<Reference>(arrays, i, scalar);
#pragma unroll
    for (int k = 0; k < kMaxReferenceOutputs; ++k)
#pragma unroll
      for (int c = 0; c < kMaxComponents; ++c)
        expected[(k * kMaxComponents + c) * arrays.count + i] = e.out[k][c].value;
  });
}

// ---- finding an operation by its name ----

struct Reference {
  std::string_view operation;
  void (*count)(Arrays arrays, double scalar, unsigned long long* wrong);
  void (*evaluate)(Arrays arrays, double scalar, double* expected);
};

template <class R>
Reference reference(std::string_view operation) {
  return {operation, count_kernel<R>, evaluate_kernel<R>};
}

const Reference kReferences[] = {
    reference<Componentwise<CopyOf>>("copy"),
    reference<Componentwise<MulOf>>("mul"),
    reference<Componentwise<MulOf>>("scale"),
    reference<Componentwise<AddOf>>("add"),
    reference<Componentwise<TriadOf>>("triad"),
    reference<Componentwise<NstreamOf>>("nstream"),
    reference<Componentwise<GeluOf>>("gelu"),
    reference<Componentwise<SoftplusOf>>("softplus"),
    reference<Componentwise<SigmoidOf>>("sigmoid"),
    reference<Componentwise<HeavyOf<32>>>("heavy32"),
    reference<Componentwise<HeavyOf<64>>>("heavy64"),
    reference<Componentwise<HeavyOf<128>>>("heavy128"),
    reference<Componentwise<HeavyOf<256>>>("heavy256"),
    reference<Componentwise<DivergentOf>>("divergent"),
    reference<Gray>("gray"),
    reference<ComplexProduct>("multiply"),
    reference<BlackScholes>("black_scholes"),
    reference<Fill>("fill"),
    reference<Iota>("iota"),
};

const Reference* find(std::string_view operation) {
  for (const Reference& entry : kReferences)
    if (entry.operation == operation) return &entry;
  return nullptr;
}

const Reference& reference_of(std::string_view operation) {
  const Reference* found = find(operation);
  if (!found) throw std::invalid_argument("no reference for " + std::string(operation));
  return *found;
}

// Returns the constant by which callbacks of this type multiply.
double scalar_for(Scalar type) {
  switch (type) {
    case Scalar::F64:
      return 0.4;
    case Scalar::F16:
    case Scalar::Bf16:
    case Scalar::F32:
      return static_cast<double>(0.4f);
    default:
      return 3;
  }
}

}  // namespace

void fill_random(cudaStream_t stream, void* data, Scalar scalar, std::size_t count, const Range& range, unsigned seed) {
  const auto fill = [&]<class T>(T* typed) {
    numbers_kernel<<<kBlocks, kThreads, 0, stream>>>(typed, count, range, seed);
  };
  switch (scalar) {
    case Scalar::F16:
      fill(static_cast<__half*>(data));
      break;
    case Scalar::Bf16:
      fill(static_cast<__nv_bfloat16*>(data));
      break;
    case Scalar::F32:
      fill(static_cast<float*>(data));
      break;
    case Scalar::F64:
      fill(static_cast<double*>(data));
      break;
    default:
      bytes_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<unsigned char*>(data), count * size_of(scalar), seed);
  }
  check(cudaGetLastError());
}

void fill_floats(cudaStream_t stream, float* data, std::size_t count, unsigned seed) {
  fill_random(stream, data, Scalar::F32, count, {}, seed);
}

bool has_reference(std::string_view operation) {
  return find(operation) != nullptr;
}

unsigned long long count_wrong(cudaStream_t stream, std::string_view operation, const Arrays& arrays) {
  const Reference& entry = reference_of(operation);
  const DeviceBytes counter = allocate(sizeof(unsigned long long));
  auto* wrong = static_cast<unsigned long long*>(counter.get());
  unsigned long long result = 0;
  check(cudaMemsetAsync(wrong, 0, sizeof result, stream));
  entry.count<<<kBlocks, kThreads, 0, stream>>>(arrays, scalar_for(arrays.out[0].format.scalar), wrong);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, wrong, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

void evaluate(cudaStream_t stream, std::string_view operation, const Arrays& arrays, double* expected) {
  reference_of(operation).evaluate<<<kBlocks, kThreads, 0, stream>>>(arrays, scalar_for(arrays.out[0].format.scalar),
                                                                     expected);
  check(cudaGetLastError());
}

}  // namespace graft::bench
