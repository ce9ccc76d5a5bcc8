// Tests on a GPU that the device memory of Ffts is given back, and that queued calls and captured graphs keep what they
// need. tests/scenarios/memory tests the same rules with a test double of the driver.
#include <cuda_runtime.h>

#include <optional>
#include <string>
#include <thread>

#include "families/fft/fft_test.hpp"
#include "gpu/device.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

using graft_fft::Complex;

constexpr std::int64_t kLength = 131072;
constexpr std::size_t kBatch = 128, kWorkspace = kBatch * kLength * 8;  // 64 MiB
constexpr std::size_t kSlack = std::size_t{32} << 20;                   // what the driver may keep for itself

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaDeviceSynchronize());
  check(cudaMemGetInfo(&free, &total));
  return free;
}

Fft create() {
  return Fft::create({.length = kLength, .directions = FftDirections::Forward, .batch = kBatch});
}

class GpuFftMemory : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    check(cudaSetDevice(0));
    in_.emplace(random_numbers<float>(2 * kBatch * kLength, 1));
    out_.emplace(std::vector<float>(2 * kBatch * kLength, 0.0F));
    execute(create(), nullptr);
    expected_ = out_->host();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    clear();
  }
  void TearDown() override {
    if (stream_ != nullptr) check(cudaStreamDestroy(stream_));
    Gpu::TearDown();
  }

  void execute(const Fft& fft, cudaStream_t stream) {
    const auto points = [](const DeviceArray<float>& array) {
      return ArrayRef(array.data(), kBatch * kLength, element_type<std::complex<float>>());
    };
    fft.execute(stream, points(*in_), points(*out_));
  }
  void clear() {
    check(cudaMemset(out_->data(), 0, out_->size() * sizeof(float)));
    check(cudaDeviceSynchronize());
  }
  // Overwrites the device memory that is free, where a workspace may have been.
  static void scribble() {
    void* memory = nullptr;
    check(cudaMalloc(&memory, 4 * kWorkspace));
    check(cudaMemset(memory, 0xff, 4 * kWorkspace));
    check(cudaDeviceSynchronize());
    check(cudaFree(memory));
  }
  cudaGraphExec_t instantiated(cudaGraph_t graph) {
    cudaGraphExec_t ready = nullptr;
    check(cudaGraphInstantiate(&ready, graph, 0));
    return ready;
  }

  std::optional<DeviceArray<float>> in_, out_;
  std::vector<float> expected_;
  cudaStream_t stream_ = nullptr;
};

TEST_F(GpuFftMemory, AThousandCreatesKeepNothing) {
  const std::size_t before = free_bytes();
  for (int i = 0; i < 1000; ++i) {
    const Fft fft = create();
    if (i % 100 == 0) {
      EXPECT_LE(free_bytes() + kWorkspace, before + kSlack) << "the Fft should have a workspace";
    }
  }
  EXPECT_GE(free_bytes() + kSlack, before);
}

// Kernels and their tables are the engine's, and are given back by release_unused.
TEST_F(GpuFftMemory, ReleaseUnusedGivesKernelsAndTablesBack) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const auto round = [&](int first) {
    for (int i = first; i < first + 20; ++i)
      Fft::create(engine, {.length = 1'000'000, .directions = FftDirections::Forward, .batch = 8},
                  {.load = "__device__ float2 f(float2 z) { z.x += " + std::to_string(i) + "; return z; }"});
    return engine.release_unused();
  };
  EXPECT_EQ(round(0), 40U);
  const std::size_t before = free_bytes();
  EXPECT_EQ(round(100), 40U);
  EXPECT_GE(free_bytes() + kSlack, before);
}

TEST_F(GpuFftMemory, IsKeptForQueuedCalls) {
  for (int round = 0; round < 20; ++round) {
    clear();
    {
      const Fft fft = create();
      for (int i = 0; i < 50; ++i) execute(fft, stream_);
    }
    scribble();
    check(cudaStreamSynchronize(stream_));
    ASSERT_TRUE(same_bytes(out_->host(), expected_)) << round;
  }
}

TEST_F(GpuFftMemory, IsKeptByACapturedGraph) {
  const std::size_t before = free_bytes();
  cudaGraph_t graph = nullptr;
  {
    const Fft fft = create();
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    execute(fft, stream_);
    check(cudaStreamEndCapture(stream_, &graph));
  }
  EXPECT_LE(free_bytes() + kWorkspace, before + kSlack) << "the graph must keep the workspace";
  cudaGraphExec_t ready = instantiated(graph);
  check(cudaGraphDestroy(graph));
  scribble();
  for (int replay = 0; replay < 3; ++replay) {
    clear();
    check(cudaGraphLaunch(ready, stream_));
    if (replay == 2) check(cudaGraphExecDestroy(ready));  // while it runs
    check(cudaStreamSynchronize(stream_));
    ASSERT_TRUE(same_bytes(out_->host(), expected_)) << replay;
  }
  // CUDA tells the end of a graph in a thread of its own, some time later.
  std::size_t after = 0;
  for (int wait = 0; wait < 1000 && after + kSlack < before; ++wait) {
    check(cudaDeviceSynchronize());
    Engine::shared().release_unused();
    after = free_bytes();
  }
  EXPECT_GE(after + kSlack, before);
}

// The Fft that is destroyed has no part in the capture, whose mode forbids this thread to free memory.
TEST_F(GpuFftMemory, IsFreedWhileAnotherStreamIsCaptured) {
  const std::size_t before = free_bytes();
  const Fft captured = create();
  std::optional<Fft> other = create();
  execute(*other, nullptr);
  check(cudaDeviceSynchronize());
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  execute(captured, stream_);
  other.reset();
  check(cudaStreamEndCapture(stream_, &graph));
  cudaGraphExec_t ready = instantiated(graph);
  clear();
  check(cudaGraphLaunch(ready, stream_));
  check(cudaStreamSynchronize(stream_));
  EXPECT_TRUE(same_bytes(out_->host(), expected_));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
  create();
  EXPECT_GE(free_bytes() + kWorkspace + kSlack, before) << "`captured` has a workspace, `other` has none";
}

TEST_F(GpuFftMemory, IsFreedInAThreadWithoutAContext) {
  const std::size_t before = free_bytes();
  std::optional<Fft> fft = create();
  std::thread([&] { fft.reset(); }).join();
  create();
  EXPECT_GE(free_bytes() + kSlack, before);
}

}  // namespace
}  // namespace graft::test
