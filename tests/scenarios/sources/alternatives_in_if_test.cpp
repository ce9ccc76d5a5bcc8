// Tests callbacks that are defined in two branches of an #if. In version 0.1, a function that a text defines in two
// branches of an #if, once for each type, was refused as overloaded although the entry names it and the compiler sees
// only one of the two.
#include <gtest/gtest.h>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

TEST(AlternativesInIf, TheBranchThatIsCompiledIsTheCallback) {
  const Callback callback = Callback(
                                "#ifdef USE_DOUBLE\n__device__ double f(double x) { return 2 * x; }\n"
                                "#else\n__device__ float f(float x) { return 2 * x; }\n#endif")
                                .with_entry("f");
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    Options options = by(route);
    EXPECT_EQ(build(callback, Architecture(90), options).signature().text(), "float(float)");
    options.defines = {{"USE_DOUBLE"}};
    EXPECT_EQ(build(callback, Architecture(90), options).signature().text(), "double(double)");
  }
  EXPECT_EQ(Transform::create(callback, by(Route::Host)).report().kernel.signature.text(), "float(float)");
}

// Both functions are compiled here, so the name alone is ambiguous.
TEST(AlternativesInIf, OverloadsAreStillRefused) {
  const Callback callback =
      Callback("__device__ double f(double x) { return x; }\n__device__ float f(float x) { return x; }")
          .with_entry("f");
  EXPECT_EQ(error_of([&] { build(callback, Architecture(90)); }).code(), ErrorCode::AmbiguousEntry);
  EXPECT_EQ(build(callback.with_signature("double(double)"), Architecture(90)).signature().text(), "double(double)");
}

}  // namespace
}  // namespace graft::test
