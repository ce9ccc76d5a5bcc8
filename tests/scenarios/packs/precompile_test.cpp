// Tests the files that precompile writes. The tests read the files back, link them with NVIDIA's own linker without
// graft, and use them as callbacks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "families/kept_kernels.hpp"
#include "format/binary_contents.hpp"
#include "format/pack.hpp"
#include "scenarios/packs/packs.hpp"
#include "support/packs.hpp"
#include "toolchain/fixtures.hpp"

namespace graft::test {
namespace {

using format::PackPartKind;

std::string listed(const std::vector<std::byte>& bytes) {
  const auto pack = families::read_pack(bytes);
  if (!pack) return pack.error().message;
  std::string text;
  for (const format::PackPart& part : only_kernel(*pack).parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(part.kind), part.architecture.sm());
  return text;
}

TEST(PrecompiledPack, HoldsWhatItsFormGives) {
  const std::string pair = "callback-ptx sm_75, adapter-ptx sm_75";
  const auto gain = [](Form form, const char* file) {
    return compiled(form, file).with_signature("extern \"C\" float gain(float)");
  };
  EXPECT_EQ(listed(Callback(kTriple).precompile({90, 75, 90})), "ltoir sm_75, ltoir sm_90, program sm_75, " + pair);
  EXPECT_EQ(listed(Callback(kTriple).precompile({75}, PrecompileFormat::PackWithCubins)),
            "ltoir sm_75, program sm_75, " + pair + ", cubin sm_75");
  EXPECT_EQ(listed(gain(Form::LtoIr, "gain.ltoir").precompile({75})), "ltoir sm_75, ltoir sm_75");
  EXPECT_EQ(listed(gain(Form::Ptx, "gain.ptx").precompile({75, 90})), pair);
  EXPECT_EQ(listed(gain(Form::Fatbin, "gain_all.fatbin").precompile({75, 80}, PrecompileFormat::PackWithCubins)),
            "cubin sm_75, cubin sm_80");
}

TEST(PrecompiledPack, SaysWhatItIs) {
  Options options;
  options.floating_point.contraction = false;
  options.max_registers = 64;
  options.shared_bytes = 1024;
  options.standard = CppStandard::Cpp20;
  const auto bytes = Callback(kTriple).precompile({75}, PrecompileFormat::Pack, options);
  const auto pack = families::read_pack(bytes);
  ASSERT_TRUE(pack) << pack.error().message;
  const format::PackedKernel& kernel = only_kernel(*pack);
  EXPECT_EQ(kernel.entry, "triple");
  EXPECT_EQ(kernel.spec.name, "graft_transform_triple");
  EXPECT_EQ(kernel.spec.signature.text(), "float(float)");
  EXPECT_FALSE(kernel.spec.floating_point.contraction);
  EXPECT_EQ(kernel.spec.max_registers, 64);
  EXPECT_EQ(kernel.spec.shared_bytes, 1024);
  EXPECT_EQ(kernel.standard, CppStandard::Cpp20);
  EXPECT_EQ(kernel.tools.at(0).tool, "graft");
  EXPECT_EQ(kernel.tools.at(1).tool, "NVRTC");
}

// Links the output of precompile with a kernel that calls `float triple(float)`.
toolchain::LinkResult linked_with_kernel(std::span<const std::byte> code, toolchain::LinkInputKind kind, bool lto) {
  toolchain::NvrtcProgram program;
  program.source = "__device__ float triple(float); extern \"C\" __global__ void user(float* p) { *p = triple(*p); }";
  program.output = lto ? toolchain::NvrtcOutput::LtoIr : toolchain::NvrtcOutput::Ptx;
  program.options = {"-arch=compute_75", "-rdc=true"};
  if (lto) program.options.emplace_back("-dlto");
  const toolchain::NvrtcResult kernel = toolchain::real_nvrtc().compile(program);
  const toolchain::LinkInputKind own = lto ? toolchain::LinkInputKind::LtoIr : toolchain::LinkInputKind::Ptx;
  std::vector<std::string> options = {"-arch=sm_75"};
  if (lto) options.emplace_back("-lto");
  return toolchain::real_nvjitlink().link(
      {{{own, kernel.code, "kernel"}, {kind, code, "triple"}}, options, toolchain::LinkOutput::Cubin});
}

TEST(PrecompiledPlain, IsTakenByTheLinkerWithoutGraft) {
  using toolchain::LinkInputKind;
  struct Row {
    PrecompileFormat format;
    LinkInputKind kind;
    format::FileKind image;
  };
  for (const Row& row : {Row{PrecompileFormat::LtoIr, LinkInputKind::LtoIr, format::FileKind::LtoIr},
                         Row{PrecompileFormat::Ptx, LinkInputKind::Ptx, format::FileKind::Ptx},
                         Row{PrecompileFormat::Cubin, LinkInputKind::Cubin, format::FileKind::Cubin}}) {
    SCOPED_TRACE(name(row.format));
    const auto code = Callback(kTriple).precompile({75}, row.format);
    EXPECT_EQ(*format::file_kind(code), row.image);
    const auto result = linked_with_kernel(code, row.kind, row.kind == LinkInputKind::LtoIr);
    EXPECT_TRUE(result.ok) << result.failure << result.error_log;
  }
}

TEST(PrecompiledPlain, IsACallbackForGraftAgain) {
  const Callback source("struct S { float a; }; __device__ float f(float x, const S& s) { return s.a * x; }");
  const char* signature = "struct S { float a; }; float f(float, const S&)";
  const auto ltoir = source.precompile({75}, PrecompileFormat::LtoIr);
  EXPECT_TRUE(build(Callback::ltoir(ltoir).with_signature(signature), Architecture(90)).report().inlined());
  const auto ptx = source.precompile({75}, PrecompileFormat::Ptx);
  EXPECT_EQ(build(Callback::ptx(std::string(base::as_text(ptx))).with_signature(signature), Architecture(90))
                .report()
                .kernel.route,
            Route::Ptx);
  const auto cubin = source.precompile({80}, PrecompileFormat::Cubin);
  EXPECT_EQ(build(Callback::object(cubin).with_signature(signature), Architecture(80)).report().kernel.route,
            Route::Ptx);
}

TEST(PrecompiledPlain, KeepsEveryFunctionOfTheText) {
  const auto ptx = Callback("__device__ float f(float x) { return x; } __device__ __half g(__half x) { return x; }")
                       .precompile({75}, PrecompileFormat::Ptx);
  const auto info = format::read_binary_contents(ptx);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->functions, (std::vector<std::string_view>{"_Z1ff", "_Z1g6__half"}));
}

TEST(PrecompiledFatbin, HoldsEachArchitectureOrSaysWhatIsMissing) {
  std::vector<std::byte> bytes;
  try {
    bytes = Callback(kTriple).precompile({75, 90}, PrecompileFormat::Fatbin);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::ToolMissing) << error.what();
    EXPECT_NE(error.message().find("libnvfatbin"), std::string::npos) << error.what();
    return;
  }
  const auto info = format::read_binary_contents(bytes);
  ASSERT_TRUE(info) << info.error().message;
  std::string held;
  for (const format::DeviceCode& code : info->code)
    held += fmt::format("{} {}; ", static_cast<int>(code.kind), code.architecture.sm());
  EXPECT_EQ(held, "2 sm_75; 2 sm_90; 0 sm_75; ");
  const auto result = linked_with_kernel(bytes, toolchain::LinkInputKind::Fatbin, true);
  EXPECT_TRUE(result.ok) << result.failure << result.error_log;
  EXPECT_TRUE(
      build(Callback::fatbin(bytes).with_signature("float triple(float)"), Architecture(90)).report().inlined());
}

