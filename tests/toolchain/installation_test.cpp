// Tests the search for CUDA installations on a made-up machine (fake_world.hpp), and the choice of one installation.
#include "toolchain/installation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/files.hpp"
#include "toolchain/fake_world.hpp"

namespace graft::toolchain {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

// Returns one text, such as "13.0 /usr/local/cuda (CUDA_HOME)", for each place where tools were found.
std::vector<std::string> found(const FakeWorld& fake, const fs::path& explicit_path = {}) {
  std::vector<std::string> texts;
  for (const Installation& i : find_installations(explicit_path, fake.world()))
    if (i.has_tools()) texts.push_back(i.version.text() + " " + i.text());
  return texts;
}

std::string chosen(const FakeWorld& fake, int driver_major, const fs::path& explicit_path = {}) {
  const auto all = find_installations(explicit_path, fake.world());
  const Installation* choice = choose_installation(all, driver_major);
  return choice ? choice->version.text() + " " + choice->text() : "none";
}

TEST(FindInstallations, LooksEverywhereInOrder) {
  FakeWorld fake;
  fake.loader = {"/opt/app/lib"};
  fake.variables = {
      {"CUDA_HOME", "/home/cuda"}, {"CUDA_PATH", "/path/cuda"}, {"VIRTUAL_ENV", "/venv"}, {"CONDA_PREFIX", "/conda"}};
  fake.add_tools("/opt/app/lib", "13.0");
  fake.add_tools("/home/cuda/lib64", "13.1");
  fake.add_tools("/path/cuda/lib", "12.9");
  fake.add_tools("/venv/lib/python3.12/site-packages/nvidia/cu13/lib", "13.5");
  fake.add_tools("/conda/lib", "13.2");
  fake.add_tools("/usr/local/cuda/lib64", "12.4");
  fake.add_tools("/usr/local/cuda-12.10/lib64", "12.10");
  fake.add_tools("/usr/local/cuda-12.9/lib64", "12.9");
  fake.add_tools("/opt/cuda/targets/x86_64-linux/lib", "13.3");
  EXPECT_THAT(
      found(fake),
      ElementsAre("13.0 /opt/app/lib (the loader's path)", "13.1 /home/cuda (CUDA_HOME)", "12.9 /path/cuda (CUDA_PATH)",
                  "13.5 /venv/lib/python3.12/site-packages/nvidia/cu13 (VIRTUAL_ENV)", "13.2 /conda (CONDA_PREFIX)",
                  "12.4 /usr/local/cuda (conventional folder)", "12.10 /usr/local/cuda-12.10 (conventional folder)",
                  "12.9 /usr/local/cuda-12.9 (conventional folder)", "13.3 /opt/cuda (conventional folder)"));
}

TEST(FindInstallations, AnEmptyWorldStillSaysWhereItLooked) {
  std::vector<std::string> places;
  FakeWorld fake;
  fake.loader = {"/lib"};
  fake.variables = {{"CUDA_HOME", "/absent/"}};
  for (const Installation& i : find_installations({}, fake.world())) {
    EXPECT_FALSE(i.has_tools());
    places.push_back(i.text());
  }
  EXPECT_THAT(places, ElementsAre(" (GRAFT_CUDA_PATH)", "/lib (the loader's path)", "/absent (CUDA_HOME)",
                                  " (CUDA_PATH)", " (VIRTUAL_ENV)", " (CONDA_PREFIX)",
                                  "/usr/local/cuda (conventional folder)", "/opt/cuda (conventional folder)"));
}

TEST(FindInstallations, RelativePathsAreLeftOut) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
    for (const char* value : {".", "./", "cuda", "../cuda", "~/cuda"}) {
      FakeWorld fake;
      fake.variables = {{variable, value}};
      fake.files = {"lib64/libnvrtc.so.13", "./lib64/libnvrtc.so.13", "cuda/lib64/libnvrtc.so.13",
                    "../cuda/lib64/libnvrtc.so.13", "~/cuda/lib64/libnvrtc.so.13"};
      const auto all = find_installations({}, fake.world());
      EXPECT_THAT(found(fake), IsEmpty());
      const auto place = std::ranges::find(all, variable, &Installation::origin);
      ASSERT_NE(place, all.end());
      EXPECT_EQ(place->why_ignored, "relative path, ignored") << value;
      EXPECT_FALSE(place->root.empty());
    }
  }
}

