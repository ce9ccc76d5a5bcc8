// Links kernels from packs on every route, also on simulated machines without NVRTC or nvJitLink. A pack must make the
// same kernel as its source.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/packs/packs.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

constexpr const char* kNvrtc = "libnvrtc.so.13";
constexpr const char* kNvJitLink = "libnvJitLink.so.13";

const char* const kSources[] = {
    kTriple,
    "struct S { double t[4]; }; __device__ double f(float x, double& y, const S& s) { y = s.t[1]; return x * s.t[2]; }",
    "struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb p, graft::Index i) { return p.g + i; }",
    "namespace { struct Hidden { short a, b; }; } __device__ int f(Hidden h) { return h.a * h.b; }",
    "__device__ __half f(__half x, bool b) { return b ? x : __hadd(x, x); }",
    "[](float2 x, signed char c) { return float4{x.x, x.y, float(c), 1}; }",
    "template <class T> struct Twice { __device__ T operator()(T x) const { return x + x; } };\n"
    "__device__ int f(int x) { return Twice<int>{}(x); }",
};

TEST(Packs, OfSourceTakeEveryGpuRoute) {
  for (const char* source : kSources) {
    const Callback pack = packed(source);
    const Image direct = build(source, Architecture(90));
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(fmt::format("{}: {}", name(route), source));
      const Image image = build(pack, Architecture(90), by(route));
      const Report& report = image.report();
      EXPECT_EQ(report.kernel.route, route);
      EXPECT_EQ(report.inlined(), route == Route::Lto || route == Route::Program) << report.to_text();
      EXPECT_EQ(image.signature(), direct.signature());
      EXPECT_EQ(image.signature().text(), direct.signature().text());
      EXPECT_EQ(report.kernel.name, direct.report().kernel.name);
      EXPECT_GT(report.resources.registers, 0);
      EXPECT_FALSE(image.bytes().empty());
    }
  }
}

// A pack contains the general adapter (made from templates), because graft chooses the tuning when it links the pack.
// If a source does not show its signature, its kernel uses the general adapter too. Then the kernel of the pack and the
// kernel of the source must be byte for byte equal.
TEST(Packs, MakeTheKernelThatTheirSourceMakes) {
  for (const char* source : kSources) {
    SCOPED_TRACE(source);
    const Image direct = build(source, Architecture(90));
    const Image image = build(packed(source), Architecture(90));
    EXPECT_EQ(image.report().kernel.route, Route::Lto);
    EXPECT_EQ(image.report().kernel.tuning["vector_width"], direct.report().kernel.tuning["vector_width"]);
    EXPECT_EQ(image.report().kernel.tuning["vectors_per_thread"], direct.report().kernel.tuning["vectors_per_thread"]);
    EXPECT_EQ(image.report().kernel.tuning["body"], direct.report().kernel.tuning["body"]);
    EXPECT_EQ(image.report().resources.local_bytes, 0);
    if (direct.report().source.find("graft/adapter.h") != std::string::npos) {
      EXPECT_EQ(base::as_text(image.bytes()), base::as_text(direct.bytes()));
    }
  }
}

TEST(Packs, ServeNewerArchitecturesThanTheyWereMadeFor) {
  const Callback pack = packed(kTriple, {75});
  for (const int architecture : {75, 80, 90, 120})
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
      EXPECT_EQ(build(pack, Architecture(architecture), by(route)).report().kernel.architecture.number, architecture);
}

TEST(Packs, OfCompiledCallbacksTakeTheirRoutes) {
  struct Row {
    Form form;
    const char* file;
    std::vector<Route> routes;
  };
  for (const Row& row :
       {Row{Form::LtoIr, "gain.ltoir", {Route::Lto}}, Row{Form::Ptx, "gain.ptx", {Route::Ptx, Route::Indirect}}})
    for (const char* signature :
         {"extern \"C\" float gain(float)", "float shift(float)", "double shift(double)", "float math::square(float)",
          "struct Scale { float a, b; }; extern \"C\" __device__ float axpy(float x, float y, const Scale& s)"}) {
      SCOPED_TRACE(fmt::format("{}: {}", row.file, signature));
      const Callback pack = packed(compiled(row.form, row.file).with_signature(signature));
      EXPECT_EQ(build(pack, Architecture(90)).report().kernel.route, row.routes[0]);
      for (const Route route : row.routes) {
        const Image image = build(pack, Architecture(90), by(route));
        EXPECT_EQ(image.report().inlined(), route == Route::Lto);
        EXPECT_GT(image.report().resources.registers, 0);
      }
    }
}

TEST(Packs, KeepABakedState) {
  const char* source =
      "struct S { float a[2]; }; __device__ float f(float x, const S& s) { return s.a[0] * x + s.a[1]; }";
  Options options;
  options.bake(std::array<float, 2>{2, 3});
  const Callback pack = packed(source, {75}, PrecompileFormat::PackWithCubins, options);
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Image image = build(pack, Architecture(80), by(route));
    EXPECT_FALSE(image.signature().state());
    EXPECT_EQ(image.signature(), build(source, Architecture(80), options).signature());
  }
}

