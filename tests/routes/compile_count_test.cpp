// Counts the compiles of a request. In version 0.1, graft compiled a misspelt callback four times, and a correct
// callback twice when nvJitLink was missing. One compile must be enough in each of these two cases. If the source does
// not show the callback's types, one compile that only reads the types may precede it. A second full compile is allowed
// only if the compiler finds other types than the source shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graft/graft.hpp"
#include "support/routes.hpp"
#include "support/spy_nvrtc.hpp"

namespace graft::test {
namespace {

struct Compiles {
  std::ptrdiff_t reading = 0;
  std::ptrdiff_t code = 0;
  bool operator==(const Compiles&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Compiles& compiles) {
  return out << compiles.reading << " reading, " << compiles.code << " for code";
}

// Calls `ask` with an engine and counts the compiles that the call makes, whether it succeeds or fails.
template <class Ask>
Compiles compiles_when(Ask ask) {
  const SpyToolkit spy;
  Engine engine({.cuda_path = spy.path(), .cache = {.policy = CachePolicy::Off}});
  try {
    ask(engine);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
  }
  const auto all = spy.compiles();
  const auto reading = std::ranges::count_if(
      all, [](const SpyToolkit::Options& one) { return std::ranges::find(one, "-fdevice-syntax-only") != one.end(); });
  return {reading, static_cast<std::ptrdiff_t>(all.size()) - reading};
}

// Counts the compiles of a build on `route`. Without `route`, graft chooses the first route that is available.
Compiles compiles_of(const Callback& callback, std::optional<Route> route = {}) {
  Options options;
  options.routes.required = route;
  return compiles_when([&](Engine& engine) { build(engine, callback, Architecture(90), options); });
}

const std::string kRelu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
const std::string kMisspelt = "__device__ float relu(float x) { return y > 0 ? x : 0; }";
// The layout of this struct can be read in the text, that of the other struct only by a compiler.
const std::string kPair = "struct P { float a, b; }; __device__ P f(P p) { return {p.b, p.a}; }";
const std::string kHidden =
    "template <class T> struct P { T a, b; }; __device__ P<int> f(P<int> p) { return {p.b, p.a}; }";
const std::string kMisspeltHidden =
    "template <class T> struct P { T a, b; }; __device__ P<int> f(P<int> p) { return {p.c, p.a}; }";

TEST(CompileCount, OneCompileMakesCode) {
  for (const std::optional<Route> route : {std::optional<Route>(), std::optional(Route::Program)}) {
    EXPECT_EQ(compiles_of(kRelu, route), (Compiles{0, 1}));
    EXPECT_EQ(compiles_of(kPair, route), (Compiles{0, 1}));
    EXPECT_EQ(compiles_of(kHidden, route), (Compiles{1, 1}));
    EXPECT_EQ(compiles_of("[](float x) { return 2 * x; }", route), (Compiles{1, 1}));
  }
}

// On the ptx route, the kernel and the callback are compiled separately, which takes two compiles. On the indirect
// route, one compile must be enough: it makes the callback together with its thunk, the function by which the prebuilt
// kernel calls the callback.
TEST(CompileCount, EachProgramIsCompiledOnce) {
  EXPECT_EQ(compiles_of(kRelu, Route::Ptx), (Compiles{0, 2}));
  EXPECT_EQ(compiles_of(kPair, Route::Ptx), (Compiles{0, 2}));
  EXPECT_EQ(compiles_of(kHidden, Route::Ptx), (Compiles{1, 2}));
  EXPECT_EQ(compiles_of(kMisspelt, Route::Ptx), (Compiles{0, 1}));
  EXPECT_EQ(compiles_of(kMisspeltHidden, Route::Ptx), (Compiles{1, 0}));
  for (const std::string& source : {kRelu, kPair, kHidden, kMisspelt, kMisspeltHidden})
    EXPECT_EQ(compiles_of(source, Route::Indirect), (Compiles{0, 1})) << source;
}

// The compile of the kernel must also check that the callback binary has the types that the declaration states, so that
// the check needs no compile of its own.
TEST(CompileCount, ADeclaredBinaryIsReadInTheCompileOfItsKernel) {
  const std::vector<std::byte> bytes =
      precompile(Engine::shared(), "extern \"C\" " + kRelu, {Architecture(90)}, PrecompileFormat::Ptx);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Callback declared = Callback::ptx(text).with_signature("extern \"C\" float relu(float)");
  EXPECT_EQ(compiles_of(declared, Route::Ptx), (Compiles{0, 1}));
  // Here `half` in the declaration means float, which only a compiler can find out. A compile that only reads the types
  // may therefore precede the compile of the kernel.
  const Callback redefined = Callback::ptx(text).with_signature("#define half float\nextern \"C\" half relu(half)");
  EXPECT_EQ(compiles_of(redefined, Route::Ptx), (Compiles{1, 1}));
  EXPECT_EQ(build(redefined, Architecture(90)).signature().text(), "float(float)");
  const Callback wrong = Callback::ptx(text).with_signature("extern \"C\" half relu(half)");
  Options options;
  options.routes.required = Route::Ptx;
  EXPECT_THROW(build(wrong, Architecture(90), options), Error);
}

// A pack that is made from source contains LTO-IR for each architecture, the PTX of a whole kernel, and the callback
// and the adapter as two separate PTX images. Each of these images must take one compile, so a pack for one
// architecture takes four.
TEST(CompileCount, APackCompilesEachPartOnce) {
  const auto compiles_of_pack = [](const std::string& source, const std::vector<Architecture>& architectures) {
    return compiles_when([&](Engine& engine) { precompile(engine, source, architectures); });
  };
  EXPECT_EQ(compiles_of_pack(kRelu, {Architecture(90)}), (Compiles{0, 4}));
  EXPECT_EQ(compiles_of_pack(kRelu, {Architecture(80), Architecture(90)}), (Compiles{0, 5}));
  EXPECT_EQ(compiles_of_pack(kMisspelt, {Architecture(90)}), (Compiles{0, 1}));
  EXPECT_EQ(compiles_of_pack(kHidden, {Architecture(90)}), (Compiles{1, 4}));
  EXPECT_EQ(compiles_of_pack(kMisspeltHidden, {Architecture(90)}), (Compiles{1, 0}));
}

TEST(CompileCount, AMistakeIsFoundByTheFirst) {
  for (const std::optional<Route> route : {std::optional<Route>(), std::optional(Route::Program)}) {
    EXPECT_EQ(compiles_of(kMisspelt, route), (Compiles{0, 1}));
    EXPECT_EQ(compiles_of(kMisspeltHidden, route), (Compiles{1, 0}));
  }
}

// The source uses the name of a CUDA type for a type of its own, so the compiler finds other types than the source
// shows. A note must mention the second compile.
TEST(CompileCount, ASecondCompileIsToldOf) {
  const std::string source = "namespace n { struct half { short bits; }; __device__ half f(half x) { return x; } }";
  EXPECT_EQ(compiles_of(source), (Compiles{1, 2}));
  EXPECT_EQ(compiles_of(source, Route::Ptx), (Compiles{1, 3}));
  const Image image = build(source, Architecture(90));
  const auto& notes = image.report().notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.find("compiled twice") != std::string::npos;
  })) << image.report().to_text();
}

TEST(CompileCount, EveryStepStandsInTheReportOnce) {
  for (const std::string& source : {kRelu, kPair, std::string("[](float x) { return 2 * x; }")})
    for (const Route route : kGpuRoutes) {
      Options options;
      options.routes.required = route;
      const Report report = build(source, Architecture(90), options).report();
      std::vector<std::string> names;
      for (const Report::Step& step : report.steps) names.push_back(step.name);
      std::ranges::sort(names);
      EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << report.to_text();
    }
}

}  // namespace
}  // namespace graft::test
