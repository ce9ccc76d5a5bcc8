// Tests the routes of own kernels beside lto: one program of code and callbacks, and PTX that calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "format/cubin.hpp"
#include "graft/graft.hpp"
#include "graft/kernel.hpp"
#include "own_kernels/code_size.hpp"
#include "own_kernels/compiled_ahead.hpp"
#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

const Options kWithoutLto = {.routes = {.forbidden = {Route::Lto}}};
const Options kByCalls = {.routes = {.required = Route::Ptx}};

class SlotRoutes : public testing::TestWithParam<const test::OwnKernel*> {};

TEST_P(SlotRoutes, OneProgramIsAsLinked) {
  const test::OwnKernel& kernel = *GetParam();
  const Image linked = build(kernel.with_slots(), kernel.callbacks(), 90);
  const Image image = build(kernel.with_slots(), kernel.callbacks(), 90, kWithoutLto);
  const Report& report = image.report();
  EXPECT_EQ(report.kernel.route, Route::Program);
  ASSERT_EQ(report.routes_not_taken.size(), 1u);
  EXPECT_EQ(report.routes_not_taken[0].route, Route::Lto);
  EXPECT_TRUE(report.inlined()) << report.to_text();
  EXPECT_EQ(report.kernel.name, linked.report().kernel.name);
  EXPECT_EQ(report.resources.local_bytes, linked.report().resources.local_bytes);
  EXPECT_NEAR(report.resources.registers, linked.report().resources.registers, 16);  // as from two sources
  const auto bytes = static_cast<double>(test::code_bytes(linked));
  EXPECT_NEAR(static_cast<double>(test::code_bytes(image)), bytes, 0.02 * bytes + 128);
  ASSERT_EQ(report.slots.size(), kernel.fills.size());
  for (const Report::Slot& slot : report.slots) EXPECT_EQ(slot.how, "inlined");
}

TEST_P(SlotRoutes, PtxCallsItsCallbacks) {
  const test::OwnKernel& kernel = *GetParam();
  const Image image = build(kernel.with_slots(), kernel.callbacks(), 90, kByCalls);
  const Image ahead = build(KernelCode::ltoir(test::compiled_ahead(kernel)), kernel.callbacks(), 90, kByCalls);
  for (const Report* const report : {&image.report(), &ahead.report()}) {
    EXPECT_EQ(report->kernel.route, Route::Ptx);
    EXPECT_GE(report->remaining_calls.size(), kernel.fills.size()) << report->to_text();
    ASSERT_EQ(report->slots.size(), kernel.fills.size());
    for (const Report::Slot& slot : report->slots) EXPECT_EQ(slot.how, "called");
  }
}

INSTANTIATE_TEST_SUITE_P(Subjects, SlotRoutes,
                         testing::Values(&test::kNeighbours, &test::kFit, &test::kSparse, &test::kMarch),
                         [](const auto& one) { return std::string(one.param->name); });

TEST(SlotRoutes, ExternCSlotsAreInNoProgram) {
  const Error error =
      test::error_of([] { build(test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90, kWithoutLto); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("the slot combine of saxpy.cu is extern \"C\""));
  EXPECT_EQ(build(test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90, kByCalls).report().slots[0].how, "called");
}

constexpr const char* kOpen = R"(
#define SCALE 2
struct State { double a[4]; };
__device__ float helper(float x) { return SCALE * x; }
__device__ float table[2] = {1, 2};
__device__ float f(float x, const State& s);
namespace lib {
__device__ bool filter(int id);
extern __device__ const bool has_filter;
extern __device__ const int tile;
}
extern "C" __global__ void k(float* x, const __grid_constant__ State s) {
  for (int i = 0; i < lib::tile; ++i) {
    if (lib::has_filter && !lib::filter(i)) continue;
    x[i] = helper(f(x[i], s)) + table[i & 1];
  }
}
)";

// Names on both sides do not meet in one program either: functions, macros, structs and variables. Constants have the
// types of their declarations.
TEST(SlotRoutes, OneProgramHasAllThatALinkHas) {
  const KernelCode code = KernelCode(kOpen).with_optional("filter", "has_filter");
  const Callback callback = R"(
#define SCALE 3.0
#define x2 helper
struct State { double a, b; };
__device__ float table[4] = {3, 4, 5, 6};
__device__ float helper(float x) { return SCALE + x; }
__device__ float f(float x, const State& s) { return x2(x) * s.b + table[1]; }
)";
  const Callback odd = "#define lib int\n__device__ bool odd(lib id) { return id & 1; }";
  for (const bool is_filtered : {false, true}) {
    SCOPED_TRACE(is_filtered);
    std::vector<SlotCallback> callbacks = {{"f", callback.with_entry("f")}};
    if (is_filtered) callbacks.push_back({"filter", odd});
    const KernelCallbacks filled(callbacks, {{"tile", 5}});
    const Image linked = build(code, filled, 90);
    const Image image = build(code, filled, 90, kWithoutLto);
    EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
    EXPECT_NEAR(static_cast<double>(test::code_bytes(image)), static_cast<double>(test::code_bytes(linked)), 256);
    EXPECT_EQ(build(code, filled, 90, kByCalls).report().kernel.route, Route::Ptx);
  }
}

