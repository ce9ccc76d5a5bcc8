// Tests of sentences 28 and 29 of docs/security.md: callbacks of strangers in the slots of a kernel that is trusted.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graft/kernel.hpp"
#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kKernel = R"(
#include "state.h"
__device__ float secret[4] = {1, 2, 3, 4};
extern "C" { __device__ float open_secret = 5; }
__device__ inline float helper(float x) { return x + secret[0]; }
__device__ float metric(float a, const State& s);
__device__ bool filter(int id);
extern "C" __global__ void k(float* x, const __grid_constant__ State s) {
  const float y = x[threadIdx.x];
  if (filter(threadIdx.x)) x[threadIdx.x] = helper(metric(y, s)) + secret[blockIdx.x & 3] + open_secret;
}
)";

KernelCode code() {
  return KernelCode::source(kKernel, "kernel.cu")
      .with_header("state.h", "struct State { float a; };\n")
      .with_default("filter", "[](int i) { return i > 2; }");
}

Image build_closed(const Callback& metric, const Options& options = closed()) {
  Engine engine(no_cache());
  return build(engine, code(), {{"metric", metric}}, kArchitecture, options);
}

TEST(Security, S28_ACallbackForASlotIsBuiltInAChild) {
  const Callback metric =
      "struct Mine { float a; };\n"
      "__device__ float twice(float x) { return 2 * x; }\n"
      "__device__ float f(float a, const Mine& s) { return twice(a) * s.a; }\n";
  const Image image = build_closed(metric.with_entry("f"));
  Engine engine(no_cache());
  const Image here = build(engine, code(), {{"metric", metric.with_entry("f")}}, kArchitecture);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_EQ(image.report().kernel.name, "k");
  EXPECT_EQ(image.report().resources.registers, here.report().resources.registers);

  const KernelCode packed = KernelCode::pack(code().precompile({80}));
  EXPECT_TRUE(build(engine, packed, {{"metric", metric.with_entry("f")}}, kArchitecture, closed()).report().inlined());
}

TEST(Security, S28_ACallbackStaysInItsSlot) {
  struct Row {
    const char* text;
    const char* words;
  };
  for (const auto& [text, words] : {
           // out of the namespace
           Row{"__device__ float f(float a) { return a; } }\n"
               "__device__ bool filter(int) { return true; }\nnamespace x {",
               "a `}` without a `{`"},
           {"__device__ float f(float a) { return a; } %>\n"
            "__device__ bool filter(int) <% return true; %>\nnamespace x {",
            "a digraph"},
           {"__device__ float f(float a) { return a; } // {}\n", "a brace in a comment"},
           {"__device__ float f(float a) { return a + '}'; }", "a `}` without a `{`"},
           {"__device__ float f(float a) { return a + '{'; }", "a `{` without a `}`"},
           {"__device__ float f(float a) { return a + '{' + '}'; }", "a brace in a comment or a character"},
           // by linkage names
           {"extern \"C\" __device__ float open_secret;\n__device__ float f(float a) { return open_secret; }",
            "a string literal"},
           {"extern \"C\" __device__ bool _Z6filteri(int) { return true; }\n__device__ float f(float a) { return a; }",
            "refused in the closed mode"},
           {"__device__ float g(float) __attribute__((alias(\"_Z6helperf\")));\n"
            "__device__ float f(float a) { return g(a); }",
            "refused in the closed mode"},
           {"GRAFT_ANSWER inline float open_secret = 7;\n__device__ float f(float a) { return open_secret; }",
            "`GRAFT_`"},
           // the kernel's dynamic shared memory
           {"extern __attribute__((shared)) float z[];\n__device__ float f(float a) { z[0] = 0; return a; }",
            "dynamic shared memory"},
           // by C++ names
           {"__device__ float f(float a) { return ::secret[0]; }", "secret"},
           {"__device__ float f(float a) { return ::helper(a); }", "helper"},
           {"extern __device__ float secret[4];\n__device__ float f(float a) { return secret[0]; }",
            "which it does not define"},
           {"__device__ float g(float);\n__device__ float f(float a) { return g(a); }", "g"},
           {"__device__ bool ::filter(int) { return true; }\n__device__ float f(float a) { return a; }", "filter"},
           {"__global__ void mine(float* x) { *x = 1; }\n__device__ float f(float a) { return a; }", "mine"},
           // as elsewhere in the closed mode
           {"#include \"state.h\"\n__device__ float f(float a) { return a; }", "refused in the closed mode"},
           {"__device__ float f(float a) { asm(\"exit;\"); return a; }", "refused in the closed mode"},
       }) {
    const Error error = error_of([&] { build_closed(Callback(text).with_entry("f")); });
    EXPECT_TRUE(error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::CompileFailed) << text;
    EXPECT_THAT(std::string(error.what()) + error.log(), HasSubstr(words)) << text;
  }
}

