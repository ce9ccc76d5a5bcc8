// Tests the parser of the declarations that users give as signatures of compiled callbacks.
#include "reflect/signature/declaration.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reflect/signature/known_types.hpp"
#include "support/errors.hpp"

namespace graft::reflect {
namespace {

struct Row {
  std::string signature;
  std::string entry;
  std::string text;
  std::string chosen;
};

TEST(DeclaredFunction, BecomesADeclaration) {
  const std::string square = "namespace math { __device__ float square(float); }\n";
  const Row rows[] = {
      {"float relu(float)", "", "__device__ float relu(float);\n", "relu"},
      {"__device__ float relu(float x);", "", "__device__ float relu(float x);\n", "relu"},
      {"float(float)", "relu", "__device__ float relu(float);\n", "relu"},
      {"float(float)", "::relu", "__device__ float relu(float);\n", "relu"},
      {"float2(float2)", "relu", "__device__ float2 relu(float2);\n", "relu"},
      {"unsigned long long(unsigned)", "f", "__device__ unsigned long long f(unsigned);\n", "f"},
      {"unsigned __int128(int)", "f", "__device__ unsigned __int128 f(int);\n", "f"},
      {"const S f(const S&)", "", "__device__ const S f(const S&);\n", "f"},
      {"struct S f(S)", "", "__device__ struct S f(S);\n", "f"},
      {"a::T<int> f(a::T<int>) noexcept", "", "__device__ a::T<int> f(a::T<int>);\n", "f"},
      {"extern \"C\" float relu(float)", "", "extern \"C\" __device__ float relu(float);\n", "relu"},
      {"float math::square(float)", "", square, "math::square"},
      {"float(float)", "math::square", square, "math::square"},
      {"float(float)", "_Z4reluf", "extern \"C\" __device__ float _Z4reluf(float);\n", "_Z4reluf"},
      {"float other(float)", "relu", "__device__ float relu(float);\n", "relu"},
      {"struct S { float a; };\n#define T float\nT f(const S& s);", "",
       "struct S { float a; };\n#define T float\n__device__ T f(const S& s);\n", "f"},
      {"struct S { S(); float g(int); }; float f(S)", "", "struct S { S(); float g(int); };\n__device__ float f(S);\n",
       "f"},
  };
  for (const Row& row : rows) {
    const DeclaredFunction declared = declare_function(row.signature, row.entry, "callback.ltoir");
    EXPECT_EQ(declared.text, row.text);
    EXPECT_EQ(declared.entry, row.chosen);
    EXPECT_EQ(declared.is_extern_c, row.text.find("extern") != std::string::npos);
  }
}

TEST(DeclaredFunction, InBracesStaysAsItIs) {
  const std::string text = "extern \"C\" { struct S { int a; }; __device__ float f(S); __device__ float g(S); }";
  const DeclaredFunction declared = declare_function(text, "g", "callback.ltoir");
  EXPECT_EQ(declared.text, text);
  EXPECT_EQ(declared.entry, "g");
  EXPECT_EQ(test::error_of([&] { declare_function(text, "", "x"); }).code(), ErrorCode::AmbiguousEntry);
  EXPECT_EQ(test::error_of([&] { declare_function(text, "h", "x"); }).code(), ErrorCode::NoSuchEntry);
  EXPECT_EQ(test::error_of([&] { declare_function("namespace n { float f(float); }", "f", "x"); }).code(),
            ErrorCode::NoSuchEntry);
}

TEST(DeclaredFunction, RefusesWhatIsNone) {
  for (const char* text : {"int", "f", "()", "(float)", "float f(float", "float f)float(", "x = (1)", "\"", "/*"})
    EXPECT_THROW(declare_function(text, "", "x"), Error) << text;
  for (const char* text : {"", " \n// nothing\n"})
    EXPECT_EQ(test::error_of([&] { declare_function(text, "f", "x"); }).code(), ErrorCode::InvalidArgument);
}

TEST(FunctionType, IsThatOfTheDeclaration) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"float(float)", "float(float)"},
      {"float (float)", "float(float)"},
      {"float relu(float x)", "float(float x)"},
      {"float relu (float)", "float(float)"},
      {"unsigned int(int)", "unsigned int(int)"},
      {"unsigned long long f(int)", "unsigned long long(int)"},
      {"const Scale(Scale)", "const Scale(Scale)"},
      {"Scale f(Scale)", "Scale(Scale)"},
      {"Scale(Scale)", "Scale(Scale)"},
      {"struct Scale(Scale)", "struct Scale(Scale)"},
      {"union Bits(float)", "union Bits(float)"},
      {"union Bits f(float)", "union Bits(float)"},
      {"unsigned __int128(int)", "unsigned __int128(int)"},
      {"a::Scale f(a::Scale)", "a::Scale(a::Scale)"},
      {"V<float, 3> f(int)", "V<float, 3>(int)"},
      {"V<float, 3>(int)", "V<float, 3>(int)"},
      {"float* f(int)", "float*(int)"},
      {"extern \"C\" float f(float)", "float(float)"},
      {"__device__ float f(float)", "float(float)"},
      {"inline float f(float) noexcept;", "float(float)"},
      {"struct S { float a; }; S f(const S& s)", "S(const S& s)"},
      {"Function", "Function"},
      {"", ""},
  };
  for (const auto& [declared, type] : rows) EXPECT_EQ(function_type(declared), type) << declared;
}

