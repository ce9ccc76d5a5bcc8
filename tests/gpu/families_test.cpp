// Runs a kernel family on a GPU. A kernel family is a kind of kernel that callbacks are grafted into, with its own
// launch code. This family, a sum of all elements, exists only in the tests. It needs two launches and a workspace.
// graft's own family needs a single launch, so code that assumes a single launch fails here.
#include "families/two_launch_sum.hpp"

#include <cstdint>
#include <numeric>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

class GpuFamilies : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    add_two_launch_sum();
  }
};

constexpr const char* kAdd = "__device__ long long add(long long a, long long b) { return a + b; }";

long long sum_on_gpu(const Sum& sum, const DeviceArray<long long>& all, std::size_t count) {
  const DeviceArray<long long> result(std::vector<long long>{-1});
  sum.execute(nullptr, ArrayRef(all.data(), count, element_type<long long>()),
              ArrayRef(result.data(), 1, element_type<long long>()));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(result.guards_are_intact());
  return result.host()[0];
}

TEST_F(GpuFamilies, TheSumRunsInTwoLaunches) {
  std::vector<long long> values(1'000'000);
  std::iota(values.begin(), values.end(), 1);
  const DeviceArray<long long> all(values);
  for (const auto& [blocks, threads] : {std::pair(64, 256), std::pair(1, 32), std::pair(1024, 1024)})
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
      Options options;
      options.routes.required = route;
      const Sum sum(sum_of(kAdd, {blocks, threads}), options);
      for (const std::size_t count : {1u, 2u, 31u, 255u, 256u, 257u, 16'384u, 16'385u, 1'000'000u})
        EXPECT_EQ(sum_on_gpu(sum, all, count), static_cast<long long>(count * (count + 1) / 2))
            << count << " elements, " << blocks << " blocks of " << threads << ", " << name(route);
    }
}

TEST_F(GpuFamilies, TheSumOfAPackIsTheSame) {
  int device = 0;
  check(cudaGetDevice(&device));
  const Sum sum = Sum::load(precompile(sum_of(kAdd, {16, 64}), {75}));
  EXPECT_EQ(sum.report().kernel.family, kTwoLaunchSum);
  const DeviceArray<long long> all(std::vector<long long>(5000, 3));
  EXPECT_EQ(sum_on_gpu(sum, all, 5000), 15'000);
}

// Stream capture records both launches.
TEST_F(GpuFamilies, TheSumIsCaptured) {
  const Sum sum(sum_of(kAdd));
  const DeviceArray<long long> all(std::vector<long long>(100'000, 2));
  const DeviceArray<long long> result(std::vector<long long>{-1});
  const ArrayRef in(all.data(), all.size(), element_type<long long>());
  const ArrayRef out(result.data(), 1, element_type<long long>());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  sum.execute(stream, in, out);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2u);
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(ready, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(result.host()[0], 200'000);
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace graft::test
