// C13: a callback named like one of CUDA's functions, such as max, was refused with the error that its name "names
// several functions". The source defines only one function of this name, and graft must take this one as the callback.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* name;
  int parameters;
};

constexpr Row kRows[] = {{"min", 2}, {"max", 2},  {"abs", 1}, {"round", 1}, {"pow", 2},  {"log", 1},
                         {"fma", 3}, {"norm", 1}, {"exp", 1}, {"hypot", 2}, {"sinpi", 1}};

// The callback returns ten times its first parameter, which none of CUDA's functions does.
std::string text_of(const Row& row) {
  std::string parameters = "float a";
  for (int i = 1; i < row.parameters; ++i) parameters += ", float b" + std::to_string(i);
  return "__device__ float " + std::string(row.name) + "(" + parameters + ") { return 10 * a; }";
}

class NamesOfCuda : public testing::TestWithParam<Row> {};

TEST_P(NamesOfCuda, CompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Image image = build(text_of(GetParam()), Architecture(90), by(route));
    EXPECT_EQ(image.report().kernel.route, route);
    EXPECT_EQ(image.signature().inputs().size(), static_cast<std::size_t>(GetParam().parameters));
  }
}

// On the host route, a callback may be named max or norm, because the C library has no functions of these names. For
// most other names in kRows, such as log, the host compiler refuses the callback, because the C library's headers
// declare a function of this name at global scope.
TEST(C13, TheHostTakesTheNamesThatTheCLibraryLacks) {
  const std::vector<float> a = {1, -2, 3};
  std::vector<float> out(3);
  Transform::create(text_of({"max", 2}), by(Route::Host)).execute(host, host_inputs(a, a), out);
  EXPECT_EQ(out, (std::vector<float>{10, -20, 30}));
  Transform::create(text_of({"norm", 1}), by(Route::Host)).execute(host, a, out);
  EXPECT_EQ(out, (std::vector<float>{10, -20, 30}));
  EXPECT_EQ(error_of([] { Transform::create(text_of({"log", 1}), by(Route::Host)); }).code(), ErrorCode::CompileFailed);
}

TEST_P(NamesOfCuda, StandInAChain) {
  EXPECT_NO_THROW(build(chain(text_of(GetParam()), "[](float x) { return x; }"), Architecture(90)));
}

INSTANTIATE_TEST_SUITE_P(C13, NamesOfCuda, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace graft::test
