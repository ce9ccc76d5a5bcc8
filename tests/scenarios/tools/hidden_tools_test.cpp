// Hides the tools that a route does not need from a process. The route must work in this process and must not open the
// hidden tools.
#include <fmt/format.h>

#include "graft/kernel.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

constexpr const char* kNvrtc = "libnvrtc.so.13";
constexpr const char* kNvJitLink = "libnvJitLink.so.13";
constexpr const char* kSource = "__device__ float f(float x) { return 3 * x; }";

Callback ptx() {
  return compiled(Form::Ptx, "gain.ptx").with_signature("extern \"C\" float gain(float)");
}

// Returns an empty string if the callback took the expected route and graft did not open the hidden library. Otherwise
// returns what went wrong.
std::string outcome(const Callback& callback, const PartialToolkit& toolkit, Route route, const char* hidden) {
  Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
  const Image image = build(engine, callback, Architecture(75));
  if (image.report().kernel.route != route) return fmt::format("route {}", name(image.report().kernel.route));
  if (image.bytes().empty() || image.report().resources.registers == 0) return "an empty kernel";
  if (hidden != nullptr && is_loaded(hidden)) return fmt::format("{} was opened", hidden);
  return {};
}

TEST(HiddenTools, SourceWithoutNvJitLinkGoesByProgram) {
  const PartialToolkit toolkit(true, false);
  EXPECT_EQ(in_own_process([&] { return outcome(kSource, toolkit, Route::Program, kNvJitLink); }), "");
}

TEST(HiddenTools, KernelsOfSourceWithoutNvJitLinkAreOneProgram) {
  const PartialToolkit toolkit(true, false);
  EXPECT_EQ(in_own_process([&]() -> std::string {
              Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
              const KernelCode code =
                  "__device__ float f(float x);\n"
                  "__global__ void k(float* x) { x[threadIdx.x] = f(x[threadIdx.x]); }\n";
              if (describe(engine, code, 75).slots.size() != 1) return "no slot";
              const Image image = build(engine, code, {{"f", kSource}}, 75);
              if (image.report().kernel.route != Route::Program) return "another route";
              if (image.report().slots[0].how != "inlined") return "not inlined";
              try {
                code.precompile(engine, {75});
                return "a pack without its code";
              } catch (const Error& error) {
                if (error.code() != ErrorCode::ToolMissing) return error.what();
              }
              return is_loaded(kNvJitLink) ? "nvJitLink was opened" : "";
            }),
            "");
}

TEST(HiddenTools, PtxWithoutNvrtcGoesIndirect) {
  const PartialToolkit toolkit(false, true);
  EXPECT_EQ(in_own_process([&] { return outcome(ptx(), toolkit, Route::Indirect, kNvrtc); }), "");
  const Callback cubin =
      compiled(Form::Object, "gain.cubin").with_signature(Signature::of<float(float)>()).with_entry("gain");
  EXPECT_EQ(in_own_process([&] { return outcome(cubin, toolkit, Route::Indirect, kNvrtc); }), "");
}

TEST(HiddenTools, PtxOfAStructNeedsACompilerToReadItsSignature) {
  const PartialToolkit toolkit(false, true);
  const Callback callback = compiled(Form::Ptx, "gain.ptx")
                                .with_signature(
                                    "struct Scale { float a, b; }; extern \"C\" float axpy(float, float, const "
                                    "Scale&)");
  EXPECT_EQ(in_own_process([&]() -> std::string {
              try {
                outcome(callback, toolkit, Route::Indirect, nullptr);
              } catch (const Error& error) {
                return error.code() == ErrorCode::ToolMissing ? "" : error.what();
              }
              return "no error";
            }),
            "");
}

TEST(HiddenTools, WithAllThereEachFormTakesItsBestRoute) {
  const PartialToolkit toolkit(true, true);
  EXPECT_EQ(in_own_process([&] { return outcome(kSource, toolkit, Route::Program, nullptr); }), "");
  EXPECT_EQ(in_own_process([&] { return outcome(ptx(), toolkit, Route::Ptx, nullptr); }), "");
}

TEST(HiddenTools, WithNoneTheErrorSaysWhatIsMissingForEachRoute) {
  const PartialToolkit toolkit(false, false);
  for (const Callback& callback : {Callback(kSource), ptx()}) {
    const std::string text = in_own_process([&]() -> std::string {
      if (std::string why; toolchain::Driver::find(why) != nullptr) return "no NVRTC no nvJitLink ToolMissing";
      try {
        outcome(callback, toolkit, Route::Lto, nullptr);
      } catch (const Error& error) {
        return error.what();
      }
      return "no error";
    });
    EXPECT_NE(text.find("no NVRTC"), std::string::npos) << text;
    EXPECT_NE(text.find("ToolMissing"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace graft::test
