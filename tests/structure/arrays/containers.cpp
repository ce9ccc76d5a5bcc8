// Which containers Transform::execute takes on a stream: compiling this file is the test. A host compiler is asked
// about Eigen's, nvcc (-x cu) about Thrust's and libcu++'s, both about the standard library's.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graft.hpp>

#ifdef __CUDACC__
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cuda/std/span>
#else
#include <Eigen/Core>
#endif

namespace {

using Device = graft::DeviceArray<float>;

template <class In, class Out>
concept Executes = requires(const graft::Transform& transform, CUstream_st* stream, In in, Out out) {
  transform.execute(stream, in, out);
};

template <class Array>
concept Input = Executes<Array, Device>;
template <class Array>
concept Output = Executes<Device, Array>;
template <class Array>
concept Taken = Input<Array> && Output<Array>;
template <class Array>
concept Refused = !Input<Array> && !Output<Array>;

// What is expected below of other types is meaningless unless these are taken.
static_assert(Executes<Device, Device> && Taken<Device>);
static_assert(Taken<std::span<float>> && Taken<std::span<float, 4>> && Input<std::span<const float>>);

// Containers that own host memory.
static_assert(Refused<std::vector<float>> && Refused<std::vector<float>&> && Refused<const std::vector<float>&>);
static_assert(Refused<std::array<float, 4>> && Refused<std::array<float, 4>&>);
static_assert(Refused<std::string> && Refused<std::string&>);

// The same, when the caller vouches for their memory.
static_assert(Taken<decltype(graft::device(std::declval<std::vector<float>&>()))>);
static_assert(Taken<decltype(graft::device(std::declval<std::array<float, 4>&>()))>);

// A library's own buffer of device memory.
struct Buffer {
  float* data() const { return nullptr; }
  std::size_t size() const { return 0; }
};
static_assert(Taken<Buffer> && Taken<const Buffer&>);

// Neither a pointer without a count, nor what is no array at all.
static_assert(Refused<float*> && Refused<int> && Refused<void*>);

#ifdef __CUDACC__
static_assert(Refused<thrust::host_vector<float>> && Refused<thrust::host_vector<float>&>);
static_assert(Taken<decltype(graft::device(std::declval<thrust::host_vector<float>&>()))>);
static_assert(Taken<thrust::device_vector<float>&> && Input<const thrust::device_vector<float>&>);
static_assert(Taken<cuda::std::span<float>> && Input<cuda::std::span<const float>>);
#else
static_assert(Refused<Eigen::VectorXf> && Refused<Eigen::VectorXf&> && Refused<Eigen::MatrixXd&>);
static_assert(Refused<Eigen::Array4f&>);
static_assert(Taken<decltype(graft::device(std::declval<Eigen::VectorXf&>()))>);
#endif

// Braces have no type, so a concept cannot ask about them.
[[maybe_unused]] void execute_in_braces(const graft::Transform& transform, CUstream_st* stream, float* x,
                                        const float* y, std::size_t n) {
  transform.execute(stream, {y, n}, {x, n});
  transform.execute(stream, graft::inputs(), {x, n});
  transform.execute(stream, graft::inputs(std::span(x, n), std::span(y, n)), std::span(x, n), 2.0f);
}

}  // namespace
