// Tests CUDA graphs: captured launches, kernel nodes made from launch_parameters, and launches that the driver refuses
// during capture. A graph must stay valid after the Transform whose launch it contains is destroyed.
#include <cuda.h>

#include <optional>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 50'001;

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ~Graph() {
    if (executable != nullptr) cudaGraphExecDestroy(executable);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
};

class GpuGraphs : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    in_.emplace(x_);
    out_.emplace(std::vector<float>(kCount, 0.0f));
  }

  void expect_replays(const Graph& graph) {
    EXPECT_EQ(out_->host()[0], 0.0f) << "the capture must not run the kernel";
    for (int replay = 0; replay < 2; ++replay) {
      check(cudaMemset(out_->data(), 0, kCount * sizeof(float)));
      check(cudaGraphLaunch(graph.executable, nullptr));
      check(cudaDeviceSynchronize());
      const auto values = out_->host();
      for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 3 * x_[i]);
    }
  }

  const std::vector<float> x_ = random_numbers<float>(kCount, 1);
  std::optional<DeviceArray<float>> in_;
  std::optional<DeviceArray<float>> out_;
};

TEST_F(GpuGraphs, TheFirstExecuteEverIsCaptured) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Graph graph;
  {
    const Transform t = Transform::create("__device__ float captured(float x) { return 3 * x; }");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    t.execute(stream, *in_, *out_);
    check(cudaStreamEndCapture(stream, &graph.graph));
  }  // the graph stays valid after the Transform is destroyed
  check(cudaGraphInstantiate(&graph.executable, graph.graph, 0));
  expect_replays(graph);
  check(cudaStreamDestroy(stream));
}

TEST_F(GpuGraphs, LaunchParametersMakeANode) {
  const Transform t = Transform::create("__device__ float noded(float x, const float& a) { return a * x; }");
  Graph graph;
  {
    const auto launch = t.launch_parameters(*in_, *out_, 3.0f);
    CUDA_KERNEL_NODE_PARAMS parameters = {};
    parameters.func = launch->function;
    parameters.gridDimX = launch->grid;
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = launch->block;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.sharedMemBytes = launch->shared_bytes;
    parameters.kernelParams = launch->kernel_params;
    using AddNode = CUresult(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_KERNEL_NODE_PARAMS*);
    void* add_node = nullptr;
    cudaDriverEntryPointQueryResult found;
    check(
        cudaGetDriverEntryPointByVersion("cuGraphAddKernelNode", &add_node, CUDART_VERSION, cudaEnableDefault, &found));
    check(cudaGraphCreate(&graph.graph, 0));
    CUgraphNode node = nullptr;
    ASSERT_EQ(reinterpret_cast<AddNode*>(add_node)(&node, graph.graph, nullptr, 0, &parameters), CUDA_SUCCESS);
  }  // CUDA copied the parameters when the node was added
  check(cudaGraphInstantiate(&graph.executable, graph.graph, 0));
  expect_replays(graph);
}

// The driver refuses launches on the legacy default stream while a blocking stream is being captured.
TEST_F(GpuGraphs, WhatTheDriverRefusesIsLaunchFailed) {
  const Transform t = Transform::create("__device__ float refused(float x) { return 3 * x; }");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  const Error error = error_of([&] { t.execute(nullptr, *in_, *out_); });
  EXPECT_EQ(error.code(), ErrorCode::LaunchFailed);
  EXPECT_NE(error.message().find("graft_transform_refused with 196 blocks of 256 threads"), std::string::npos)
      << error.what();
  EXPECT_NE(error.message().find("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"), std::string::npos) << error.what();
  EXPECT_FALSE(error.versions().empty());
  Graph graph;
  EXPECT_NE(cudaStreamEndCapture(stream, &graph.graph), cudaSuccess);
  cudaGetLastError();
  check(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace graft::test
