// Tests the PTX that graft generates for the routes "indirect" and "ptx". This PTX must pass parameters exactly as
// compilers do, because a wrong register type or offset would pass wrong values to the callback.
#include "families/elementwise/indirect_ptx.hpp"

#include <gtest/gtest.h>

#include "format/ptx.hpp"

namespace graft::elementwise {
namespace {

TEST(IndirectPtx, PassesParametersAsCompilersDo) {
  const std::string text = indirect_ptx(
      {"graft_transform_f",
       Signature::of<float(float, signed char, double, graft::complex<float>, const double&, graft::Index)>(), 0, "f"});
  for (const char* part :
       {".extern .func (.param .b32 r) f(.param .b32 a0, .param .b32 a1, .param .b64 a2, .param .align 8 .b8 a3[8], "
        ".param .b64 a4, .param .align 8 .b8 a5[8]);",
        "ld.s8 %w, [%place];\n  st.param.b32 [a1], %w;", "add.u64 %place, %launch, 72;\n  st.param.b64 [a4], %place;",
        "st.param.b64 [a5], %index;", "call (r), f, (a0, a1, a2, a3, a4, a5);",
        "ld.b64 %place, [%launch+40];\n  mad.lo.u64 %place, %index, 1, %place;",  // the second input's pointer
        "ld.b64 %place, [%launch+64];\n  mad.lo.u64 %place, %index, 4, %place;",  // the output's pointer
        ".visible .entry graft_transform_f(.param .align 8 .b8 p[80])\n.maxntid 256, 1, 1"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_TRUE(format::read_ptx(text)) << text;
}

// An output may be the same memory as an input, so the kernel must read all inputs before it clears an output.
TEST(IndirectPtx, ReadsInputsBeforeItClearsOutputs) {
  const std::string text = indirect_ptx({"k", Signature::of<void(float&, float)>(), 32, "f"});
  EXPECT_LT(text.find("[%launch+32]"), text.find("[%launch+40]"));  // first the input's pointer, then the output's
  EXPECT_NE(text.find(".maxnreg 32"), std::string::npos);
}

// The callback updates the array's element itself, so the kernel must not clear it.
TEST(IndirectPtx, PassesTheElementsOfInOutArrays) {
  const std::string text = indirect_ptx({"k", Signature::of<void(InOut<float>, float)>(), 0, "f"});
  EXPECT_NE(text.find("ld.b64 %place, [%launch+48];\n  mad.lo.u64 %place, %index, 4, %place;\n  st.param.b64 [a0]"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(".param .align 8 .b8 p[56]"), std::string::npos) << text;
}

// A selective callback must not write to the arrays, because it may leave the element alone: it gets variables.
TEST(IndirectPtx, StoresOnlyWhatASelectiveCallbackStores) {
  const std::string text = indirect_ptx({"k", Signature::of<Store(float, float&, double&)>(), 0, "f"});
  for (const char* part :
       {".extern .func (.param .align 1 .b8 r[1]) f(.param .b32 a0, .param .b64 a1, .param .b64 a2);",
        ".local .align 4 .b8 o0[4];", ".local .align 8 .b8 o1[8];",
        "mov.b64 %place, o1;\n  cvta.local.u64 %place, %place;\n  mov.b64 %d, 0;",
        "ld.param.b8 %w, [r];\n  setp.ne.b32 %stored, %w, 0;",
        "ld.local.b32 %w, [o0+0];\n  @%stored st.b32 [%place+0], %w;",
        "ld.local.b64 %d, [o1+0];\n  @%stored st.b64 [%place+0], %d;"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_TRUE(format::read_ptx(text)) << text;
}

// The places come from the building block, and a position from the index.
TEST(IndirectPtx, OfViewsTakesThePlaces) {
  const std::string text =
      indirect_ptx({"k", Signature::of<float(float, InOut<double>, Position<2>, const float&)>(), 0, "f", true});
  for (const char* part :
       {".extern .func graft_indirect_views(.param .b64 launch, .param .b64 shape, .param .b32 pointers, .param .b64 "
        "thunk);",
        ".func graft_thunk(.param .b64 launch, .param .b64 index, .param .b64 places)",
        "ld.b64 %place, [%places+0];\n  ld.b32 %w, [%place];",         // the input
        "ld.b64 %place, [%places+24];\n  st.param.b64 [a1], %place;",  // the in-out array
        "ld.b64 %multiplier, [%launch+64];",
        // 32 bytes, 4 pointers, 2 dividers, the state and its padding; then graft_shape, and 8 strides for each pointer
        "p[528]", "add.u64 %shape, %launch, 104;", "st.param.b32 [a3], 4;"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_TRUE(format::read_ptx(text)) << text;
}

TEST(IndirectPtx, CallsAnAdapterThatIsThere) {
  const std::string text = indirect_ptx({"k", Signature::of<float(float)>(), 0, ""});
  EXPECT_NE(text.find(".extern .func graft_element("), std::string::npos) << text;
  EXPECT_EQ(text.find("graft_thunk"), std::string::npos) << text;
}

TEST(IndirectPtx, LowersTheVersionAlone) {
  EXPECT_EQ(as_oldest_version("// a\n.version 9.0\n.target sm_75\n"), "// a\n.version 7.7\n.target sm_75\n");
  EXPECT_EQ(as_oldest_version("nothing"), "nothing");
}

}  // namespace
}  // namespace graft::elementwise
