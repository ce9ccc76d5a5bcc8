// Tests that a CUDA toolkit is chosen, that its NVRTC and nvJitLink are opened, and that graft explains why it did not
// choose the other toolkits.
#include "toolchain/toolkit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "toolchain/fake_world.hpp"
#include "toolchain/fixtures.hpp"

namespace graft::toolchain {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Toolkit, FindsThisMachinesOwn) {
  const Toolkit toolkit({}, 0);
  std::string why = "not asked";
  const auto nvrtc = toolkit.nvrtc(why);
  ASSERT_TRUE(nvrtc) << why;
  EXPECT_EQ(why, "");
  const auto linker = toolkit.nvjitlink(why);
  ASSERT_TRUE(linker) << why;
  EXPECT_EQ(nvrtc->version(), linker->version());
  EXPECT_EQ(toolkit.nvrtc(why), nvrtc);
  EXPECT_THAT(toolkit.describe(), AllOf(HasSubstr(toolkit.origin()), HasSubstr("libnvrtc.so."),
                                        HasSubstr("CUDA " + nvrtc->version().text()), HasSubstr("looked in")));
}

TEST(Toolkit, AnExplicitPathHasNoFallback) {
  const Toolkit toolkit("/no/such/toolkit", 0);
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_EQ(why, "no NVRTC: looked for libnvrtc.so.13 or libnvrtc.so.12 in the path given (/no/such/toolkit)");
  EXPECT_EQ(toolkit.origin(), "no toolkit");
  EXPECT_EQ(toolkit.include_folder(), "");
}

TEST(Toolkit, AHiddenToolIsExplained) {
  FakeWorld fake;
  fake.loader = {"/lib", "/usr/lib"};
  fake.variables = {{"CUDA_HOME", "/home/cuda"}};
  const Toolkit toolkit({}, 13, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvjitlink(why));
  EXPECT_EQ(
      why,
      "no nvJitLink: looked for libnvJitLink.so.13 or libnvJitLink.so.12 in GRAFT_CUDA_PATH (not set), the loader's "
      "path (/lib, /usr/lib), CUDA_HOME (/home/cuda), CUDA_PATH (not set), VIRTUAL_ENV (not set), CONDA_PREFIX "
      "(not set), conventional folder (/usr/local/cuda, /opt/cuda)");
  EXPECT_THAT(toolkit.describe(), AllOf(HasSubstr("toolkit: no toolkit"), HasSubstr("CUDA_HOME (/home/cuda)")));
}

TEST(Toolkit, TheDriversLimitIsNamed) {
  FakeWorld fake;
  fake.add_tools("/usr/local/cuda/lib64", "13.0");
  const Toolkit toolkit({}, 12, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_THAT(why, HasSubstr("/usr/local/cuda (conventional folder) was not taken: newer than CUDA 12"));
}

TEST(Toolkit, AToolThatTheChosenOneLacksIsNotTakenElsewhere) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/compiler"}};
  fake.add_nvrtc("/compiler/lib64", "13.0");
  fake.add("/opt/cuda/lib64/libnvJitLink.so.13");
  const Toolkit toolkit({}, 13, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvjitlink(why));
  EXPECT_THAT(why, HasSubstr("the chosen installation /compiler (CUDA_HOME) does not have it"));
  EXPECT_THAT(toolkit.describe(),
              AllOf(HasSubstr("nvJitLink: not found"),
                    HasSubstr("not taken: /opt/cuda (conventional folder), CUDA 13.0: it has no NVRTC")));
}

TEST(Toolkit, DescribesWhatItDidNotTake) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/a"}, {"CUDA_PATH", "/b"}};
  fake.add_tools("/a/lib64", "13.1");
  fake.add_headers("/a/include");
  fake.add_tools("/b/lib64", "13.1");
  fake.add_tools("/opt/cuda/lib64", "12.9");
  const Toolkit toolkit({}, 13, fake.world());
  EXPECT_EQ(toolkit.origin(), "/a (CUDA_HOME)");
  EXPECT_EQ(toolkit.include_folder(), "/a/include");
  EXPECT_THAT(toolkit.describe(),
              HasSubstr("toolkit: /a (CUDA_HOME), CUDA 13.1\n"
                        "  NVRTC: /a/lib64/libnvrtc.so.13\n"
                        "  nvJitLink: /a/lib64/libnvJitLink.so.13\n"
                        "  headers: /a/include\n"
                        "  not taken: /b (CUDA_PATH), CUDA 13.1: it is equally good, but comes later in the search\n"
                        "  not taken: /opt/cuda (conventional folder), CUDA 12.9: it is older\n"
                        "  looked in: GRAFT_CUDA_PATH (not set), "));
}

