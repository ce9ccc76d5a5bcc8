// Runs chains, and load and store callbacks, on a GPU on every route. The same load callback also runs in a cuFFT plan.
// The plan must compute the same as graft's load callback followed by a plan without callbacks.
#include <dlfcn.h>
#include <fmt/format.h>

#include <complex>
#include <cstdint>

#include "gpu/device.hpp"

#if __has_include(<cufftXt.h>)
#include <cufftXt.h>
#endif

namespace graft::test {
namespace {

constexpr std::size_t kCount = 600'003;

class GpuCompositions : public Gpu {
 protected:
  static Options by(Route route) {
    Options options;
    options.routes.required = route;
    options.floating_point.contraction = false;
    return options;
  }
};

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

TEST_F(GpuCompositions, ChainsComputeTheComposition) {
  const auto x = random_numbers<float>(kCount, 1);
  const auto y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in_x(x);
  const DeviceArray<float> in_y(y, 1);
  const Callback whole = chain("__device__ float f(float x) { return 3 * x; }",
                               "__device__ float f(float x, float y, const float& a) { return x * y + a; }",
                               "__device__ float f(float x, graft::Index i) { return x - i.value; }");
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(whole, by(route));
    const DeviceArray<float> out(random_bytes<float>(kCount, 3));
    transform.execute(nullptr, graft::inputs(in_x, in_y), out, 0.25f);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 3 * x[i] * y[i] + 0.25f - static_cast<float>(i)) << i;
    EXPECT_TRUE(out.guards_are_intact());
  }
}

// This load callback reads bytes and scales them by a number that the caller passes. If the request asks for shared
// memory, `shared` must point to shared memory.
constexpr const char* kLoad =
    "__device__ float load(void* data, unsigned long long offset, void* info, void* shared) {\n"
    "  float scale = *static_cast<float*>(info);\n"
    "  if (shared) { static_cast<float*>(shared)[threadIdx.x] = scale; scale = "
    "static_cast<float*>(shared)[threadIdx.x]; }\n"
    "  return static_cast<signed char*>(data)[offset] * scale;\n}";
constexpr const char* kStore =
    "__device__ void store(void* data, unsigned long long offset, float element, void* info, void*) {\n"
    "  static_cast<short*>(data)[offset] = element + *static_cast<int*>(info);\n}";

TEST_F(GpuCompositions, LoadAndStoreCallbacksMoveTheirOwnData) {
  const auto x = random_bytes<std::int8_t>(kCount, 1);
  const DeviceArray<std::int8_t> in(x, 3);
  const DeviceArray<float> scale(std::vector<float>{10});
  const DeviceArray<int> shift(std::vector<int>{5});
  const CallerInfo info{.load = scale.data(), .store = shift.data()};
  for (const Route route : kRoutes) {
    for (const int shared_bytes : {0, 1024}) {
      SCOPED_TRACE(fmt::format("{}, {} bytes of shared memory", name(route), shared_bytes));
      Options options = by(route);
      options.shared_bytes = shared_bytes;
      const Transform transform = Transform::create(
          Stages{.load = kLoad, .op = "__device__ float f(float x) { return x + 1; }", .store = kStore}, options);
      const DeviceArray<std::int16_t> out(random_bytes<std::int16_t>(kCount, 2), 1);
      transform.execute(nullptr, in, out, info);
      const auto values = out.host();
      for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 10 * x[i] + 6) << i;
      EXPECT_TRUE(out.guards_are_intact());
    }
  }
}

// A kernel from a pack or an image uses the shared memory size with which it was built. The request does not give the
// size again.
TEST_F(GpuCompositions, PacksAndImagesBringTheirSharedMemory) {
  const auto x = random_bytes<std::int8_t>(kCount, 1);
  const DeviceArray<std::int8_t> in(x, 3);
  const DeviceArray<float> scale(std::vector<float>{10});
  const CallerInfo info{.load = scale.data()};
  Options options;
  options.shared_bytes = 256 * sizeof(float);
  const Callback source(Stages{.load = kLoad});
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const Architecture here(device.major * 10 + device.minor);
  const std::vector<std::byte> bytes = source.precompile({here}, PrecompileFormat::PackWithCubins, options);
  for (const Transform& transform :
       {Transform::create(Callback::pack(bytes)), Transform::load(build(source, here, options))}) {
    const DeviceArray<float> out(random_bytes<float>(kCount, 2));
    EXPECT_EQ(transform.launch_parameters(in, out, {}, info)->shared_bytes, 1024u);
    transform.execute(nullptr, in, out, info);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 10.0f * x[i]) << i;
  }
}

