// Runs packs on a GPU, with NVRTC or nvJitLink hidden as on a machine without them. The results must be bit for bit
// those of the callback's source.
#include <fmt/format.h>

#include <cstdint>

#include "gpu/device.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 600'003;
constexpr const char* kSource =
    "struct Line { float slope; short offset; };"
    "__device__ float f(float x, float y, const Line& line, graft::Index i, short& part) {"
    "  part = static_cast<short>(x) + line.offset; return sinf(x) * line.slope + y / (x * x + 1) + i.value % 7; }";
struct Line {
  float slope;
  short offset;
};

class GpuPacks : public Gpu {
 protected:
  struct Results {
    std::vector<float> values;
    std::vector<std::int16_t> parts;
  };

  static Options exact() {
    Options options;
    options.floating_point.contraction = false;
    return options;
  }
  static Options exact(Route route) {
    Options options = exact();
    options.routes.required = route;
    return options;
  }
  static Architecture here() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    return Architecture(device.major * 10 + device.minor);
  }
  static Callback packed(PrecompileFormat format) {
    return Callback::pack(Callback(kSource).precompile({Architecture(75), here()}, format, exact()));
  }

  static Results run(const Transform& transform) {
    const DeviceArray<float> x(random_numbers<float>(kCount, 1), 1);
    const DeviceArray<float> y(random_numbers<float>(kCount, 2));
    const DeviceArray<float> out(random_bytes<float>(kCount, 3));
    const DeviceArray<std::int16_t> parts(random_bytes<std::int16_t>(kCount, 4), 3);
    transform.execute(nullptr, graft::inputs(x, y), graft::outputs(out, parts), Line{2.5f, -7});
    EXPECT_TRUE(out.guards_are_intact());
    return {out.host(), parts.host()};
  }

  static void expect_same(const Transform& transform, Route route) {
    EXPECT_EQ(transform.report().kernel.route, route);
    static const Results expected = run(Transform::create(kSource, exact(Route::Lto)));
    const Results found = run(transform);
    EXPECT_TRUE(same_bytes(found.values, expected.values));
    EXPECT_EQ(found.parts, expected.parts);
  }
};

TEST_F(GpuPacks, WithAFinishedKernelNeedTheDriverAlone) {
  const Callback pack = packed(PrecompileFormat::PackWithCubins);
  const PartialToolkit none(false, false);
  Engine engine({.cuda_path = none.path(), .host_compiler = {}});
  const Transform transform = Transform::create(engine, pack);
  expect_same(transform, Route::Program);
  EXPECT_EQ(transform.report().toolkit, "");
}

TEST_F(GpuPacks, WithoutOneAreLinkedByNvJitLink) {
  const Callback pack = packed(PrecompileFormat::Pack);
  const PartialToolkit linker(false, true);
  Engine engine({.cuda_path = linker.path(), .host_compiler = {}});
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    expect_same(Transform::create(engine, pack, exact(route)), route);
  }
}

TEST_F(GpuPacks, AreLinkedByTheDriverWhereBothToolsAreHidden) {
  const Callback pack = packed(PrecompileFormat::Pack);
  const PartialToolkit none(false, false);
  Engine engine({.cuda_path = none.path(), .host_compiler = {}});
  for (const Route route : {Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    expect_same(Transform::create(engine, pack, exact(route)), route);
  }
  // If no route is required, graft takes the first route that works and reports why it skipped the routes before it.
  const Transform chosen = Transform::create(engine, pack);
  expect_same(chosen, Route::Program);
  EXPECT_EQ(chosen.report().routes_not_taken.at(0).route, Route::Lto);
}

TEST_F(GpuPacks, OfCompositionsRun) {
  const Callback whole = chain("__device__ float f(float x) { return 3 * x; }",
                               "__device__ float g(float x, float y) { return x * y + 1; }");
  const Callback pack = Callback::pack(whole.precompile({75}, PrecompileFormat::Pack, exact()));
  const auto x = random_numbers<float>(kCount, 1);
  const auto y = random_numbers<float>(kCount, 2);
  for (const Route route : {Route::Lto, Route::Program}) {
    const DeviceArray<float> in_x(x);
    const DeviceArray<float> in_y(y);
    const DeviceArray<float> out(random_bytes<float>(kCount, 3));
    Transform::create(pack, exact(route)).execute(nullptr, graft::inputs(in_x, in_y), out);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 3 * x[i] * y[i] + 1) << i;
  }
}

TEST_F(GpuPacks, OfSeveralCallbacksRunTheOneThatIsChosen) {
  const Callback library(
      "__device__ float f(float x) { return 3 * x; }\n"
      "template <class T> __device__ T scale(T x) { return 5 * x; }\n");
  const Callback pack = Callback::pack(precompile_several(
      {library.with_entry("f"), library.with_entry("scale<float>"), {formula("f32 x; f32 a => a * x"), "formula"}},
      {Architecture(75), here()}, PrecompileFormat::PackWithCubins, exact()));
  Parameters seven("f32 a");
  seven.set("a", 7);
  const PartialToolkit none(false, false);
  Engine engine({.cuda_path = none.path(), .host_compiler = {}});
  const auto x = random_numbers<float>(kCount, 1);
  const DeviceArray<float> in(x);
  for (const auto& [entry, factor] : {std::pair("f", 3.0f), {"scale< float >", 5.0f}, {"formula", 7.0f}}) {
    const Transform transform = Transform::create(engine, pack.with_entry(entry), exact());
    const DeviceArray<float> out(random_bytes<float>(kCount, 3));
    if (transform.signature().state()) transform.execute(nullptr, in, out, seven.state());
    else transform.execute(nullptr, in, out);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], factor * x[i]) << entry << " " << i;
  }
}

}  // namespace
}  // namespace graft::test
