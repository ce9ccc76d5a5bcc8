// Tests programmatic dependent launch. A kernel that starts before the previous kernel has ended must still see all
// writes of the previous kernel, and must not overwrite what the previous kernel still reads.
#include <array>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr int kLaunches = 101;
constexpr int kRepetitions = 20;

class GpuProgrammatic : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0));
    if (properties.major < 9) GTEST_SKIP() << "programmatic launch needs Hopper or a newer GPU";
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
};

Transform add_one(bool programmatic) {
  Options options;
  options.policy.programmatic_launch = programmatic;
  return Transform::create("__device__ unsigned add(unsigned x, unsigned y) { return x + 1 + 0 * y; }", options);
}

// Each launch of the chain reads what the previous launch wrote, and overwrites what the previous launch read. Each
// count in the list makes one chain. The large counts give launches with tiles (a tile is the run of elements that one
// thread block handles). The small counts give launches without tiles, in which each thread handles one element.
TEST_F(GpuProgrammatic, EachLaunchOfAChainSeesTheLastOne) {
  const Transform transform = add_one(true);
  for (const std::size_t count : {1, 255, 4096, 65'537, 1'000'003, 6'000'000}) {
    const std::vector<unsigned> zeros(count, 0);
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      std::array<DeviceArray<unsigned>, 2> arrays = {DeviceArray<unsigned>(zeros), DeviceArray<unsigned>(zeros)};
      check(cudaDeviceSynchronize());
      for (int i = 0; i < kLaunches; ++i)
        transform.execute(stream_, inputs(arrays[i % 2], arrays[i % 2]), arrays[(i + 1) % 2]);
      check(cudaStreamSynchronize(stream_));
      const std::vector<unsigned> found = arrays[kLaunches % 2].host();
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(found[i], unsigned{kLaunches}) << count << " elements, at " << i;
    }
  }
}

// The transform works in place, with copies queued between the launches. No launch may overtake a copy, and no copy may
// overtake a launch.
TEST_F(GpuProgrammatic, CopiesBetweenTheLaunchesKeepTheirPlace) {
  const Transform transform = add_one(true);
  constexpr std::size_t kCount = 300'001;
  const std::vector<unsigned> zeros(kCount, 0);
  DeviceArray<unsigned> values(zeros);
  DeviceArray<unsigned> other(zeros);
  check(cudaDeviceSynchronize());
  for (int i = 0; i < kLaunches; ++i) {
    transform.execute(stream_, inputs(values, values), values);
    check(cudaMemcpyAsync(other.data(), values.data(), kCount * sizeof(unsigned), cudaMemcpyDeviceToDevice, stream_));
    transform.execute(stream_, inputs(other, other), values);
  }
  check(cudaStreamSynchronize(stream_));
  for (const unsigned value : values.host()) ASSERT_EQ(value, 2u * kLaunches);
}

TEST_F(GpuProgrammatic, IsCapturedAsItIsLaunched) {
  for (const bool programmatic : {false, true}) {
    const Transform transform = add_one(programmatic);
    EXPECT_EQ(transform.report().kernel.tuning["programmatic_launch"], programmatic);
    constexpr std::size_t kCount = 10'007;
    const std::vector<unsigned> zeros(kCount, 0);
    DeviceArray<unsigned> values(zeros);
    check(cudaDeviceSynchronize());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < kLaunches; ++i) transform.execute(stream_, inputs(values, values), values);
    check(cudaStreamEndCapture(stream_, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 3; ++replay) check(cudaGraphLaunch(executable, stream_));
    check(cudaStreamSynchronize(stream_));
    for (const unsigned value : values.host()) ASSERT_EQ(value, 3u * kLaunches);
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  }
}

}  // namespace
}  // namespace graft::test
