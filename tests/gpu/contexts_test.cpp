// Tests transforms across CUDA contexts, devices, streams and threads. Transforms run where they were prepared, throw
// NotPrepared elsewhere, and never change which context is current.
#include <cuda.h>

#include <stdexcept>
#include <thread>

#include "gpu/device.hpp"
#include "toolchain/driver.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 50'001;
constexpr const char* kTwice = "__device__ float twice(float x) { return 2 * x; }";

const toolchain::DriverFunctions& driver() {
  std::string why;
  const toolchain::Driver* found = toolchain::Driver::find(why);
  if (found == nullptr) throw std::runtime_error(why);
  return found->api();
}

CUcontext current_context() {
  CUcontext context = nullptr;
  if (driver().cuCtxGetCurrent(&context) != CUDA_SUCCESS) throw std::runtime_error("cuCtxGetCurrent");
  return context;
}

template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  check(cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault, &result));
  if (found == nullptr) throw std::runtime_error(name);
  return reinterpret_cast<Function*>(found);
}

// Owns a context made with cuCtxCreate, as an application would make it. The context is current while the object
// exists.
class DriverContext {
 public:
  DriverContext() {
    check(cudaFree(nullptr));
    using Create = CUresult(CUcontext*, CUctxCreateParams*, unsigned, CUdevice);
    if (driver_function<Create>("cuCtxCreate")(&context_, nullptr, 0, 0) != CUDA_SUCCESS)
      throw std::runtime_error("cuCtxCreate");
  }
  ~DriverContext() {
    driver_function<CUresult(CUcontext)>("cuCtxDestroy")(context_);
    cudaSetDevice(0);
  }
  DriverContext(const DriverContext&) = delete;
  DriverContext& operator=(const DriverContext&) = delete;

 private:
  CUcontext context_ = nullptr;
};

class GpuContexts : public Gpu {
 protected:
  // Runs a transform of floats in the current context and returns the last result.
  static float run(const Transform& transform, float x) {
    const DeviceArray<float> in(std::vector<float>(kCount, x));
    const DeviceArray<float> out(std::vector<float>(kCount, 0.0f));
    transform.execute(nullptr, in, out);
    return out.host()[kCount - 1];
  }
  static void expect_not_prepared(const Transform& transform) {
    const Error error = error_of([&] { run(transform, 1.0f); });
    EXPECT_EQ(error.code(), ErrorCode::NotPrepared) << error.what();
    EXPECT_NE(error.remedy().find("prepare"), std::string::npos);
  }
};

TEST_F(GpuContexts, MadeByTheDriversCalls) {
  const DriverContext context;
  EXPECT_EQ(run(Transform::create("__device__ float thrice(float x) { return 3 * x; }"), 4.0f), 12.0f);
}

TEST_F(GpuContexts, ExecuteNeedsAPreparedOne) {
  Transform t = Transform::create(kTwice);
  {
    const DriverContext context;
    expect_not_prepared(t);
    EXPECT_EQ(error_of([&] { t.symbol("x"); }).code(), ErrorCode::NotPrepared);
    t.prepare_current();
    EXPECT_EQ(run(t, 4.0f), 8.0f);
  }
  {
    const DriverContext another;  // may have the same address as the context that was destroyed above
    expect_not_prepared(t);
  }
  EXPECT_EQ(run(t, 5.0f), 10.0f);
}

// Equal requests share one Transform. Neither the current context nor an explicit list of devices makes a difference.
TEST_F(GpuContexts, EqualRequestsShareOneTransform) {
  Engine engine;
  const Transform first = Transform::create(engine, kTwice, {.devices = {0}});
  const Transform again = Transform::create(engine, kTwice, {.devices = {0}});
  EXPECT_EQ(&first.report(), &again.report());
  EXPECT_EQ(engine.counters().loads, 1u);
  EXPECT_EQ(engine.counters().memory_hits, 1u);
  const Transform here = Transform::create(engine, kTwice);
  {
    const DriverContext context;
    const Transform there = Transform::create(engine, kTwice);
    EXPECT_EQ(&here.report(), &there.report());
    EXPECT_EQ(run(there, 4.0f), 8.0f);
    EXPECT_EQ(run(here, 4.0f), 8.0f) << "the create of `there` must prepare the shared transform in this context";
  }
  EXPECT_EQ(run(here, 5.0f), 10.0f);
  EXPECT_EQ(engine.counters().loads, 1u);
}