#if __has_include(<cufftXt.h>)

struct Cufft {
  void* library = dlopen("libcufft.so.12", RTLD_NOW);
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
};

// Runs cuFFT plans that link the callback, once as LTO-IR and once as a fatbin. These are the two forms that cuFFT
// accepts.
void check_cufft_plans(const Cufft& cufft, const char* source, const DeviceArray<std::complex<float>>& in,
                       const DeviceArray<float>& window, const std::vector<std::complex<float>>& expected) {
  const auto must = [](cufftResult result) { ASSERT_EQ(result, CUFFT_SUCCESS); };
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const Architecture here(device.major * 10 + device.minor);
  const int size = static_cast<int>(expected.size());
  for (const PrecompileFormat format : {PrecompileFormat::LtoIr, PrecompileFormat::Fatbin}) {
    SCOPED_TRACE(name(format));
    // The plan refers to `code`, which must stay valid until the plan is made.
    const std::vector<std::byte> code = Callback(source).precompile({here}, format);
    const DeviceArray<std::complex<float>> out(random_bytes<std::complex<float>>(expected.size(), 3));
    cufftHandle plan = 0;
    std::size_t work = 0;
    void* info = window.data();
    must(cufft.find<decltype(cufftCreate)>("cufftCreate")(&plan));
    must(cufft.find<decltype(cufftXtSetJITCallback)>("cufftXtSetJITCallback")(plan, "window", code.data(), code.size(),
                                                                              CUFFT_CB_LD_COMPLEX, &info));
    must(cufft.find<decltype(cufftMakePlan1d)>("cufftMakePlan1d")(plan, size, CUFFT_C2C, 1, &work));
    must(cufft.find<decltype(cufftExecC2C)>("cufftExecC2C")(
        plan, reinterpret_cast<cufftComplex*>(in.data()), reinterpret_cast<cufftComplex*>(out.data()), CUFFT_FORWARD));
    check(cudaDeviceSynchronize());
    const auto found = out.host();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_LE(std::abs(found[i] - expected[i]), 1e-6f * 100 * static_cast<float>(size)) << i;
    cufft.find<decltype(cufftDestroy)>("cufftDestroy")(plan);
  }
}

TEST_F(GpuCompositions, ACufftPlanTakesTheSameLoadCallback) {
  const Cufft cufft;
  if (cufft.library == nullptr) GTEST_SKIP() << "no cuFFT: " << dlerror();
  constexpr int kSize = 4096;
  const char* source =
      "__device__ float2 window(void* data, unsigned long long offset, void* info, void*) {\n"
      "  const float2 z = static_cast<float2*>(data)[offset];\n"
      "  const float w = static_cast<float*>(info)[offset];\n"
      "  return float2{z.x * w, z.y * w};\n}";
  const auto numbers = random_numbers<float>(2 * kSize, 1);
  std::vector<std::complex<float>> z(kSize);
  std::memcpy(static_cast<void*>(z.data()), numbers.data(), kSize * sizeof z[0]);
  const DeviceArray<std::complex<float>> in(z);
  const DeviceArray<float> window(random_numbers<float>(kSize, 2, 0, 1));
  const DeviceArray<std::complex<float>> windowed(random_bytes<std::complex<float>>(kSize, 3));
  const DeviceArray<std::complex<float>> by_graft(random_bytes<std::complex<float>>(kSize, 3));
  const auto complex = [](const auto& array) { return reinterpret_cast<cufftComplex*>(array.data()); };
  const auto must = [](cufftResult result) { ASSERT_EQ(result, CUFFT_SUCCESS); };

  // The reference: graft's load callback, followed by a plan without a callback.
  Transform::create(Stages{.load = source}).execute(nullptr, in, windowed, CallerInfo{.load = window.data()});
  cufftHandle plain = 0;
  must(cufft.find<decltype(cufftPlan1d)>("cufftPlan1d")(&plain, kSize, CUFFT_C2C, 1));
  must(cufft.find<decltype(cufftExecC2C)>("cufftExecC2C")(plain, complex(windowed), complex(by_graft), CUFFT_FORWARD));

  check(cudaDeviceSynchronize());
  check_cufft_plans(cufft, source, in, window, by_graft.host());
  cufft.find<decltype(cufftDestroy)>("cufftDestroy")(plain);
}

#endif

}  // namespace
}  // namespace graft::test
