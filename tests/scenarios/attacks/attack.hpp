// Functions that all attacks use: the number of rounds, the random seed, and the line of counts that an attack prints
// at its end.
//
// GRAFT_ATTACKS=long multiplies the number of rounds. GRAFT_ATTACK_SEED selects the seed of the random numbers.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace graft::attacks {

inline bool is_long() {
  const char* wanted = std::getenv("GRAFT_ATTACKS");
  return wanted != nullptr && std::string_view(wanted) == "long";
}

inline int rounds(int usual, int factor = 50) {
  return is_long() ? usual * factor : usual;
}

inline std::uint64_t seed() {
  const char* wanted = std::getenv("GRAFT_ATTACK_SEED");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
}

// Prints a line such as "attack Faults.Find: 812 faults, 402 noted".
inline void print_counts(const std::string& counts) {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  std::printf("attack %s.%s: %s\n", test->test_suite_name(), test->name(), counts.c_str());
  std::fflush(stdout);
}

// Returns the number of open file descriptors of this process. The number must be the same before and after an
// operation that fails.
inline long open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// Runs `work` in a child process and returns its exit status, or the negative number of the signal that ended it.
inline int run_in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace graft::attacks
