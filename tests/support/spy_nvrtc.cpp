// A test double of NVRTC: forwards each call to the real library, and logs the options of each compile.
//
// GRAFT_SPY_NVRTC_REAL names the real library, and GRAFT_SPY_NVRTC_LOG names the file to append to. Each compile is one
// line, with tabs between the options. Tabs, line ends and backslashes inside an option are written \t, \n and \\.
//
// If GRAFT_SPY_NVRTC_ESCAPE names a file, the spy does at each compile what code that took over the compiler would do:
// it tries to leave a process behind. It appends to the file a line for each way, "fork: started" for example, or
// "fork: Operation not permitted".
#include <dlfcn.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

void* real_library() {
  static void* const library = [] {
    const char* const path = std::getenv("GRAFT_SPY_NVRTC_REAL");
    void* const opened = path != nullptr ? ::dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (opened == nullptr) {
      std::fputs("spy_nvrtc: GRAFT_SPY_NVRTC_REAL names no library\n", stderr);
      std::abort();
    }
    return opened;
  }();
  return library;
}

template <class Function>
Function* real(const char* symbol) {
  auto* const function = reinterpret_cast<Function*>(::dlsym(real_library(), symbol));
  if (function == nullptr) {
    std::fprintf(stderr, "spy_nvrtc: the real library has no %s\n", symbol);
    std::abort();
  }
  return function;
}

std::string escaped(const char* option) {
  std::string text;
  for (const char* at = option; *at != '\0'; ++at) {
    if (*at == '\t') text += "\\t";
    else if (*at == '\n') text += "\\n";
    else if (*at == '\\') text += "\\\\";
    else text += *at;
  }
  return text;
}

// Writes the text with a single write(), so that texts of concurrent threads and processes do not mix.
void append(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  ::close(file);
}

void write_down(int count, const char* const* options) {
  const char* const log = std::getenv("GRAFT_SPY_NVRTC_LOG");
  if (log == nullptr) return;
  std::string line;
  for (int i = 0; i < count; ++i) line += (i == 0 ? "" : "\t") + escaped(options[i]);
  append(log, line + '\n');
}

// `started` is the process id that a call returned. In the new process it is 0, and the process ends at once.
std::string way(const char* name, long started) {
  if (started == 0) ::_exit(::setsid() < 0);
  if (started < 0) return std::string(name) + ": " + std::strerror(errno) + '\n';
  ::waitpid(static_cast<pid_t>(started), nullptr, 0);
  return std::string(name) + ": started\n";
}

void try_to_escape() {
  const char* const log = std::getenv("GRAFT_SPY_NVRTC_ESCAPE");
  if (log == nullptr) return;
  std::string ways = way("fork", ::fork());
  ways += way("clone", ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#ifdef SYS_fork
  ways += way("the call fork", ::syscall(SYS_fork));
#endif
  char name[] = "/nonexistent";
  char* const words[] = {name, nullptr};
  ::execve(name, words, words + 1);
  ways += std::string("execve: ") + std::strerror(errno) + '\n';
  std::thread([&] { ways += "thread: started\n"; }).join();
  append(log, ways);
}

}  // namespace

#define GRAFT_SPY_EXPORT extern "C" __attribute__((visibility("default")))
#define GRAFT_SPY_FORWARD(name, parameters, arguments) \
  GRAFT_SPY_EXPORT nvrtcResult name parameters {       \
    return real<decltype(::name)>(#name) arguments;    \
  }

GRAFT_SPY_FORWARD(nvrtcVersion, (int* major, int* minor), (major, minor))
GRAFT_SPY_FORWARD(nvrtcGetNumSupportedArchs, (int* count), (count))
GRAFT_SPY_FORWARD(nvrtcGetSupportedArchs, (int* all), (all))
GRAFT_SPY_FORWARD(nvrtcCreateProgram,
                  (nvrtcProgram * program, const char* source, const char* name, int count, const char* const* headers,
                   const char* const* names),
                  (program, source, name, count, headers, names))
GRAFT_SPY_FORWARD(nvrtcDestroyProgram, (nvrtcProgram * program), (program))
GRAFT_SPY_FORWARD(nvrtcAddNameExpression, (nvrtcProgram program, const char* const expression), (program, expression))
GRAFT_SPY_FORWARD(nvrtcGetLoweredName, (nvrtcProgram program, const char* const expression, const char** lowered),
                  (program, expression, lowered))
GRAFT_SPY_FORWARD(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t* size), (program, size))
GRAFT_SPY_FORWARD(nvrtcGetProgramLog, (nvrtcProgram program, char* log), (program, log))
GRAFT_SPY_FORWARD(nvrtcGetLTOIRSize, (nvrtcProgram program, size_t* size), (program, size))
GRAFT_SPY_FORWARD(nvrtcGetLTOIR, (nvrtcProgram program, char* code), (program, code))
GRAFT_SPY_FORWARD(nvrtcGetPTXSize, (nvrtcProgram program, size_t* size), (program, size))
GRAFT_SPY_FORWARD(nvrtcGetPTX, (nvrtcProgram program, char* code), (program, code))
GRAFT_SPY_FORWARD(nvrtcGetCUBINSize, (nvrtcProgram program, size_t* size), (program, size))
GRAFT_SPY_FORWARD(nvrtcGetCUBIN, (nvrtcProgram program, char* code), (program, code))

GRAFT_SPY_EXPORT const char* nvrtcGetErrorString(nvrtcResult result) {
  return real<decltype(::nvrtcGetErrorString)>("nvrtcGetErrorString")(result);
}

GRAFT_SPY_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  write_down(count, options);
  try_to_escape();
  return real<decltype(::nvrtcCompileProgram)>("nvrtcCompileProgram")(program, count, options);
}
