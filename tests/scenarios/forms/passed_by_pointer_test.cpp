// Tests types that the GPU passes by pointer, on the routes that compile callback and kernel separately. In version
// 0.1, on the ptx route and in a pack's ptx and indirect routes, a half2 argument was garbage. The program that
// contained the callback expected a pointer to the half2, and the program that contained the kernel passed the half2's
// bytes. Both programs must agree on how each type is passed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "codegen/separate_program.hpp"
#include "families/elementwise/indirect_ptx.hpp"
#include "families/registry.hpp"
#include "format/ptx.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

constexpr const char* kTexts[] = {
    "__device__ half2 f(half2 a, half2 b) { return __hadd2(a, b); }",
    "__device__ __nv_bfloat162 f(__nv_bfloat162 a, float b) { return __hmul2(a, __float2bfloat162_rn(b)); }",
    "__device__ float f(half2 a, graft::Index i, unsigned char c) { return __low2float(a) + i + c; }",
    "struct S { float by; };\n__device__ half2 f(float x, const S& s) { return __float2half2_rn(s.by * x); }",
    "__device__ __half f(__half a, __nv_bfloat16 b) { return a; }",
    "struct S { unsigned char r, g, b; };\n__device__ S f(S p) { return p; }",
    "struct alignas(32) S { double v[4]; };\n__device__ S f(S p, bool b) { return p; }",
    "struct M { float a; M() = default; M(const M&) = delete; M(M&&) = default; M& operator=(M&&) = default; };\n"
    "__device__ M f(float x) { M m; m.a = x; return m; }",
    "enum class E : signed char { A = -1, B };\n__device__ E f(E e, float4 v, double2 z, char16_t c) { return e; }",
    "union U { float f; int i; };\n__device__ U f(U u) { return u; }",
    "struct E {};\n__device__ float f(E e, float x) { return x; }",
    "struct B { float a; }; struct S : B { float b; };\n__device__ S f(S s, const S& t) { return s; }",
};

std::string shown(const std::vector<format::PtxParameter>& parameters) {
  std::string text;
  for (const format::PtxParameter& each : parameters)
    text += std::to_string(each.size) + " aligned " + std::to_string(each.alignment) + ", ";
  return text;
}

std::string prototype(std::string_view ptx, std::string_view function) {
  const auto read = format::read_ptx(ptx);
  if (!read) return "unreadable";
  for (const format::PtxFunction& each : read->functions)
    if (each.name == function) return shown(each.parameters) + "-> " + shown(each.results);
  return "absent";
}

struct Sides {
  std::string callback;
  std::string kernel;
};

Sides sides(const char* text, Architecture architecture) {
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  const Options options;
  const codegen::SourceProgram program = codegen::prepare_program({Callback(text).with_entry("f")}, options);
  const compile::DeviceCompiler compiler(program, architecture, options, tools);
  const Signature signature = compiler.signature();
  const codegen::SourceProgram caller = codegen::stand_in_program(program, signature);
  const auto decided = families::decide({program, signature, architecture, Route::Ptx, options});
  const auto code = decided.family().code({caller, &decided.kernel, families::TypesFrom::Compiler, true});
  return {std::string(base::as_text(compiler.entry(signature).code)),
          std::string(base::as_text(compile::DeviceCompiler(caller, architecture, options, tools)
                                        .known(code.value().text, signature, compile::CodeKind::Ptx)
                                        .code))};
}

TEST(PassedByPointer, BothProgramsAgreeOnHowEachTypeIsPassed) {
  for (const char* text : kTexts) {
    SCOPED_TRACE(text);
    const Sides both = sides(text, Architecture(75));
    const std::string taken = prototype(both.callback, codegen::kEntry);
    EXPECT_EQ(taken, prototype(both.kernel, codegen::kEntry));
    EXPECT_NE(taken, "absent");
  }
}

// Checks the thunk that graft generates for a pack's indirect route. The thunk is the function by which the kernel
// calls the callback, so its declaration of the callback must pass each type as the callback's definition does.
TEST(PassedByPointer, TheThunkOfAPackAgreesToo) {
  for (const char* text : kTexts) {
    SCOPED_TRACE(text);
    const Callback callback = Callback(text).with_entry("f");
    const Signature signature = signature_of(callback);
    const std::string thunk = elementwise::indirect_ptx({"k", signature, 0, codegen::kEntry});
    EXPECT_EQ(prototype(sides(text, Architecture(75)).callback, codegen::kEntry), prototype(thunk, codegen::kEntry));
  }
}

// On the callback's side, a generated function converts each value from the way in which the kernel passes it to the
// way in which the callback takes it. The conversion must happen in registers, without local memory.
TEST(PassedByPointer, NoneOfItIsInLocalMemory) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  std::size_t row = 0;
  for (const char* text : kTexts)
    for (const int architecture : in_turn(std::array{75, 90, 100}, row++)) {
      SCOPED_TRACE(testing::Message() << architecture << ", " << rotation_text() << ": " << text);
      const std::string ptx = sides(text, Architecture(architecture)).callback;
      EXPECT_EQ(ptx.find("__local_depot"), std::string::npos) << ptx;
    }
  for (const int architecture : {75, 90, 100})
    EXPECT_EQ(build(kTexts[0], Architecture(architecture), by(Route::Ptx)).report().resources.local_bytes, 0u);
}

