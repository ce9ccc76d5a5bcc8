// D2: a killed run left the file FILE.<pid>.tmp behind, and O_EXCL then made every later run with the same pid fail. In
// a container a program often has the same pid in each run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "store/entries.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::StartsWith;

class D2 : public testing::Test {
 protected:
  D2() {
    graft.write("gain.cu", "__device__ float gain(float x) { return 3 * x; }\n");
    fs::create_directory(graft.path("out"));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& one : fs::directory_iterator(graft.path("out"))) found.push_back(one.path().filename());
    std::ranges::sort(found);
    return found;
  }

  Program graft;
};

TEST_F(D2, AFileOfTheSamePidIsNoObstacle) {
  const Result run =
      graft.shell("sh -c 'echo x >out/gain.graft.$$.tmp; exec graft precompile gain.cu --arch 75 -o out/gain.graft'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(graft.read("out/gain.graft"), StartsWith("\x89GRAFT"));
}

// Kills the real program at many moments. The files that killed runs leave must do no harm, and the next complete run
// must remove them. tests/cli/new_file_test.cpp kills the program at each system call instead.
TEST_F(D2, WhatKilledRunsLeftGoesWithTheNextRun) {
  store::Store store({.folder = graft.path("own-cache"), .layers = {}});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(store.put(store::entry_of(i, 5'000'000)).problem, "");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(graft.run("cache export --all out/kernels").exit_code, 0);
  const std::chrono::duration<double> whole_run = std::chrono::steady_clock::now() - begin;
  const std::string whole = graft.read("out/kernels");
  ASSERT_GT(whole.size(), 15'000'000u);
  for (int i = 1; i <= 30; ++i) {
    const std::string moment = std::to_string(whole_run.count() * i / 30);
    graft.shell("(timeout -s KILL " + moment + " graft cache export --all out/kernels); true");
    ASSERT_TRUE(graft.read("out/kernels") == whole) << moment;
  }
  ASSERT_EQ(graft.run("cache export --all out/kernels").exit_code, 0);
  EXPECT_THAT(names(), ElementsAre("kernels"));
}

}  // namespace
}  // namespace graft::test
