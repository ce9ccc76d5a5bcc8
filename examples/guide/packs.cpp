// Compiles a callback ahead of time into a pack, and makes a kernel from the pack without a compiler.
#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

namespace {

constexpr const char* kGain = R"(
// [gain.cu]
struct Gain { float factor; };
__device__ float gain(float x, const Gain& g) { return g.factor * x; }
// [/gain.cu]
)";

constexpr const char* kLibrary = R"(
// [library.cu]
__device__ float relu(float x) { return x > 0 ? x : 0; }
template <class T> __device__ T scale(T x) { return 3 * x; }
// [/library.cu]
)";

void several_in_one_pack() {
  write_file("library.cu", kLibrary);
  // [several]
  const graft::Callback library = graft::Callback::file("library.cu");
  const std::vector<std::byte> pack = graft::precompile_several(
      {library.with_entry("relu"), library.with_entry("scale<float>"), {graft::formula("f32 x => x^2.2"), "gamma"}},
      {75, 90});
  // [/several]
  write_file("library.graft", pack);
  // [choose]
  const graft::Callback callbacks = graft::Callback::file("library.graft");
  const graft::Image gamma = graft::build(callbacks.with_entry("gamma"), graft::Architecture(90));
  // [/choose]
  expect(gamma.report().inlined());
}

}  // namespace

void packs(cudaStream_t stream) {
  several_in_one_pack();
  write_file("gain.cu", kGain);
  // [precompile]
  const graft::Callback callback = graft::Callback::file("gain.cu");
  const std::vector<std::byte> pack = callback.precompile({75, 90});
  // [/precompile]
  write_file("gain.graft", pack);
  const graft::Image image = graft::build(graft::Callback::pack(pack), graft::Architecture(90));
  expect(image.report().kernel.route == graft::Route::Lto && image.report().inlined());
  if (only_built(stream, graft::Callback::file("gain.graft"))) return;
  struct Gain {
    float factor;
  };
  const examples::DeviceBuffer<float> in(std::vector<float>{1, 2, 3}), out(3);
  // [pack]
  const graft::Transform gain = graft::Transform::create(graft::Callback::file("gain.graft"));
  gain.execute(stream, in, out, Gain{3.0f});
  // [/pack]
  expect(on_host(out) == std::vector<float>{3, 6, 9});
}

}  // namespace guide
