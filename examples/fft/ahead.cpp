// An FFT that is compiled ahead of time, as a pack and as images.
#include "chapter.hpp"

namespace fft_guide {
namespace {

const graft::Callback store = "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }";

}  // namespace

void pack(bool has_gpu) {
  // [pack]
  // Where there is a CUDA toolkit; no GPU is needed.
  const std::vector<std::byte> bytes = graft::precompile({.length = 360}, {.store = store}, {75, 90});
  // [/pack]
  if (bytes.empty()) throw std::runtime_error("the pack is empty");
  if (!has_gpu) return;
  // [pack]
  // Where there is a GPU; no compiler is needed, only nvJitLink.
  const graft::Fft fft = graft::Fft::load(bytes);
  // [/pack]
  if (fft.plan().length != 360) throw std::runtime_error("the pack is of another FFT");
}

void images() {
  const graft::Options options = graft::Options::cpu();
  // [images]
  const std::vector<graft::Image> images = graft::build({.length = 4}, {.store = store}, 90, options);
  const graft::Fft fft = graft::Fft::load(images);
  // [/images]
  const std::vector<Complex> in = {1, 2, 3, 4};
  std::vector<float> out(4);
  fft.execute(graft::host, in, out);
  if (out != std::vector<float>{100, 8, 4, 8}) throw std::runtime_error("the image computes something else");
}

}  // namespace fft_guide
