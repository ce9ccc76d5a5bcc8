// Tests kernels of the user's own on a GPU: results, checks of a launch's arguments, entries, variables, launches by
// the caller's own means, stream capture, and devices.
#include <cuda.h>
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "gpu/c_launch.h"
#include "gpu/device.hpp"
#include "launch/device.hpp"
#include "own_kernels/subjects.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

class GpuOwnKernels : public Gpu {};

constexpr int kCount = 4'000;

// The callback that is linked in has the bits of the one that is written in.
TEST_F(GpuOwnKernels, HaveTheBitsOfWrittenIn) {
  struct Metric {
    float delta, weight;
  };
  constexpr int kQueries = 256, kPoints = 1024, kSize = 8;
  const DeviceArray<float> queries(random_numbers<float>(kQueries * kSize, 1));
  const DeviceArray<float> points(random_numbers<float>(kPoints * kSize, 2));
  std::vector<std::vector<int>> results;
  for (const Kernel& kernel : {Kernel::create(kNeighbours.with_slots(), kNeighbours.callbacks()),
                               Kernel::create(kNeighbours.written_in(), {})}) {
    const DeviceArray<int> nearest(std::vector<int>(kQueries, -1));
    kernel.launch({.grid = {kQueries / 128}, .block = {128}}, static_cast<const float*>(queries.data()),
                  static_cast<const float*>(points.data()), kPoints, nearest.data(), Metric{1.5f, 2.0f});
    check(cudaDeviceSynchronize());
    results.push_back(nearest.host());
    EXPECT_TRUE(nearest.guards_are_intact());
  }
  EXPECT_EQ(results[0], results[1]);
  const std::vector<float> a = queries.host(), b = points.host();
  for (int q = 0; q < kQueries; ++q) {
    float best = 3.0e38f;
    int place = -1;
    for (int p = 0; p < kPoints; ++p) {
      float sum = 0;
      for (int d = 0; d < kSize; ++d) {
        const float e = std::fabs(a[q * kSize + d] - b[p * kSize + d]);
        sum += 2.0f * (e < 1.5f ? 0.5f * e * e : 1.5f * (e - 0.75f));
      }
      if (sum < best) best = sum, place = p;
    }
    const int found = results[0][static_cast<std::size_t>(q)];
    if (found != place) {  // the GPU fuses products and sums, so that two points may change places
      float other = 0;
      for (int d = 0; d < kSize; ++d) {
        const float e = std::fabs(a[q * kSize + d] - b[found * kSize + d]);
        other += 2.0f * (e < 1.5f ? 0.5f * e * e : 1.5f * (e - 0.75f));
      }
      EXPECT_NEAR(other, best, 1e-4f * best) << q;
    }
  }
}

TEST_F(GpuOwnKernels, GiveTheSameOnEachRoute) {
  const KernelCode code =
      "struct Line { int a, b; };\n"
      "__device__ int f(int x, const Line& s);\n"
      "extern __device__ const int twice;\n"
      "__global__ void k(int* x, int count, const __grid_constant__ Line s) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) x[i] = twice * f(x[i], s);\n"
      "}\n";
  struct Line {
    int a, b;
  };
  const KernelCallbacks callbacks(
      {{"f", "struct Own { int a, b; };\n__device__ int f(int x, const Own& s) { return s.a * x + s.b; }"}},
      {{"twice", 2}});
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    std::vector<int> numbers(kCount);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    const DeviceArray<int> x(numbers);
    const Kernel kernel = Kernel::create(code, callbacks, {.routes = {.required = route}});
    EXPECT_EQ(kernel.report().kernel.route, route);
    kernel.launch({.grid = {(kCount + 127) / 128}, .block = {128}}, x.data(), kCount, Line{3, 7});
    check(cudaDeviceSynchronize());
    const std::vector<int> results = x.host();
    for (std::size_t i = 0; i < results.size(); ++i) ASSERT_EQ(results[i], 2 * (3 * numbers[i] + 7)) << i;
    float* const wrong = nullptr;
    EXPECT_EQ(error_of([&] { kernel.launch({}, wrong, kCount, Line{3, 7}); }).code(), ErrorCode::TypeMismatch);
  }
}

