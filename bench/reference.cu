#include <cuda_fp16.h>

#include "cuda_check.hpp"
#include "reference.hpp"

namespace graft::bench {
namespace {

constexpr int kBlocks = 4096;
constexpr int kThreads = 256;

// splitmix64's finaliser: every bit of the result depends on every bit of index and seed.
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

__global__ void bytes_kernel(unsigned char* data, std::size_t count, unsigned seed) {
  for_each_index(count, [=](std::size_t i) { data[i] = static_cast<unsigned char>(1 + hash(i, seed) % 255); });
}

__global__ void floats_kernel(float* data, std::size_t count, unsigned seed) {
  for_each_index(count, [=](std::size_t i) {
    const unsigned long long bits = hash(i, seed);
    const float magnitude = static_cast<float>(0.5 + 1.49 * uniform(bits));
    data[i] = bits & 1 ? -magnitude : magnitude;
  });
}

__global__ void halves_kernel(__half* data, std::size_t count, unsigned seed) {
  for_each_index(count, [=](std::size_t i) {
    const unsigned long long bits = hash(i, seed);
    const double magnitude = 0.001 + 4.99 * uniform(bits);
    data[i] = __double2half(bits & 1 ? -magnitude : magnitude);
  });
}

template <class T>
__device__ T element(const void* array, std::size_t i) {
  return static_cast<const T*>(array)[i];
}

// Each answers whether element i is right. The float cases may round once (fused) or at every operation.
struct ByteMul {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    const int product = element<signed char>(a.in[0], i) * kByteScalar;
    return (product & 0xff) == element<unsigned char>(a.out, i);
  }
};

__device__ bool near(double expected, double scale, float got) {
  return fabs(expected - got) <= 0x1p-23 * scale;
}

struct Mul {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    return element<float>(a.in[0], i) * kScalar == element<float>(a.out, i);
  }
};
struct Triad {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    const double x = element<float>(a.in[0], i), y = double(element<float>(a.in[1], i)) * kScalar;
    return near(x + y, fabs(x) + fabs(y), element<float>(a.out, i));
  }
};
struct Nstream {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    const double x = element<float>(a.in[0], i), y = element<float>(a.in[1], i);
    const double z = double(element<float>(a.in[2], i)) * kScalar;
    return near(x + y + z, fabs(x) + fabs(y) + fabs(z), element<float>(a.out, i));
  }
};
// Half a step of rounding, and what single precision loses in the sum.
struct Gray {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    const Rgb p = element<Rgb>(a.in[0], i);
    return fabs(0.299 * p.r + 0.587 * p.g + 0.114 * p.b - element<unsigned char>(a.out, i)) <= 0.5001;
  }
};
// Half an ulp of half precision (2^-11), and 1 + erff(x), which loses up to 2^-23 * |x| where it cancels.
struct Gelu {
  __device__ bool operator()(const Arrays& a, std::size_t i) const {
    const double x = __half2float(element<__half>(a.in[0], i)), exact = 0.5 * x * (1.0 + erf(x * 0.70710678118654752));
    return fabs(exact - __half2float(element<__half>(a.out, i))) <= 0x1.02p-11 * fabs(exact) + 1e-6;
  }
};

template <class Right>
__global__ void count_wrong(Arrays arrays, unsigned long long* wrong) {
  for_each_index(arrays.count, [=](std::size_t i) {
    if (!Right{}(arrays, i)) atomicAdd(wrong, 1ull);
  });
}

template <class Right>
unsigned long long verify(cudaStream_t stream, const Arrays& arrays) {
  const DeviceBytes counter = allocate(sizeof(unsigned long long));
  auto* wrong = static_cast<unsigned long long*>(counter.get());
  unsigned long long result = 0;
  check(cudaMemsetAsync(wrong, 0, sizeof result, stream));
  count_wrong<Right><<<kBlocks, kThreads, 0, stream>>>(arrays, wrong);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, wrong, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

}  // namespace

void fill_bytes(cudaStream_t stream, unsigned char* data, std::size_t count, unsigned seed) {
  bytes_kernel<<<kBlocks, kThreads, 0, stream>>>(data, count, seed);
  check(cudaGetLastError());
}
void fill_floats(cudaStream_t stream, float* data, std::size_t count, unsigned seed) {
  floats_kernel<<<kBlocks, kThreads, 0, stream>>>(data, count, seed);
  check(cudaGetLastError());
}
void fill_halves(cudaStream_t stream, void* data, std::size_t count, unsigned seed) {
  halves_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<__half*>(data), count, seed);
  check(cudaGetLastError());
}

unsigned long long verify_byte_mul(cudaStream_t stream, const Arrays& a) {
  return verify<ByteMul>(stream, a);
}
unsigned long long verify_mul(cudaStream_t stream, const Arrays& a) {
  return verify<Mul>(stream, a);
}
unsigned long long verify_triad(cudaStream_t stream, const Arrays& a) {
  return verify<Triad>(stream, a);
}
unsigned long long verify_nstream(cudaStream_t stream, const Arrays& a) {
  return verify<Nstream>(stream, a);
}
unsigned long long verify_gray(cudaStream_t stream, const Arrays& a) {
  return verify<Gray>(stream, a);
}
unsigned long long verify_gelu(cudaStream_t stream, const Arrays& a) {
  return verify<Gelu>(stream, a);
}

}  // namespace graft::bench
