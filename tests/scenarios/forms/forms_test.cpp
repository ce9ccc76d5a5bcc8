// Links every form of a compiled callback on every route that can take this form, without a GPU, and inspects the
// image.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "link/ptx_text.hpp"
#include "scenarios/forms/forms.hpp"

namespace graft::test {
namespace {

struct Image_ {
  const char* file;
  Form form;
  std::vector<Route> routes;  // the routes that can take this form; the first is graft's default
};

const Image_ kImages[] = {
    {"gain.ltoir", Form::LtoIr, {Route::Lto}},
    {"gain.ptx", Form::Ptx, {Route::Ptx, Route::Indirect}},
    {"gain_lto.fatbin", Form::Fatbin, {Route::Lto}},
    {"gain_ptx.fatbin", Form::Fatbin, {Route::Ptx, Route::Indirect}},
    {"gain_all.fatbin", Form::Fatbin, {Route::Lto, Route::Ptx, Route::Indirect}},
    {"gain.cubin", Form::Object, {Route::Ptx, Route::Indirect}},
    {"gain_lto.o", Form::Object, {Route::Lto}},
    {"gain_code.o", Form::Object, {Route::Ptx, Route::Indirect}},
    {"gain_lto.a", Form::Object, {Route::Lto}},
    {"gain_code.a", Form::Object, {Route::Ptx, Route::Indirect}},
};

struct Function {
  const char* signature;
  const char* described;  // the signature in the report's spelling
};

const Function kFunctions[] = {
    {"extern \"C\" float gain(float)", "float(float)"},
    {"struct Scale { float a, b; }; extern \"C\" __device__ float axpy(float x, float y, const Scale& s)",
     "float(float, float, const Scale&)"},
    {"struct Rgb { unsigned char r, g, b; };\nextern \"C\" unsigned char gray(Rgb, unsigned short, float&);",
     "unsigned char(Rgb, unsigned short, float&)"},
    {"float shift(float)", "float(float)"},
    {"double shift(double)", "double(double)"},
    {"float math::square(float)", "float(float)"},
};

class Forms : public ::testing::TestWithParam<Image_> {};

TEST_P(Forms, LinkOnEveryRouteThatTheyCanTake) {
  const Callback callback = compiled(GetParam().form, GetParam().file);
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.signature);
    EXPECT_EQ(build(callback.with_signature(function.signature), Architecture(75)).report().kernel.route,
              GetParam().routes[0]);
    for (const Route route : GetParam().routes) {
      // The indirect route must find the function's mangled name in the callback binary. Compressed or encoded code in
      // a fatbin or object does not show this name.
      const bool is_mangled = std::string(function.signature).find("extern") == std::string::npos;
      const bool shows_names = GetParam().form == Form::Ptx || std::string(GetParam().file) == "gain.cubin";
      if (route == Route::Indirect && is_mangled && !shows_names) continue;
      SCOPED_TRACE(name(route));
      const Image image = build(callback.with_signature(function.signature), Architecture(75), by(route));
      const Report& report = image.report();
      EXPECT_EQ(report.kernel.route, route);
      EXPECT_EQ(report.kernel.signature.text(), function.described);
      EXPECT_EQ(report.inlined(), route == Route::Lto) << report.to_text();
      EXPECT_GT(report.resources.registers, 0) << report.to_text();
      EXPECT_FALSE(image.bytes().empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Forms, ::testing::ValuesIn(kImages), [](const auto& row) {
  std::string name = row.param.file;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

TEST(FormsOfSource, TakeEveryGpuRoute) {
  const char* sources[] = {
      "__device__ float f(float x) { return 2 * x; }",
      "struct S { double t[4]; }; __device__ double f(float x, double& y, const S& s) { y = s.t[1]; return x * s.t[2]; "
      "}",
      "struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb p, graft::Index i) { return p.g + i; }",
      "namespace { struct Hidden { short a, b; }; } __device__ int f(Hidden h) { return h.a * h.b; }",
      "__device__ __half f(__half x, bool b) { return b ? x : __hadd(x, x); }",
      "[](float2 x, signed char c) { return float4{x.x, x.y, float(c), 1}; }",
  };
  for (const char* source : sources)
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(fmt::format("{}: {}", name(route), source));
      const Image image = build(source, Architecture(90), by(route));
      EXPECT_EQ(image.report().kernel.route, route);
      EXPECT_EQ(image.report().inlined(), route == Route::Lto || route == Route::Program) << image.report().to_text();
      EXPECT_EQ(image.signature(), build(source, Architecture(90)).signature());
      EXPECT_EQ(image.report().kernel.name, build(source, Architecture(90)).report().kernel.name);
    }
}

TEST(Forms, TakeTypesInsteadOfText) {
  const Callback ptx = compiled(Form::Ptx, "gain.ptx").with_signature(Signature::of<float(float)>());
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    EXPECT_EQ(build(ptx.with_entry("shift"), Architecture(90), by(route)).signature(), Signature::of<float(float)>());
    EXPECT_EQ(build(ptx.with_entry("_Z5shiftf"), Architecture(90), by(route)).report().kernel.name,
              "graft_transform__Z5shiftf");
  }
  const Callback ltoir = compiled(Form::LtoIr, "gain.ltoir").with_signature(Signature::of<float(float)>());
  EXPECT_TRUE(build(ltoir.with_entry("math::square"), Architecture(90)).report().inlined());
}

// Returns the disassembled machine code of the kernel.
std::string disassembled(const Image& image) {
  const char* tool = std::getenv("GRAFT_NVDISASM");
  const base::TemporaryFolder folder;
  const std::string file = folder.path() / "kernel.cubin";
  if (!base::write_file(file, image.bytes())) return {};
  std::string text;
  FILE* pipe = popen(fmt::format("{} -c {} 2>/dev/null", tool == nullptr ? "nvdisasm" : tool, file).c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

// The machine code of a callback with contraction and without, made by the given route. Both are empty without
// nvdisasm.
struct FusedAndSeparate {
  std::string fused, separate;
};
FusedAndSeparate disassembled_both(const char* source, Route route) {
  Options exact = by(route);
  exact.floating_point.contraction = false;
  const std::string fused = disassembled(build(source, Architecture(90), by(route)));
  return {fused, fused.empty() ? "" : disassembled(build(source, Architecture(90), exact))};
}

// With contraction off, no route may fuse a multiplication and an addition, so that all routes give the same bits.
TEST(FloatingPointOptions, ReachEveryRoute) {
  const char* source = "__device__ float f(float a, float b, float c) { return a * b + c; }";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const auto [fused, separate] = disassembled_both(source, route);
    if (fused.empty()) GTEST_SKIP() << "nvdisasm was not found: set GRAFT_NVDISASM to its path";
    EXPECT_NE(fused.find("FFMA"), std::string::npos);
    EXPECT_EQ(separate.find("FFMA"), std::string::npos);
    EXPECT_NE(separate.find("FMUL"), std::string::npos);
  }
}

// The products and sums of cuda_fp16.h are PTX without a rounding modifier, so only the assembler can fuse them. It may
// still compute a product with HFMA2, by adding -0; a sum of its own shows that nothing was fused.
TEST(FloatingPointOptions, ReachTheAssemblerOfEveryRoute) {
  const char* source =
      "#include <cuda_fp16.h>\n"
      "__device__ __half2 f(__half2 a, __half2 x, __half2 y) { return __hadd2(__hmul2(a, x), y); }";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const auto [fused, separate] = disassembled_both(source, route);
    if (fused.empty()) GTEST_SKIP() << "nvdisasm was not found: set GRAFT_NVDISASM to its path";
    EXPECT_EQ(fused.find("HADD2"), std::string::npos);
    EXPECT_NE(separate.find("HADD2"), std::string::npos);
  }
}

// A callback in PTX whose product and sum have no rounding modifier. Each linker must keep them apart: nvJitLink gets a
// flag, and the PTX that the driver gets is tested here with nvJitLink and without the flag.
TEST(FloatingPointOptions, ReachCallbacksInPtx) {
  const auto ptx = [](std::string_view product) {
    return fmt::format(
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .func (.param .b32 r) f(.param .b32 a, .param .b32 b) {{\n"
        ".reg .f32 %a, %b;\nld.param.f32 %a, [a];\nld.param.f32 %b, [b];\n"
        "{} %a, %a, %b;\nadd.f32 %a, %a, %b;\nst.param.f32 [r], %a;\nret;\n}}\n",
        product);
  };
  const auto code = [](const std::string& text, bool contraction) {
    Options options;
    options.floating_point.contraction = contraction;
    const Callback callback = Callback::ptx(text, "f.ptx");
    return disassembled(
        build(callback.with_signature("extern \"C\" float f(float, float)"), Architecture(90), options));
  };
  const std::string text = ptx("mul.f32");
  if (code(text, true).empty()) GTEST_SKIP() << "nvdisasm was not found: set GRAFT_NVDISASM to its path";
  EXPECT_NE(code(text, true).find("FFMA"), std::string::npos);
  EXPECT_EQ(code(text, false).find("FFMA"), std::string::npos);
  EXPECT_EQ(link::with_rounded_products(text), ptx("mul.rn.f32"));
  EXPECT_EQ(code(*link::with_rounded_products(text), true).find("FFMA"), std::string::npos);
}

}  // namespace
}  // namespace graft::test
