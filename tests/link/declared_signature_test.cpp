// Tests that the declared signature of an extern "C" function is compared with its machine code and its PTX. In version
// 0.1, graft accepted a wrong declared signature for an extern "C" function in machine code. nvJitLink 13.0 printed
// "Prototype doesn't match" and linked anyway, and nvJitLink 13.5 crashed. graft also accepted PTX whose function takes
// a float with a signature that declares an int.
#include <gmock/gmock.h>

#include "graft/graft.hpp"
#include "link/ptx_text.hpp"
#include "support/errors.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kText =
    "struct S { float a, b, c; }; struct Q { float a; };\n"
    "extern \"C\" __device__ float gain(float x) { return 2 * x; }\n"
    "extern \"C\" __device__ double wide(double x, char c) { return c * x; }\n"
    "extern \"C\" __device__ S thrice(S s, float& o, const Q& q) { o = s.a; s.b *= q.a; return s; }\n"
    "extern \"C\" __device__ void out(float x, float& o) { o = x; }\n";

Callback cubin() {
  static const std::vector<std::byte> bytes = Callback(kText).precompile({Architecture(90)}, PrecompileFormat::Cubin);
  return Callback::object(bytes, "gain.cubin");
}

const char* const kRight[] = {
    "extern \"C\" float gain(float)",
    "extern \"C\" double wide(double, char)",
    "struct S { float a, b, c; }; struct Q { float a; }; extern \"C\" S thrice(S, float&, const Q&)",
    "extern \"C\" void out(float, float&)",
};

const char* const kWrong[] = {
    "extern \"C\" float gain(double)",
    "extern \"C\" float gain(float, float)",
    "extern \"C\" double gain(float)",
    "extern \"C\" float wide(double, char)",
    "extern \"C\" double wide(float, char)",
    "struct S { float a, b; }; struct Q { float a; }; extern \"C\" S thrice(S, float&, const Q&)",
    "struct S { float a, b, c; }; extern \"C\" S thrice(S, float&)",
    "extern \"C\" float out(float, float&)",
    "extern \"C\" void out(float2, float&)",
};

TEST(DeclaredOfABinary, AWrongDeclarationOfMachineCodeIsRefused) {
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    for (const char* right : kRight)
      EXPECT_FALSE(build(cubin().with_signature(right), Architecture(90), by(route)).bytes().empty()) << right;
    for (const char* wrong : kWrong) {
      SCOPED_TRACE(wrong);
      const Error error = error_of([&] { build(cubin().with_signature(wrong), Architecture(90), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("but the compiled function has"));
    }
  }
}

TEST(DeclaredOfABinary, SoIsOneInAChain) {
  const Callback twice("__device__ float twice(float x) { return 2 * x; }");
  const auto chained = [&](const char* signature) {
    return build(chain(twice, cubin().with_signature(signature)), Architecture(90), by(Route::Ptx));
  };
  EXPECT_FALSE(chained("extern \"C\" float gain(float)").bytes().empty());
  const Error error = error_of([&] { chained("extern \"C\" double gain(float)"); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
}

std::string ptx(const char* type) {
  return std::string(".version 8.0\n.target sm_75\n.address_size 64\n.visible .func (.param ") + type +
         " r) gain(.param " + type + " p)\n{\n.reg .b32 %v;\nld.param.b32 %v, [p];\nst.param.b32 [r], %v;\nret;\n}\n";
}

TEST(DeclaredOfABinary, APtxFloatIsNoInteger) {
  struct Row {
    const char* type;
    const char* signature;
    bool is_right;
  };
  for (const Row& row :
       {Row{".f32", "extern \"C\" float gain(float)", true}, Row{".f32", "extern \"C\" int gain(int)", false},
        Row{".f32", "extern \"C\" float gain(bool)", false}, Row{".s32", "extern \"C\" int gain(unsigned)", true},
        Row{".s32", "extern \"C\" short gain(char)", true}, Row{".u32", "extern \"C\" float gain(float)", false},
        Row{".b32", "extern \"C\" float gain(float)", true}, Row{".b32", "extern \"C\" int gain(int)", true},
        Row{".b32", "extern \"C\" double gain(int)", false}})
    for (const Route route : {Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(std::string(row.type) + " as " + row.signature);
      const Callback callback = Callback::ptx(ptx(row.type)).with_signature(row.signature);
      if (row.is_right) {
        EXPECT_FALSE(build(callback, Architecture(90), by(route)).bytes().empty());
        continue;
      }
      const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    }
}

// nvJitLink crashed when a parameter had type .f32 in a function's definition and .b32 in graft's declaration of the
// function. graft must therefore replace the types in definitions by the bit types of the same size.
TEST(DeclaredOfABinary, ParametersReachTheLinkerAsBits) {
  EXPECT_EQ(link::with_untyped_parameters(ptx(".f32")), ptx(".b32"));
  EXPECT_EQ(link::with_untyped_parameters(ptx("\t.s64")), ptx("\t.b64"));
  for (const std::string& same :
       {ptx(".b32"), ptx(".align 4 .b8"), ptx(".u64 .ptr .global"), ptx(".f16"),
        std::string("ld.param.f32 %f, [p]; .param"), std::string(".param .f32"), std::string()})
    EXPECT_EQ(link::with_untyped_parameters(same), std::nullopt) << same;
}

TEST(DeclaredOfABinary, TheReportSaysWhatCannotBeChecked) {
  const auto notes = [](const Callback& callback, const char* signature) {
    return build(callback.with_signature(signature), Architecture(90)).report().notes;
  };
  const char* const gain = "extern \"C\" float gain(float)";
  const auto unchecked = Contains(HasSubstr("graft cannot check the types of the declared signature"));
  EXPECT_THAT(notes(cubin(), gain), unchecked);
  EXPECT_THAT(notes(cubin(), gain), Contains(HasSubstr("only the sizes of its parameters")));
  EXPECT_THAT(notes(Callback::ptx(ptx(".b32")), gain), unchecked);
  EXPECT_THAT(notes(Callback::ptx(ptx(".f32")), gain), Not(unchecked));
  const std::vector<std::byte> ltoir = Callback(kText).precompile({Architecture(90)}, PrecompileFormat::LtoIr);
  EXPECT_THAT(notes(Callback::ltoir(ltoir), gain), Contains(HasSubstr("nothing about its parameters")));
  const std::vector<std::byte> mangled =
      Callback("__device__ float gain(float x) { return x; }").precompile({Architecture(90)}, PrecompileFormat::LtoIr);
  EXPECT_THAT(notes(Callback::ltoir(mangled), "float gain(float)"), Not(unchecked));
}

}  // namespace
}  // namespace graft::test