TEST(FindInstallations, RelativeFoldersOfTheLoaderAreLeftOut) {
  FakeWorld fake;
  fake.loader = {".", "lib", "/lib"};
  fake.files = {"./libnvrtc.so.13", "lib/libnvrtc.so.13", "/lib/libnvrtc.so.13"};
  EXPECT_THAT(found(fake), ElementsAre("13.0 /lib (the loader's path)"));
  EXPECT_EQ(
      std::ranges::count(find_installations({}, fake.world()), "relative path, ignored", &Installation::why_ignored),
      2);
}

TEST(FindInstallations, ARelativePathThatWasNamedIsFinal) {
  FakeWorld fake;
  fake.variables = {{"GRAFT_CUDA_PATH", "cuda"}};
  fake.files = {"cuda/lib64/libnvrtc.so.13"};
  fake.add_tools("/usr/local/cuda/lib64", "13.0");
  const auto all = find_installations({}, fake.world());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].why_ignored, "relative path, ignored");
  EXPECT_TRUE(all[0].named);
  EXPECT_EQ(chosen(fake, 0), "none");
}

// Two folders may have links to the same NVRTC but to two different files libnvrtc-builtins, the library of built-in
// functions that NVRTC loads. They count as two installations.
TEST(FindInstallations, WhatDiffersInTheBuiltinsIsAnother) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/a"}, {"CUDA_PATH", "/b"}};
  fake.add_tools("/a/lib64", "13.0");
  fake.add_tools("/b/lib64", "13.0");
  fake.links = {{"/a/lib64/libnvrtc.so", "/b/lib64/libnvrtc.so"}, {"/a/lib64/libnvJ", "/b/lib64/libnvJ"}};
  EXPECT_EQ(found(fake).size(), 2u);
  fake.links.emplace("/a/lib64/libnvrtc-b", "/b/lib64/libnvrtc-b");
  EXPECT_EQ(found(fake).size(), 1u);
}

