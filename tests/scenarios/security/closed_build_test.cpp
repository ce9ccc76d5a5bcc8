// Tests of sentences 22, 23 and 25 of docs/security.md. In the closed mode, a child process builds the kernel, with
// limits on time, memory and registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "plan/key.hpp"
#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Returns a source that needs many registers because it has 64 values in use at the same time.
std::string hungry() {
  std::string text =
      "__device__ float f(float x) {\n  float a[64];\n  for (int i = 0; i < 64; ++i) a[i] = x * (i + 1);\n";
  text += "  for (int k = 0; k < 32; ++k)\n    for (int i = 0; i < 64; ++i) a[i] = sinf(a[i]) + a[(i * 7 + 3) % 64];\n";
  return text + "  float s = 0;\n  for (int i = 0; i < 64; ++i) s += a[i];\n  return s;\n}";
}

bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

// This code is the example that docs/security.md shows.
TEST(Security, S22_TheExampleOfThePage) {
  Engine engine(no_cache());
  const std::string formula = hungry();
  // [closed]
  graft::Options options;
  options.closed = graft::Closed{.max_registers = 64, .time = 5s, .memory = 2ull << 30};
  const graft::Image image = graft::build(engine, formula, graft::Architecture(90), options);  // create takes it too
  // [/closed]
  EXPECT_LE(image.report().resources.registers, 64);
}

TEST(Security, S22_RegistersAreBounded) {
  Engine engine(no_cache());
  for (const int most : {32, 64}) {
    const Image image = build(engine, hungry(), kArchitecture, closed({.max_registers = most}));
    EXPECT_LE(image.report().resources.registers, most);
    EXPECT_GT(image.report().resources.registers, 16);
  }
  Options lower = closed({.max_registers = 64});
  lower.max_registers = 32;
  EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 32);
  lower.max_registers = 16;
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    lower.routes.required = route;
    EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 24) << name(route);
  }
  lower.routes.required.reset();
  lower.max_registers = 200;
  EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 64);
}

