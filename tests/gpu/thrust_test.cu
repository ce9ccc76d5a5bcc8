// Tests that Thrust's containers can be passed to execute directly. nvcc compiles this file, which also proves that
// nvcc accepts graft's public headers.
#include <gtest/gtest.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

class GpuThrust : public Gpu {};

static_assert(std::is_convertible_v<thrust::device_vector<float>&, Inputs>);
static_assert(std::is_convertible_v<thrust::device_vector<float>&, Outputs>);

TEST_F(GpuThrust, DeviceVectors) {
  thrust::device_vector<float> x(10'007);
  thrust::device_vector<float> y(x.size());
  thrust::sequence(x.begin(), x.end());
  const Transform t =
      Transform::create("__device__ float axpy(float x, float y, const float& a) { return a * x + y; }");
  t.execute(cudaStreamPerThread, inputs(x, x), y, 2.0f);
  check(cudaStreamSynchronize(cudaStreamPerThread));
  const thrust::host_vector<float> values = y;
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 3.0f * static_cast<float>(i));
}

TEST_F(GpuThrust, PointersAndComplexNumbers) {
  const thrust::host_vector<thrust::complex<float>> z(1000, thrust::complex<float>(1.0f, 2.0f));
  thrust::device_vector<thrust::complex<float>> in = z;
  thrust::device_vector<float> out(z.size());
  const Transform t = Transform::create("__device__ float square(graft::complex<float> z) { return norm(z); }");
  t.execute(nullptr, {in.data() + 1, 999}, {out.data(), 999});
  EXPECT_EQ(out[998], 5.0f);
  EXPECT_EQ(out[999], 0.0f);
}

}  // namespace
}  // namespace graft::test
