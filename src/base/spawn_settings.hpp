// How graft starts a child process by posix_spawn. posix_spawn neither copies the parent's memory nor runs the parent's
// code in the child, so it is safe in a process with threads.
#pragma once

#include <spawn.h>

#include <vector>

namespace graft::base {

// The file actions and attributes for one posix_spawn. The child's standard input is empty. `output` is its standard
// output and its standard error. `files` are its descriptors from 3 on, in their order, and it inherits no others. The
// child leads a process group of its own, blocks no signal, and does not ignore the signals that applications ignore.
class SpawnSettings {
 public:
  SpawnSettings(int output, const std::vector<int>& files);
  ~SpawnSettings();
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }
  const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace graft::base