// Builds on this route and expects a link without warnings. nvJitLink only prints prototype mismatches and links
// anyway, so this function captures nvJitLink's output.
void expect_link(const Callback& callback, int architecture, Route route) {
  testing::internal::CaptureStdout();
  std::string failure;
  try {
    EXPECT_EQ(build(callback, Architecture(architecture), by(route)).report().kernel.route, route);
  } catch (const Error& error) {
    failure = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(failure, "");
}

TEST(PassedByPointer, EveryRouteLinksThem) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  std::size_t row = 0;
  for (const char* text : kTexts) {
    const Callback callback = Callback(text).with_entry("f");
    const Callback pack = Callback::pack(callback.precompile({90}));
    for (const Route route : in_turn(kGpuRoutes, row++)) {
      SCOPED_TRACE(testing::Message() << name(route) << ", " << rotation_text() << ": " << text);
      expect_link(callback, 90, route);
      expect_link(pack, 90, route);
    }
  }
}

TEST(PassedByPointer, ANullPointerIsRefusedLikeAnyPointer) {
  for (const char* text : {"__device__ float f(decltype(nullptr) p, float x) { return x; }",
                           "__device__ decltype(nullptr) f(float x) { return nullptr; }"})
    for (const Route route : kAllRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << text);
      const Error error = error_of([&] { build(text, Architecture(90), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
      EXPECT_NE(error.message().find("is a pointer or an array"), std::string::npos) << error.what();
    }
}

// ---- callbacks that the user provides as PTX or cubin ----

constexpr const char* kOwn =
    "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    "extern \"C\" __device__ __half2 pair(__half2 a, __half2 b) { return __hadd2(a, b); }\n"
    "extern \"C\" __device__ __nv_bfloat162 bpair(__nv_bfloat162 a, float b) { return a; }\n"
    "extern \"C\" __device__ float low(__half2 a, unsigned char c, __half2& out) { out = a; return __low2float(a); }\n"
    "__device__ __half2 mangled(__half2 a) { return a; }\n"
    "struct Bytes { unsigned int v; };\n"
    "extern \"C\" __device__ Bytes bytes(Bytes a) { return a; }\n"
    "extern \"C\" __device__ float plain(float a, float b) { return a + b; }\n";

Callback own(PrecompileFormat format) {
  const std::vector<std::byte> bytes = Callback(kOwn).precompile({75}, format);
  if (format == PrecompileFormat::Ptx) return Callback::ptx(std::string(base::as_text(bytes)));
  return Callback::object(bytes);
}

constexpr const char* kRight[] = {
    "extern \"C\" __half2 pair(__half2, __half2)",
    "extern \"C\" half2 pair(half2 a, half2 b)",
    "extern \"C\" __nv_bfloat162 bpair(__nv_bfloat162, float)",
    "extern \"C\" float low(__half2, unsigned char, __half2&)",
    "__half2 mangled(__half2)",
    "struct Bytes { unsigned int v; };\nextern \"C\" Bytes bytes(Bytes)",
};

TEST(PassedByPointer, DeclarationsOfCompiledCallbacksPass) {
  std::size_t row = 0;
  for (const PrecompileFormat format : {PrecompileFormat::Ptx, PrecompileFormat::Cubin})
    for (const char* declaration : kRight)
      for (const Route route : in_turn(std::array{Route::Ptx, Route::Indirect}, row++)) {
        SCOPED_TRACE(testing::Message() << name(format) << ", " << name(route) << ", " << rotation_text() << ": "
                                        << declaration);
        expect_link(own(format).with_signature(declaration), 75, route);
      }
}

TEST(PassedByPointer, TypesAndPacksOfCompiledCallbacksPass) {
  const Callback ptx = own(PrecompileFormat::Ptx);
  const Callback mangled = ptx.with_signature(Signature::of<__half2(__half2)>()).with_entry("mangled");
  const Callback pack = Callback::pack(ptx.with_signature(kRight[0]).precompile({75}));
  for (const Callback& callback : {mangled, pack})
    for (const Route route : {Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(name(route));
      expect_link(callback, 75, route);
    }
  const Callback pair = ptx.with_signature(Signature::of<__half2(__half2, __half2)>()).with_entry("pair");
  expect_link(pair, 75, Route::Indirect);
}

// The thunk is the function by which the indirect route's kernel calls the callback. It must declare the callback's
// function in the way in which the compiler defined this function.
TEST(PassedByPointer, TheThunkOfACompiledCallbackAgrees) {
  const std::string ptx = own(PrecompileFormat::Ptx).text();
  const auto thunk = [](const Signature& signature, const char* function) {
    return prototype(elementwise::indirect_ptx({"k", signature, 0, function}), function);
  };
  EXPECT_EQ(thunk(Signature::of<__half2(__half2, __half2)>(), "pair"), prototype(ptx, "pair"));
  EXPECT_EQ(thunk(Signature::of<__nv_bfloat162(__nv_bfloat162, float)>(), "bpair"), prototype(ptx, "bpair"));
  EXPECT_EQ(thunk(Signature::of<float(__half2, unsigned char, __half2&)>(), "low"), prototype(ptx, "low"));
}

TEST(PassedByPointer, WrongDeclarationsAreRefused) {
  const char* wrong[] = {
      "extern \"C\" float pair(float, float)",
      "extern \"C\" __half2 pair(__half2)",
      "extern \"C\" __half2 bytes(__half2)",
      "extern \"C\" __half2 plain(__half2, __half2)",
      "struct Bytes { unsigned int v; };\nextern \"C\" Bytes pair(Bytes, Bytes)",
  };
  for (const char* declaration : wrong)
    for (const Route route : {Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << declaration);
      const Error error =
          error_of([&] { build(own(PrecompileFormat::Ptx).with_signature(declaration), Architecture(75), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    }
}

}  // namespace
}  // namespace graft::test
