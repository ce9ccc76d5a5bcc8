// Tests the program text of the callback on the routes that compile the callback and the kernel as two programs and
// link them afterwards.
#include "codegen/separate_program.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graft::codegen {
namespace {

std::string entry_text(const Signature& signature) {
  SourceProgram program;
  program.parts.callback_text = "__device__ float f(float x);";
  program.parts.callback_name = "callback.cu";
  program.parts.entry = "f";
  return entry_program_text(program, signature);
}

TEST(SeparateProgram, DefinesTheEntryThatCallsTheCallback) {
  EXPECT_EQ(entry_text(Signature::of<float(float)>()),
            "#define GRAFT_ANSWER static __device__\n"
            "#define GRAFT_STAND_INS\n"
            "#include \"graft/device.h\"\n"
            "#include \"graft/contract.h\"\n"
            "#include \"graft/cells.h\"\n"
            "#include \"graft/adapter.h\"\n"
            "#include \"graft/behind.h\"\n"
            "typedef float graft_result_type;\n"
            "typedef float graft_type_0;\n"
            "extern \"C\" __device__ graft_result_type graft_entry(graft_type_0);\n"
            "#line 1 \"callback.cu\"\n"
            "__device__ float f(float x);\n"
            "#line 1 \"graft_adapter\"\n"
            "#define GRAFT_CALLBACK ::f\n"
            "#include \"graft/kernel.h\"\n"
            "extern \"C\" __device__ graft_result_type graft_entry(graft_type_0 graft_a0) {\n"
            "  graft_value<graft_result_of<graft_function>> graft_r;\n"
            "  graft_r.graft_take("
            "graft_call::graft_run(graft_value<graft_parameter_of<graft_function, 0>>(graft_a0).graft_own()));\n"
            "  return graft_r.graft_as<graft_result_type>();\n"
            "}\n");
}

// A half that was copied byte by byte became a wrong number, so types that the kernel does not know are copied in the
// largest words that their alignment allows.
TEST(SeparateProgram, PassesOtherTypesInTheLargestWords) {
  const ElementType half{ElementKind::Float, 2, 2};
  const ElementType large{ElementKind::Class, 32, 16};
  const std::string text = entry_text(Signature({Role::Output, half, "__half"}, {{Role::Input, large, "S"}}));
  EXPECT_NE(text.find("struct alignas(2) graft_result_type { unsigned short words[1]; };\n"
                      "struct alignas(16) graft_type_0 { unsigned long long words[4]; };\n"),
            std::string::npos)
      << text;
}

TEST(SeparateProgram, PassesOutputsByReferenceAndReturnsNothing) {
  const std::string text = entry_text(Signature::of<void(double, float&)>());
  EXPECT_NE(text.find("typedef void graft_result_type;\n"
                      "typedef double graft_type_0;\n"
                      "typedef float graft_type_1;\n"
                      "extern \"C\" __device__ graft_result_type graft_entry(graft_type_0, graft_type_1&);\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(
      text.ends_with("graft_entry(graft_type_0 graft_a0, graft_type_1& graft_a1) {\n"
                     "  graft_call::graft_run(graft_value<graft_parameter_of<graft_function, "
                     "0>>(graft_a0).graft_own(), reinterpret_cast<graft_parameter_of<graft_function, "
                     "1>&>(graft_a1));\n"
                     "}\n"))
      << text;
}

}  // namespace
}  // namespace graft::codegen