TEST_F(GpuContexts, ManyInTurn) {
  Transform t = Transform::create(kTwice);
  for (int i = 0; i < 20; ++i) {
    const DriverContext context;
    t.prepare_current();
    EXPECT_EQ(run(t, 4.0f), 8.0f);
  }
  t.prepare(0);
  EXPECT_EQ(run(t, 5.0f), 10.0f);
}

TEST_F(GpuContexts, ThreadWithoutOne) {
  Transform t = Transform::create(kTwice);
  std::thread([&] {
    ASSERT_EQ(current_context(), nullptr);
    const Transform made_here = Transform::create("__device__ float made_here(float x) { return x; }");
    t.prepare(0);
    EXPECT_EQ(current_context(), nullptr) << "create and prepare leave the current context as it was";

    float* const nowhere = nullptr;
    const Error error = error_of([&] { t.execute(nullptr, {nowhere, 0}, {nowhere, 0}); });
    EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
    EXPECT_NE(error.remedy().find("cudaSetDevice"), std::string::npos);

    check(cudaSetDevice(0));
    EXPECT_EQ(run(t, 4.0f), 8.0f);
    EXPECT_EQ(run(made_here, 4.0f), 4.0f);
  }).join();
}

TEST_F(GpuContexts, EveryKindOfStream) {
  const Transform t = Transform::create(kTwice);
  cudaStream_t blocking = nullptr;
  cudaStream_t independent = nullptr;
  check(cudaStreamCreate(&blocking));
  check(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking));
  for (const cudaStream_t stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread, blocking, independent}) {
    const DeviceArray<float> in(std::vector<float>(kCount, 4.0f));
    const DeviceArray<float> out(std::vector<float>(kCount, 0.0f));
    check(cudaDeviceSynchronize());
    t.execute(stream, in, out);
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(out.host()[kCount - 1], 8.0f);
  }
  check(cudaStreamDestroy(blocking));
  check(cudaStreamDestroy(independent));
}

TEST_F(GpuContexts, TwoDevices) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Transform both = Transform::create(kTwice, {.devices = {0, 1}});
  Transform later = Transform::create("__device__ float half_of(float x) { return x / 2; }");
  check(cudaSetDevice(1));
  EXPECT_EQ(run(both, 4.0f), 8.0f);
  expect_not_prepared(later);
  later.prepare(1);
  EXPECT_EQ(run(later, 4.0f), 2.0f);
  check(cudaSetDevice(0));
  EXPECT_EQ(run(both, 4.0f), 8.0f);
  EXPECT_EQ(run(later, 4.0f), 2.0f);
}

TEST_F(GpuContexts, NoSuchDevice) {
  Transform t = Transform::create(kTwice);
  EXPECT_EQ(error_of([&] { t.prepare(1000); }).code(), ErrorCode::NoDevice);
  EXPECT_EQ(error_of([] { Transform::create(kTwice, {.devices = {1000}}); }).code(), ErrorCode::NoDevice);
}

TEST_F(GpuContexts, ImageOfAnotherArchitecture) {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major == 7) GTEST_SKIP() << "this device may run kernels for sm_75";
  const Error error = error_of([] { Transform::create(kTwice, {.architecture = Architecture(75)}); });
  EXPECT_EQ(error.code(), ErrorCode::DriverFailed);
  EXPECT_NE(error.message().find("built for sm_75"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("architecture"), std::string::npos) << error.what();
  EXPECT_FALSE(error.versions().empty());
}

}  // namespace
}  // namespace graft::test
