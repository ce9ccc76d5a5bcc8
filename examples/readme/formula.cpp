// The program that README.md shows. The program applies a formula that its user types to an array, on a GPU or, if
// there is no GPU, on the CPU.
// [program]
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <graft/graft.hpp>
#include <stdexcept>
#include <vector>

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

int main(int argc, char** argv) try {
  const char* formula = argc > 1 ? argv[1] : "a * max(x, 0)";
  const graft::Callback callback = graft::formula(formula, "f32 x; f32 a");  // the input x, and the parameter a

  int gpus = 0;
  const bool has_gpu = cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0;
  const graft::Options options = has_gpu ? graft::Options() : graft::Options::cpu();

  // Compiles, links and loads the kernel, or takes it from the cache.
  const graft::Transform transform = graft::Transform::create(callback, options);

  const std::vector<float> x = {-2, -1, 0, 1, 2};
  std::vector<float> y(x.size());
  const std::size_t bytes = x.size() * sizeof(float);
  float *in = nullptr, *out = nullptr;
  if (has_gpu) {
    check(cudaMalloc(&in, bytes));
    check(cudaMalloc(&out, bytes));
    check(cudaMemcpy(in, x.data(), bytes, cudaMemcpyHostToDevice));
  }

  graft::Parameters values("f32 a");
  for (const float a : {1.0f, 3.0f}) {  // another value for the same kernel: nothing is compiled again
    values.set("a", a);
    if (has_gpu) {
      transform.execute(nullptr, {in, x.size()}, {out, y.size()}, values.state());  // on the default stream
      check(cudaMemcpy(y.data(), out, bytes, cudaMemcpyDeviceToHost));
    } else {
      transform.execute(graft::host, x, y, values.state());
    }
    std::printf("a = %g:", a);
    for (const float value : y) std::printf(" %g", value);
    std::printf("\n");
  }
  cudaFree(in);
  cudaFree(out);
} catch (const std::exception& error) {  // graft::Error: what is wrong with the formula, and what to do
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
// [/program]
