// Runs graft with other tools than those with which it was built: CUDA 12.4, CUDA 12.9 and the newest CUDA 13. A linker
// accepts LTO-IR only from compilers that are not newer than the linker. If the compiler is newer, graft must take
// another route or report a clear error.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/embedded.hpp"
#include "routes/builder.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/partial_toolkit.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::test {
namespace {
namespace fs = std::filesystem;

const fs::path kOther = GRAFT_OTHER_TOOLKITS;
const fs::path kOldestNvrtc = kOther / "cuda12.4/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
const fs::path kOldestLinker = kOther / "cuda12.4/nvidia/nvjitlink/lib/libnvJitLink.so.12";
const fs::path kOldNvrtc = kOther / "cuda12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
const fs::path kOldLinker = kOther / "cuda12/nvidia/nvjitlink/lib/libnvJitLink.so.12";
const fs::path kNewNvrtc = kOther / "cuda13/nvidia/cu13/lib/libnvrtc.so.13";
const fs::path kNewLinker = kOther / "cuda13/nvidia/cu13/lib/libnvJitLink.so.13";

constexpr const char* kSource = "__device__ float f(float x) { return 3 * x; }";
// Looks heavy, so that the route lto comes first.
constexpr const char* kHeavy =
    "__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 2; ++i) x *= 3;\nreturn x; }";
constexpr const char* kGain = "extern \"C\" float gain(float)";

fs::path own(fs::path toolchain::Installation::*tool) {
  const auto installations = toolchain::find_installations({}, toolchain::real_world());
  return toolchain::choose_installation(installations, 0)->*tool;
}

class OtherTools : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kOldestLinker) || !fs::exists(kOldLinker) || !fs::exists(kNewNvrtc))
      GTEST_SKIP() << "the other toolkits are missing in " << kOther;
  }

  static Report report(const Callback& callback, const PartialToolkit& toolkit, const Options& options = {},
                       Architecture architecture = 90) {
    Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
    return build(engine, callback, architecture, options).report();
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

// Whether this build of graft has a copy of its building blocks for linkers of CUDA 12.
bool has_older_blocks() {
  return !base::embedded_file("older/elementwise/transform.ltoir").empty();
}

// Tests with the tools of CUDA 12.4, 12.9 and the newest 13.
struct OneToolkit {
  const char* name;
  fs::path nvrtc;
  fs::path nvjitlink;
  std::string version;  // the beginning of the version that the tools report
};
const std::vector<OneToolkit> kToolkits = {{"12.4", kOldestNvrtc, kOldestLinker, "12.4"},
                                           {"12.9", kOldNvrtc, kOldLinker, "12.9"},
                                           {"newest 13", kNewNvrtc, kNewLinker, "13."}};

TEST_F(OtherTools, OfEachVersionServeEveryRoute) {
  for (const OneToolkit& one : kToolkits) {
    SCOPED_TRACE(one.name);
    const std::string failure = in_own_process([&]() -> std::string {
      const PartialToolkit toolkit(one.nvrtc, one.nvjitlink);
      for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
        const Report made = report(kSource, toolkit, by(route));
        if (made.kernel.route != route) return fmt::format("{} in place of {}", name(made.kernel.route), name(route));
        if (made.resources.registers == 0) return fmt::format("{}: no registers in the report", name(route));
        if (made.inlined() != (route == Route::Lto || route == Route::Program))
          return fmt::format("{}: inlined is {}", name(route), made.inlined());
        for (const ToolVersion& tool : made.versions)
          if (!tool.version.starts_with(one.version)) return fmt::format("{} {}", tool.tool, tool.version);
      }
      Engine engine({.cuda_path = toolkit.path(), .host_compiler = {}});
      const Route host = build(engine, kSource, Architecture(90), by(Route::Host)).report().kernel.route;
      return host == Route::Host ? "" : "another route in place of host";
    });
    EXPECT_EQ(failure, "");
  }
}

