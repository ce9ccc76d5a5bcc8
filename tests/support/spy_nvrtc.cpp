// A test double of NVRTC: forwards each call to the real library, and logs the options of each compile.
//
// GRAFT_SPY_NVRTC_REAL names the real library, and GRAFT_SPY_NVRTC_LOG names the file to append to. Each compile is one
// line, with tabs between the options. Tabs, line ends and backslashes inside an option are written \t, \n and \\.
#include <dlfcn.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

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

// Writes the line with a single write(), so that lines of concurrent threads and processes do not mix.
void write_down(int count, const char* const* options) {
  const char* const log = std::getenv("GRAFT_SPY_NVRTC_LOG");
  if (log == nullptr) return;
  std::string line;
  for (int i = 0; i < count; ++i) line += (i == 0 ? "" : "\t") + escaped(options[i]);
  line += '\n';
  const int file = ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  ::close(file);
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
  return real<decltype(::nvrtcCompileProgram)>("nvrtcCompileProgram")(program, count, options);
}