TEST(FindInstallations, WheelsInBothLayouts) {
  const fs::path nvidia = "/venv/lib/python3.11/site-packages/nvidia";
  FakeWorld fake;
  fake.variables = {{"VIRTUAL_ENV", "/venv"}};
  fake.add_nvrtc(nvidia / "cu13/lib", "13.5");
  fake.add(nvidia / "cu13/lib/libnvJitLink.so.13");
  fake.add_nvrtc(nvidia / "cuda_nvrtc/lib", "12.9");
  fake.add(nvidia / "nvjitlink/lib/libnvJitLink.so.12");
  fake.add_headers(nvidia / "cuda_runtime/include");
  const auto all = find_installations({}, fake.world());
  const auto first = std::ranges::find_if(all, &Installation::has_tools);
  ASSERT_GE(all.end() - first, 2);
  EXPECT_EQ(first->nvrtc, nvidia / "cu13/lib/libnvrtc.so.13");
  EXPECT_EQ(first->nvjitlink, nvidia / "cu13/lib/libnvJitLink.so.13");
  EXPECT_EQ(first->include, "");
  EXPECT_EQ(first[1].root, nvidia);
  EXPECT_EQ(first[1].nvrtc, nvidia / "cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(first[1].builtins, nvidia / "cuda_nvrtc/lib/libnvrtc-builtins.so.12.9");
  EXPECT_EQ(first[1].nvjitlink, nvidia / "nvjitlink/lib/libnvJitLink.so.12");
  EXPECT_EQ(first[1].include, nvidia / "cuda_runtime/include");
}

TEST(FindInstallations, APathMayBeAToolkitItsLibrariesOrAPythonEnvironment) {
  FakeWorld fake;
  fake.add_tools("/a/lib64", "13.0");
  fake.add_headers("/a/include");
  fake.add_tools("/b/lib/python3.11/site-packages/nvidia/cu13/lib", "13.5");
  for (const char* path : {"/a", "/a/", "/a/lib64", "/b", "/b/lib/python3.11/site-packages",
                           "/b/lib/python3.11/site-packages/nvidia/cu13"}) {
    const auto all = find_installations(path, fake.world());
    ASSERT_EQ(all.size(), 1u) << path;
    EXPECT_TRUE(all[0].has_tools()) << path;
    EXPECT_EQ(all[0].include, std::string_view(path).starts_with("/a") ? "/a/include" : "") << path;
  }
}

TEST(FindInstallations, LibNvvmLiesBesideTheLibraries) {
  for (const char* libraries : {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"}) {
    FakeWorld fake;
    fake.loader = {libraries};
    fake.add_tools(libraries, "13.0");
    fake.files.insert("/usr/local/cuda/nvvm/lib64/libnvvm.so.4");
    fake.files.insert("/usr/local/cuda/nvvm/libdevice/libdevice.10.bc");
    const auto all = find_installations({}, fake.world());
    const Installation* const choice = choose_installation(all, 0);
    ASSERT_NE(choice, nullptr);
    EXPECT_EQ(choice->origin, "the loader's path");
    EXPECT_EQ(choice->nvvm, "/usr/local/cuda/nvvm/lib64/libnvvm.so.4");
    EXPECT_EQ(choice->libdevice, "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc");
  }
}

TEST(FindInstallations, OneFolderMayHoldTwoMajorVersions) {
  FakeWorld fake;
  fake.loader = {"/usr/lib/x86_64-linux-gnu"};
  fake.add_tools("/usr/lib/x86_64-linux-gnu", "12.9");
  fake.add_tools("/usr/lib/x86_64-linux-gnu", "13.0");
  fake.add_headers("/usr/include");
  EXPECT_THAT(found(fake), ElementsAre("13.0 /usr/lib/x86_64-linux-gnu (the loader's path)",
                                       "12.9 /usr/lib/x86_64-linux-gnu (the loader's path)"));
  EXPECT_EQ(find_installations({}, fake.world())[1].include, "/usr/include");
}

TEST(FindInstallations, HeadersCountOnlyWhenComplete) {
  FakeWorld fake;
  fake.add_tools("/a/lib64", "13.0");
  fake.add("/a/include/cuda_fp16.h");
  EXPECT_EQ(find_installations("/a", fake.world())[0].include, "");
}

TEST(FindInstallations, TheMinorVersionIsThatOfTheBuiltins) {
  FakeWorld fake;
  fake.add("/a/lib/libnvrtc.so.13");
  EXPECT_THAT(found(fake, "/a"), ElementsAre("13.0 /a (the path given)"));
  fake.add("/a/lib/libnvrtc-builtins.so.12.9");
  EXPECT_THAT(found(fake, "/a"), ElementsAre("13.0 /a (the path given)"));
  fake.add("/a/lib/libnvrtc-builtins.so.13.2.78");
  fake.add("/a/lib/libnvrtc-builtins.alt.so.13.4");
  EXPECT_THAT(found(fake, "/a"), ElementsAre("13.2 /a (the path given)"));
}

TEST(FindInstallations, WhatHasTwoNamesIsListedOnce) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/usr/local/cuda"}};
  fake.add_tools("/usr/local/cuda/lib64", "13.0");
  fake.add_tools("/usr/local/cuda-13.0/lib64", "13.0");
  fake.links = {{"/usr/local/cuda/", "/usr/local/cuda-13.0/"}};
  EXPECT_THAT(found(fake), ElementsAre("13.0 /usr/local/cuda (CUDA_HOME)"));
}

TEST(ChooseInstallation, Table) {
  struct Case {
    const char* text;
    std::map<std::string, std::string> variables;
    std::vector<std::pair<std::string, std::string>> tools;
    int driver_major;
    const char* chosen;
  };
  const std::vector<Case> cases = {
      {"nothing there", {}, {}, 13, "none"},
      {"the newest wins",
       {{"CUDA_HOME", "/a"}},
       {{"/a/lib64", "13.0"}, {"/opt/cuda/lib64", "13.1"}},
       13,
       "13.1 /opt/cuda (conventional folder)"},
      {"the first among equals wins",
       {{"CUDA_HOME", "/a"}},
       {{"/a/lib64", "13.0"}, {"/opt/cuda/lib64", "13.0"}},
       13,
       "13.0 /a (CUDA_HOME)"},
      {"13.10 is newer than 13.9",
       {{"CUDA_HOME", "/a"}},
       {{"/a/lib64", "13.9"}, {"/opt/cuda/lib64", "13.10"}},
       13,
       "13.10 /opt/cuda (conventional folder)"},
      {"the driver's major version limits",
       {{"CUDA_HOME", "/a"}},
       {{"/a/lib64", "12.9"}, {"/opt/cuda/lib64", "13.0"}},
       12,
       "12.9 /a (CUDA_HOME)"},
      {"the driver's minor version does not limit",
       {},
       {{"/usr/local/cuda/lib64", "13.5"}},
       13,
       "13.5 /usr/local/cuda (conventional folder)"},
      {"a newer driver runs older tools",
       {},
       {{"/usr/local/cuda/lib64", "12.9"}},
       14,
       "12.9 /usr/local/cuda (conventional folder)"},
      {"all are too new", {}, {{"/usr/local/cuda/lib64", "13.0"}}, 12, "none"},
      {"without a driver, no version is too new",
       {},
       {{"/usr/local/cuda/lib64", "13.0"}},
       0,
       "13.0 /usr/local/cuda (conventional folder)"},
      {"the path named for graft is final",
       {{"GRAFT_CUDA_PATH", "/g"}},
       {{"/g/lib64", "12.4"}, {"/opt/cuda/lib64", "13.0"}},
       13,
       "12.4 /g (GRAFT_CUDA_PATH)"},
      {"it is final even if it has no tools", {{"GRAFT_CUDA_PATH", "/g"}}, {{"/opt/cuda/lib64", "13.0"}}, 13, "none"},
      {"it is final even if the driver cannot run its tools",
       {{"GRAFT_CUDA_PATH", "/g"}},
       {{"/g/lib64", "13.0"}},
       12,
       "13.0 /g (GRAFT_CUDA_PATH)"},
      {"of two versions in it, the one that the driver runs wins",
       {{"GRAFT_CUDA_PATH", "/g"}},
       {{"/g/lib64", "13.0"}, {"/g/lib64", "12.9"}},
       12,
       "12.9 /g (GRAFT_CUDA_PATH)"},
  };
  for (const Case& c : cases) {
    FakeWorld fake;
    fake.variables = c.variables;
    for (const auto& [folder, version] : c.tools) fake.add_tools(folder, version);
    EXPECT_EQ(chosen(fake, c.driver_major), c.chosen) << c.text;
  }
}

// Every driver with every set of toolkits: the newest toolkit whose major version the driver runs.
TEST(ChooseInstallation, FitsTheDriver) {
  const std::vector<std::string> versions = {"12.4", "12.9", "13.0", "13.5"};
  for (const int driver : {0, 12, 13})
    for (unsigned set = 0; set < 1u << versions.size(); ++set) {
      FakeWorld fake;
      std::string expected = "none";
      for (std::size_t i = 0; i < versions.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        const fs::path root = "/usr/local/cuda-" + versions[i];
        fake.add_tools(root / "lib64", versions[i]);
        if (driver == 0 || std::stoi(versions[i]) <= driver)
          expected = versions[i] + " " + root.string() + " (conventional folder)";
      }
      EXPECT_EQ(chosen(fake, driver), expected) << "driver for CUDA " << driver << ", set " << set;
    }
}

TEST(ChooseInstallation, AnExplicitPathComesBeforeTheVariable) {
  FakeWorld fake;
  fake.variables = {{"GRAFT_CUDA_PATH", "/g"}};
  fake.add_tools("/g/lib64", "13.1");
  fake.add_tools("/e/lib64", "13.0");
  EXPECT_EQ(chosen(fake, 13, "/e"), "13.0 /e (the path given)");
  EXPECT_EQ(chosen(fake, 13, "/absent"), "none");
}

TEST(ChooseInstallation, BothToolsAreWorthMoreThanANewerOne) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/linker"}, {"CUDA_PATH", "/compiler"}};
  fake.add("/linker/lib64/libnvJitLink.so.13");
  EXPECT_EQ(chosen(fake, 13), "13.0 /linker (CUDA_HOME)");
  fake.add_nvrtc("/compiler/lib64", "13.5");
  EXPECT_EQ(chosen(fake, 13), "13.5 /compiler (CUDA_PATH)");
  fake.add_tools("/opt/cuda/lib64", "13.0");
  EXPECT_EQ(chosen(fake, 13), "13.0 /opt/cuda (conventional folder)");
}