TEST_F(OtherTools, AnOlderLinkerGetsAnOlderBlockOrACompiledOne) {
  for (const OneToolkit& one : {kToolkits[0], kToolkits[1]}) {
    const PartialToolkit toolkit(one.nvrtc, one.nvjitlink);
    const Report made = report(kSource, toolkit, by(Route::Lto));
    EXPECT_EQ(made.kernel.route, Route::Lto);
    EXPECT_TRUE(made.inlined());
    EXPECT_EQ(made.versions[1].version, one.version);
    if (has_older_blocks()) {
      EXPECT_TRUE(made.notes.empty()) << made.notes[0];
      continue;
    }
    ASSERT_EQ(made.notes.size(), 1u);
    EXPECT_NE(made.notes[0].find("NVRTC " + one.version + " recompiled graft's building block"), std::string::npos)
        << made.notes[0];
  }
}

// A pack that NVRTC 12.4 made, on a machine with nvJitLink of CUDA 12 and without a compiler.
TEST_F(OtherTools, APackNeedsNoCompilerForAnOlderLinker) {
  const std::vector<std::byte> bytes = [&] {
    const PartialToolkit maker(kOldestNvrtc, kOldestLinker);
    Engine engine({.cuda_path = maker.path(), .host_compiler = {}});
    return precompile(engine, kSource, {75}, PrecompileFormat::Pack);
  }();
  for (const fs::path& linker : {kOldestLinker, kOldLinker}) {
    const PartialToolkit toolkit({}, linker);
    const Report made = report(Callback::pack(bytes), toolkit);
    EXPECT_TRUE(made.inlined());
    if (has_older_blocks()) {
      EXPECT_EQ(made.kernel.route, Route::Lto);
      continue;
    }
    EXPECT_EQ(made.kernel.route, Route::Program);
    EXPECT_NE(made.routes_not_taken.at(0).reason.find("does not accept graft's own LTO-IR, which CUDA 13."),
              std::string::npos)
        << made.routes_not_taken.at(0).reason;
  }
}

TEST_F(OtherTools, APackOfANewerCompilerIsRefusedWithBothVersions) {
  const PartialToolkit toolkit({}, kOldestLinker);
  const Callback pack = Callback::pack(Callback(kSource).precompile({75}));
  if (std::string why; toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "the driver can link the pack's PTX";
  const Error error = error_of([&] { report(pack, toolkit); });
  EXPECT_EQ(error.code(), ErrorCode::ToolTooOld) << error.what();
  EXPECT_NE(error.message().find("nvJitLink 12.4 is older than the LTO-IR of"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("Install the CUDA toolkit 13."), std::string::npos) << error.what();
  EXPECT_EQ(error.versions().at(0), (ToolVersion{"nvJitLink", "12.4"}));
}

TEST_F(OtherTools, AnArchitectureThatAnOlderToolkitDoesNotKnowIsRefusedByName) {
  if (std::string why; toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "the driver can link for it";
  const PartialToolkit toolkit(kOldestNvrtc, kOldestLinker);
  const Error error = error_of([&] { report(kSource, toolkit, {}, 100); });
  EXPECT_EQ(error.code(), ErrorCode::ToolTooOld) << error.what();
  EXPECT_NE(error.message().find("NVRTC 12.4 does not compile for sm_100 (NVRTC 12.8 and newer do)"), std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("Install the CUDA toolkit 12.8 or newer"), std::string::npos)
      << error.what();
}

TEST_F(OtherTools, ANewerToolkitTakesTheShippedBlock) {
  const PartialToolkit toolkit(kNewNvrtc, kNewLinker);
  const Report made = report(kHeavy, toolkit);
  EXPECT_EQ(made.kernel.route, Route::Lto);
  EXPECT_TRUE(made.inlined());
  EXPECT_TRUE(made.notes.empty()) << made.notes[0];
}

TEST_F(OtherTools, ALinkerOlderThanTheCompilerIsPassedBy) {
  const PartialToolkit toolkit(kNewNvrtc, own(&toolchain::Installation::nvjitlink));
  const Report made = report(kHeavy, toolkit);
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
