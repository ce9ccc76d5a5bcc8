// Runs the program once for each of its file system calls. In each run, that call fails, transfers half, or kills the
// process (fail_call.cpp). The program must end by itself with a result or an error message. An output file must have
// its old or its new content, never a part of it, and the cache must stay usable.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "scenarios/attacks/sandbox.hpp"

namespace graft::attacks {
namespace {

constexpr int kKilled = 137;  // timeout's exit status after SIGKILL

class ProgramFaults : public Sandbox {
 protected:
  static constexpr int kErrors[] = {ENOSPC, EIO, EACCES, EINTR, EMFILE, ESTALE, EDQUOT, EROFS, ENOENT, ENOMEM};

  // Returns the faults to try at call number `call`: one fault in a short run, all faults in a long run.
  static std::vector<std::string> faults_of(int call) {
    std::vector<std::string> all = {"short", "kill"};
    for (const int error : kErrors) all.push_back(std::to_string(error));
    if (is_long()) return all;
    return {all[(static_cast<std::size_t>(call) * 5 + seed()) % all.size()]};
  }

  // Runs the command with one fault. The file `out` contains "old" before the run and must contain "old" or `expected`
  // after the run.
  bool attack_one(const std::string& words, int call, const std::string& fault, const std::string& expected) {
    SCOPED_TRACE(fmt::format("{} with {} at call {}", words, fault, call));
    fs::remove(path("reached"));
    write("out", "old");
    const test::Result result =
        graft_.shell(fmt::format("cd work && timeout -s KILL 20 env LD_PRELOAD={} GRAFT_FAIL_CALL={} GRAFT_FAIL_BY={} "
                                 "GRAFT_FAIL_REACHED=reached graft {}",
                                 quoted(GRAFT_FAIL_CALL_LIBRARY), call, fault, words));
    if (!fs::exists(path("reached"))) return false;
    ++runs_;
    const bool was_killed = fault == "kill";
    refused_ += result.exit_code == 1 ? 1 : 0;
    EXPECT_TRUE(was_killed ? result.exit_code == kKilled || result.exit_code <= 1 : result.exit_code <= 1)
        << "exit code " << result.exit_code << "\n"
        << result.err;
    EXPECT_TRUE(result.exit_code == 0 || was_killed || !result.err.empty() || !result.out.empty())
        << "the program failed without a message";
    EXPECT_EQ(objection_to_text(result.err), "");
    expect_whole_output(result, expected);
    expect_good_cache();
    return true;
  }

  void expect_whole_output(const test::Result& result, const std::string& expected) {
    if (expected.empty()) return;
    const std::string content = graft_.read("work/out");
    EXPECT_TRUE(content == expected || (content == "old" && result.exit_code != 0)) << content.size() << " bytes";
  }

  // Expects that the next run finds no damaged file in the cache.
  void expect_good_cache() {
    const test::Result verified = run("cache verify");
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    EXPECT_EQ(verified.out.find("damaged"), verified.out.npos) << verified.out;
  }

  void attack_all(const std::string& words, const std::string& expected = "", int step = 1) {
    const std::string prepare = "cache import good.kernels";
    for (int call = 0;; call += step) {
      bool was_reached = false;
      for (const std::string& fault : faults_of(call)) {
        ASSERT_EQ(run(prepare).exit_code, 0);
        was_reached = attack_one(words, call, fault, expected);
      }
      if (!was_reached || HasFailure()) break;
      ASSERT_LT(call, 20'000);
    }
    ASSERT_EQ(run(prepare).exit_code, 0);
    EXPECT_EQ(run("cache export --all out").exit_code, 0);
    std::size_t files = 0;
    for (const auto& one : fs::directory_iterator(path("")))
      files += one.path().filename().string().starts_with(".") ? 1 : 0;
    EXPECT_EQ(files, 0u) << "a temporary file was left";
    print_counts();
    EXPECT_GT(runs_, 5);
  }
};

TEST_F(ProgramFaults, Export) {
  attack_all("cache export --all out", graft_.read("work/good.kernels"));
}

TEST_F(ProgramFaults, Import) {
  attack_all("cache import good.kernels");
}

TEST_F(ProgramFaults, Verify) {
  attack_all("cache verify");
}

TEST_F(ProgramFaults, Prune) {
  attack_all("cache prune --max-bytes 1 --json");
}

TEST_F(ProgramFaults, Clear) {
  attack_all("cache clear");
}

// Most calls of `graft precompile` open and read the toolkit, so a short run tries only every 7th call.
TEST_F(ProgramFaults, Precompile) {
  ASSERT_EQ(run("precompile gain.cu --arch 75 -o good.graft").exit_code, 0);
  attack_all("precompile gain.cu --arch 75 -o out", graft_.read("work/good.graft"), is_long() ? 1 : 7);
}

}  // namespace
}  // namespace graft::attacks