TEST(ParameterType, LosesTheName) {
  for (const auto& [parameter, type] : {std::pair{"float", "float"},
                                        {"float x", "float"},
                                        {"float& x", "float&"},
                                        {"unsigned long long", "unsigned long long"},
                                        {"const double& s", "const double&"}})
    EXPECT_EQ(parameter_type(parameter), type);
}

TEST(KnownSignature, IsThatOfTheCompiler) {
  EXPECT_EQ(known_signature("float(float)"), Signature::of<float(float)>());
  EXPECT_EQ(known_signature("void(unsigned char x, long long& y, const double& s, graft::Index)").value().describe(),
            known_signature("void (unsigned char, long long&, double const&, graft::Index)").value().describe());
  const Signature all =
      known_signature(
          "graft::complex<float>(float2, uint8_t, __half, float3, double4, graft::Index, const int&, bool&)")
          .value();
  EXPECT_EQ(all.inputs().size(), 5u);
  EXPECT_EQ(all.inputs()[0], (ElementType{ElementKind::Complex, 8, 8}));
  EXPECT_EQ(all.inputs()[3], (ElementType{ElementKind::Class, 12, 4}));
  EXPECT_EQ(all.inputs()[4], (ElementType{ElementKind::Class, 32, 16}));
  EXPECT_EQ(all.outputs().size(), 2u);
  EXPECT_EQ(all.state(), (ElementType{ElementKind::Signed, 4, 4}));
  EXPECT_TRUE(all.takes_index());
}

TEST(KnownSignature, HasInOutParameters) {
  const Signature expected = Signature::of<void(InOut<float>, unsigned char, InOut<unsigned char>)>();
  for (const char* text : {"void(graft::InOut<float> x, uint8_t a, graft::InOut< uint8_t > y)",
                           "void (float&&, unsigned char, unsigned char&&)",
                           "void(::graft::InOut<float>, unsigned char a, unsigned char && y)"}) {
    const std::optional<Signature> known = known_signature(text);
    ASSERT_TRUE(known) << text;
    EXPECT_EQ(*known, expected) << text;
    EXPECT_EQ(known->text(), "void(graft::InOut<float>, unsigned char, graft::InOut<unsigned char>)");
  }
  EXPECT_EQ(known_signature("void(float)"), Signature::of<void(float)>());
}

TEST(KnownSignature, IsNoneWhereATypeIsUnknown) {
  for (const char* text : {"S(float)", "float(S)", "float(float*)", "void()", "float", "", "void(graft::InOut<S>)",
                           "void(graft::InOut<const float>)", "void(const float&&)",
                           "float(const float&, "
                           "const float&)",
                           "float(graft::Index&)", "float(float5)", "float(...)"})
    EXPECT_FALSE(known_signature(text)) << text;
}

}  // namespace
}  // namespace graft::reflect
