// Tests which texts are told to be a path or a formula. A text that may define a callback must be neither, because the
// compiler alone can say whether it does.
#include "reflect/callback/mistaken_text.hpp"

#include <gtest/gtest.h>

namespace graft::reflect {
namespace {

TEST(MistakenText, PathsAreTold) {
  for (const char* text : {"relu.cu", "kernels/f.cu", "/opt/my kernels/f.cuh", "../a-b.1/f.ptx", "f.ltoir", "f.graft"})
    EXPECT_EQ(kind_of_text(text), TextKind::Path) << text;
}

TEST(MistakenText, FormulasAreTold) {
  for (const char* text : {"x > 0 ? x : 0", "2 * x", "x", "sqrt(x) + pow(y, 2.0f)", "return 2 * x;", "return x",
                           "x /* the input */ + 1 // one", "p.x * q[3]", "x\n  + y", "a*b.c", "float(x)"})
    EXPECT_EQ(kind_of_text(text), TextKind::Formula) << text;
}

TEST(MistakenText, FormulasGetALambda) {
  EXPECT_EQ(lambda_of("x > 0 ? x : 0"), "[](float x) { return x > 0 ? x : 0; }");
  EXPECT_EQ(lambda_of("z*2"), "[](float z) { return z*2; }");
  EXPECT_EQ(lambda_of("return std::pow(a, 2) + p.x;"), "[](float a, float p) { return std::pow(a, 2) + p.x; }");
  EXPECT_EQ(lambda_of("1 + 2"), "[](float x) { return 1 + 2; }");
}

TEST(MistakenText, CodeAndWhatMayBecomeCodeIsNeither) {
  for (const char* text : {"",
                           " ",
                           "// nothing",
                           "__device__ float f(float x) { return x; }",
                           "__device__ float f(float x)",
                           "extern \"C\" __device__ float curve(float);",
                           "float f(float x)",
                           "[](float x) { return x; }",
                           "[](float x)",
                           "#include \"relu.cu\"",
                           "#include <relu.cu>\n",
                           "struct S",
                           "CALLBACK(f) { return x; }",
                           "x; y",
                           "missing.bin",
                           "old/data-set",
                           "data-set.x",
                           "float y = 2 * x;",
                           "__device__ float f(float x) <% return x; %>",
                           "\"open",
                           "using math::f;",
                           "return; x",
                           "x }"})
    EXPECT_EQ(kind_of_text(text), TextKind::Code) << text;
}

}  // namespace
}  // namespace graft::reflect