TEST(Packs, OfHeavyCallbacksLinkRolledFirst) {
  const char* source =
      "__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 8; ++i) x = sinf(x) + i; return x; }";
  const Callback pack = packed(source, {90});
  EXPECT_EQ(static_cast<Body>(build(pack, Architecture(90), by(Route::Program)).report().kernel.tuning["body"]),
            Body::Rolled);
  const Report direct = build(source, Architecture(90)).report();
  const Report report = build(pack, Architecture(90)).report();
  const auto is_rolled_link = [](const Report::Step& step) { return step.name == "link rolled"; };
  EXPECT_TRUE(std::ranges::any_of(direct.steps, is_rolled_link));
  EXPECT_TRUE(std::ranges::any_of(report.steps, is_rolled_link));
  EXPECT_EQ(report.kernel.tuning["body"], direct.kernel.tuning["body"]);
  EXPECT_EQ(report.kernel.tuning["vectors_per_thread"], direct.kernel.tuning["vectors_per_thread"]);
}

TEST(Packs, TakePolicyOverridesWhereTheyLink) {
  const Callback pack = packed(kTriple, {90}, PrecompileFormat::PackWithCubins);
  Options options;
  options.policy.vector_width = 2;
  const Report report = build(pack, Architecture(90), options).report();
  EXPECT_EQ(report.kernel.tuning["vector_width"], 2);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(
      report.notes[0],
      "the finished kernel was not used: triple.graft was built with vector_width=4, but this request asks for 2");
  EXPECT_EQ(build(pack, Architecture(90)).report().notes.size(), 1u);
}

// Returns an empty string if the pack took the expected route and graft opened no hidden library. Otherwise returns
// what went wrong.
std::string outcome(const Callback& pack, const PartialToolkit& toolkit, Architecture architecture, Route route,
                    const std::vector<const char*>& hidden, const Options& options = {}) {
  Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
  const Image image = build(engine, pack, architecture, options);
  if (image.report().kernel.route != route) return fmt::format("route {}", name(image.report().kernel.route));
  if (image.bytes().empty() || image.report().resources.registers == 0) return "an empty kernel";
  for (const char* library : hidden)
    if (is_loaded(library)) return fmt::format("{} was opened", library);
  return {};
}

// Compiles in a child process, because a library that a process has opened stays loaded until the process ends.
std::vector<std::byte> made_elsewhere(PrecompileFormat format) {
  const std::string bytes = in_own_process([&] {
    return std::string(base::as_text(Callback(kTriple).precompile({75, 90}, format)));
  });
  const auto view = base::as_bytes(bytes);
  return {view.begin(), view.end()};
}

TEST(PacksWithHiddenTools, LinkWithoutNvrtc) {
  const PartialToolkit toolkit(false, true);
  const Callback pack = Callback::pack(made_elsewhere(PrecompileFormat::Pack));
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(in_own_process([&] { return outcome(pack, toolkit, 90, route, {kNvrtc}, by(route)); }), "");
  EXPECT_EQ(in_own_process([&] { return outcome(pack, toolkit, 120, Route::Lto, {kNvrtc}); }), "");
}

TEST(PacksWithHiddenTools, NvrtcIsNotOpenedThoughItIsThere) {
  const PartialToolkit toolkit(true, true);
  const Callback pack = Callback::pack(made_elsewhere(PrecompileFormat::Pack));
  EXPECT_EQ(in_own_process([&] { return outcome(pack, toolkit, 90, Route::Lto, {kNvrtc}); }), "");
}

TEST(PacksWithHiddenTools, AFinishedKernelNeedsNoTool) {
  const Callback pack = Callback::pack(made_elsewhere(PrecompileFormat::PackWithCubins));
  for (const bool nvrtc : {false, true})
    for (const bool nvjitlink : {false, true}) {
      const PartialToolkit toolkit(nvrtc, nvjitlink);
      EXPECT_EQ(in_own_process([&] { return outcome(pack, toolkit, 90, Route::Program, {kNvrtc, kNvJitLink}); }), "");
    }
}

TEST(PacksWithHiddenTools, SayWhatIsMissing) {
  const PartialToolkit toolkit(false, false);
  const Callback pack = Callback::pack(made_elsewhere(PrecompileFormat::PackWithCubins));
  const std::string text = in_own_process([&]() -> std::string {
    if (std::string why; toolchain::Driver::find(why) != nullptr) return "no nvJitLink ToolMissing";
    try {
      outcome(pack, toolkit, 80, Route::Lto, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  });
  EXPECT_NE(text.find("no nvJitLink"), std::string::npos) << text;
  EXPECT_NE(text.find("ToolMissing"), std::string::npos) << text;
}

TEST(PacksWithHiddenTools, NeedALinkerAndNoCompiler) {
  const PartialToolkit toolkit(false, false);
  const Callback pack = Callback::pack(made_elsewhere(PrecompileFormat::Pack));
  const std::string text = in_own_process([&]() -> std::string {
    if (std::string why; toolchain::Driver::find(why) != nullptr) return "looked for Install nvJitLink";
    try {
      outcome(pack, toolkit, 80, Route::Lto, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  });
  EXPECT_NE(text.find("Install nvJitLink"), std::string::npos) << text;
  EXPECT_EQ(text.find("nvrtc"), std::string::npos) << text;
  const std::size_t first = text.find("looked for");  // the places are listed once
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("looked for", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace graft::test
