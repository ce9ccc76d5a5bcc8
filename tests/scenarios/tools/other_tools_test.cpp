// Runs graft with other tools than those with which it was built: CUDA 12.9 and the newest CUDA 13. A linker accepts
// LTO-IR only from compilers that are not newer than the linker. If the compiler is newer, graft must take another
// route or report a clear error.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "routes/builder.hpp"
#include "scenarios/forms/forms.hpp"
#include "scenarios/tools/partial_toolkit.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::test {
namespace {
namespace fs = std::filesystem;

const fs::path kOther = GRAFT_OTHER_TOOLKITS;
const fs::path kOldNvrtc = kOther / "cuda12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
const fs::path kOldLinker = kOther / "cuda12/nvidia/nvjitlink/lib/libnvJitLink.so.12";
const fs::path kNewNvrtc = kOther / "cuda13/nvidia/cu13/lib/libnvrtc.so.13";
const fs::path kNewLinker = kOther / "cuda13/nvidia/cu13/lib/libnvJitLink.so.13";

constexpr const char* kSource = "__device__ float f(float x) { return 3 * x; }";
constexpr const char* kGain = "extern \"C\" float gain(float)";

fs::path own(fs::path toolchain::Installation::*tool) {
  const auto installations = toolchain::find_installations({}, toolchain::real_world());
  return toolchain::choose_installation(installations, 0)->*tool;
}

class OtherTools : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kOldLinker) || !fs::exists(kNewNvrtc))
      GTEST_SKIP() << "the other toolkits are missing in " << kOther;
  }

  static Report report(const Callback& callback, const PartialToolkit& toolkit, const Options& options = {}) {
    Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
    return build(engine, callback, Architecture(90), options).report();
  }

  // Compiles `gain` to LTO-IR with the NVRTC in the file `library`.
  static Callback ltoir_by(const fs::path& library) {
    std::string why;
    const auto nvrtc = toolchain::Nvrtc::open(library, why);
    if (!nvrtc) throw std::runtime_error(why);
    toolchain::NvrtcProgram program;
    program.source = "extern \"C\" __device__ float gain(float x) { return 3 * x; }";
    program.options = {"-arch=compute_75", "-dlto", "-rdc=true"};
    return Callback::ltoir(nvrtc->compile(program).code).with_signature(kGain);
  }
};

TEST_F(OtherTools, AnOlderToolkitCompilesTheBlockAnew) {
  const PartialToolkit toolkit(kOldNvrtc, kOldLinker);
  const Report made = report(kSource, toolkit);
  EXPECT_EQ(made.kernel.route, Route::Lto);
  EXPECT_TRUE(made.inlined());
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_NE(made.notes[0].find("NVRTC 12.9 recompiled graft's building block"), std::string::npos) << made.notes[0];
  EXPECT_EQ(made.versions[1].version, "12.9");
}

TEST_F(OtherTools, AnOlderToolkitServesTheOtherRoutesToo) {
  const PartialToolkit toolkit(kOldNvrtc, kOldLinker);
  for (const Route route : {Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(report(kSource, toolkit, by(route)).kernel.route, route);
}

TEST_F(OtherTools, ANewerToolkitTakesTheShippedBlock) {
  const PartialToolkit toolkit(kNewNvrtc, kNewLinker);
  const Report made = report(kSource, toolkit);
  EXPECT_EQ(made.kernel.route, Route::Lto);
  EXPECT_TRUE(made.inlined());
  EXPECT_TRUE(made.notes.empty()) << made.notes[0];
}

TEST_F(OtherTools, ALinkerOlderThanTheCompilerIsPassedBy) {
  const PartialToolkit toolkit(kNewNvrtc, own(&toolchain::Installation::nvjitlink));
  const Report made = report(kSource, toolkit);
  EXPECT_EQ(made.kernel.route, Route::Program);
  ASSERT_EQ(made.routes_not_taken.size(), 1u);
  EXPECT_NE(made.routes_not_taken[0].reason.find("is older than NVRTC"), std::string::npos);
}

TEST_F(OtherTools, LtoIrThatIsTooNewIsToldSo) {
  // This toolkit must be created before the newer library is loaded, because graft looks first for libraries that the
  // process has already loaded.
  const PartialToolkit toolkit(own(&toolchain::Installation::nvrtc), own(&toolchain::Installation::nvjitlink));
  const Callback callback = ltoir_by(kNewNvrtc);
  const Error error = error_of([&] { report(callback, toolkit); });
  EXPECT_EQ(error.code(), ErrorCode::ToolTooOld) << error.what();
  EXPECT_NE(error.message().find("is older than the LTO-IR of callback.ltoir"), std::string::npos) << error.what();
}

TEST_F(OtherTools, LtoIrOfAnotherMajorIsLinkedAndNoted) {
  const Report made = build(ltoir_by(kOldNvrtc), Architecture(90)).report();
  EXPECT_EQ(made.kernel.route, Route::Lto);
  EXPECT_TRUE(made.inlined());
  EXPECT_TRUE(std::ranges::any_of(
      made.notes, [](const std::string& note) { return note.find("was made by CUDA 12.9") != std::string::npos; }));
}

}  // namespace
}  // namespace graft::test
