// Tests which products of a PTX text get a rounding modifier, so that no assembler fuses them with a sum.
#include "link/ptx_text.hpp"

#include <gtest/gtest.h>

namespace graft::link {
namespace {

TEST(RoundedProducts, HaveTheModifierThatIsTheirDefault) {
  struct Row {
    const char* text;
    const char* rounded;
  };
  for (const Row& row : {
           Row{"\tmul.f32 \t%f3, %f1, %f2;\n", "\tmul.rn.f32 \t%f3, %f1, %f2;\n"},
           Row{"{mul.f16x2 %r1,%r2,%r3;\n}", "{mul.rn.f16x2 %r1,%r2,%r3;\n}"},
           Row{"mul.ftz.sat.f32 %f1, %f2, %f3;", "mul.rn.ftz.sat.f32 %f1, %f2, %f3;"},
           Row{"@%p1 mul.bf16x2 a,b,c;mul.f64 d, e, f;", "@%p1 mul.rn.bf16x2 a,b,c;mul.rn.f64 d, e, f;"},
       })
    EXPECT_EQ(with_rounded_products(row.text), row.rounded);
}

TEST(RoundedProducts, LeaveOtherTextAsItIs) {
  for (const char* text : {"", "mul", "mul.", "mul.rn.f32 a, b, c;", "mul.rz.ftz.f64 a, b, c;", "mul.lo.s32 a, b, c;",
                           "mul.wide.u32 a, b, c;", "mul24.lo.u32 a, b, c;", "call simul.f32 , (a);", "fma.rn.f32 a;"})
    EXPECT_EQ(with_rounded_products(text), std::nullopt) << text;
}

}  // namespace
}  // namespace graft::link
