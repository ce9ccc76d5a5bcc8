// Tests kernels for arrays of any shape that call through a pointer: of packs, which hold no such kernels, and of
// binaries whose types are known. The GPU tests run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "graft/graft.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using elementwise::KernelShapes;
using elementwise::ShapeClass;

Image built(const Callback& callback, const KernelShapes& made_for, const Options& options = {}) {
  const Step step(callback, kElementwise, elementwise::request_of(made_for));
  return Image::Data::image(
      std::make_shared<Image::Data>(routes::build_image(step, Architecture(90), options, toolbox())));
}

TEST(ViewsThroughPointers, AreMadeOfPacks) {
  for (const char* const source :
       {"__device__ float f(float x, const float& s) { return s * x; }",
        "__device__ void f(graft::InOut<double> x, graft::Position<2> p) { x += p[0]; }",
        "__device__ graft::Store f(short x, short& y) { y = x; return graft::Store(x > 0); }"}) {
    SCOPED_TRACE(source);
    const Callback pack = Callback::pack(Callback(source).precompile({Architecture(75)}));
    const Report report = built(pack, ShapeClass::Strided).report();
    EXPECT_EQ(report.kernel.route, Route::Indirect);
    EXPECT_EQ(report.kernel.request, elementwise::request_of(ShapeClass::Strided));
    EXPECT_EQ(report.policy_reason, "for arrays of any shape: strided");
    EXPECT_NE(built(pack, ShapeClass::Flat).report().kernel.route, Route::Indirect);
    EXPECT_EQ(error_of([&] { built(pack, KernelShapes(ShapeClass::Transposed, 1)); }).code(),
              ErrorCode::RouteUnavailable);
    const Error error = error_of([&] { built(pack, ShapeClass::Strided, {.routes = {.required = Route::Lto}}); });
    EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
    EXPECT_THAT(error.message(), testing::HasSubstr("lto: a pack has no code of this kernel"));
  }
}

TEST(ViewsThroughPointers, NeedThePtxOfThePack) {
  const Callback parts = chain({"__device__ float twice(float x) { return 2 * x; }", "[](float x) { return x + 1; }"});
  const Callback pack = Callback::pack(parts.precompile({Architecture(75)}));
  const Error error = error_of([&] { built(pack, ShapeClass::Strided); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.message(), testing::HasSubstr("has no PTX of its callback"));
}

TEST(ViewsThroughPointers, AreMadeOfBinariesWhoseTypesAreKnown) {
  const Callback source("extern \"C\" __device__ float f(float x) { return 2 * x; }");
  const Options through_pointer{.routes = {.required = Route::Indirect}};
  const std::vector<std::byte> bytes = source.precompile({Architecture(75)}, PrecompileFormat::Ptx);
  const Callback ptx =
      Callback::ptx(std::string(base::as_text(bytes)), "f.ptx").with_signature("extern \"C\" float f(float)");
  EXPECT_EQ(built(ptx, ShapeClass::Strided, through_pointer).report().kernel.route, Route::Indirect);
  // The adapter of a source is made for arrays of one dimension.
  const Error error = error_of([&] { built(source, ShapeClass::Strided, through_pointer); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.message(), testing::HasSubstr("for binaries whose types graft knows"));
}

}  // namespace
}  // namespace graft::test
