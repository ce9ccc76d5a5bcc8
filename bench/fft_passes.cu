// Each thread handles 16 bytes: two points in single precision, or one in double precision. The last thread may have
// one point only.
#include "cuda_check.hpp"
#include "fft_passes.hpp"

namespace graft::bench {
namespace {

constexpr unsigned kThreads = 256;

template <class Real>
struct alignas(2 * sizeof(Real)) Point {
  Real x, y;
};
template <class Real>
constexpr int kPointsOfThread = 16 / sizeof(Point<Real>);
template <class Real>
struct alignas(16) Points {
  Point<Real> points[kPointsOfThread<Real>];
};

// Calls change(point, i) for the points of this thread.
template <class Real, class Change>
__device__ void for_points(Point<Real>* out, const Point<Real>* in, std::uint32_t count, const Change& change) {
  constexpr int kPoints = kPointsOfThread<Real>;
  const std::uint32_t first = (blockIdx.x * kThreads + threadIdx.x) * kPoints;
  if (first + kPoints <= count) {
    auto all = *reinterpret_cast<const Points<Real>*>(in + first);
    for (int k = 0; k < kPoints; ++k) change(all.points[k], first + k);
    *reinterpret_cast<Points<Real>*>(out + first) = all;
  } else {
    for (std::uint32_t i = first; i < count; ++i) {
      Point<Real> point = in[i];
      change(point, i);
      out[i] = point;
    }
  }
}

template <class Real>
__global__ void __launch_bounds__(kThreads) window_kernel(Point<Real>* out, const Point<Real>* in, const Real* window,
                                                          std::uint32_t length, std::uint32_t count) {
  for_points(out, in, count, [&](Point<Real>& point, std::uint32_t i) {
    const Real factor = window[i % length];
    point.x *= factor;
    point.y *= factor;
  });
}

template <class Real>
__global__ void __launch_bounds__(kThreads) scale_kernel(Point<Real>* points, const Real* factor, std::uint32_t count) {
  const Real by = *factor;
  for_points(points, points, count, [&](Point<Real>& point, std::uint32_t) {
    point.x *= by;
    point.y *= by;
  });
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    filter_kernel(Point<Real>* points, const Point<Real>* filter, std::uint32_t length, std::uint32_t count) {
  for_points(points, points, count, [&](Point<Real>& z, std::uint32_t i) {
    const Point<Real> h = filter[i % length];
    z = {z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x};
  });
}

// Calls launch(real, blocks) with a number of the type.
template <class Launch>
void with_real(bool is_double, std::uint64_t count, const Launch& launch) {
  const auto blocks = [&](std::uint64_t points) {
    const std::uint64_t of_block = points * kThreads;
    return static_cast<unsigned>((count + of_block - 1) / of_block);
  };
  if (is_double) launch(double{}, blocks(kPointsOfThread<double>));
  else launch(float{}, blocks(kPointsOfThread<float>));
  check(cudaGetLastError());
}

}  // namespace

void launch_window(cudaStream_t stream, bool is_double, void* out, const void* in, const void* window,
                   std::uint32_t length, std::uint64_t count) {
  with_real(is_double, count, [&](auto real, unsigned blocks) {
    using Real = decltype(real);
    window_kernel<Real>
        <<<blocks, kThreads, 0, stream>>>(static_cast<Point<Real>*>(out), static_cast<const Point<Real>*>(in),
                                          static_cast<const Real*>(window), length, static_cast<std::uint32_t>(count));
  });
}

void launch_scale(cudaStream_t stream, bool is_double, void* points, const void* factor, std::uint64_t count) {
  with_real(is_double, count, [&](auto real, unsigned blocks) {
    using Real = decltype(real);
    scale_kernel<Real><<<blocks, kThreads, 0, stream>>>(
        static_cast<Point<Real>*>(points), static_cast<const Real*>(factor), static_cast<std::uint32_t>(count));
  });
}

void launch_filter(cudaStream_t stream, bool is_double, void* points, const void* filter, std::uint32_t length,
                   std::uint64_t count) {
  with_real(is_double, count, [&](auto real, unsigned blocks) {
    using Real = decltype(real);
    filter_kernel<Real><<<blocks, kThreads, 0, stream>>>(static_cast<Point<Real>*>(points),
                                                         static_cast<const Point<Real>*>(filter), length,
                                                         static_cast<std::uint32_t>(count));
  });
}

}  // namespace graft::bench
