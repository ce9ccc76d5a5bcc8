// Runs instances of generic callbacks on a GPU, and a GenericTransform from several threads.
#include <thread>

#include "gpu/device.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

constexpr const char* kSquare = "[](auto x) { return x * x; }";

class GpuGeneric : public Gpu {};

template <class T>
void expect_squares(const GenericTransform& square, cudaStream_t stream) {
  std::vector<T> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(static_cast<int>(i) - 500);
  const DeviceArray<T> in(values), out{std::vector<T>(values.size())};
  square.execute(stream, in, out);
  check(cudaStreamSynchronize(stream));
  const std::vector<T> squares = out.host();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(squares[i], values[i] * values[i]) << i;
}

TEST_F(GpuGeneric, InstancesComputeOnEachRoute) {
  for (const Route route : kGpuRoutes) {
    GenericTransform square(kSquare, by(route));
    square.prepare(types<float>());
    square.prepare(types<double>());
    square.prepare(types<int>());
    for (const Transform& one : square.instances()) EXPECT_EQ(one.report().kernel.route, route);
    expect_squares<float>(square, nullptr);
    expect_squares<double>(square, nullptr);
    expect_squares<int>(square, nullptr);
    const DeviceArray<short> in({1, 2}), out({0, 0});
    EXPECT_EQ(error_of([&] { square.execute(nullptr, in, out); }).code(), ErrorCode::NotPrepared);
    EXPECT_EQ(out.host(), (std::vector<short>{0, 0}));
  }
}

TEST_F(GpuGeneric, PartsOfAChainTakeTheirInstances) {
  const Callback half_of = "[](auto x) { return x / 2.0; }";
  const Callback add = "template <class T, class U> __device__ auto add(T x, U y) { return x + y; }";
  for (const Route route : kGpuRoutes) {
    const Transform whole = Transform::create(chain(half_of, add, Callback(kSquare)), types<int, float>(), by(route));
    const DeviceArray<int> x({1, 5, -3});
    const DeviceArray<float> y({0.25f, 0.5f, 1.5f});
    const DeviceArray<double> z({0, 0, 0});
    whole.execute(nullptr, inputs(x, y), outputs(z));
    EXPECT_EQ(z.host(), (std::vector<double>{0.75 * 0.75, 9, 0})) << name(route);
  }
}

TEST_F(GpuGeneric, FormulasTakeTheTypesOfArrays) {
  GenericTransform line(GenericCallback::formula("x; a, b => a * max(x, 0) + b"));
  line.prepare(types("f32; f32, f32"));
  line.prepare(types("f64; f32, f32"));
  struct Line {
    float a, b;
  };
  const DeviceArray<float> x({-1, 2}), y({0, 0});
  const DeviceArray<double> wide_x({-1, 4}), wide_y({0, 0});
  line.execute(nullptr, x, y, Line{2, 1});
  line.execute(nullptr, wide_x, wide_y, Line{2, 1});
  EXPECT_EQ(y.host(), (std::vector<float>{1, 5}));
  EXPECT_EQ(wide_y.host(), (std::vector<double>{1, 9}));
}

TEST_F(GpuGeneric, PreparesBesideExecute) {
  GenericTransform square(kSquare);
  square.prepare(types<float>());
  std::vector<std::thread> threads;
  for (const char* type : {"i32", "f64", "i64", "u8"})
    threads.emplace_back([&square, type] { square.prepare(types(type)); });
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&square] {
      cudaStream_t stream = nullptr;
      check(cudaStreamCreate(&stream));
      for (int k = 0; k < 50; ++k) expect_squares<float>(square, stream);
      check(cudaStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(square.instances().size(), 5u);
  expect_squares<int>(square, nullptr);
}

// A launch is captured from the first call on, because execute neither compiles nor locks.
TEST_F(GpuGeneric, ExecuteCanBeCaptured) {
  GenericTransform square(kSquare);
  square.prepare(types<float>());
  const DeviceArray<float> in({3, -4}), out({0, 0});
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  square.execute(stream, in, out);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(out.host(), (std::vector<float>{0, 0}));
  cudaGraphExec_t instance = nullptr;
  check(cudaGraphInstantiate(&instance, graph, 0));
  check(cudaGraphLaunch(instance, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(out.host(), (std::vector<float>{9, 16}));
  check(cudaGraphExecDestroy(instance));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace graft::test
