// Tests lifetimes and sharing. A kernel stays loaded after the Transform that launched it is destroyed, threads share
// kernels, equal images share their __device__ variables, and release_unused unloads only unused kernels.
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <thread>

#include "core/image_data.hpp"
#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 24;

class GpuLifetime : public Gpu {};

TEST_F(GpuLifetime, CreateAndExecuteInOneExpression) {
  const DeviceArray<float> in(random_numbers<float>(kLarge, 1));
  const DeviceArray<float> out(std::vector<float>(kLarge, 0.0f));
  for (int i = 0; i < 20; ++i)
    Transform::create("__device__ float temporary(float x) { return x + " + std::to_string(i % 3) + "; }")
        .execute(nullptr, in, out);
  check(cudaDeviceSynchronize());
  const auto x = in.host();
  const auto y = out.host();
  // The last transform was made with i == 19 and adds 19 % 3 == 1.
  for (std::size_t i = 0; i < kLarge; i += 1001) ASSERT_EQ(y[i], x[i] + 1);
}

TEST_F(GpuLifetime, SixteenThreadsCreateAndExecute) {
  Engine engine;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int k = 0; k < 16; ++k)
    threads.emplace_back([&, k] {
      try {
        check(cudaSetDevice(0));
        const int factor = 1 + k % 4;  // four threads share each kernel
        const Transform t =
            Transform::create(engine, "__device__ int f(int x) { return x * " + std::to_string(factor) + "; }");
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const DeviceArray<int> in(std::vector<int>(10'000, 7));
        const DeviceArray<int> out(std::vector<int>(10'000, 0));
        for (int i = 0; i < 100; ++i) t.execute(stream, in, out);
        check(cudaStreamSynchronize(stream));
        for (const int value : out.host())
          if (value != 7 * factor) ++failures;
        check(cudaStreamDestroy(stream));
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(engine.counters().builds, 4u);
  EXPECT_EQ(engine.counters().loads, 4u);
}

TEST_F(GpuLifetime, EqualRequestsOfManyThreadsShareOneTransform) {
  Engine engine;
  const std::string source = "__device__ int shared(int x) { return x * 13; }";
  std::array<const Report*, 8> reports = {};
  std::vector<std::jthread> threads;
  for (const Report*& report : reports)
    threads.emplace_back([&] {
      check(cudaSetDevice(0));
      report = &Transform::create(engine, source).report();
    });
  threads.clear();
  for (const Report* const report : reports) EXPECT_EQ(report, &Transform::create(engine, source).report());
  EXPECT_EQ(engine.counters().loads, 1u);
}

TEST_F(GpuLifetime, VariablesAreSharedByEqualImages) {
  const std::string source =
      "__constant__ float factor = 2.0f; __device__ unsigned long long calls;"
      "__device__ float f(float x) { atomicAdd(&calls, 1ull); return factor * x; }";
  const Transform a = Transform::create(source);
  const Transform b = Transform::create(source);
  const DeviceSymbol factor = a.symbol("factor");
  const DeviceSymbol calls = b.symbol("calls");
  EXPECT_EQ(factor.bytes, sizeof(float));
  EXPECT_EQ(calls.bytes, sizeof(unsigned long long));
  EXPECT_EQ(b.symbol("factor").pointer, factor.pointer);
  const float five = 5.0f;
  check(cudaMemcpy(factor.pointer, &five, sizeof five, cudaMemcpyHostToDevice));
  const DeviceArray<float> in(std::vector<float>(1003, 3.0f));
  const DeviceArray<float> out(std::vector<float>(1003, 0.0f));
  b.execute(nullptr, in, out);
  EXPECT_EQ(out.host()[1002], 15.0f);
  unsigned long long counted = 0;
  check(cudaMemcpy(&counted, calls.pointer, sizeof counted, cudaMemcpyDeviceToHost));
  EXPECT_EQ(counted, 1003u) << "one call for each element";
  try {
    a.symbol("nothing");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NoSuchSymbol);
  }
}

TEST_F(GpuLifetime, ReleaseUnusedUnloadsOnlyTheUnused) {
  Engine engine;
  const Transform kept = Transform::create(engine, "__device__ int kept(int x) { return x + 1; }");
  const std::weak_ptr<const Image::Data> gone =
      Image::Data::of(Transform::create(engine, "__device__ int gone(int x) { return x + 2; }").image());
  EXPECT_EQ(engine.release_unused(), 1u);
  EXPECT_TRUE(gone.expired());
  const DeviceArray<int> in(std::vector<int>(100, 7));
  const DeviceArray<int> out(std::vector<int>(100, 0));
  kept.execute(nullptr, in, out);
  Transform::create(engine, "__device__ int gone(int x) { return x + 2; }").execute(nullptr, in, in);
  EXPECT_EQ(out.host()[99], 8);
  EXPECT_EQ(in.host()[99], 9);
}

TEST_F(GpuLifetime, ImagesLoad) {
  const Transform made = Transform::create("__device__ int f(int x) { return x * 11; }");
  const Transform loaded = Transform::load(made.image());
  const DeviceArray<int> in(std::vector<int>(100, 2));
  const DeviceArray<int> out(std::vector<int>(100, 0));
  loaded.execute(nullptr, in, out);
  EXPECT_EQ(out.host()[99], 22);
  EXPECT_GT(made.report().resources.registers, 0);
}

TEST_F(GpuLifetime, HeavyCallbackRunsInTheBodyThatDoesNotSpill) {
  const Transform t = Transform::create(
      "__device__ float heavy(float x) {\n#pragma unroll\nfor (int i = 0; i < 64; ++i) x = sinf(x) + 0.5f; return x; "
      "}");
  const auto x = random_numbers<float>(5000, 1);
  const DeviceArray<float> in(x);
  const DeviceArray<float> out(std::vector<float>(5000, 0.0f));
  t.execute(nullptr, in, out);
  const auto y = out.host();
  for (std::size_t i = 0; i < x.size(); ++i) {
    double want = x[i];
    for (int k = 0; k < 64; ++k) want = std::sin(want) + 0.5;
    ASSERT_NEAR(y[i], want, 1e-4) << t.report().to_text();
  }
}

}  // namespace
}  // namespace graft::test
