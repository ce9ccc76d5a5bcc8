// C9: a load callback whose offset has the type size_t, as in cuFFT's legacy callbacks, and that stood alone was
// answered with "has no function ``".
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
    "  return static_cast<float*>(data)[offset];\n}";

void expect_words(const Error& error, const char* words) {
  EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
  EXPECT_THAT(error.message(), AllOf(HasSubstr("load in callback.cu"), HasSubstr(words)));
  EXPECT_THAT(error.remedy(), HasSubstr("unsigned long long"));
}

TEST(C9, TheErrorNamesTheTypeToUse) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    expect_words(error_of([&] { build(Stages{.load = kLegacy}, Architecture(90), by(route)); }),
                 "does not have the signature of a load callback");
    expect_words(error_of([&] { build(kLegacy, Architecture(90), by(route)); }), "size_t offset");
  }
}

TEST(C9, OnTheHostToo) {
  expect_words(error_of([] { Transform::create(Stages{.load = kLegacy}, by(Route::Host)); }),
               "does not have the signature of a load callback");
}

}  // namespace
}  // namespace graft::test