TEST(ChooseInstallation, NvrtcWithoutBuiltinsIsTheLastResort) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/a"}};
  fake.add("/a/lib64/libnvrtc.so.13");
  EXPECT_EQ(chosen(fake, 13), "13.0 /a (CUDA_HOME)");
  fake.add_nvrtc("/opt/cuda/lib64", "12.9");
  EXPECT_EQ(chosen(fake, 13), "12.9 /opt/cuda (conventional folder)");
}

TEST(ChooseInstallation, WhatIsBadCountsAsMissing) {
  FakeWorld fake;
  fake.variables = {{"CUDA_HOME", "/a"}, {"CUDA_PATH", "/b"}};
  fake.add_tools("/a/lib64", "13.5");
  fake.add_tools("/b/lib64", "13.0");
  auto all = find_installations({}, fake.world());
  const auto place = [&](const char* origin) -> Installation& {
    return *std::ranges::find(all, origin, &Installation::origin);
  };
  const auto choice = [&] {
    const Installation* const best = choose_installation(all, 13);
    return best ? best->origin : "none";
  };
  EXPECT_EQ(choice(), "CUDA_HOME");
  place("CUDA_HOME").bad_nvjitlink = "why";
  EXPECT_EQ(choice(), "CUDA_PATH");
  place("CUDA_PATH").bad_nvrtc = "why";
  EXPECT_EQ(choice(), "CUDA_HOME") << "a compiler alone is better than a linker alone";
  place("CUDA_HOME").bad_nvrtc = "why";
  EXPECT_EQ(choice(), "CUDA_PATH");
  place("CUDA_PATH").bad_nvjitlink = "why";
  EXPECT_EQ(choice(), "none");
}