TEST(Security, S28_EntriesAndSignaturesStayInTheirDeclarations) {
  const Callback text = "__device__ inline float f(float a) { return a; }";
  struct Row {
    Callback callback;
    const char* words;
  };
  for (const auto& [callback, words] :
       {Row{text.with_entry("[](float a) { return f(a); }; } __device__ bool filter(int) { return true; } "
                            "namespace x { inline int y() { return 0"),
            "entry, line 1: a `}` without a `{`"},
        Row{text.with_entry("f)>::type graft_x; inline __device__ int open_secret = 3; typedef decltype(f"),
            "entry, line 1: a `)` without a `(`"},
        Row{text.with_entry("f; inline __device__ int open_secret"), "entry, line 1: a `;`"},
        Row{text.with_entry("[](float a) { return GRAFT_ANSWER; }"), "`GRAFT_`"},
        Row{text.with_entry("f // "), "refused in the closed mode"},
        Row{text.with_signature("extern \"C\" { inline int open_secret = 9; } float(float)"), "a string literal"},
        Row{text.with_signature("float(float); inline __device__ int open_secret"), "a `;`"}})
    EXPECT_THAT(test::error_of([&] { build_closed(callback); }).what(), HasSubstr(words));
  for (const char* entry : {"f", "[](float a) { return f(a) + 1; }"})
    EXPECT_NO_THROW(build_closed(text.with_entry(entry))) << entry;
  EXPECT_NO_THROW(build_closed(text.with_signature("float(float)")));
}

// A function or variable of a name that the kernel has is another one.
TEST(Security, S28_EqualNamesAreOthers) {
  const Callback metric =
      "__device__ float secret[4] = {7, 7, 7, 7};\n"
      "inline __device__ float helper(float x) { return 100 * x; }\n"
      "__device__ float f(float a) { return helper(a) + secret[threadIdx.x & 3]; }\n";
  Options options = closed();
  options.allow_thread_words = true;
  const Image image = build_closed(metric.with_entry("f"), options);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
}

TEST(Security, S28_CompiledCallbacksAndPacksOfStrangersAreRefused) {
  const Callback metric = "__device__ float f(float a) { return a; }";
  Engine engine(no_cache());
  const Callback pack = Callback::pack(code().precompile_for(engine, {"metric", metric}, {kArchitecture}));
  const Callback binary =
      Callback::ltoir(metric.precompile({kArchitecture}, PrecompileFormat::LtoIr)).with_signature("float f(float)");
  for (const Callback& one : {pack, binary})
    EXPECT_THAT(error_of([&] { build_closed(one); }).what(), HasSubstr("the closed mode takes only source"));
  EXPECT_EQ(error_of([&] { code().precompile(engine, {kArchitecture}, PrecompileFormat::Pack, closed()); }).code(),
            ErrorCode::InvalidArgument);
}

// One program would have the text of a stranger in front of the kernel's.
TEST(Security, S28_ACallbackIsInNoProgramWithTheKernel) {
  Options options = closed();
  options.routes.forbidden = {Route::Lto};
  const Callback metric = "__device__ float f(float a) { return a; }";
  EXPECT_EQ(error_of([&] { build_closed(metric, options); }).code(), ErrorCode::RouteUnavailable);
  options.routes = {.required = Route::Ptx};
  EXPECT_EQ(build_closed(metric, options).report().slots.front().how, "called");
}