struct Row {
  const char* name;
  Callback callback;
  std::vector<Architecture> architectures;
  PrecompileFormat format;
  ErrorCode code;
  std::string words;
};

TEST(Precompile, RefusesWhatCannotBe) {
  Options baked;
  baked.bake(2.0f);
  const Callback ptx = compiled(Form::Ptx, "gain.ptx").with_signature("extern \"C\" float gain(float)");
  const Callback object = compiled(Form::Object, "gain.cubin").with_signature("extern \"C\" float gain(float)");
  const Row rows[] = {
      {"none", kTriple, {}, PrecompileFormat::Pack, ErrorCode::InvalidArgument, "no architecture is given"},
      {"old", kTriple, {70}, PrecompileFormat::Pack, ErrorCode::InvalidArgument, "older than graft's oldest"},
      {"unknown", kTriple, {300}, PrecompileFormat::Pack, ErrorCode::ToolTooOld, "does not compile for sm_300"},
      {"two", kTriple, {75, 90}, PrecompileFormat::Ptx, ErrorCode::InvalidArgument, "PTX is for one architecture"},
      {"packed", packed(kTriple), {75}, PrecompileFormat::Pack, ErrorCode::InvalidArgument, "is already a pack"},
      {"lambda", "[](float x) { return x; }", {75}, PrecompileFormat::LtoIr, ErrorCode::InvalidArgument, "is a lambda"},
      {"compiled", ptx, {75}, PrecompileFormat::LtoIr, ErrorCode::InvalidArgument, "LTO-IR is made only from source"},
      {"object", object, {75}, PrecompileFormat::Pack, ErrorCode::InvalidArgument, "can only hold finished kernels"},
      {"newer",
       compiled(Form::LtoIr, "gain_90.ltoir").with_signature("extern \"C\" float gain(float)"),
       {75, 90},
       PrecompileFormat::Pack,
       ErrorCode::ImageRefused,
       "holds nothing for sm_75"},
      {"broken",
       "__device__ float f(float x) { return y; }",
       {75},
       PrecompileFormat::Pack,
       ErrorCode::CompileFailed,
       "line 1"},
      {"undefined",
       "__device__ float g(float); __device__ float f(float x) { return g(x); }",
       {75},
       PrecompileFormat::Pack,
       ErrorCode::LinkFailed,
       "nothing defines it"},
      {"undefined variable",
       "extern __device__ float w; __device__ float f(float x) { return w * x; }",
       {75},
       PrecompileFormat::Pack,
       ErrorCode::LinkFailed,
       "`w` is used, and nothing defines it"},
      {"undefined variable, as PTX",
       "extern __constant__ float t[4]; __device__ float f(float x) { return t[1] * x; }",
       {75},
       PrecompileFormat::Ptx,
       ErrorCode::LinkFailed,
       "uses `t`, and nothing defines it"},
      {"undefined, as PTX",
       "__device__ float g(float); __device__ float f(float x) { return g(x); }",
       {75},
       PrecompileFormat::Ptx,
       ErrorCode::LinkFailed,
       "calls `_Z1gf`, and nothing defines it"},
      {"pointer",
       "__device__ float f(float* x) { return *x; }",
       {75},
       PrecompileFormat::Pack,
       ErrorCode::UnsupportedParameter,
       "float*"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Error error = error_of([&] { row.callback.precompile(row.architectures, row.format); });
    EXPECT_EQ(error.code(), row.code) << error.what();
    EXPECT_NE(error.message().find(row.words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

}  // namespace
}  // namespace graft::test
