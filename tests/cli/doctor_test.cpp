// Runs `graft doctor` on this machine, first as the machine is, then with the machine's compilers hidden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// The test looks for these phrases because docs/cli.md shows them as examples of the output.
TEST(Doctor, SaysWhatIsHere) {
  const Result run = Program().run("doctor");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* words : {"driver: ", "toolkit: ", "NVRTC 1", "nvJitLink 1", "headers: ", "host compiler: ",
                            "  fits: nvJitLink 1", "route lto: works", "route program: works", "route host: works"})
    EXPECT_THAT(run.out, HasSubstr(words));
  EXPECT_EQ(run.err, "");
}

TEST(Doctor, Json) {
  const Result run = Program().run("doctor --json");
  const json object = json::parse(run.out);
  EXPECT_TRUE(object.at("makes_gpu_kernels").get<bool>());
  EXPECT_TRUE(object.at("toolkit").at("nvrtc").at("found").get<bool>());
  EXPECT_FALSE(object.at("toolkit").at("nvrtc").at("architectures").empty());
  for (const json& fit : object.at("fits")) {
    EXPECT_TRUE(fit.at("fits").get<bool>()) << fit;
    EXPECT_FALSE(fit.at("what").get<std::string>().empty());
    EXPECT_FALSE(fit.at("text").get<std::string>().empty());
  }
  EXPECT_GE(object.at("fits").size(), 2u);
  EXPECT_TRUE(object.at("host_compiler").at("found").get<bool>());
  EXPECT_EQ(object.at("routes").size(), 5u);
  for (const json& route : object.at("routes"))
    EXPECT_TRUE(route.at("works").get<bool>() ? route.contains("milliseconds")
                                              : !route.at("why").get<std::string>().empty());
  EXPECT_EQ(object.at("driver").at("found").get<bool>(), !object.at("devices").empty());
}

TEST(Doctor, WithoutAToolkitOnlyTheHostRouteWorks) {
  const Result run = Program().run("doctor --json", "GRAFT_CUDA_PATH=/nowhere");
  EXPECT_EQ(run.exit_code, 1);
  const json object = json::parse(run.out);
  EXPECT_FALSE(object.at("makes_gpu_kernels").get<bool>());
  EXPECT_THAT(object.at("toolkit").at("nvrtc").at("why").get<std::string>(), HasSubstr("/nowhere"));
  for (const json& route : object.at("routes")) EXPECT_EQ(route.at("works").get<bool>(), route.at("route") == "host");
}

TEST(Doctor, SaysHowToGetAToolkit) {
  EXPECT_THAT(Program().run("doctor", "GRAFT_CUDA_PATH=/nowhere").out, HasSubstr("pip install 'cuda-toolkit["));
  EXPECT_THAT(Program().run("doctor").out, Not(HasSubstr("pip install")));
}

TEST(Doctor, TheCache) {
  const Program graft;
  const std::string environment = "GRAFT_CACHE_DIR=$PWD/cache";
  const auto folder = [&] {
    const json object = json::parse(graft.run("doctor --json", environment).out);
    EXPECT_EQ(object.at("cache").at("policy"), "read-write");
    return object.at("cache").at("folders").at(0);
  };
  EXPECT_EQ(folder().at("entries"), 0);  // the trial build of each route leaves no entry in the cache
  EXPECT_EQ(graft.run("inspect '[](float x) { return x; }' --arch 90", environment).exit_code, 0);
  const json one = folder();
  EXPECT_EQ(one.at("entries"), 1);
  EXPECT_GT(one.at("bytes"), 1000);
  EXPECT_EQ(one.at("path"), graft.path("cache"));
  EXPECT_EQ(one.at("problem"), "");

  std::filesystem::permissions(graft.path("cache"), std::filesystem::perms::all);
  EXPECT_NE(folder().at("problem"), "");
  EXPECT_THAT(graft.run("doctor", environment).out, HasSubstr("not used: "));
  EXPECT_THAT(graft.run("doctor", "GRAFT_CACHE=off").out, HasSubstr("cache: off\n"));
}

TEST(Doctor, WithoutAHostCompiler) {
  const Result run = Program().run("doctor", "GRAFT_CXX=/nowhere/c++");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("host compiler: none (")) << run.out;
  EXPECT_THAT(run.out, HasSubstr("route host: does not work here: "));
}

}  // namespace
}  // namespace graft::test
