// Formulas in packs: a formula that was compiled ahead of time makes the kernels that it makes from its text, on the
// routes that packs have, and needs no compiler.
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

const char* const kPackedFormulas[] = {
    "f32 x; f32 a, b => a * max(x, 0) + b",
    "f16 x, f64 y => u = x + 1; v = y // 2 > x",
    "c64 z => exp(z) / abs(z)",
    "i32 n, u8 m => n % m",
    "=> 3",
};

Options required(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

TEST(PackedFormulas, MakeTheKernelsOfTheirTexts) {
  const PartialToolkit linker(false, true);
  Engine without_compiler({.cuda_path = linker.path(), .cache = {.policy = CachePolicy::MemoryOnly}});
  for (const char* text : kPackedFormulas) {
    SCOPED_TRACE(text);
    const Callback pack = Callback::pack(formula(text).precompile({80}, PrecompileFormat::PackWithCubins));
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      const Image image = build(without_compiler, pack, Architecture(90), required(route));
      const Image direct = build(formula(text), Architecture(90), required(route));
      EXPECT_EQ(image.report().kernel.route, route);
      EXPECT_EQ(image.signature(), direct.signature());
      EXPECT_EQ(image.signature().text(), direct.signature().text());
    }
    EXPECT_FALSE(build(without_compiler, pack, Architecture(80)).bytes().empty());
  }
}

TEST(PackedFormulas, AreForGpusAlone) {
  const Callback pack = Callback::pack(formula("f32 x => x^2").precompile({80}));
  const Error error = error_of([&] { Transform::create(pack, required(Route::Host)); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable) << error.what();
}

}  // namespace
}  // namespace graft::test