// The bound does not reach these functions, so the result is checked.
TEST(Security, S22_OtherFunctionsOfTheFormulaAreBoundedToo) {
  Engine engine(no_cache());
  const std::string formula =
      "__global__ void greedy(float* p) {\n"
      "  float v[96];\n"
      "  for (int i = 0; i < 96; ++i) v[i] = p[i * blockDim.x];\n"
      "  for (int k = 0; k < p[0]; ++k)\n"
      "    for (int i = 0; i < 96; ++i) v[i] = v[i] * v[(i + 7) % 96] + p[k];\n"
      "  for (int i = 0; i < 96; ++i) p[i] = v[i];\n"
      "}\n"
      "__device__ float f(float x) { return x; }";
  Options options = closed({.max_registers = 32});
  options.entry = "f";
  const Error error = error_of([&] { build(engine, formula, kArchitecture, options); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
  EXPECT_THAT(error.message(),
              testing::AllOf(HasSubstr("greedy(float*) needs"), HasSubstr("Closed::max_registers allows 32")));
  const Error of_cubin =
      error_of([&] { precompile(engine, hungry(), {90}, PrecompileFormat::Cubin, closed({.max_registers = 24})); });
  EXPECT_EQ(of_cubin.code(), ErrorCode::CompileFailed) << of_cubin.what();
  EXPECT_THAT(of_cubin.message(), HasSubstr("Closed::max_registers allows 24"));
}

TEST(Security, S22_BoundsHaveAMeaning) {
  const auto refused = [](const Closed& bounds) {
    const Error error = error_of_closed(kFormula, closed(bounds));
    return error.code() == ErrorCode::InvalidArgument ? error.message() : error.what();
  };
  EXPECT_THAT(refused({.max_registers = 23}), HasSubstr("Closed::max_registers is 23"));
  EXPECT_THAT(refused({.max_registers = 256}), HasSubstr("Closed::max_registers is 256"));
  EXPECT_THAT(refused({.time = 0ms}), HasSubstr("Closed::time is 0 ms"));
  EXPECT_THAT(refused({.time = 2h}), HasSubstr("Closed::time"));
  EXPECT_THAT(refused({.memory = 1 << 20}), HasSubstr("Closed::memory is 1048576 bytes"));
}

// The child process must make the same bytes as a build in this process, for every kind of request that a message can
// carry.
TEST(Security, S23_AChildMakesTheSameKernel) {
  Engine engine(no_cache());
  const auto expect_same = [&](const Callback& callback, Options options) {
    const Image in_child = build(engine, callback, kArchitecture, options);
    options.max_registers = options.closed->max_registers;
    options.closed.reset();
    const Image here = build(engine, callback, kArchitecture, options);
    EXPECT_TRUE(is_equal(in_child.bytes(), here.bytes())) << callback.name();
    EXPECT_EQ(in_child.signature(), here.signature());
    EXPECT_EQ(in_child.report().kernel.name, here.report().kernel.name);
    EXPECT_EQ(in_child.report().source, here.report().source);
    EXPECT_EQ(in_child.report().kernel.route, here.report().kernel.route);
  };
  expect_same(kFormula, closed());
  expect_same(Callback("template <class T> __device__ T f(T x) { return x; } __device__ int g(int x) { return x; }")
                  .with_entry("f<float>"),
              closed());
  expect_same(Callback("__device__ float f(float x) { return x; } __device__ int f(int x) { return x; }")
                  .with_signature(Signature::of<int(int)>()),
              closed());
  expect_same(graft::formula("p * max(x, 0) + x // 3 + abs(z)", "f32 x, c64 z; f32 p"), closed());
  expect_same(chain(kFormula, Callback::source("[](float x) { return x + 1; }", "two.cu")), closed());
  expect_same(Stages{.load = "__device__ float l(void* p, unsigned long long i, void*, void*) "
                             "{ return static_cast<float*>(p)[i]; }",
                     .op = kFormula},
              closed());
  Options options = closed({.max_registers = 40});
  options.defines = {{"GAIN", "2.5f"}, {"TWICE(x)", "(2 * x)"}};
  options.standard = CppStandard::Cpp20;
  options.floating_point.contraction = false;
  options.line_info = true;
  options.policy.vector_width = 2;
  options.policy.body = Body::Vector;
  options.policy.programmatic_launch = false;
  options.routes.required = Route::Program;
  options.bake(7.0f);
  expect_same("__device__ float f(float x, const float& a) { return TWICE(x) * GAIN + a; }", options);
}

TEST(Security, S23_PacksAreMadeInAChildToo) {
  Engine engine(no_cache());
  const auto pack = precompile(engine, kFormula, {75, 90}, PrecompileFormat::PackWithCubins, closed());
  EXPECT_FALSE(build(engine, Callback::pack(pack), kArchitecture).bytes().empty());
  EXPECT_FALSE(precompile(engine, kFormula, {90}, PrecompileFormat::LtoIr, closed()).empty());
}

TEST(Security, S23_ErrorsOfTheCompilerArriveAsTheyWere) {
  const Error error = error_of_closed("__device__ float f(float x) { return y; }");
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu does not compile: line 1"));
  EXPECT_THAT(error.log(), HasSubstr("\"y\" is undefined"));
  EXPECT_FALSE(error.versions().empty());
}

// If the request contains a value that a message cannot express, graft must refuse the request. The child must not
// guess the value.
TEST(Security, S23_ValuesThatThereAreNotAreRefused) {
  Options options = closed();
  options.policy.body = static_cast<Body>(2);
  const Error error = error_of_closed(kFormula, options);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_THAT(error.message(), HasSubstr("is no enumerator"));
}

TEST(Security, S25_AKernelInACacheIsTakenAfterTheSameChecks) {
  const base::TemporaryFolder folder;
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder.path() / "cache";
  options.cache.layers.emplace();
  // These requests are built outside the closed mode, with the register limit that the closed mode sets by default.
  Options open;
  open.max_registers = Closed{}.max_registers;
  const std::string text = std::string(kFormula) + " // #";
  for (const std::string& one : {std::string(kFormula), text}) {
    Engine engine(options);
    build(engine, one, kArchitecture, open);
  }
  options.program = "/nonexistent/graft";
  options.cuda_path = "/nonexistent/cuda";
  Engine engine(options);
  EXPECT_TRUE(build(engine, kFormula, kArchitecture, closed()).report().from_cache);
  EXPECT_EQ(engine.counters().disk_hits, 1u);
  EXPECT_THAT(error_of([&] { build(engine, text, kArchitecture, closed()); }).message(),
              HasSubstr("refused in the closed mode"));
  EXPECT_EQ(engine.counters().disk_hits, 1u);
  EXPECT_TRUE(build(engine, text, kArchitecture, open).report().from_cache);
}

TEST(Security, S25_TheKeyOnDiskIsThatOfAnOpenRequest) {
  const Callback callback = kFormula;
  Options open;
  open.max_registers = 128;
  Options in_closed_mode = open;
  in_closed_mode.closed.emplace();
  const auto disk = [&](const Options& options) { return plan::disk_key(callback, kArchitecture, options, {}).text; };
  EXPECT_EQ(disk(in_closed_mode), disk(open));
  // The two requests have different keys in memory. With equal keys they would share one build, and the limits of one
  // request could end the build of the other.
  const auto memory = [&](const Options& options) { return plan::request_key(callback, kArchitecture, options); };
  EXPECT_NE(memory(in_closed_mode), memory(open));
  EXPECT_NE(plan::options_key(in_closed_mode), plan::options_key(open));
  Options longer = in_closed_mode;
  longer.closed->time += 1ms;
  EXPECT_NE(memory(longer), memory(in_closed_mode));
}

TEST(Security, S25_BuildsOfTheClosedModeAreKept) {
  const base::TemporaryFolder folder;
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder.path() / "cache";
  options.cache.layers.emplace();
  {
    Engine first(options);
    build(first, kFormula, kArchitecture, closed());
  }
  Engine engine(options);
  EXPECT_TRUE(build(engine, kFormula, kArchitecture, closed()).report().from_cache);
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, closed({.max_registers = 32})).report().from_cache);
  build(engine, kFormula, kArchitecture, closed());
  EXPECT_EQ(engine.counters().memory_hits, 1u);
}

