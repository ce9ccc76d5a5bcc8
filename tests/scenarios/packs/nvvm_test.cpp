// Tests NVVM IR as a callback: as text and as bitcode, with and without CUDA's device library (libdevice).
#include <fmt/format.h>

#include "scenarios/packs/packs.hpp"

namespace graft::test {
namespace {

std::string module_of(const std::string& body) {
  return "target datalayout = \"e-p:64:64:64-p3:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
         "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
         "target triple = \"nvptx64-nvidia-cuda\"\n" +
         body + "!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0}\n";
}

const std::string kTwice = module_of("define float @twice(float %x) {\n  %y = fmul float %x, 2.0\n  ret float %y\n}\n");
const std::string kExp = module_of(
    "declare float @__nv_expf(float)\n"
    "define float @grow(float %x) {\n  %y = call float @__nv_expf(float %x)\n  ret float %y\n}\n");

TEST(Nvvm, IsInlined) {
  const Callback callback = Callback::nvvm(kTwice).with_signature("extern \"C\" float twice(float)");
  const Report report = build(callback, Architecture(90)).report();
  EXPECT_EQ(report.kernel.route, Route::Lto);
  EXPECT_TRUE(report.inlined()) << report.to_text();
  EXPECT_EQ(report.versions.at(0).tool, "libNVVM");
  EXPECT_EQ(report.steps.at(0).name, "compile NVVM IR");
}

// twice.bc is kTwice, assembled by LLVM 14's llvm-as.
TEST(Nvvm, ComesAsBitcodeToo) {
  const Callback read = Callback::file(GRAFT_SOURCE_DIR "/tests/scenarios/packs/twice.bc");
  EXPECT_EQ(read.form(), Form::Nvvm);
  for (const Callback& callback : {read, Callback::nvvm(read.bytes())})
    for (const int architecture : {75, 90, 120}) {
      const Image image = build(callback.with_signature("extern \"C\" float twice(float)"), Architecture(architecture));
      EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
    }
}

TEST(Nvvm, CallsTheDeviceLibraryWhenAsked) {
  const char* signature = "extern \"C\" float grow(float)";
  EXPECT_TRUE(
      build(Callback::nvvm(kExp, Libdevice::With).with_signature(signature), Architecture(90)).report().inlined());
  const Error error =
      error_of([&] { build(Callback::nvvm(kExp, Libdevice::Without).with_signature(signature), Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::LinkFailed) << error.what();
  EXPECT_NE(error.message().find("__nv_expf"), std::string::npos) << error.what();
}

TEST(Nvvm, IsPrecompiledLikeLtoIr) {
  const Callback callback = Callback::nvvm(kTwice).with_signature("extern \"C\" float twice(float)");
  EXPECT_EQ(build(packed(callback), Architecture(90)).report().kernel.route, Route::Lto);
  const auto ltoir = callback.precompile({75}, PrecompileFormat::LtoIr);
  const Callback again = Callback::ltoir(ltoir).with_signature("extern \"C\" float twice(float)");
  EXPECT_TRUE(build(again, Architecture(90)).report().inlined());
}

TEST(Nvvm, ThatIsWrongIsRefusedWithItsWords) {
  for (const std::string& text : {std::string("define float @f("), std::string(200, 'x'), std::string("BC\xc0\xde")}) {
    const Error error =
        error_of([&] { build(Callback::nvvm(text).with_signature("extern \"C\" float f(float)"), Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
    EXPECT_FALSE(error.versions().empty());
  }
}

}  // namespace
}  // namespace graft::test
