// Runs callbacks that print, assert, use __device__ variables and recurse, on every route. These features need parts of
// the CUDA runtime (printf buffer, stack, variables) that could be lost when the callback is linked into a kernel.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 300'000;

class GpuBodies : public Gpu {
 protected:
  template <class Check>
  static void on_every_route(const Callback& callback, Check check_one) {
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(name(route));
      Options options;
      options.routes.required = route;
      check_one(Transform::create(callback, options));
    }
  }
};

TEST_F(GpuBodies, Print) {
  on_every_route(R"(__device__ float f(float x) { if (x == 77) printf("met %d\n", (int)x); return x; })",
                 [](const Transform& transform) {
                   std::vector<float> x(kCount, 1);
                   x[5000] = 77;
                   const DeviceArray<float> in(x);
                   const DeviceArray<float> out(x);
                   testing::internal::CaptureStdout();
                   transform.execute(nullptr, in, out);
                   check(cudaDeviceSynchronize());
                   EXPECT_EQ(testing::internal::GetCapturedStdout(), "met 77\n");
                   EXPECT_EQ(out.host(), x);
                 });
}

TEST_F(GpuBodies, KeepVariables) {
  on_every_route("__device__ unsigned count; __device__ float f(float x) { atomicAdd(&count, 1u); return x; }",
                 [](const Transform& transform) {
                   const DeviceArray<float> array(std::vector<float>(kCount, 1));
                   unsigned before = 0;
                   unsigned behind = 0;
                   const auto read = [&](unsigned& count) {
                     check(cudaMemcpy(&count, transform.symbol("count").pointer, sizeof count, cudaMemcpyDeviceToHost));
                   };
                   read(before);
                   transform.execute(nullptr, array, array);
                   read(behind);
                   EXPECT_EQ(behind - before, kCount);
                 });
}

// Only the caller can know how much stack a recursion needs, so the test sets CUDA's limit, which is 1 KiB per thread
// by default.
TEST_F(GpuBodies, CallThemselves) {
  check(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  on_every_route("__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }",
                 [](const Transform& transform) {
                   EXPECT_FALSE(transform.report().inlined());
                   const DeviceArray<int> in(std::vector<int>{0, 1, 5, 10, 12});
                   const DeviceArray<int> out(std::vector<int>(5));
                   transform.execute(nullptr, in, out);
                   EXPECT_EQ(out.host(), (std::vector<int>{0, 1, 5, 55, 144}));
                 });
}

// A failed assertion destroys the CUDA context. Each assertion therefore runs in a new process, which runs only this
// test of this program.
TEST_F(GpuBodies, AssertInAProcessOfTheirOwn) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    EXPECT_EXIT(
        {
          Options options;
          options.routes.required = route;
          const Transform transform = Transform::create(
              "#include <cassert>\n__device__ float f(float x) { assert(x >= 0); return x; }", options);
          const DeviceArray<float> good(std::vector<float>(kCount, 1));
          transform.execute(nullptr, good, good);
          const bool passes = cudaDeviceSynchronize() == cudaSuccess;
          const DeviceArray<float> bad(std::vector<float>(kCount, -1));
          transform.execute(nullptr, bad, bad);
          const bool fails = cudaDeviceSynchronize() == cudaErrorAssert;
          std::_Exit(passes && fails ? 0 : 1);
        },
        testing::ExitedWithCode(0), "x >= 0");
  }
}

}  // namespace
}  // namespace graft::test