// A callback with 80 values in use at the same time.
std::string hungry() {
  constexpr int kValues = 80;
  std::string text = "__device__ float f(float x) {\n";
  for (int i = 0; i < kValues; ++i) text += fmt::format("  float a{0} = x + {0};\n", i);
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < kValues; ++i) text += fmt::format("  a{0} = a{0} * a{1} + x;\n", i, (i * 7 + 3) % kValues);
  text += "  return 0";
  for (int i = 0; i < kValues; ++i) text += fmt::format(" + a{}", i);
  return text + ";\n}\n";
}

TEST(Security, S29_CallbacksAddBoundedRegisters) {
  const int empty = build_closed("[](float a) { return 0.0f; }").report().resources.registers;
  for (const int most : {24, 32}) {
    const Image image = build_closed(hungry(), closed({.max_registers = most}));
    EXPECT_LE(image.report().resources.registers, empty + most);
    EXPECT_THAT(image.report().to_text(), HasSubstr("registers without its callbacks"));
  }
  EXPECT_GT(build_closed(hungry()).report().resources.registers, empty + 32);
}

// What the kernel needs without its callbacks is measured without the constructors of the callbacks' classes.
TEST(Security, S29_ConstructorsAreCountedAsTheCallbacks) {
  const KernelCode code =
      "struct V { float x, y; };\n__device__ V metric(float a);\n"
      "extern \"C\" __global__ void k(float* x) { const V v = metric(x[threadIdx.x]); x[threadIdx.x] = v.x + v.y; }\n";
  const auto registers_with = [&](const std::string& text) {
    Engine engine(no_cache());
    return build(engine, code, {{"metric", Callback(text).with_entry("m")}}, kArchitecture,
                 closed({.max_registers = 24}))
        .report()
        .resources.registers;
  };
  const int plain = registers_with("struct V { float x, y; };\n__device__ V m(float a) { return V{a, a}; }");
  const int heavy = registers_with("__device__ float* graft_here;\n" + hungry() +
                                   "struct V { float x, y; __device__ V() : x(f(*graft_here)), y(f(x)) {} };\n"
                                   "__device__ V m(float a) { return V(); }");
  EXPECT_LE(heavy, plain + 24);
}

// The linker does not bound a kernel with launch bounds, so that the callback is refused.
TEST(Security, S29_LaunchBoundsDoNotHideRegisters) {
  const KernelCode bounded =
      "__device__ float metric(float a);\n"
      "extern \"C\" __global__ void __launch_bounds__(128) k(float* x) { x[threadIdx.x] = metric(x[threadIdx.x]); }\n";
  Engine engine(no_cache());
  const auto build_with = [&](int most) {
    return build(engine, bounded, {{"metric", hungry()}}, kArchitecture, closed({.max_registers = most}));
  };
  const Error error = error_of([&] { build_with(24); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.what(), HasSubstr("in the closed mode"));
  EXPECT_NO_THROW(build_with(200));
}

// A kernel that was built outside of the closed mode is not taken from the cache.
TEST(Security, S28_TheClosedModeHasCacheEntriesOfItsOwn) {
  const base::TemporaryFolder folder;
  EngineOptions options;
  options.cache.folder = folder.path();
  options.cache.policy = CachePolicy::ReadWrite;
  const KernelCallbacks callbacks = {{"metric", "[](float a) { return a; }"}};
  const auto comes_from_cache = [&](const Options& asked) {
    Engine engine(options);
    const bool is_cached = build(engine, code(), callbacks, kArchitecture, asked).report().from_cache;
    engine.counters();  // waits until the entry is written
    return is_cached;
  };
  EXPECT_FALSE(comes_from_cache({}));
  EXPECT_FALSE(comes_from_cache(closed()));
  EXPECT_TRUE(comes_from_cache(closed()));
  EXPECT_TRUE(comes_from_cache({}));
  EXPECT_FALSE(comes_from_cache(closed({.max_registers = 64})));
}

}  // namespace
}  // namespace graft::test