TEST(SlotRoutes, OneProgramIsMadeOfSource) {
  const Error error = test::error_of(
      [] { build(KernelCode::ltoir(test::compiled_ahead(test::kFit)), test::kFit.callbacks(), 90, kWithoutLto); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("kernel.ltoir is LTO-IR, and one program is made of source"));
}

// The macros and functions of a callback's headers would meet the kernel's.
TEST(SlotRoutes, OneProgramHasNoHeadersOfCallbacks) {
  const Options options = {.headers = {{"mine.h", "#define GAIN 2\n"}}, .routes = {.forbidden = {Route::Lto}}};
  constexpr const char* kCode = "__device__ float f(float x);\n__global__ void k(float* x) { *x = f(*x); }\n";
  const Callback callback = "#include \"mine.h\"\n__device__ float f(float x) { return GAIN * x; }";
  const Error error = test::error_of([&] { build(kCode, {{"f", callback}}, 90, options); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("callback.cu includes headers, whose macros and functions would meet"));
  const Callback standard = "#include <cmath>\n#include <cuda_fp16.h>\n__device__ float f(float x) { return -x; }";
  EXPECT_TRUE(build(kCode, {{"f", standard}}, 90, options).report().inlined());
}

TEST(SlotRoutes, OneProgramHasTheBoundOfRegisters) {
  Options options = kWithoutLto;
  options.max_registers = 24;
  options.line_info = true;
  const Image image = build(test::kFit.with_slots(), test::kFit.callbacks(), 90, options);
  EXPECT_LE(image.report().resources.registers, 24);
  EXPECT_GT(build(test::kFit.with_slots(), test::kFit.callbacks(), 90, kWithoutLto).report().resources.registers, 24);
}

// The name of an empty slot begins other words of its declaration.
TEST(SlotRoutes, EmptySlotsOfPtxAreFound) {
  for (const char* name : {"f", "func", "func_retval"}) {
    SCOPED_TRACE(name);
    const KernelCode code(
        base::format("extern __device__ const bool has; extern \"C\" __device__ float {0}(float);\n"
                     "__device__ float g(float);\n"
                     "__global__ void k(float* x) {{ if (has) x[0] = {0}(x[0]); x[1] = g(x[1]); }}\n",
                     name));
    const SlotCallback g = {"g", "[](float x) { return x; }"};
    const Image image = build(code.with_optional(name, "has"), {g}, 90, kByCalls);
    EXPECT_EQ(image.report().slots.size(), 2u);
  }
}

// A misfit is found on every route.
TEST(SlotRoutes, MisfitsAreFoundOnEachRoute) {
  for (const Options& options : {kWithoutLto, kByCalls}) {
    const Error error = test::error_of([&] {
      build(test::kFit.with_slots(), {{"model", "[](double x, const float* p, float* v, float* g) {}"}}, 90, options);
    });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
    EXPECT_THAT(error.what(), HasSubstr("parameter 1 is `double`, and the slot passes `float`"));
    const Error broken = test::error_of([&] {
      build(
          test::kFit.with_slots(),
          {{"model", Callback::source("__device__ void f(float x, const float* p, float* v, float* g) {\n  *v = y;\n}",
                                      "mine.cu")}},
          90, options);
    });
    EXPECT_EQ(broken.code(), ErrorCode::CompileFailed);
    EXPECT_THAT(broken.log(), HasSubstr("mine.cu(2)"));
  }
}

base::Bytes compiled_to(toolchain::NvrtcOutput output, const char* architecture, const test::OwnKernel& kernel) {
  const compile::OpenTools tools = compile::open_tools({}, test::toolbox());
  toolchain::NvrtcProgram program;
  program.source = kernel.code;
  program.name = "kernel.cu";
  program.options = {base::format("-arch={}", architecture), "-rdc=true", "-std=c++20"};
  program.output = output;
  program.name_expressions = kernel.entries;
  for (std::string& expression : program.name_expressions) expression.insert(0, 1, '&');
  toolchain::NvrtcResult result = tools.nvrtc->compile(program);
  EXPECT_TRUE(result.ok) << result.log;
  return std::move(result.code);
}

TEST(SlotRoutes, PtxIsTakenIfItIsAskedFor) {
  const base::Bytes ptx = compiled_to(toolchain::NvrtcOutput::Ptx, "compute_90", test::kMarch);
  const KernelCode code = KernelCode::ptx(std::string(base::as_text(ptx)), "march.ptx");
  const Error error = test::error_of([&] { build(code, test::kMarch.callbacks(), 90); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("Route::Ptx"));
  const Image image = build(code, test::kMarch.callbacks(), 90, kByCalls);
  EXPECT_EQ(image.report().slots[0].how, "called");
  EXPECT_EQ(describe(code, 90, kByCalls).slots[0].name, "scene");
  EXPECT_EQ(test::error_of([&] { build(code.with_entry("march"), test::kMarch.callbacks(), 90, kByCalls); }).code(),
            ErrorCode::InvalidArgument);
  // Other compilers write the types of parameters.
  std::string typed(base::as_text(ptx));
  constexpr std::string_view kUntyped = "(.param .b32 func_retval0) _Z5scene6float3RK5Scene", kTyped = ".param .f32";
  const std::size_t at = typed.find(kUntyped);
  ASSERT_NE(at, std::string::npos);
  typed.replace(at + 1, kTyped.size(), kTyped);
  EXPECT_EQ(build(KernelCode::ptx(typed), test::kMarch.callbacks(), 90, kByCalls).report().slots[0].how, "called");
}

TEST_P(SlotRoutes, MachineCodeIsTakenIfItIsAskedFor) {
  const test::OwnKernel& kernel = *GetParam();
  const KernelCode code = KernelCode::object(compiled_to(toolchain::NvrtcOutput::Cubin, "sm_90", kernel));
  EXPECT_EQ(test::error_of([&] { build(code, kernel.callbacks(), 90); }).code(), ErrorCode::RouteUnavailable);
  EXPECT_EQ(describe(code, 90, kByCalls), describe(kernel.with_slots(), 90));
  const Image image = build(code, kernel.callbacks(), 90, kByCalls);
  for (const Report::Slot& slot : image.report().slots) EXPECT_EQ(slot.how, "called");
  EXPECT_EQ(test::error_of([&] { build(code, {}, 90, kByCalls); }).code(), ErrorCode::SlotEmpty);
  EXPECT_EQ(test::error_of([&] { build(KernelCode::object(image.bytes()), {}, 90, kByCalls); }).code(),
            ErrorCode::ImageRefused);
}

TEST(SlotRoutes, MachineCodeShowsItsConstants) {
  const KernelCode code =
      KernelCode::object(compiled_to(toolchain::NvrtcOutput::Cubin, "sm_90", {"open", kOpen, {}, {}}))
          .with_optional("filter", "has_filter");
  const KernelShape shape = describe(code, 90, kByCalls);
  EXPECT_THAT(shape.constants, testing::UnorderedElementsAre("lib::has_filter", "lib::tile"));
  const KernelCode plain = KernelCode::object(
      compiled_to(toolchain::NvrtcOutput::Cubin, "sm_90",
                  {"plain",
                   "extern __device__ const int tile; __device__ float f(float);\n"
                   "__global__ void k(float* x) { for (int i = 0; i < tile; ++i) x[i] = f(x[i]); }\n",
                   {},
                   {}}));
  EXPECT_NO_THROW(build(plain, {{{"f", "[](float x) { return x; }"}}, {{"tile", 4}}}, 90, kByCalls));
  const SlotCallback f = {"f", "[](float x) { return x; }"};
  EXPECT_EQ(test::error_of([&] { build(code, {{f}, {{"tile", 3}}}, 90, kByCalls); }).code(), ErrorCode::SlotEmpty);
  EXPECT_NO_THROW(build(code, {{f, {"filter", "[](int id) { return id > 1; }"}}, {{"tile", 3}}}, 90, kByCalls));
  const Error misfit = test::error_of([&] {
    build(code, {{f, {"filter", "[](int id) { return 1.0 * id; }"}}, {{"tile", 3}}}, 90, kByCalls);
  });
  EXPECT_EQ(misfit.code(), ErrorCode::SignatureMismatch);
}

TEST(SlotRoutes, PacksAreOfLto) {
  EXPECT_EQ(test::error_of([] { test::kFit.with_slots().precompile({90}, PrecompileFormat::Pack, kByCalls); }).code(),
            ErrorCode::RouteUnavailable);
  EXPECT_EQ(
      test::error_of([] { test::kFit.with_slots().precompile({90}, PrecompileFormat::Pack, kWithoutLto); }).code(),
      ErrorCode::RouteUnavailable);
  const KernelCode packed = KernelCode::pack(test::kFit.with_slots().precompile({90}));
  EXPECT_EQ(build(packed, test::kFit.callbacks(), 90, kByCalls).report().slots[0].how, "called");
}

// Equal code is cached for each route.
TEST(SlotRoutes, AreKeptApart) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const auto route_of = [&](const Options& options) {
    return build(engine, test::kFit.with_slots(), test::kFit.callbacks(), 90, options).report().kernel.route;
  };
  EXPECT_EQ(route_of({}), Route::Lto);
  EXPECT_EQ(route_of(kWithoutLto), Route::Program);
  EXPECT_EQ(route_of(kByCalls), Route::Ptx);
  EXPECT_EQ(route_of({}), Route::Lto);
  EXPECT_EQ(engine.counters().builds, 3u);
}

}  // namespace
}  // namespace graft
