// C9: a load callback whose offset has the type size_t, as in cuFFT's legacy callbacks, and that stood alone was
// answered with "has no function ``". Such callbacks are load and store callbacks like those of cuFFT's LTO-IR, and one
// that stands alone is told so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kLegacy =
    "__device__ float load(void* data, size_t offset, void* info, void* shared) {\n"
    "  return static_cast<float*>(data)[offset] + 1;\n}";
constexpr const char* kLegacyStore =
    "__device__ void store(void* data, size_t offset, float x, void* info, void* shared) {\n"
    "  static_cast<float*>(data)[offset] = 2 * x;\n}";

TEST(C9, LoadAndStoreCallbacksTakeASizeT) {
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    for (const Stages& stages :
         {Stages{.load = kLegacy}, Stages{.store = kLegacyStore}, Stages{.load = kLegacy, .store = kLegacyStore}})
      EXPECT_TRUE(build(stages, Architecture(90), by(route)).report().inlined());
  }
}

TEST(C9, OnTheHostToo) {
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out(3);
  Transform::create(Stages{.load = kLegacy, .store = kLegacyStore}, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{4, 6, 8}));
}

TEST(C9, OneThatStandsAloneIsToldWhereItBelongs) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Error error = error_of([&] { build(kLegacy, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_THAT(error.message(), AllOf(HasSubstr("load in callback.cu"), HasSubstr("cuFFT load or store callback")));
    EXPECT_THAT(error.remedy(), HasSubstr("graft::Stages"));
  }
}

}  // namespace
}  // namespace graft::test