TEST(Toolkit, AFileThatCannotBeOpenedIsAReason) {
  FakeWorld fake;
  fake.add_tools("/no/such/toolkit/lib64", "13.0");
  const Toolkit toolkit("/no/such/toolkit", 0, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_THAT(why, AllOf(HasSubstr("/no/such/toolkit/lib64/libnvrtc.so.13"), HasSubstr("cannot open")));
  EXPECT_THAT(toolkit.describe(), Not(HasSubstr("no toolkit")));
}

TEST(Toolkit, RelativePathsAreSaidToBeLeftOut) {
  FakeWorld fake;
  fake.loader = {".", "/lib"};
  fake.variables = {{"CUDA_HOME", "cuda"}};
  const Toolkit toolkit({}, 13, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_THAT(why, AllOf(HasSubstr("the loader's path (. [relative path, ignored], /lib)"),
                         HasSubstr("CUDA_HOME (cuda [relative path, ignored])")));
  EXPECT_THAT(toolkit.describe(), HasSubstr("CUDA_HOME (cuda [relative path, ignored])"));
  EXPECT_THAT(toolkit.why_ignored(), testing::ElementsAre(". (the loader's path): relative path, ignored",
                                                          "cuda (CUDA_HOME): relative path, ignored"));
}

TEST(Toolkit, ARelativePathThatWasNamedIsAnErrorByName) {
  FakeWorld fake;
  fake.variables = {{"GRAFT_CUDA_PATH", "cuda"}};
  fake.add_tools("/usr/local/cuda/lib64", "13.0");
  const Toolkit toolkit({}, 13, fake.world());
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_EQ(why, "no NVRTC: GRAFT_CUDA_PATH is \"cuda\", a relative path, which graft ignores; give an absolute path");
  EXPECT_FALSE(toolkit.nvjitlink(why));
  EXPECT_EQ(why,
            "no nvJitLink: GRAFT_CUDA_PATH is \"cuda\", a relative path, which graft ignores; give an absolute path");
}

// Two made-up toolkits. The toolkit in /a is newer than the toolkit in /b. `faults` maps each file that the test
// declares damaged to the reason.
struct TwoToolkits {
  TwoToolkits() {
    fake.variables = {{"CUDA_HOME", "/a"}, {"CUDA_PATH", "/b"}};
    fake.add_tools("/a/lib64", "13.5");
    fake.add_tools("/b/lib64", "13.0");
    fake.add_headers("/b/include");
  }
  Toolkit toolkit(int driver_major = 13) {
    SearchWorld world = fake.world();
    world.fault = [this](const std::filesystem::path& file) {
      looked_at.push_back(file);
      return faults.contains(file) ? file.string() + " " + faults.at(file) : std::string();
    };
    return {{}, driver_major, world};
  }

  FakeWorld fake;
  std::map<std::filesystem::path, std::string> faults;
  std::vector<std::filesystem::path> looked_at;
};

TEST(Toolkit, TheChoiceLooksAtThreeFilesOnce) {
  TwoToolkits two;
  const Toolkit toolkit = two.toolkit();
  // A request for a cached kernel needs only `state`, which must be available without an examination of the
  // libraries.
  EXPECT_NE(toolkit.state(), "");
  EXPECT_TRUE(two.looked_at.empty());
  EXPECT_EQ(toolkit.origin(), "/a (CUDA_HOME)");
  toolkit.describe();
  toolkit.identity();
  EXPECT_THAT(two.looked_at, testing::ElementsAre("/a/lib64/libnvrtc.so.13", "/a/lib64/libnvrtc-builtins.so.13.5",
                                                  "/a/lib64/libnvJitLink.so.13"));
}

TEST(Toolkit, OneWithABadLibraryIsPassedOver) {
  struct Case {
    const char* file;
    const char* tool;
  };
  for (const Case& c :
       {Case{"libnvrtc.so.13", "NVRTC"}, {"libnvrtc-builtins.so.13.5", "NVRTC"}, {"libnvJitLink.so.13", "nvJitLink"}}) {
    TwoToolkits two;
    const std::string file = std::string("/a/lib64/") + c.file;
    two.faults = {{file, "is cut off"}};
    const Toolkit toolkit = two.toolkit();
    EXPECT_EQ(toolkit.origin(), "/b (CUDA_PATH)") << file;
    EXPECT_EQ(toolkit.include_folder(), "/b/include");
    const std::string reason = std::string("its ") + c.tool + " cannot be loaded: " + file + " is cut off";
    EXPECT_THAT(toolkit.describe(), HasSubstr("not taken: /a (CUDA_HOME), CUDA 13.5: " + reason));
    for (const auto& [place, why_not] : toolkit.candidates())
      EXPECT_EQ(why_not, place.origin == "CUDA_HOME" ? reason : "");
  }
}

TEST(Toolkit, WhatIsBadIsSaidWhereNothingIsLeft) {
  TwoToolkits two;
  two.faults = {{"/a/lib64/libnvrtc.so.13", "is cut off"},
                {"/a/lib64/libnvJitLink.so.13", "is cut off"},
                {"/b/lib64/libnvrtc-builtins.so.13.0", "is cut off"},
                {"/b/lib64/libnvJitLink.so.13", "is empty"}};
  const Toolkit toolkit = two.toolkit();
  EXPECT_EQ(toolkit.origin(), "no toolkit");
  std::string why;
  EXPECT_FALSE(toolkit.nvrtc(why));
  EXPECT_THAT(why, AllOf(HasSubstr("/a (CUDA_HOME) was not taken: its NVRTC cannot be loaded: /a/lib64/libnvrtc.so.13"),
                         HasSubstr("/b (CUDA_PATH) was not taken: its NVRTC cannot be loaded: /b/lib64/libnvrtc-b")));
}

// The linkers of both toolkits are damaged, so neither toolkit can do more than the other. graft must choose the newer
// toolkit, which is in /a.
TEST(Toolkit, OneWithABadLinkerStaysWhereNoOtherIsBetter) {
  TwoToolkits two;
  two.faults = {{"/a/lib64/libnvJitLink.so.13", "is cut off"}, {"/b/lib64/libnvJitLink.so.13", "is cut off"}};
  const Toolkit toolkit = two.toolkit();
  EXPECT_EQ(toolkit.origin(), "/a (CUDA_HOME)");
  EXPECT_THAT(toolkit.describe(), HasSubstr("nvJitLink: /a/lib64/libnvJitLink.so.13 (cannot be loaded: /a/lib64/lib"));
}

// Returns the source of an NVRTC of version 13.`minor` that exports only the functions which graft needs.
// made_up_nvjitlink does the same for nvJitLink.
std::string made_up_nvrtc(int minor) {
  std::string source =
      "extern \"C\" int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = " + std::to_string(minor) +
      "; return 0; }";
  for (const char* name :
       {"GetErrorString", "GetNumSupportedArchs", "GetSupportedArchs", "CreateProgram", "DestroyProgram",
        "AddNameExpression", "GetLoweredName", "CompileProgram", "GetProgramLogSize", "GetProgramLog", "GetLTOIRSize",
        "GetLTOIR", "GetPTXSize", "GetPTX", "GetCUBINSize", "GetCUBIN"})
    source += std::string("\nextern \"C\" int nvrtc") + name + "() { return 1; }";
  return source;
}
std::string made_up_nvjitlink(int minor) {
  std::string source = "extern \"C\" int nvJitLinkVersion(unsigned* major, unsigned* minor) { *major = 13; *minor = " +
                       std::to_string(minor) + "; return 0; }\n";
  for (const char* name :
       {"Create", "Destroy", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin", "GetLinkedPtxSize",
        "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog"})
    source += std::string("extern \"C\" int nvJitLink") + name + "(void**) { return 1; }\n";
  return source;
}

// Makes toolkits on disk from made-up libraries. The search finds the folder "best" by CUDA_HOME and "next" by
// CUDA_PATH, and nothing else.
class MadeUpToolkits : public testing::Test {
 protected:
  void add(const std::string& name, int minor, const std::string& nvrtc, const std::string& nvjitlink) {
    const auto folder = folder_.path() / name / "lib64";
    make_library(folder / "libnvrtc.so.13", nvrtc);
    make_library(folder / ("libnvrtc-builtins.so.13." + std::to_string(minor)), "int nothing;");
    make_library(folder / "libnvJitLink.so.13", nvjitlink);
  }
  Toolkit toolkit(const std::string& explicit_name = {}) const {
    SearchWorld world = real_world();
    world.environment = [this](const char* name) -> std::string {
      const std::string variable = name;
      return variable == "CUDA_HOME"   ? (folder_.path() / "best").string()
             : variable == "CUDA_PATH" ? (folder_.path() / "next").string()
                                       : "";
    };
    world.loader_folders = [] { return std::vector<std::filesystem::path>(); };
    world.exists = [this](const std::filesystem::path& path) {
      return path.string().starts_with(folder_.path().string()) && std::filesystem::exists(path);
    };
    return {explicit_name.empty() ? std::filesystem::path() : folder_.path() / explicit_name, 0, world};
  }

  base::TemporaryFolder folder_;
};

TEST_F(MadeUpToolkits, ALinkerThatDoesNotLoadChangesTheToolkitOfBoth) {
  add("best", 61, made_up_nvrtc(61), "int no_linker;");
  add("next", 52, made_up_nvrtc(52), made_up_nvjitlink(52));
  const Toolkit both = toolkit();
  std::string why;
  const unsigned before = both.choice();
  const auto first = both.nvrtc(why);
  ASSERT_TRUE(first) << why;
  EXPECT_EQ(first->version().text(), "13.61");
  EXPECT_EQ(both.choice(), before);
  const auto linker = both.nvjitlink(why);
  ASSERT_TRUE(linker) << why;
  EXPECT_EQ(linker->version().text(), "13.52");
  EXPECT_NE(both.choice(), before);
  EXPECT_EQ(both.nvrtc(why)->version().text(), "13.52");
  EXPECT_THAT(both.describe(), HasSubstr("its nvJitLink cannot be loaded: "));
  EXPECT_THAT(both.identity(), HasSubstr("13.52"));
}

TEST_F(MadeUpToolkits, ACompilerThatDoesNotLoadChangesTheToolkitOfBoth) {
  add("best", 63, "int no_compiler;", made_up_nvjitlink(63));
  add("next", 54, made_up_nvrtc(54), made_up_nvjitlink(54));
  const Toolkit both = toolkit();
  std::string why;
  EXPECT_EQ(both.nvjitlink(why)->version().text(), "13.63");
  EXPECT_EQ(both.nvrtc(why)->version().text(), "13.54");
  EXPECT_EQ(both.nvjitlink(why)->version().text(), "13.54");
}

TEST_F(MadeUpToolkits, TheOneThatWasNamedStays) {
  add("best", 65, made_up_nvrtc(65), "int no_linker;");
  add("next", 56, made_up_nvrtc(56), made_up_nvjitlink(56));
  const Toolkit named = toolkit("best");
  std::string why;
  EXPECT_FALSE(named.nvjitlink(why));
  EXPECT_THAT(why, HasSubstr("does not report its version"));
  EXPECT_EQ(named.nvrtc(why)->version().text(), "13.65");
}

TEST_F(MadeUpToolkits, ThreadsAgreeOnTheToolkit) {
  add("best", 67, made_up_nvrtc(67), "int no_linker;");
  add("next", 58, made_up_nvrtc(58), made_up_nvjitlink(58));
  const Toolkit both = toolkit();
  std::vector<std::string> versions(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < versions.size(); ++i)
    threads.emplace_back([&, i] {
      unsigned choice = 0;
      do {
        choice = both.choice();
        std::string why;
        const auto nvrtc = both.nvrtc(why);
        const auto linker = both.nvjitlink(why);
        versions[i] = nvrtc->version().text() + " " + linker->version().text();
      } while (choice != both.choice());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(versions, std::vector<std::string>(8, "13.58 13.58"));
}

TEST(Toolkit, SearchesOnceAndOnlyWhenAsked) {
  std::atomic<int> searches = 0;
  FakeWorld fake;
  SearchWorld world = fake.world();
  world.loader_folders = [&] {
    ++searches;
    return std::vector<std::filesystem::path>();
  };
  const Toolkit toolkit({}, 0, world);
  EXPECT_EQ(searches, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      std::string why;
      toolkit.nvrtc(why);
      toolkit.nvjitlink(why);
      toolkit.origin();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(searches, 1);
}

}  // namespace
}  // namespace graft::toolchain