// An inline function of a header on each side: the GPU runs both.
TEST_F(GpuOwnKernels, HeadersOnBothSidesAreTwo) {
  const KernelCode code =
      "inline __device__ int helper(int x) { return 2 * x; }\n"
      "__device__ int f(int x);\n"
      "__global__ void k(int* x) { *x = helper(f(*x)); }\n";
  const Kernel kernel =
      Kernel::create(code, {{"f", "#include \"mine.h\"\n__device__ int f(int x) { return helper(x); }"}},
                     {.headers = {{"mine.h", "inline __device__ int helper(int x) { return 5 + x; }\n"}}});
  const DeviceArray<int> x(std::vector<int>{3});
  kernel.launch({}, x.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host()[0], 16);
}

TEST_F(GpuOwnKernels, LaunchAndAreCaptured) {
  const std::vector<float> x = random_numbers<float>(kCount, 1), y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in(x), other(y), out(std::vector<float>(kCount, 0.0f));
  const Kernel saxpy = Kernel::create(kSaxpy.with_slots(), kSaxpy.callbacks());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  saxpy.launch({.grid = {(kCount + 127) / 128}, .block = {128}, .stream = stream}, 2.0f,
               static_cast<const float*>(in.data()), static_cast<const float*>(other.data()), out.data(), kCount);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
  const std::vector<float> results = out.host();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(results[i], std::fma(2.0f, x[i], y[i])) << i;
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST_F(GpuOwnKernels, HandleAndFunctionServeTheCallersOwnLaunches) {
  const std::vector<float> x = random_numbers<float>(kCount, 1), y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in(x), other(y), out(std::vector<float>(kCount, 0.0f));
  const Kernel saxpy = Kernel::create(kSaxpy.with_slots(), kSaxpy.callbacks());
  float a = 3.0f;
  const float *first = in.data(), *second = other.data();
  float* result = out.data();
  int count = kCount;
  void* arguments[] = {&a, &first, &second, &result, &count};
  const dim3 grid((kCount + 127) / 128), block(128);
  check(cudaLaunchKernel(reinterpret_cast<const void*>(saxpy.handle()), grid, block, arguments, 0, nullptr));
  check(cudaDeviceSynchronize());
  std::vector<float> results = out.host();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(results[i], std::fma(3.0f, x[i], y[i])) << i;
  a = 5.0f;
  ASSERT_EQ(launch::driver().api().cuLaunchKernel(saxpy.function(), grid.x, 1, 1, block.x, 1, 1, 0, nullptr, arguments,
                                                  nullptr),
            CUDA_SUCCESS);
  check(cudaDeviceSynchronize());
  results = out.host();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(results[i], std::fma(5.0f, x[i], y[i])) << i;
}

TEST_F(GpuOwnKernels, ShareVariablesAndSlots) {
  const KernelCode code =
      "__device__ int calls;\n"
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void once(float* x) { *x = f(*x); atomicAdd(&calls, 1); }\n"
      "extern \"C\" __global__ void twice(float* x) { *x = f(f(*x)); atomicAdd(&calls, 2); }\n";
  const Kernel kernel = Kernel::create(code, {{"f", "[](float x) { return 3 * x; }"}});
  ASSERT_EQ(kernel.entries().size(), 2u);
  const DeviceArray<float> x(std::vector<float>{1});
  const DeviceSymbol calls = kernel.symbol("calls");
  ASSERT_EQ(calls.bytes, sizeof(int));
  check(cudaMemset(calls.pointer, 0, calls.bytes));
  kernel.entry("once").launch({}, x.data());
  kernel.entry("twice").launch({}, x.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host()[0], 27.0f);
  int count = 0;
  check(cudaMemcpy(&count, calls.pointer, sizeof count, cudaMemcpyDeviceToHost));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(error_of([&] { kernel.launch({}, x.data()); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { kernel.entry("thrice"); }).code(), ErrorCode::NoSuchEntry);
  EXPECT_EQ(error_of([&] { kernel.symbol("missing"); }).code(), ErrorCode::NoSuchSymbol);
}

TEST_F(GpuOwnKernels, WrongLaunchesLaunchNothing) {
  const DeviceArray<float> in(std::vector<float>(kCount, 1.0f)), out(std::vector<float>(kCount, 0.0f));
  const Kernel saxpy = Kernel::create(kSaxpy.with_slots(), kSaxpy.callbacks());
  const float* x = in.data();
  const KernelLaunch how = {.grid = {1}, .block = {32}};
  const auto launch = [&](const KernelLaunch& wrong, auto... arguments) {
    return error_of([&] { saxpy.launch(wrong, arguments...); });
  };
  Error error = launch(how, 1.0f, x, x, out.data());
  EXPECT_EQ(error.code(), ErrorCode::CountMismatch);
  EXPECT_EQ(error.message(), "saxpy takes 5 arguments, and the launch has 4");
  error = launch(how, 1.0, x, x, out.data(), 32);
  EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
  EXPECT_EQ(error.message(), "argument 1 of saxpy has 8 bytes, and the parameter has 4");
  EXPECT_EQ(launch({.grid = {1}, .block = {0}}, 1.0f, x, x, out.data(), 32).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(launch({.grid = {1}, .block = {1025}}, 1.0f, x, x, out.data(), 32).code(), ErrorCode::LaunchFailed);
  EXPECT_EQ(launch({.grid = {1}, .block = {32}, .shared_bytes = 1u << 20}, 1.0f, x, x, out.data(), 32).code(),
            ErrorCode::LaunchFailed);
  check(cudaDeviceSynchronize());
  for (const float value : out.host()) ASSERT_EQ(value, 0.0f);
}

TEST_F(GpuOwnKernels, MayHaveMuchSharedMemory) {
  const KernelCode code =
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void k(float* x) {\n"
      "  extern __shared__ float shared[];\n"
      "  for (int i = threadIdx.x; i < 16384; i += blockDim.x) shared[i] = f(i);\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) *x = shared[16383];\n"
      "}\n";
  const Kernel kernel = Kernel::create(code, {{"f", "[](float x) { return 2 * x; }"}});
  const DeviceArray<float> x(std::vector<float>{0});
  kernel.launch({.block = {256}, .shared_bytes = 16384 * sizeof(float)}, x.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host()[0], 32766.0f);
}

TEST_F(GpuOwnKernels, OccupancyAndAsync) {
  Pending<Kernel> pending = Kernel::create_async(kSaxpy.with_slots(), kSaxpy.callbacks());
  const Kernel saxpy = pending.get();
  EXPECT_GE(saxpy.blocks_per_multiprocessor({128}), 4);
  EXPECT_GT(saxpy.blocks_per_multiprocessor({64}), saxpy.blocks_per_multiprocessor({1024}));
  const Error error = error_of([] { Kernel::create_async(kSaxpy.with_slots(), {}).get(); });
  EXPECT_EQ(error.code(), ErrorCode::SlotEmpty);
}

// A pack of the kernel and one of the callback need nvJitLink alone, and a finished kernel only the driver.
TEST_F(GpuOwnKernels, PacksRunWithoutTools) {
  const Architecture here = launch::CurrentContext().architecture();
  const std::vector<float> x = random_numbers<float>(kCount, 1), y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in(x), other(y);
  const auto run = [&](const Kernel& saxpy) {
    const DeviceArray<float> out(std::vector<float>(kCount, 0.0f));
    saxpy.launch({.grid = {(kCount + 127) / 128}, .block = {128}}, 2.0f, static_cast<const float*>(in.data()),
                 static_cast<const float*>(other.data()), out.data(), kCount);
    check(cudaDeviceSynchronize());
    const std::vector<float> results = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(results[i], std::fma(2.0f, x[i], y[i])) << i;
  };
  const SlotCallback combine = kSaxpy.callbacks().front();
  const KernelCode code = KernelCode::pack(kSaxpy.with_slots().precompile({75}));
  const PartialToolkit linker(false, true), nothing(false, false);
  Engine linking({.cuda_path = linker.path(), .cache = {.policy = CachePolicy::MemoryOnly}});
  run(Kernel::create(linking, code,
                     {{combine.slot, Callback::pack(kSaxpy.with_slots().precompile_for(combine, {75}))}}));
  const KernelCode finished = KernelCode::pack(kSaxpy.with_slots()
                                                   .with_default(combine.slot, combine.callback)
                                                   .precompile({here}, PrecompileFormat::PackWithCubins));
  Engine loading({.cuda_path = nothing.path(), .cache = {.policy = CachePolicy::MemoryOnly}});
  run(Kernel::create(loading, finished, {}));
  EXPECT_EQ(error_of([&] { Kernel::create(loading, code, {combine}); }).code(), ErrorCode::ToolMissing);
}

TEST_F(GpuOwnKernels, FailedLaunchesNameTheLimit) {
  const Kernel kernel = Kernel::create(
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void __launch_bounds__(256) k(float* x) { __shared__ float a[64]; a[threadIdx.x & 63] = "
      "f(*x); __syncthreads(); *x = a[3]; }\n",
      {{"f", "[](float x) { return 2 * x; }"}});
  const DeviceArray<float> x(std::vector<float>{0});
  EXPECT_THAT(error_of([&] { kernel.launch({.block = {512}}, x.data()); }).what(),
              testing::HasSubstr("a thread block of it has at most 256 threads"));
  EXPECT_THAT(error_of([&] { kernel.launch({.block = {32}, .shared_bytes = 1u << 20}, x.data()); }).what(),
              testing::HasSubstr("bytes of dynamic shared memory on this device"));
  const KernelAttributes attributes = kernel.attributes();
  EXPECT_EQ(attributes.max_block_threads, 256);
  EXPECT_EQ(attributes.static_shared_bytes, 256u);
  EXPECT_GT(attributes.most_dynamic_shared_bytes, 60'000u);
  EXPECT_GT(attributes.registers, 0);
  kernel.launch({.block = {32}, .shared_bytes = static_cast<std::uint32_t>(attributes.most_dynamic_shared_bytes)},
                x.data());
  check(cudaDeviceSynchronize());
  EXPECT_THAT(error_of([&] {
                kernel.launch({.block = {32},
                               .shared_bytes = static_cast<std::uint32_t>(attributes.most_dynamic_shared_bytes) + 1},
                              x.data());
              }).what(),
              testing::HasSubstr("bytes of dynamic shared memory on this device"));
}

// The limit of one launch's shared memory does not change that of another thread's.
TEST_F(GpuOwnKernels, ThreadsLaunchWithDifferentSharedMemory) {
  const Kernel kernel = Kernel::create(
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void k(float* x, int last) {\n"
      "  extern __shared__ float shared[];\n"
      "  shared[last] = f(last);\n"
      "  *x = shared[last];\n"
      "}\n",
      {{"f", "[](float x) { return 2 * x; }"}});
  std::atomic<int> failures{0};
  const auto work = [&](int last) {
    check(cudaSetDevice(0));
    const DeviceArray<float> x(std::vector<float>{0});
    for (int i = 0; i < 200; ++i) try {
        kernel.launch({.shared_bytes = static_cast<std::uint32_t>(last + 1) * 4}, x.data(), last);
      } catch (const Error&) {
        ++failures;
      }
    check(cudaDeviceSynchronize());
    if (x.host()[0] != 2.0f * static_cast<float>(last)) ++failures;
  };
  std::thread first(work, 12'999), second(work, 24'999);
  first.join();
  second.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(GpuOwnKernels, ClustersAndCooperativeLaunches) {
  const KernelCode code =
      "#include <cooperative_groups.h>\n"
      "__device__ int f(int x);\n"
      "extern \"C\" __global__ void grid(int* x) {\n"
      "  x[blockIdx.x] = f(blockIdx.x);\n"
      "  cooperative_groups::this_grid().sync();\n"
      "  int sum = 0;\n"
      "  for (int i = 0; i < gridDim.x; ++i) sum += x[i];\n"
      "  if (threadIdx.x == 0 && blockIdx.x == 0) x[0] = sum;\n"
      "}\n"
      "extern \"C\" __global__ void cluster(int* x) {\n"
      "#if __CUDA_ARCH__ >= 900\n"
      "  unsigned size; asm(\"mov.u32 %0, %%cluster_nctaid.x;\" : \"=r\"(size));\n"
      "  x[blockIdx.x] = f(size);\n"
      "#endif\n"
      "}\n";
  const Kernel kernel = Kernel::create(code, {{"f", "[](int x) { return x + 1; }"}});
  const DeviceArray<int> x(std::vector<int>(8, 0));
  kernel.entry("grid").launch({.grid = {8}, .block = {32}, .cooperative = true}, x.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host()[0], 36);
  if (launch::CurrentContext().architecture().number < 90) return;
  kernel.entry("cluster").launch({.grid = {8}, .block = {32}, .cluster = Dim3{4}}, x.data());
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host(), std::vector<int>(8, 5));
}

TEST_F(GpuOwnKernels, TemplatesRun) {
  const Kernel kernel = Kernel::create(
      "struct S { float a, b; };\n"
      "__device__ float f(float x, const S& s);\n"
      "extern \"C\" __global__ void k(float* x, const __grid_constant__ S s) { *x = f(*x, s); }\n",
      {{"f",
        "struct Mine { float a, b; };\ntemplate <class T> __device__ T mine(T x, const Mine& s) { return x * s.a + "
        "s.b; }"}});
  struct S {
    float a, b;
  };
  const DeviceArray<float> x(std::vector<float>{3});
  kernel.launch({}, x.data(), S{2, 5});
  check(cudaDeviceSynchronize());
  EXPECT_EQ(x.host()[0], 11.0f);
}

TEST_F(GpuOwnKernels, LaunchFromC) {
  const DeviceArray<float> x(std::vector<float>(64, 2.0f)), y(std::vector<float>(64, 3.0f));
  const DeviceArray<float> out(std::vector<float>(64, 0.0f));
  const char* const problem =
      launch_from_c(kSaxpy.code, kSaxpy.fills.front().callback, 5, x.data(), y.data(), out.data());
  ASSERT_EQ(problem, nullptr) << problem;
  check(cudaDeviceSynchronize());
  EXPECT_EQ(out.host(), std::vector<float>(64, 13.0f));
}

// One kernel on two devices, launched from two threads.
TEST_F(GpuOwnKernels, RunOnEachDevice) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  const Kernel kernel =
      Kernel::create("__device__ float f(float x);\nextern \"C\" __global__ void k(float* x) { *x = f(*x); }\n",
                     {{"f", "[](float x) { return 7 * x; }"}});
  check(cudaSetDevice(1));
  {
    const DeviceArray<float> x(std::vector<float>{2});
    EXPECT_EQ(error_of([&] { kernel.launch({}, x.data()); }).code(), ErrorCode::NotPrepared);
  }
  kernel.prepare(1);
  std::vector<float> results(2);
  const auto work = [&](int device) {
    check(cudaSetDevice(device));
    const DeviceArray<float> x(std::vector<float>{2.0f + static_cast<float>(device)});
    for (int i = 0; i < 5; ++i) kernel.launch({}, x.data());
    check(cudaDeviceSynchronize());
    results[static_cast<std::size_t>(device)] = x.host()[0];
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(results, (std::vector<float>{2 * 16807.0f, 3 * 16807.0f}));
  check(cudaSetDevice(0));
}

}  // namespace
}  // namespace graft::test
