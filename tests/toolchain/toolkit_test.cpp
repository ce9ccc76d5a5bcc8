#include "toolchain/toolkit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
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
  EXPECT_THAT(why, HasSubstr("/compiler (CUDA_HOME), which was chosen, does not have it"));
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
  EXPECT_THAT(toolkit.describe(), HasSubstr("toolkit: /a (CUDA_HOME), CUDA 13.1\n"
                                            "  NVRTC: /a/lib64/libnvrtc.so.13\n"
                                            "  nvJitLink: /a/lib64/libnvJitLink.so.13\n"
                                            "  headers: /a/include\n"
                                            "  not taken: /b (CUDA_PATH), CUDA 13.1: later in the search\n"
                                            "  not taken: /opt/cuda (conventional folder), CUDA 12.9: older\n"
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
