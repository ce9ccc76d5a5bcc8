// Tests how graft finds the callback in a source. In version 0.1, a callback with a parameter `const float (&)[4]` was
// refused with an error about an ambiguity instead of the array. An entry name such as `A::go`, which names a static
// member function or uses a namespace alias, was not found. If a source had two lambdas joined by a comma, graft
// silently took the second lambda.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

TEST(EntryNames, AReferenceToAnArrayIsRefusedAsOne) {
  for (const char* text : {"__device__ float f(const float (&a)[4]) { return a[0]; }",
                           "__device__ float f(float (&a)[4]) { return a[0]; }"}) {
    const Error error = error_of([&] { build(text, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
    EXPECT_THAT(error.message(), HasSubstr("is a pointer or an array"));
  }
}

TEST(EntryNames, AStaticMemberAndANamespaceAliasCanBeTheEntry) {
  const Callback member =
      Callback("struct A { static __device__ float go(float x) { return 3 * x; } };").with_entry("A::go");
  const Callback alias =
      Callback("namespace math { __device__ float f(float x) { return 3 * x; } }\nnamespace m = math;")
          .with_entry("m::f");
  for (const Callback& callback : {member, alias}) {
    for (const Route route : kGpuRoutes)
      EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
    const std::vector<float> in = {1, 2};
    std::vector<float> out(2);
    Transform::create(callback, by(Route::Host)).execute(host, in, out);
    EXPECT_EQ(out, (std::vector<float>{3, 6}));
  }
  const Error error = error_of([] {
    build(Callback("struct A {};\n__device__ float f(float x) { return x; }").with_entry("A::go"), Architecture(90));
  });
  EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry);
}

TEST(EntryNames, MembersAreFoundThroughAliasesAndTails) {
  const Callback callbacks[] = {
      Callback("struct A { static __device__ float go(float x) { return 3 * x; } };\nusing M = A;").with_entry("M::go"),
      Callback("namespace n { struct B { static __device__ float go(float x) { return 3 * x; } }; }")
          .with_entry("B::go"),
      Callback("namespace n { struct A { struct B { static __device__ float go(float x) { return 3 * x; } }; }; }")
          .with_entry("A::B::go"),
      Callback("namespace n { struct A { static __device__ float go(float x) { return 3 * x; } };\nusing M = A; }")
          .with_entry("M::go"),
      Callback("struct [[maybe_unused]] alignas(8) A {\n"
               "  [[nodiscard]] static __device__ __forceinline__ float go(float x) { return 3 * x; }\n};")
          .with_entry("A::go"),
      Callback("struct A {\n  static __device__ float go(float x) { return 3 * x; }\n"
               "  static __device__ int go(int x) { return x; }\n};")
          .with_entry("A::go")
          .with_signature("float(float)"),
  };
  for (const Callback& callback : callbacks) {
    SCOPED_TRACE(callback.text());
    for (const Route route : kGpuRoutes)
      EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
    EXPECT_NO_THROW(build(chain(callback, "[](float x) { return x; }"), Architecture(90)));
    const std::vector<float> in = {1, 2};
    std::vector<float> out(2);
    Transform::create(callback, by(Route::Host)).execute(host, in, out);
    EXPECT_EQ(out, (std::vector<float>{3, 6}));
  }
  const Callback wrong =
      Callback("struct A { static __device__ float go(float x) { return x; } };").with_entry("A::go");
  const Error error = error_of([&] { build(wrong.with_signature("int(int)"), Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
}

TEST(EntryNames, OneLambdaIsGiven) {
  const Error error =
      error_of([] { build("[](float x) { return x; },\n[](float x) { return 2 * x; }", Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu(1): more follows the lambda"));
  EXPECT_NO_THROW(build("[](float x, float y) { return x, y; }", Architecture(90)));
}

}  // namespace
}  // namespace graft::test