TEST(RealWorld, SeesTheFileSystem) {
  const base::TemporaryFolder folder;
  const SearchWorld world = real_world();
  EXPECT_THAT(world.list(folder.path()), IsEmpty());
  EXPECT_THAT(world.list(folder.path() / "absent"), IsEmpty());
  fs::create_directory(folder.path() / "real");
  fs::create_symlink(folder.path() / "real", folder.path() / "link");
  EXPECT_EQ(world.list(folder.path()).size(), 2u);
  EXPECT_TRUE(world.exists(folder.path() / "link"));
  EXPECT_FALSE(world.exists(folder.path() / "absent"));
  EXPECT_EQ(world.canonical(folder.path() / "link"), fs::canonical(folder.path() / "real"));
  EXPECT_EQ(world.canonical(folder.path() / "absent"), folder.path() / "absent");
}

TEST(RealWorld, KnowsWhereTheLoaderSearches) {
  const auto folders = real_world().loader_folders();
  EXPECT_TRUE(std::ranges::any_of(folders, [](const fs::path& f) { return fs::exists(f / "libc.so.6"); }));
  for (const fs::path& folder : folders) EXPECT_EQ(std::ranges::count(folders, folder), 1) << folder;
}

TEST(RealWorld, KeepsTheEnvironmentThatItSaw) {
  const SearchWorld world = real_world();
  const std::string before = world.environment("CUDA_HOME");
  ::setenv("CUDA_HOME", "/changed", 1);
  EXPECT_EQ(world.environment("CUDA_HOME"), before);
  EXPECT_EQ(real_world().environment("CUDA_HOME"), "/changed");
  if (before.empty()) ::unsetenv("CUDA_HOME");
  else ::setenv("CUDA_HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace graft::toolchain
