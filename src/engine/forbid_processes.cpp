// The filter is a program for the kernel's classic BPF machine (seccomp(2)), which runs it on each system call:
//
//     another architecture's call (32 bits, x32)         EPERM
//     fork, vfork, execve, execveat                      EPERM
//     clone                                              EPERM without CLONE_THREAD, whose bit is in the first argument
//     clone3                                             ENOSYS: a filter cannot read its arguments, which are in
//                                                        memory, and glibc then calls clone
//     all others                                         allowed
#include "engine/forbid_processes.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <iterator>

namespace graft::engine {
namespace {

#if defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#endif
// From this number on, calls are those of x32, which has 32-bit pointers on x86-64. No other architecture has so many.
constexpr unsigned kFirstOfX32 = 0x40000000;

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}
constexpr sock_filter answer(unsigned action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}
// If the comparison with `value` holds, skips `then` instructions, else `otherwise`.
constexpr sock_filter jump(unsigned short comparison, unsigned value, unsigned char then, unsigned char otherwise) {
  return BPF_JUMP(static_cast<unsigned short>(BPF_JMP | comparison | BPF_K), value, then, otherwise);
}

constexpr unsigned kRefused = SECCOMP_RET_ERRNO | EPERM;

}  // namespace

void forbid_processes() noexcept {
  sock_filter program[] = {
      load(offsetof(seccomp_data, arch)),
      jump(BPF_JEQ, kArchitecture, 1, 0),
      answer(kRefused),
      load(offsetof(seccomp_data, nr)),
      jump(BPF_JGE, kFirstOfX32, 0, 1),
      answer(kRefused),
#ifdef SYS_fork
      jump(BPF_JEQ, SYS_fork, 0, 1),
      answer(kRefused),
      jump(BPF_JEQ, SYS_vfork, 0, 1),
      answer(kRefused),
#endif
      jump(BPF_JEQ, SYS_execve, 0, 1),
      answer(kRefused),
      jump(BPF_JEQ, SYS_execveat, 0, 1),
      answer(kRefused),
      jump(BPF_JEQ, SYS_clone3, 0, 1),
      answer(SECCOMP_RET_ERRNO | ENOSYS),
      jump(BPF_JEQ, SYS_clone, 1, 0),
      answer(SECCOMP_RET_ALLOW),
      load(offsetof(seccomp_data, args)),  // the low half of the first argument, on a little-endian machine
      jump(BPF_JSET, CLONE_THREAD, 0, 1),
      answer(SECCOMP_RET_ALLOW),
      answer(kRefused),
  };
  const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

}  // namespace graft::engine
