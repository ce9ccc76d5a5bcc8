// Callbacks that were compiled to LTO-IR, as cuFFT takes them, are linked into the kernels of FFTs.
#include <gtest/gtest.h>

#include "families/fft/kernel_request.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

Callback compiled(const char* text, const char* signature) {
  static std::vector<std::vector<std::byte>> all;
  all.push_back(Callback(text).precompile({Architecture(90)}, PrecompileFormat::LtoIr));
  return Callback::ltoir(all.back()).with_signature(signature);
}

TEST(FftCompiledCallbacks, AreInlined) {
  const Callback load = compiled(
      "__device__ float2 load_iq(void* data, unsigned long long offset, void* info, void*) {\n"
      "  const char2 z = ((const char2*)data)[offset]; return make_float2(z.x, z.y); }",
      "float2 load_iq(void*, unsigned long long, void*, void*)");
  const Callback store = compiled(
      "__device__ void store_power(void* data, unsigned long long offset, float2 z, void* info, void*) {\n"
      "  ((float*)data)[offset] = z.x * z.x + z.y * z.y; }",
      "void store_power(void*, unsigned long long, float2, void*, void*)");
  families::fft::KernelRequest request;
  request.length = 256;
  request.architecture = 90;
  const Image image =
      build(Callback(Stages{.load = load, .store = store}).for_family("fft", families::fft::to_tuning(request)),
            Architecture(90));
  EXPECT_EQ(image.report().kernel.route, Route::Lto);
  EXPECT_EQ(image.report().remaining_calls, std::vector<std::string>());
  EXPECT_EQ(image.report().resources.local_bytes, 0);
}

}  // namespace
}  // namespace graft::test
