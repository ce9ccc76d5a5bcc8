// Tests the program texts that graft generates for the compiler, by comparison with expected texts.
#include "codegen/program.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace graft::codegen {
namespace {

const std::string kFront =
    "#include \"graft/device.h\"\n#include \"graft/contract.h\"\n#include \"graft/cells.h\"\n"
    "#include \"graft/adapter.h\"\n"
    "#include \"graft/behind.h\"\n";
constexpr const char* kRelu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";

ProgramParts parts(std::string_view text, std::string entry) {
  ProgramParts all;
  all.callback_text = text;
  all.callback_name = "callback.cu";
  all.entry = std::move(entry);
  return all;
}

TEST(Program, OfAFunction) {
  EXPECT_EQ(program_text(parts(kRelu, "relu")), kFront +
                                                    "#line 1 \"callback.cu\"\n"
                                                    "__device__ float relu(float x) { return x > 0 ? x : 0; }\n"
                                                    "#line 1 \"graft_adapter\"\n"
                                                    "#define GRAFT_CALLBACK ::relu\n"
                                                    "#define GRAFT_KERNEL graft_transform_relu\n"
                                                    "#define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)\n"
                                                    "#include \"graft/kernel.h\"\n");
}

TEST(Program, OfALambda) {
  EXPECT_EQ(program_text(parts("[](float x) { return 2 * x; }", "")),
            kFront +
                "#line 1 \"graft_adapter\"\n"
                "__device__ auto graft_callback() { return\n"
                "#line 1 \"callback.cu\"\n"
                "[](float x) { return 2 * x; }\n"
                "#line 1 \"graft_adapter\"\n"
                ";}\n"
                "#define GRAFT_CALLBACK graft_callback()\n"
                "#define GRAFT_KERNEL graft_transform_lambda\n"
                "#define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)\n"
                "#include \"graft/kernel.h\"\n");
}

// For a lambda callback, graft generates a function that returns the lambda expression. Splits the callback's section
// of the program text into the lines before this function and the expression that the function returns. Each part
// begins with its #line directive.
std::pair<std::string, std::string> halves(std::string_view text) {
  const std::string section = callback_section(parts(text, ""));
  const std::string middle = "#line 1 \"graft_adapter\"\n__device__ auto graft_callback() { return\n";
  const std::string end = "\n#line 1 \"graft_adapter\"\n;}\n";
  const std::size_t at = section.find(middle);
  if (at == std::string::npos || !section.ends_with(end)) return {section, "not a lambda's section"};
  const std::size_t begin = at + middle.size();
  return {section.substr(kFront.size(), at - kFront.size()),
          section.substr(begin, section.size() - end.size() - begin)};
}

TEST(Program, PutsPreprocessorLinesInFrontOfALambda) {
  struct Row {
    const char* text;
    const char* front;
    const char* returned;
  };
  const std::vector<Row> rows = {
      {"[](int x) { return x; }", "", "#line 1 \"callback.cu\"\n[](int x) { return x; }"},
      {"// why\n[](int x) {}", "", "#line 1 \"callback.cu\"\n// why\n[](int x) {}"},
      {"#include <cmath>\n[](int x) {}", "#line 1 \"callback.cu\"\n#include <cmath>\n",
       "#line 2 \"callback.cu\"\n[](int x) {}"},
      {"// why\n#include <a>\n\n#define N 3 // three\n\n[](int x) {}",
       "#line 1 \"callback.cu\"\n// why\n#include <a>\n\n#define N 3 // three\n",
       "#line 5 \"callback.cu\"\n\n[](int x) {}"},
      {"#define N \\\n  3\n[](int x) {}", "#line 1 \"callback.cu\"\n#define N \\\n  3\n",
       "#line 3 \"callback.cu\"\n[](int x) {}"},
      {"#include <a>\n/* long\n comment */ [](int x) {}", "#line 1 \"callback.cu\"\n#include <a>\n",
       "#line 2 \"callback.cu\"\n/* long\n comment */ [](int x) {}"},
      {"#include <a>\r\n[](int x) {}", "#line 1 \"callback.cu\"\n#include <a>\r\n",
       "#line 2 \"callback.cu\"\n[](int x) {}"},
      {"#include <a>\n#if X\n#include <b>\n#endif\n[](int x) {}",
       "#line 1 \"callback.cu\"\n#include <a>\n#if X\n#include <b>\n#endif\n", "#line 5 \"callback.cu\"\n[](int x) {}"},
      {"#include <a>\n#if X\n[](int x) {}\n#else\n[](float x) {}\n#endif", "#line 1 \"callback.cu\"\n#include <a>\n",
       "#line 2 \"callback.cu\"\n#if X\n[](int x) {}\n#else\n[](float x) {}\n#endif"},
      {"[](int x) {\n#pragma unroll\n}", "", "#line 1 \"callback.cu\"\n[](int x) {\n#pragma unroll\n}"},
      {"", "", "#line 1 \"callback.cu\"\n"},
      {"#include <a>", "", "#line 1 \"callback.cu\"\n#include <a>"},
  };
  for (const Row& row : rows) {
    const auto [front, returned] = halves(row.text);
    EXPECT_EQ(front, row.front) << row.text;
    EXPECT_EQ(returned, row.returned) << row.text;
  }
}

TEST(Program, OfAFunctionObject) {
  ProgramParts functor = parts("struct Scale { int n; };", "Scale{2}");
  functor.entry_is_expression = true;
  EXPECT_EQ(program_text(functor), kFront +
                                       "#line 1 \"callback.cu\"\n"
                                       "struct Scale { int n; };\n"
                                       "#line 1 \"graft_adapter\"\n"
                                       "__device__ auto graft_callback() { return Scale{2}; }\n"
                                       "#define GRAFT_CALLBACK graft_callback()\n"
                                       "#define GRAFT_KERNEL graft_transform_Scale_2\n"
                                       "#define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)\n"
                                       "#include \"graft/kernel.h\"\n");
}

TEST(Program, WithADeclaredSignatureAndACeiling) {
  ProgramParts overload = parts("__device__ int f(int x);", "f");
  overload.declared = "int f(int)";
  overload.pick_overload = true;
  overload.max_registers = 64;
  EXPECT_EQ(kernel_section(overload),
            "#define GRAFT_CALLBACK ::f\n"
            "#define GRAFT_KERNEL graft_transform_f\n"
            "#define GRAFT_KERNEL_OPTIONS __maxnreg__(64)\n"
            "#line 1 \"graft_declared_signature\"\n"
            "using graft_declared =\n"
            "int(int);\n"
            "#line 4 \"graft_adapter\"\n"
            "#define GRAFT_OVERLOAD graft_declared\n"
            "#include \"graft/kernel.h\"\n"
            "using graft_declared_facts = graft_facts_of<graft_declared>;\n");
}

TEST(Program, IncludesWhatTheTextNeeds) {
  ProgramParts all = parts(kRelu, "relu");
  all.include_half = all.include_bfloat16 = true;
  all.math_calls = {{"max", "GRAFT_MATH_OF_EXTREME"}, {"sqrt", "GRAFT_MATH_OF_INTEGERS"}};
  all.std_headers = {"cmath", "algorithm"};
  EXPECT_TRUE(
      program_text(all).starts_with(kFront +
                                    "#include \"cuda_fp16.h\"\n#include \"cuda_bf16.h\"\n#include "
                                    "\"graft/math_calls.h\"\nGRAFT_MATH_OF_EXTREME(max)\nGRAFT_MATH_OF_INTEGERS("
                                    "sqrt)\n#include \"cmath\"\n#include \"algorithm\"\n#line 1 \"callback.cu\"\n"));
}

// The callback's defines come after everything that graft includes, so that they cannot change graft's headers. An
// empty line follows each define, because a value that ends with a backslash would otherwise join the next line.
TEST(Program, PutsDefinesInFrontOfTheText) {
  ProgramParts all = parts(kRelu, "relu");
  all.include_half = true;
  all.front = "int own;\n";
  all.defines = {{"N", "3"}, {"TWICE(x)", "(2 * (x))"}, {"ONE"}};
  const std::string defines =
      "#line 1 \"Options::defines\"\n#define N 3\n\n#line 2 \"Options::defines\"\n#define TWICE(x) (2 * (x))\n\n"
      "#line 3 \"Options::defines\"\n#define ONE 1\n\n#line 1 \"callback.cu\"\n";
  EXPECT_TRUE(program_text(all).starts_with(kFront + "#include \"cuda_fp16.h\"\nint own;\n" + defines));
  EXPECT_TRUE(
      text_alone(all).starts_with("#include \"graft/device.h\"\n#include \"cuda_fp16.h\"\nint own;\n" + defines));
  all.entry.clear();
  EXPECT_NE(callback_section(all).find("(2 * (x))"), std::string::npos);
}

TEST(Program, WithoutAnAdapter) {
  EXPECT_EQ(text_alone(parts(kRelu, "relu")),
            std::string("#include \"graft/device.h\"\n#line 1 \"callback.cu\"\n") + kRelu + "\n");
  ProgramParts lambda = parts("#include <a>\n[](int x) {\n}\n", "");
  lambda.text_is_expression = true;
  EXPECT_EQ(text_alone(lambda),
            "#include \"graft/device.h\"\n"
            "#line 1 \"callback.cu\"\n"
            "#include <a>\n"
            "#line 1 \"graft_adapter\"\n"
            "__device__ auto graft_callback() { return\n"
            "#line 2 \"callback.cu\"\n"
            "[](int x) {\n}\n\n"
            "#line 3 \"callback.cu\"\n"
            ";}\n");
}

TEST(Program, OfACompositionGivesEachCallbackANamespace) {
  ProgramParts source = parts("#include <a>\n#define K 2\nextern \"C\" __device__ float f(float x);", "f");
  source.extern_c = {"f"};
  source.declared = "float(float)";
  source.defines = {{"TWICE(x)", "(2 * (x))"}};
  ProgramParts lambda = parts("[](float x) { return x; }", "");
  lambda.callback_name = "lambda.cu";
  ProgramParts binary = parts("__device__ float g(float);", "g");
  binary.is_declaration = true;
  binary.callback_name = "g.ltoir";
  ProgramParts all;
  all.members = {source, lambda, binary};
  all.composition = "graft_chain<graft_part_0, graft_part_1, graft_part_2>";
  all.kernel_name = "graft_transform_all";
  all.shared_bytes = 64;
  EXPECT_EQ(program_text(all), kFront +
                                   "#define GRAFT_SHARED_BYTES 64\n"
                                   "#include \"graft/compose.h\"\n"
                                   "#pragma push_macro(\"TWICE\")\n"
                                   "#line 1 \"Options::defines\"\n"
                                   "#define TWICE(x) (2 * (x))\n\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "#define f graft_text_0_f\n"
                                   "#line 1 \"callback.cu\"\n"
                                   "#include <a>\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "#pragma push_macro(\"K\")\n"
                                   "namespace graft_text_0 {\n"
                                   "namespace graft { using namespace ::graft; }\n"
                                   "#line 2 \"callback.cu\"\n"
                                   "#define K 2\n"
                                   "extern \"C\" __device__ float f(float x);\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "#line 1 \"graft_declared_signature\"\n"
                                   "using graft_declared =\n"
                                   "float(float);\n"
                                   "#line 4 \"graft_adapter\"\n"
                                   "}\n"
                                   "GRAFT_PART(graft_part_0, ::graft_text_0::f)\n"
                                   "#undef f\n"
                                   "#undef K\n"
                                   "#pragma pop_macro(\"K\")\n"
                                   "#undef TWICE\n"
                                   "#pragma pop_macro(\"TWICE\")\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "namespace graft_text_1 {\n"
                                   "namespace graft { using namespace ::graft; }\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "__device__ auto graft_callback() { return\n"
                                   "#line 1 \"lambda.cu\"\n"
                                   "[](float x) { return x; }\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   ";}\n"
                                   "}\n"
                                   "GRAFT_PART(graft_part_1, ::graft_text_1::graft_callback())\n"
                                   "#line 1 \"g.ltoir\"\n"
                                   "__device__ float g(float);\n"
                                   "#line 1 \"graft_adapter\"\n"
                                   "GRAFT_PART(graft_part_2, ::g)\n"
                                   "#define GRAFT_COMPOSITION graft_chain<graft_part_0, graft_part_1, graft_part_2>\n"
                                   "#define GRAFT_KERNEL graft_transform_all\n"
                                   "#define GRAFT_KERNEL_OPTIONS __launch_bounds__(256)\n"
                                   "#include \"graft/kernel.h\"\n");
  EXPECT_EQ(reading_text(all), program_text(all));
}

TEST(Program, OfTheReadingPass) {
  const ProgramParts relu = parts(kRelu, "relu");
  EXPECT_EQ(reading_text(relu), "#define GRAFT_READING\n" + program_text(relu));
}

TEST(Program, WithABakedState) {
  ProgramParts baked = parts(kRelu, "relu");
  baked.baked_state = {std::byte{1}, std::byte{255}};
  EXPECT_NE(program_text(baked).find("#include \"graft/contract.h\"\n"
                                     "struct alignas(64) graft_baked_bytes { unsigned char graft_bytes[2]; };\n"
                                     "static __constant__ const graft_baked_bytes graft_baked = {{1,255}};\n"
                                     "#define GRAFT_BAKED_STATE graft_baked.graft_bytes\n"
                                     "#include \"graft/cells.h\"\n"
                                     "#include \"graft/adapter.h\"\n"),
            std::string::npos);
}

TEST(Program, QuotesTheName) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"a\"b.cu", "#line 1 \"a\\\"b.cu\"\n"},
      {"C:\\a.cu", "#line 1 \"C:\\\\a.cu\"\n"},
      {"a\nb\r.cu", "#line 1 \"a b .cu\"\n"},
      {"", "#line 1 \"\"\n"},
  };
  for (const auto& [name, line] : rows) {
    ProgramParts named = parts(kRelu, "relu");
    named.callback_name = name;
    EXPECT_TRUE(callback_section(named).starts_with(kFront + line)) << name;
  }
}

TEST(Program, NamesTheKernel) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"relu", "graft_transform_relu"},
      {"::relu", "graft_transform_relu"},
      {"math::relu", "graft_transform_relu"},
      {"a::b::relu", "graft_transform_relu"},
      {"scale<float>", "graft_transform_scale_float"},
      {"a::scale<b::Vec<float, 3>, 2>", "graft_transform_scale_b_Vec_float_3_2"},
      {"", "graft_transform_lambda"},
      {"Scale{}", "graft_transform_Scale"},
      {"{}", "graft_transform_callback"},
      {std::string(300, 'x'), "graft_transform_" + std::string(104, 'x')},
  };
  for (const auto& [entry, name] : rows) EXPECT_EQ(kernel_name(parts("", entry)), name);
}

}  // namespace
}  // namespace graft::codegen
