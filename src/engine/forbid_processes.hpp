// Forbids this process to start other processes.
#pragma once

namespace graft::engine {

// From now on, the system refuses each call of this process that would start a process or another program: fork, vfork,
// clone without CLONE_THREAD, and execve. Threads are allowed. Nothing can take this back, for it holds in the kernel.
//
// The parent of the closed mode kills its child's process group, and a process that called setsid is no longer in the
// group. Code that took over the compiler could leave such a process behind.
//
// Needs PR_SET_NO_NEW_PRIVS. Has no effect where the kernel or the sandbox of a container does not allow such filters.
void forbid_processes() noexcept;

}  // namespace graft::engine
