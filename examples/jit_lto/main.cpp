// NVIDIA's sample of link-time optimisation at run time (a kernel that was compiled before, and a user's function that
// NVRTC compiles, joined by nvJitLink), with graft: the kernel declares the function, and Kernel::create does the rest.
// docs/kernels.md compares the two step by step.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <graft/graft.hpp>
#include <stdexcept>

#include "support/cuda.hpp"

namespace {

// [kernel]
constexpr const char* kKernel = R"(
extern "C" __device__ float combine(float a, float x, float y);

extern "C" __global__ void vector_operation(float a, const float* x, const float* y, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = combine(a, x[i], y[i]);
}
)";
// [/kernel]
constexpr const char* kUsers = "__device__ float saxpy(float a, float x, float y) { return a * x + y; }";

void run() {
  constexpr int kCount = 100'000;
  const std::vector<float> x(kCount, 2.0f), y(kCount, 3.0f);
  const examples::DeviceBuffer<float> in(x), other(y), out(kCount);
  // [create]
  const graft::Kernel kernel = graft::Kernel::create(kKernel, {{"combine", kUsers}});
  kernel.launch({.grid = {(kCount + 255) / 256}, .block = {256}}, 5.0f, static_cast<const float*>(in.data()),
                static_cast<const float*>(other.data()), out.data(), kCount);
  // [/create]
  for (const float value : examples::on_host(out))
    if (!(std::fabs(value - 13.0f) == 0.0f)) throw std::runtime_error("wrong result");
  fmt::print("{} results are right; the callback is {}\n", kCount, kernel.report().slots.front().how);
}

}  // namespace

int main() {
  try {
    if (examples::use_gpu()) {
      run();
    } else {
      const graft::Image image = graft::build(kKernel, {{"combine", kUsers}}, 90);
      fmt::print("No GPU: a kernel of {} bytes for sm_90; the callback is {}\n", image.bytes().size(),
                 image.report().slots.front().how);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "jit_lto: {}\n", error.what());
    return 1;
  }
}