TEST(Security, S19_TheProgramHasTheModeToo) {
  const Program graft;
  graft.write("good.cu", kFormula);
  graft.write("bad.cu", std::string("#include \"/etc/passwd\"\n") + kFormula);
  graft.write("in.npy", npy("'<f4'", "(1,)", raw<float>({1})));
  EXPECT_EQ(graft.run("inspect good.cu --arch 90 --closed").exit_code, 0);
  for (const std::string command :
       {"inspect bad.cu --arch 90 --closed", "inspect good.cu --route host --closed",
        "inspect good.cu --arch 90 -I . --closed", "precompile bad.cu --arch 90 -o bad.graft --closed",
        "apply good.cu --route host --closed -i in.npy -o out.npy"}) {
    const Result result = graft.run(command);
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("closed mode")) << command;
  }
  graft.write("list", "good.cu --arch 90 --closed\n");
  EXPECT_EQ(graft.run("warm list").exit_code, 0);
  EXPECT_THAT(graft.run("cache explain good.cu --arch 90 --closed").out, HasSubstr("is the kernel of this request"));
}

TEST(ClosedMode, TakesTheApplicationsCompilerOptions) {
  const char* text = "__device__ float f(float x) {\n  int unused;\n  return 2 * x;\n}\n";
  Options options = closed();
  options.compiler_options = {"-w"};
  Engine engine(no_cache());
  const Report report = build(engine, text, kArchitecture, options).report();
  EXPECT_EQ(report.compiler_log, "");
  EXPECT_EQ(report.kernel.compiler_options, std::vector<std::string>{"--disable-warnings"});
  options.compiler_options = {"-I/etc"};
  EXPECT_EQ(error_of_closed(text, options).code(), ErrorCode::InvalidArgument);
}

TEST(ClosedMode, RefusesThreadWords) {
  const Callback callback = "__device__ float f(float x) { return x + threadIdx.x; }";
  EXPECT_THAT(error_of_closed(callback).message(), HasSubstr("`threadIdx` in a callback"));
  Options options = closed();
  options.allow_thread_words = true;
  Engine engine(no_cache());
  EXPECT_THAT(build(engine, callback, kArchitecture, options).report().notes,
              testing::Contains(HasSubstr("`threadIdx` in a callback")));
}

}  // namespace
}  // namespace graft::test
