// Runs the family of families/column_extremes.hpp on a GPU: jobs of several kernels and entries, with a workspace.
#include "families/column_extremes.hpp"

#include <cmath>
#include <limits>

#include "families/column_reference.hpp"
#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr const char* kFold = "__device__ float fold(float x) { return x * x - 300 * x; }";
float fold(float x) {
  return x * x - 300 * x;  // exact for the numbers of values_for_columns(), so that an FMA gives the same
}

class GpuColumnExtremes : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    add_column_extremes();
  }

  template <class T>
  static std::vector<T> on_gpu(const ColumnExtremes& columns, Extreme extreme, const std::vector<T>& in,
                               std::size_t width) {
    const DeviceArray<T> all(in);
    const DeviceArray<T> results{std::vector<T>(width, T(77))};
    columns.execute(nullptr, extreme, ArrayRef(all.data(), in.size(), element_type<T>()),
                    ArrayRef(results.data(), width, element_type<T>()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_TRUE(results.guards_are_intact());
    return results.host();
  }

  // Element counts around the number of shares, and around multiples of the thread block.
  static void expect_the_reference(const ColumnExtremes& columns, const std::string& what) {
    for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 1000u})
      for (const std::size_t width : {1u, 31u, 128u, 129u, 4096u}) {
        const std::vector<float> in = values_for_columns<float>(rows * width);
        for (const Extreme extreme : {Extreme::Maxima, Extreme::Minima})
          EXPECT_EQ(on_gpu(columns, extreme, in, width), reference(in, width, extreme, fold))
              << rows << " rows of " << width << ", " << what;
      }
  }
};

TEST_F(GpuColumnExtremes, EqualTheReferenceByEveryRoute) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx})
    for (const ColumnsRequest request : {ColumnsRequest{}, ColumnsRequest{1, 32}, ColumnsRequest{1024, 1024}}) {
      Options options;
      options.routes.required = route;
      expect_the_reference(ColumnExtremes::create({kFold, request}, options), std::string(name(route)));
    }
}

TEST_F(GpuColumnExtremes, OfAPackAndOfImagesAreTheSame) {
  expect_the_reference(ColumnExtremes::load(precompile({kFold}, {75}), 4096), "from a pack");
  int device = 0;
  check(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  const Architecture architecture(properties.major * 10 + properties.minor);
  expect_the_reference(ColumnExtremes::load(build(ColumnsJob{kFold}, architecture), 4096), "from images");
}

TEST_F(GpuColumnExtremes, PassNaNsOnAndTakeDoubles) {
  const auto columns = ColumnExtremes::create({"[](double x) { return x; }", {8, 64}});
  for (std::size_t row = 0; row < 20; ++row) {
    std::vector<double> in(40, -std::numeric_limits<double>::infinity());
    in[row * 2] = std::numeric_limits<double>::quiet_NaN();
    for (const Extreme extreme : {Extreme::Maxima, Extreme::Minima}) {
      const std::vector<double> out = on_gpu(columns, extreme, in, 2);
      EXPECT_TRUE(std::isnan(out[0])) << row;
      EXPECT_EQ(out[1], in[1]);
    }
  }
}

TEST_F(GpuColumnExtremes, GetFurtherEntries) {
  auto columns = ColumnExtremes::create({kFold, {}, {"maxima"}});
  const std::vector<float> in = values_for_columns<float>(100 * 30);
  const auto minima = [&] { return on_gpu(columns, Extreme::Minima, in, 30); };
  EXPECT_EQ(error_of(minima).code(), ErrorCode::NotPrepared);
  const DeviceArray<float> all(in);
  const DeviceArray<float> results{std::vector<float>(30)};
  columns.execute(nullptr, Extreme::Maxima, ArrayRef(all.data(), in.size(), element_type<float>()),
                  ArrayRef(results.data(), 30, element_type<float>()));
  columns.add(Extreme::Minima);
  EXPECT_EQ(minima(), reference(in, 30, Extreme::Minima, fold));
  EXPECT_EQ(results.host(), reference(in, 30, Extreme::Maxima, fold));
  EXPECT_EQ(on_gpu(columns, Extreme::Maxima, in, 30), reference(in, 30, Extreme::Maxima, fold));
}

TEST_F(GpuColumnExtremes, RefuseMoreColumnsThanTheWorkspaceIsFor) {
  const auto columns = ColumnExtremes::create({kFold, {8, 64}, {}, 10});
  EXPECT_EQ(columns.workspace_bytes(10), 8u * 10 * sizeof(float));
  const std::vector<float> in = values_for_columns<float>(110);
  EXPECT_EQ(on_gpu(columns, Extreme::Maxima, in, 10), reference(in, 10, Extreme::Maxima, fold));
  EXPECT_EQ(error_of([&] { on_gpu(columns, Extreme::Maxima, in, 11); }).code(), ErrorCode::InvalidArgument);
}

TEST_F(GpuColumnExtremes, AreCaptured) {
  const auto columns = ColumnExtremes::create({kFold});
  const std::vector<float> in = values_for_columns<float>(1000 * 50);
  const DeviceArray<float> all(in);
  const DeviceArray<float> results{std::vector<float>(50)};
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  columns.execute(stream, Extreme::Maxima, ArrayRef(all.data(), in.size(), element_type<float>()),
                  ArrayRef(results.data(), 50, element_type<float>()));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(ready, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(results.host(), reference(in, 50, Extreme::Maxima, fold));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace graft::test
