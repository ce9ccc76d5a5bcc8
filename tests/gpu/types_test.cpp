// Tests the types that callbacks share with host code (half, bfloat16, bool, enums, vector types, textures) and the
// ways to write a callback (lambda, functor, template instance, overload). Host and device must agree on each type's
// layout.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 600'011;

class GpuTypes : public Gpu {};

template <class In, class Out, class Reference>
void check_unary(const Callback& callback, const std::vector<In>& x, Reference reference, const Options& options = {}) {
  const Transform t = Transform::create(callback, options);
  const DeviceArray<In> in(x);
  const DeviceArray<Out> out(random_bytes<Out>(x.size(), 1));
  t.execute(nullptr, in, out);
  std::vector<Out> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = reference(x[i]);
  EXPECT_TRUE(same_bytes(out.host(), expected)) << t.report().to_text();
}

TEST_F(GpuTypes, HalfWithoutIncludePath) {
  std::vector<__half> x;
  for (const float value : random_numbers<float>(kCount, 1)) x.push_back(__float2half(value));
  check_unary<__half, __half>("__device__ __half f(__half x) { return __hneg(x); }", x,
                              [](__half h) { return __float2half(-__half2float(h)); });
}

TEST_F(GpuTypes, Bfloat16WithoutIncludePath) {
  std::vector<__nv_bfloat16> x;
  for (const float value : random_numbers<float>(kCount, 1)) x.push_back(__float2bfloat16(value));
  check_unary<__nv_bfloat16, float>("#include <cuda_bf16.h>\n__device__ float f(__nv_bfloat16 x) { return x; }", x,
                                    [](__nv_bfloat16 h) { return __bfloat162float(h); });
}

TEST_F(GpuTypes, Bool) {
  const Transform t = Transform::create("__device__ bool both(int x, bool b) { return b && x > 0; }");
  const auto x = random_bytes<int>(kCount, 1);
  std::vector<unsigned char> flags = random_bytes<unsigned char>(kCount, 2);
  for (unsigned char& flag : flags) flag &= 1;
  const DeviceArray<int> in(x);
  const DeviceArray<unsigned char> b(flags);  // made from unsigned char, because std::vector<bool> stores bits
  const DeviceArray<unsigned char> out(random_bytes<unsigned char>(kCount, 3));
  const std::span<bool> b_bool(reinterpret_cast<bool*>(b.data()), kCount);
  t.execute(nullptr, inputs(in, b_bool), {reinterpret_cast<bool*>(out.data()), kCount});
  const auto values = out.host();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], flags[i] && x[i] > 0);
}

enum class Colour : std::uint16_t { Red = 1, Blue = 700 };

TEST_F(GpuTypes, Enum) {
  std::vector<Colour> x(kCount, Colour::Red);
  for (std::size_t i = 0; i < kCount; i += 3) x[i] = Colour::Blue;
  check_unary<Colour, std::uint64_t>(
      "enum class Colour : uint16_t { Red = 1, Blue = 700 };"
      "__device__ uint64_t number(Colour c) { return c == Colour::Blue ? 1ull << 40 : 5; }",
      x, [](Colour c) { return c == Colour::Blue ? std::uint64_t{1} << 40 : std::uint64_t{5}; });
}

TEST_F(GpuTypes, Float4) {
  std::vector<float4> x(kCount);
  const auto random = random_numbers<float>(4 * kCount, 1);
  std::memcpy(x.data(), random.data(), kCount * sizeof(float4));
  check_unary<float4, float4>("__device__ float4 swap(float4 v) { return make_float4(v.w, v.z, v.y, v.x); }", x,
                              [](float4 v) {
                                return float4{v.w, v.z, v.y, v.x};
                              });
}

TEST_F(GpuTypes, Lambda) {
  check_unary<float, float>("[](float x) { return 2 * x; }", random_numbers<float>(kCount, 1),
                            [](float x) { return 2 * x; });
}

TEST_F(GpuTypes, Functor) {
  check_unary<int, int>("struct Add { int n; __device__ int operator()(int x) const { return x + n; } };",
                        random_numbers<int>(kCount, 1), [](int x) { return x + 5; }, {.entry = "Add{5}"});
}

TEST_F(GpuTypes, TemplateInstance) {
  check_unary<double, double>("template <class T> __device__ T twice(T x) { return 2 * x; }",
                              random_numbers<double>(kCount, 1), [](double x) { return 2 * x; },
                              {.entry = "twice<double>"});
}

TEST_F(GpuTypes, OverloadByDeclaredSignature) {
  const Callback callback("__device__ int f(int x) { return x + 1; } __device__ float f(float x) { return x - 1; }");
  const Transform t = Transform::create<float(float)>(callback);
  const DeviceArray<float> in(std::vector<float>(kCount, 3.0f));
  const DeviceArray<float> out(std::vector<float>(kCount, 0.0f));
  t.execute(nullptr, in, out);
  EXPECT_EQ(out.host()[kCount - 1], 2.0f);
}

TEST_F(GpuTypes, TextureInState) {
  const std::vector<float> texels = random_numbers<float>(256, 1);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMallocArray(&array, &format, texels.size()));
  check(
      cudaMemcpy2DToArray(array, 0, 0, texels.data(), texels.size() * 4, texels.size() * 4, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));

  const Transform t = Transform::create(
      "struct State { cudaTextureObject_t texture; };"
      "__device__ float look(unsigned char k, const State& s) { return tex1D<float>(s.texture, k + 0.5f); }");
  const auto k = random_bytes<unsigned char>(kCount, 2);
  const DeviceArray<unsigned char> in(k);
  const DeviceArray<float> out(std::vector<float>(kCount, 0.0f));
  struct State {
    cudaTextureObject_t texture;
  };
  t.execute(nullptr, in, out, State{texture});
  const auto values = out.host();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], texels[k[i]]);
  check(cudaDestroyTextureObject(texture));
  check(cudaFreeArray(array));
}

}  // namespace
}  // namespace graft::test
