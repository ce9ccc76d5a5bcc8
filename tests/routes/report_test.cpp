// Tests that reports say what the kernel is. In version 0.1, inlined() was true although the kernel called a function
// through a pointer for each element, cuda_helpers lacked the division of doubles, and the text of a signature had
// `const float` or `float` depending on the route.
#include <gmock/gmock.h>

#include "graft/graft.hpp"

namespace graft::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Report report_of(const char* source, int architecture, Route route, const char* entry) {
  Options options;
  options.routes.required = route;
  options.entry = entry;
  return build(source, Architecture(architecture), options).report();
}

// Builds the callback for several architectures and calls `check` with each report, because architectures encode calls
// differently.
template <class Check>
void on_inlining_routes(const char* source, Check check, const char* entry = "f") {
  for (const int architecture : {75, 80, 89, 90, 100, 120})
    for (const Route route : {Route::Lto, Route::Program}) {
      const Report report = report_of(source, architecture, route, entry);
      SCOPED_TRACE(report.to_text());
      check(report);
    }
}

TEST(ReportFacts, ACallThroughAPointerIsNotInlined) {
  for (const char* source :
       {"struct S { float (*g)(float); }; __device__ float f(float x, const S& s) { return s.g(x); }",
        "__device__ float a(float x) { return x; } __device__ float b(float x) { return -x; }"
        "__device__ float (*table[2])(float) = {a, b};"
        "__device__ float f(float x, int i) { return table[i & 1](x); }",
        "struct Shape { __device__ virtual float area(float x) const = 0; };"
        "struct S { const Shape* shape; }; __device__ float f(float x, const S& s) { return s.shape->area(x); }"})
    on_inlining_routes(source, [](const Report& report) {
      EXPECT_FALSE(report.inlined());
      EXPECT_THAT(report.remaining_calls, Contains(HasSubstr("through a pointer")));
      EXPECT_THAT(report.notes, Contains(HasSubstr("calls through a pointer")));
    });
}

TEST(ReportFacts, RecursionIsNotInlined) {
  for (const char* source :
       {"__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }",
        "__device__ int even(int n); __device__ int odd(int n) { return n < 1 ? 0 : even(n - 1) * 3 + even(n - 2); }"
        "__device__ int even(int n) { return n < 1 ? 1 : odd(n - 1) * 5 + odd(n - 3); }"
        "__device__ int f(int n) { return even(n); }"})
    on_inlining_routes(source, [&](const Report& report) {
      EXPECT_FALSE(report.inlined());
      EXPECT_THAT(report.notes, Contains(HasSubstr("calls itself")));
    });
}

TEST(ReportFacts, OrdinaryCallbacksAreInlined) {
  for (const char* source :
       {"__device__ float f(float x) { return x > 0 ? x : 0; }",
        "__device__ float f(float x, int n) { switch (n & 7) { case 0: return x; case 1: return x * x; case 2: return "
        "sqrtf(x); case 3: return -x; case 4: return 1 / x; case 5: return sinf(x); case 6: return expf(x); } return "
        "3; }"})
    on_inlining_routes(source, [](const Report& report) {
      EXPECT_TRUE(report.inlined());
      EXPECT_THAT(report.notes, Not(Contains(HasSubstr("call"))));
    });
}

TEST(ReportFacts, CudasHelpersAreCounted) {
  struct HelperRow {
    const char* source;
    const char* helper;
  };
  for (const HelperRow& row : {HelperRow{"__device__ double f(double a, double b) { return a / b; }", "div"},
                               HelperRow{"__device__ double f(double a) { return sqrt(a); }", "sqrt"},
                               HelperRow{"__device__ long long f(long long a, long long b) { return a / b; }", "div"},
                               HelperRow{"__device__ float f(float a, float b) { return a / b; }", "div"}})
    on_inlining_routes(row.source, [&](const Report& report) {
      EXPECT_TRUE(report.inlined());
      EXPECT_THAT(report.cuda_helpers, Contains(HasSubstr(row.helper)));
    });
}

TEST(ReportFacts, ASignatureHasOneTextOnAllRoutes) {
  for (const char* source :
       {"__device__ float f(const float x, const graft::Index i) { return x + i; }",
        "struct S { float a; }; __device__ const S f(const S s, float const y) { return {s.a * y}; }",
        "struct S { float a; }; __device__ void f(float const x, float& y, S const& s) { y = x * s.a; }"}) {
    SCOPED_TRACE(source);
    Options options;
    options.routes.required = Route::Lto;
    const std::string text = build(source, Architecture(90), options).signature().text();
    EXPECT_THAT(text, Not(HasSubstr("const float")));
    EXPECT_THAT(text, Not(HasSubstr("const graft::Index")));
    for (const Route route : {Route::Program, Route::Ptx, Route::Indirect}) {
      options.routes.required = route;
      EXPECT_EQ(build(source, Architecture(90), options).signature().text(), text) << name(route);
    }
    options.routes.required = Route::Host;
    EXPECT_EQ(Transform::create(source, options).signature().text(), text);
  }
  EXPECT_EQ(Signature::of<float(const float)>().text(), "float(float)");
}

}  // namespace
}  // namespace graft::test
