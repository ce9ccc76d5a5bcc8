// Tests baked states, which are states that are compiled into the kernel. On every route that compiles an adapter, the
// kernel then has no state parameter, and reads of the state become constants.
#include <fmt/format.h>

#include "routes/routes.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

struct Filter {
  int taps;
  float weights[4];
};

constexpr Filter kFilter = {3, {1.5f, 2.5f, 4.0f, 100.0f}};
constexpr const char* kSource =
    "struct Filter { int taps; float weights[4]; };\n"
    "__device__ float f(float x, const Filter& s) { float sum = 0;\n"
    "for (int i = 0; i < s.taps; ++i) sum += s.weights[i]; return sum * x; }";

TEST(BakedState, FoldsAway) {
  Options options;
  options.bake(kFilter);
  const std::string ptx = lto_kernel_ptx(kSource, Architecture(90), options);
  EXPECT_NE(ptx.find("0f41000000"), std::string::npos) << "1.5 + 2.5 + 4 must become the constant 8 (0f41000000)\n"
                                                       << ptx;
  EXPECT_EQ(ptx.find("add.f32"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("ld.const"), std::string::npos) << ptx;
}

TEST(BakedState, LeavesTheSignatureOnEveryRoute) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host}) {
    SCOPED_TRACE(name(route));
    Options options = by(route);
    options.bake(kFilter);
    const Image image = build(kSource, Architecture(90), options);
    EXPECT_FALSE(image.signature().state());
    EXPECT_EQ(image.signature().text(), "float(float, const Filter&)");
    EXPECT_NE(image.signature().describe().find("baked state: const Filter&"), std::string::npos);
    EXPECT_TRUE(build(kSource, Architecture(90), by(route)).signature().state());
  }
}

TEST(BakedState, OfABinaryNeedsACompiledAdapter) {
  struct Scale {
    float a, b;
  };
  const std::string signature = "struct Scale { float a, b; }; extern \"C\" float axpy(float, float, const Scale&)";
  const auto bake = [](Options options) { return options.bake(Scale{2, 3}); };
  const Callback ltoir = compiled(Form::LtoIr, "gain.ltoir").with_signature(signature);
  const Callback ptx = compiled(Form::Ptx, "gain.ptx").with_signature(signature);
  EXPECT_TRUE(build(ltoir, Architecture(90), bake({})).report().inlined());
  EXPECT_EQ(build(ptx, Architecture(90), bake({})).report().kernel.route, Route::Ptx);
  EXPECT_EQ(error_of([&] { build(ptx, Architecture(90), bake(by(Route::Indirect))); }).code(),
            ErrorCode::RouteUnavailable);
}

// Two states with equal bytes and different types must not share a cached kernel. Here the second request has a wrong
// type and must fail, although the first request, with equal bytes and the right type, succeeded.
TEST(BakedState, IsNotFoundUnderAnotherType) {
  const Callback callback = "__device__ float f(float x, const float& a) { return a * x; }";
  Engine engine;
  Options real;
  real.bake(0.0f);
  Options integer;
  integer.bake(0);
  ASSERT_EQ(real.baked_state, integer.baked_state);
  EXPECT_FALSE(build(engine, callback, Architecture(90), real).signature().state());
  const Error error = error_of([&] { build(engine, callback, Architecture(90), integer); });
  EXPECT_EQ(error.code(), ErrorCode::TypeMismatch) << error.what();
}

TEST(BakedState, MustBeTheStateOfTheCallback) {
  for (const Route route : {Route::Lto, Route::Program, Route::Host}) {
    Options options = by(route);
    options.bake(1.0);
    const Error size = error_of([&] { build(kSource, Architecture(90), options); });
    EXPECT_EQ(size.code(), ErrorCode::TypeMismatch) << size.what();
    EXPECT_NE(size.message().find("has 20 bytes, but 8 bytes were baked"), std::string::npos) << size.what();
    Options integer;
    integer.routes.required = route;
    integer.bake(3);
    const Error kind = error_of(
        [&] { build("__device__ float f(float x, const float& a) { return a * x; }", Architecture(90), integer); });
    EXPECT_EQ(kind.code(), ErrorCode::TypeMismatch);
    EXPECT_NE(kind.message().find("is float, but int32 was baked"), std::string::npos) << kind.what();
    EXPECT_EQ(error_of([&] { build("__device__ float f(float x) { return x; }", Architecture(90), options); }).code(),
              ErrorCode::InvalidArgument);
  }
}

}  // namespace
}  // namespace graft::test
