// Measures the least time that any run-time linker of callbacks needs, without graft. The program opens NVRTC and
// nvJitLink, compiles one callback and a function that calls it to LTO-IR, links the LTO-IR with an empty kernel, and
// loads the result. The CUDA context exists before the clock starts. The program prints one line of JSON with the
// milliseconds of each step, for the first callback ("cold") and for another callback in the same process ("warm").
// With --no-gpu the program makes no context and loads no kernel, and the architecture is sm_90.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "callbacks.hpp"
#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "stopwatch.hpp"

// The LTO-IR of empty_kernel.cu, which the assembler embeds into this program.
asm(".section .rodata\n"
    ".balign 16\n"
    "empty_kernel_begin: .incbin \"" EMPTY_KERNEL_LTOIR
    "\"\n"
    "empty_kernel_end: .byte 0\n"
    ".previous\n");
extern const char empty_kernel_begin[];
extern const char empty_kernel_end[];

namespace graft::bench {
namespace {

void must(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(fmt::format("{} failed", what));
}

void* open_library(const char* name) {
  if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* toolkit = std::getenv("GRAFT_CUDA_PATH");
  const std::string path = fmt::format("{}/lib64/{}", toolkit ? toolkit : "/usr/local/cuda", name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  must(library, path.c_str());
  return library;
}

template <class Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  must(symbol, name);
  return reinterpret_cast<Function*>(symbol);
}

#define FUNCTION(library, name) decltype(::name)* name = find<decltype(::name)>(library, #name)

struct Nvrtc {
  void* library = open_library("libnvrtc.so.13");
  FUNCTION(library, nvrtcCreateProgram);
  FUNCTION(library, nvrtcCompileProgram);
  FUNCTION(library, nvrtcGetLTOIRSize);
  FUNCTION(library, nvrtcGetLTOIR);
  FUNCTION(library, nvrtcDestroyProgram);
};

// Looks up a function of nvJitLink by name. If nvJitLink.h defines the name as a macro for a versioned name, the
// versioned name is looked up.
#define VERSIONED(name) decltype(::name)* name = find<decltype(::name)>(library, VERSIONED_NAME(name))
#define VERSIONED_NAME(name) NAME_OF(name)
#define NAME_OF(name) #name

struct JitLink {
  void* library = open_library("libnvJitLink.so.13");
  VERSIONED(nvJitLinkCreate);
  VERSIONED(nvJitLinkAddData);
  VERSIONED(nvJitLinkComplete);
  VERSIONED(nvJitLinkGetLinkedCubinSize);
  VERSIONED(nvJitLinkGetLinkedCubin);
  VERSIONED(nvJitLinkDestroy);
};

template <class Function>
Function* driver_function(const char* name) {
  void* pointer = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &pointer, 12000, cudaEnableDefault, &found));
  must(found == cudaDriverEntryPointSuccess, name);
  return reinterpret_cast<Function*>(pointer);
}

struct Driver {
  decltype(::cuLibraryLoadData)* load = driver_function<decltype(::cuLibraryLoadData)>("cuLibraryLoadData");
  decltype(::cuLibraryGetKernel)* kernel = driver_function<decltype(::cuLibraryGetKernel)>("cuLibraryGetKernel");
  decltype(::cuKernelGetFunction)* function = driver_function<decltype(::cuKernelGetFunction)>("cuKernelGetFunction");
};

