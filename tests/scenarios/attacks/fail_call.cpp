// program_faults_test preloads this library into the program (LD_PRELOAD). The library makes the program's n-th file
// system call fail or transfer only half, or kills the process at that call.
//
//     GRAFT_FAIL_CALL=12            number of the call, counted from 0 in each process of the program
//     GRAFT_FAIL_BY=28              an errno; "short" for half a read or write; "kill" for SIGKILL before the call
//     GRAFT_FAIL_REACHED=FILE       a file that the library creates when the program reaches the n-th call
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace {

constexpr int kShort = -1;
constexpr int kKill = -2;

struct Plan {
  int call = -1;
  int fault = 0;
  const char* reached = nullptr;
};

// Returns whether this process is the program under test. Compilers that the program starts inherit the environment
// variables, but the compilers' calls must succeed.
bool is_the_program() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 && std::string_view(path, static_cast<std::size_t>(size)).ends_with("/graft");
}

const Plan& plan() {
  static const Plan made = [] {
    Plan plan;
    const char* call = ::getenv("GRAFT_FAIL_CALL");
    const char* by = ::getenv("GRAFT_FAIL_BY");
    if (call == nullptr || by == nullptr || !is_the_program()) return plan;
    plan.call = ::atoi(call);
    plan.fault = ::strcmp(by, "short") == 0 ? kShort : ::strcmp(by, "kill") == 0 ? kKill : ::atoi(by);
    plan.reached = ::getenv("GRAFT_FAIL_REACHED");
    return plan;
  }();
  return made;
}

// Returns the errno with which this call must fail, kShort for half a transfer, or 0 for no fault.
int fault_of_call(bool can_be_short = false) {
  static std::atomic<int> calls{0};
  const Plan& wanted = plan();
  if (wanted.call < 0 || calls++ != wanted.call) return 0;
  // Make a raw system call here, because this library replaces open().
  if (wanted.reached != nullptr)
    ::syscall(SYS_close, ::syscall(SYS_openat, AT_FDCWD, wanted.reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (wanted.fault == kKill) ::raise(SIGKILL);
  return wanted.fault == kShort && !can_be_short ? 0 : wanted.fault;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int failed(int error) {
  errno = error;
  return -1;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

#define GRAFT_FAIL_OR_CALL(name, signature, arguments)                      \
  extern "C" int name signature {                                           \
    if (const int fault = fault_of_call(); fault > 0) return failed(fault); \
    static const auto real = next<int(*) signature>(#name);                 \
    return real arguments;                                                  \
  }

#define GRAFT_FAIL_OR_TRANSFER(name, signature, arguments)                   \
  extern "C" ssize_t name signature {                                        \
    const int fault = descriptor == STDERR_FILENO ? 0 : fault_of_call(true); \
    if (fault > 0) return failed(fault);                                     \
    if (fault == kShort) size = (size + 1) / 2;                              \
    static const auto real = next<ssize_t(*) signature>(#name);              \
    return real arguments;                                                   \
  }

#define GRAFT_FAIL_OR_OPEN(name)                                            \
  extern "C" int name(const char* path, int flags, ...) {                   \
    if (const int fault = fault_of_call(); fault > 0) return failed(fault); \
    va_list more;                                                           \
    va_start(more, flags);                                                  \
    const mode_t mode = mode_of(flags, more);                               \
    va_end(more);                                                           \
    static const auto real = next<int (*)(const char*, int, ...)>(#name);   \
    return real(path, flags, mode);                                         \
  }

#define GRAFT_FAIL_OR_OPEN_AT(name)                                            \
  extern "C" int name(int folder, const char* path, int flags, ...) {          \
    if (const int fault = fault_of_call(); fault > 0) return failed(fault);    \
    va_list more;                                                              \
    va_start(more, flags);                                                     \
    const mode_t mode = mode_of(flags, more);                                  \
    va_end(more);                                                              \
    static const auto real = next<int (*)(int, const char*, int, ...)>(#name); \
    return real(folder, path, flags, mode);                                    \
  }

GRAFT_FAIL_OR_OPEN(open)
GRAFT_FAIL_OR_OPEN(open64)
GRAFT_FAIL_OR_OPEN_AT(openat)
GRAFT_FAIL_OR_OPEN_AT(openat64)
GRAFT_FAIL_OR_TRANSFER(read, (int descriptor, void* to, size_t size), (descriptor, to, size))
GRAFT_FAIL_OR_TRANSFER(pread, (int descriptor, void* to, size_t size, off_t at), (descriptor, to, size, at))
GRAFT_FAIL_OR_TRANSFER(pread64, (int descriptor, void* to, size_t size, off64_t at), (descriptor, to, size, at))
GRAFT_FAIL_OR_TRANSFER(write, (int descriptor, const void* from, size_t size), (descriptor, from, size))
GRAFT_FAIL_OR_CALL(fstat, (int file, struct stat* state), (file, state))
GRAFT_FAIL_OR_CALL(fstat64, (int file, struct stat64* state), (file, state))
GRAFT_FAIL_OR_CALL(stat, (const char* path, struct stat* state), (path, state))
GRAFT_FAIL_OR_CALL(lstat, (const char* path, struct stat* state), (path, state))
GRAFT_FAIL_OR_CALL(fstatat, (int folder, const char* path, struct stat* state, int flags), (folder, path, state, flags))
GRAFT_FAIL_OR_CALL(rename, (const char* from, const char* to), (from, to))
GRAFT_FAIL_OR_CALL(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))
GRAFT_FAIL_OR_CALL(unlink, (const char* path), (path))
GRAFT_FAIL_OR_CALL(unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
GRAFT_FAIL_OR_CALL(mkdir, (const char* path, mode_t mode), (path, mode))
GRAFT_FAIL_OR_CALL(mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))
GRAFT_FAIL_OR_CALL(fchmod, (int file, mode_t mode), (file, mode))
GRAFT_FAIL_OR_CALL(fchown, (int file, uid_t user, gid_t group), (file, user, group))
GRAFT_FAIL_OR_CALL(flock, (int file, int how), (file, how))
GRAFT_FAIL_OR_CALL(ftruncate, (int file, off_t size), (file, size))
GRAFT_FAIL_OR_CALL(futimens, (int file, const struct timespec times[2]), (file, times))
GRAFT_FAIL_OR_CALL(dup, (int file), (file))

// If close() is made to report an error, it closes the file nevertheless, as Linux does.
extern "C" int close(int file) {
  const int fault = fault_of_call();
  static const auto real = next<int (*)(int)>("close");
  const int result = real(file);
  return fault > 0 ? failed(fault) : result;
}
