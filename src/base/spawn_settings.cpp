#include "base/spawn_settings.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace graft::base {

SpawnSettings::SpawnSettings(int output, const std::vector<int>& files) {
  ::posix_spawn_file_actions_init(&actions_);
  ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
  // Opens descriptor 0 after the two dup2 actions, because in an application without standard input, `output` itself
  // may be descriptor 0.
  ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  int next = STDERR_FILENO + 1;
  for (const int file : files) ::posix_spawn_file_actions_adddup2(&actions_, file, next++);
  ::posix_spawn_file_actions_addclosefrom_np(&actions_, next);
  // Reset the signal mask and the ignored signals, because a child inherits both from the application.
  ::posix_spawnattr_init(&attributes_);
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  for (const int signal : {SIGPIPE, SIGCHLD, SIGXFSZ}) sigaddset(&standard, signal);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &standard);
  ::posix_spawnattr_setpgroup(&attributes_, 0);  // 0 makes a new group, which the child leads
  ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

SpawnSettings::~SpawnSettings() {
  ::posix_spawnattr_destroy(&attributes_);
  ::posix_spawn_file_actions_destroy(&actions_);
}

}  // namespace graft::base