std::vector<char> compile(const Nvrtc& nvrtc, const std::string& callback, const std::string& name, int architecture) {
  const std::string text = callback +
                           "extern \"C\" __device__ void apply(const void* const* in, void* const* out) {\n"
                           "  *static_cast<float*>(out[0]) = " +
                           name + "(*static_cast<const float*>(in[0]));\n}\n";
  const std::string arch = fmt::format("-arch=compute_{}", architecture);
  const char* options[] = {arch.c_str(), "-dlto", "-rdc=true", "-std=c++17", "--minimal", "-no-cache"};
  nvrtcProgram program = nullptr;
  must(!nvrtc.nvrtcCreateProgram(&program, text.c_str(), "floor.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  must(!nvrtc.nvrtcCompileProgram(program, std::size(options), options), "nvrtcCompileProgram");
  std::size_t size = 0;
  must(!nvrtc.nvrtcGetLTOIRSize(program, &size), "nvrtcGetLTOIRSize");
  std::vector<char> ltoir(size);
  must(!nvrtc.nvrtcGetLTOIR(program, ltoir.data()), "nvrtcGetLTOIR");
  nvrtc.nvrtcDestroyProgram(&program);
  return ltoir;
}

void add(const JitLink& linker, nvJitLinkHandle handle, std::span<const char> ltoir, const char* name) {
  must(!linker.nvJitLinkAddData(handle, NVJITLINK_INPUT_LTOIR, ltoir.data(), ltoir.size(), name), "nvJitLinkAddData");
}

std::vector<char> link(const JitLink& linker, const std::vector<char>& callback, int architecture) {
  const std::string arch = fmt::format("-arch=sm_{}", architecture);
  const char* options[] = {arch.c_str(), "-lto", "-no-cache"};
  nvJitLinkHandle handle = nullptr;
  must(!linker.nvJitLinkCreate(&handle, std::size(options), options), "nvJitLinkCreate");
  add(linker, handle, {empty_kernel_begin, empty_kernel_end}, "kernel");
  add(linker, handle, callback, "callback");
  must(!linker.nvJitLinkComplete(handle), "nvJitLinkComplete");
  std::size_t size = 0;
  must(!linker.nvJitLinkGetLinkedCubinSize(handle, &size), "nvJitLinkGetLinkedCubinSize");
  std::vector<char> cubin(size);
  must(!linker.nvJitLinkGetLinkedCubin(handle, cubin.data()), "nvJitLinkGetLinkedCubin");
  linker.nvJitLinkDestroy(&handle);
  return cubin;
}

void load(const Driver& driver, const std::vector<char>& cubin) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  must(!driver.load(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData");
  must(!driver.kernel(&kernel, library, "empty_kernel"), "cuLibraryGetKernel");
  must(!driver.function(&function, kernel), "cuKernelGetFunction");
}

void finish(nlohmann::json& times) {
  double total = 0;
  for (const auto& step : times) total += step.get<double>();
  times["total"] = total;
}

void make(nlohmann::json& times, Stopwatch& watch, const Nvrtc& nvrtc, const JitLink& linker, const Driver* driver,
          const char* callback, const char* name, int architecture) {
  const std::vector<char> ltoir = compile(nvrtc, callback, name, architecture);
  times["compile"] = watch.lap();
  const std::vector<char> cubin = link(linker, ltoir, architecture);
  times["link"] = watch.lap();
  if (driver) {
    load(*driver, cubin);
    times["load"] = watch.lap();
  }
  finish(times);
}

int current_architecture() {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  return 10 * major + minor;
}

void run(bool no_gpu) {
  if (!no_gpu) check(cudaFree(nullptr));
  const int architecture = no_gpu ? 90 : current_architecture();
  const std::unique_ptr<Driver> driver = no_gpu ? nullptr : std::make_unique<Driver>();
  nlohmann::json cold, warm;

  Stopwatch watch;
  const Nvrtc nvrtc;
  cold["open NVRTC"] = watch.lap();
  const JitLink linker;
  cold["open nvJitLink"] = watch.lap();
  make(cold, watch, nvrtc, linker, driver.get(), kFirstCallback, "relu", architecture);

  watch.lap();
  make(warm, watch, nvrtc, linker, driver.get(), kSecondCallback, "gain", architecture);
  fmt::print("{}\n", nlohmann::json{{"cold", cold}, {"warm", warm}}.dump());
}

}  // namespace

int run(int argc, char** argv) {
  run(take_flag(argc, argv, "--no-gpu"));
  return 0;
}

}  // namespace graft::bench
