// Callbacks that print, assert, keep __device__ variables and recurse must build on every GPU route, and every route
// must respect a register limit. tests/gpu/bodies_test.cpp runs these callbacks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "scenarios/forms/forms.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

// Calls `check` with the image of each route.
template <class Check>
void on_every_route(const Callback& callback, Check check, Options options = {}) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    options.routes.required = route;
    check(build(callback, Architecture(90), options));
  }
}

// Returns a check that the machine code contains this name: the name of a function that the driver provides, such as
// vprintf, or of a __device__ variable.
auto calls(const char* function) {
  return [function](const Image& image) {
    EXPECT_NE(base::as_text(image.bytes()).find(function), std::string_view::npos);
  };
}

TEST(Bodies, Print) {
  on_every_route(R"(__device__ float f(float x) { if (x < 0) printf("negative: %f\n", x); return x; })",
                 calls("vprintf"));
  on_every_route("#include <cstdio>\n__device__ float f(float x) { std::printf(\"x\"); return x; }", calls("vprintf"));
}

TEST(Bodies, Assert) {
  on_every_route("__device__ float f(float x) { assert(x >= 0); return x; }", calls("__assertfail"));
  for (const char* header : {"cassert", "assert.h"})
    on_every_route(fmt::format("#include <{}>\n__device__ float f(float x) {{ assert(x >= 0); return x; }}", header),
                   calls("__assertfail"));
  Options options;
  options.defines.push_back({"NDEBUG", "1"});
  on_every_route(
      "#include <cassert>\n__device__ float f(float x) { assert(x >= 0); return x; }",
      [](const Image& image) { EXPECT_EQ(base::as_text(image.bytes()).find("__assertfail"), std::string_view::npos); },
      options);
}

TEST(Bodies, KeepVariables) {
  on_every_route(
      "static __device__ unsigned count;\n"
      "__device__ float f(float x) { static __device__ unsigned calls; ++calls; atomicAdd(&count, 1u); return x; }",
      calls("count"));
}

TEST(Bodies, CallThemselves) {
  on_every_route("__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }",
                 [](const Image& image) {
                   EXPECT_FALSE(image.report().inlined());
                   EXPECT_THAT(image.report().to_text(), testing::HasSubstr("still called: fibonacci"));
                 });
}

TEST(RegisterCeiling, HoldsOnEveryRoute) {
  const char* source = "__device__ float f(float x, float y, float z) { return sinf(x) * cosf(y) + expf(z); }";
  for (const int ceiling : {24, 32}) {
    Options options;
    options.max_registers = ceiling;
    on_every_route(
        source,
        [&](const Image& image) {
          EXPECT_LE(image.report().resources.registers, ceiling) << image.report().linker_log;
        },
        options);
  }
}

}  // namespace
}  // namespace graft::test
