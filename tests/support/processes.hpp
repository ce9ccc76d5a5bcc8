// Runs several processes that work on one folder and kills them at random moments, for tests of crash safety.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

namespace graft::test {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

// Returns the duration of a crash test in seconds: GRAFT_CRASH_SECONDS, or `usual` if this variable is unset.
inline Seconds crash_time(double usual) {
  const char* wanted = std::getenv("GRAFT_CRASH_SECONDS");
  return Seconds(wanted != nullptr ? std::atof(wanted) : usual);
}

// Forks and runs `work` in the child. Call this function before any thread starts, because only the calling thread
// survives a fork. `work` gets a number unique to the child process and returns the exit status; 0 means success.
inline pid_t start(int number, const std::function<int(int)>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work(number));
  EXPECT_GT(child, 0);
  return child;
}

// Waits for the process. Returns true if it exited with status 0. Also returns true if it was killed and `was_killed`
// says that the test killed it.
inline bool ended_well(pid_t process, bool was_killed) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process) return false;
  return WIFEXITED(status) ? WEXITSTATUS(status) == 0
                           : was_killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

// Keeps `count` processes running `work` for `time`. Kills random processes at random moments and starts a new process
// for each killed one. Expects at least a third of all started processes to be killed. `work` must end by itself at
// about the given time.
inline void run_and_kill(int count, Seconds time, const std::function<int(int)>& work) {
  std::mt19937 random(11);
  const auto end = Clock::now() + time;
  std::vector<pid_t> running;
  int started = 0;
  int killed = 0;
  for (; started < count; ++started) running.push_back(start(started, work));
  while (Clock::now() < end) {
    ::usleep(static_cast<useconds_t>(random() % 40'000));
    const std::size_t victim = random() % running.size();
    ::kill(running[victim], SIGKILL);
    EXPECT_TRUE(ended_well(running[victim], true));
    ++killed;
    running[victim] = start(started++, work);
  }
  for (const pid_t process : running)
    EXPECT_TRUE(ended_well(process, false)) << "a process that was not killed must exit with status 0";
  EXPECT_GE(3 * killed, started);
  testing::Test::RecordProperty("started", started);
  testing::Test::RecordProperty("killed", killed);
}

}  // namespace graft::test
