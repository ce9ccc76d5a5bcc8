// A declared signature chooses the function where a callback's name or object means several: overloaded and template
// call operators. A function that is named like one of CUDA's or of the C library's is chosen by its own type.
#include <array>

#include "scenarios/forms/forms.hpp"

namespace graft::test {
namespace {

constexpr std::array kGpuRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

float run(const Callback& callback, float x) {
  float y = 0;
  Transform::create(callback, by(Route::Host))
      .execute(host, std::array{ArrayRef(&x, 1, element_type<float>())},
               std::array{ArrayRef(&y, 1, element_type<float>())});
  return y;
}

struct Object {
  const char* text;
  const char* entry;
};

constexpr Object kObjects[] = {
    {"struct F { __device__ float operator()(float x) const { return 3 * x; }\n"
     "           __device__ int operator()(int x) const { return x; } };",
     "F{}"},
    {"struct F { template <class T> __device__ T operator()(T x) const { return 3 * x; } };", "F{}"},
    {"struct F { template <class T> __device__ T operator()(T x) { return 3 * x; } };", "F{}"},
};

TEST(DeclaredSignatures, ChooseACallOperator) {
  for (const auto& [text, entry] : kObjects) {
    const Callback callback = Callback(text).with_entry(entry).with_signature("float(float)");
    for (const Route route : kGpuRoutes)
      EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), "float(float)") << text << name(route);
    EXPECT_EQ(run(callback, 1.5f), 4.5f) << text;
    EXPECT_EQ(run(chain({callback, "[](float x) { return x + 1; }"}), 1.5f), 5.5f) << text;
    EXPECT_EQ(build(chain({callback, callback}), Architecture(90)).signature().text(), "float(float)") << text;
    EXPECT_NO_THROW(callback.precompile({Architecture(90)})) << text;
  }
}

TEST(DeclaredSignatures, OfObjectsAreChecked) {
  const Callback one =
      Callback("struct F { __device__ float operator()(float x) const { return x; } };").with_entry("F{}");
  EXPECT_EQ(error_of([&] { build(one.with_signature("float(double)"), Architecture(90)); }).code(),
            ErrorCode::SignatureMismatch);
  EXPECT_NO_THROW(build(one.with_signature("float(float)"), Architecture(90)));
  // The result is the operator's own: nothing is converted.
  const Callback generic = Callback(kObjects[1].text).with_entry("F{}").with_signature("double(float)");
  EXPECT_EQ(error_of([&] { build(generic, Architecture(90)); }).code(), ErrorCode::UnsupportedParameter);
}

TEST(DeclaredSignatures, MayBeNoexcept) {
  const Callback callback =
      Callback("__device__ float f(float x) noexcept { return 3 * x; }").with_signature("float f(float) noexcept");
  for (const Route route : kGpuRoutes) EXPECT_NO_THROW(build(callback, Architecture(90), by(route))) << name(route);
  EXPECT_EQ(run(callback, 1.5f), 4.5f);
}

TEST(FunctionsNamedLikeCudas, AreTaken) {
  for (const std::string function : {"printf", "malloc", "free", "memset", "clock", "pow", "max", "div", "remove"}) {
    const std::string text = "__device__ float " + function + "(float x) { return 3 * x; }";
    for (const Route route : kGpuRoutes)
      EXPECT_EQ(build(Callback(text), Architecture(90), by(route)).signature().text(), "float(float)") << text;
    EXPECT_EQ(run(text, 1.5f), 4.5f) << text;
  }
}

// The rest of the text is read as the compiler reads it.
TEST(OddTexts, AreTaken) {
  const Callback deleted_copy =
      "struct S { float v; S(const S&) = delete; };\n__device__ float f(float x, const S& s) { return x * s.v; }";
  EXPECT_EQ(build(deleted_copy, Architecture(90)).signature().text(), "float(float, const S&)");
  EXPECT_EQ(run("#if 0\n#include \"absent.h\"\n#endif\n__device__ float f(float x) { return 3 * x; }", 1.5f), 4.5f);
  EXPECT_EQ(run(Callback("__device__ float f(float x) <% return 3 * x; %>").with_entry("f"), 1.5f), 4.5f);
}

}  // namespace
}  // namespace graft::test
