// Measures what it takes to make kernels of one's own (graft::Kernel), beside the same work done by hand with NVRTC and
// nvJitLink, each in a new process:
//
//     bench_own_kernels_create [--samples N] [--out FILE] [--commit ID]
//
//     from source   compile kernel and callback to LTO-IR, and link them
//     compiled      link the LTO-IR of all, which is in files: a pack of the kernel and one of each callback
//     second        a second callback from source for a kernel that the process has made
//
// Needs no GPU: the kernels are built for sm_90 and not loaded. A GPU's driver is opened before the clock starts. The
// kernels are those of tests/own_kernels/subjects.hpp.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <graft/graft.hpp>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "main.hpp"
#include "own_kernels/subjects.hpp"
#include "processes.hpp"
#include "record.hpp"
#include "statistics.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

// What a callback that is written by hand needs from the kernel's text.
const std::map<std::string, std::string> kDeclarations = {
    {"neighbours", "struct Metric { float delta, weight; };\n"},
    {"march", "struct Scene { float radius, height; };\n"},
    {"sparse",
     "namespace lib {\ntemplate <class T> __device__ T times(T a, T b);\ntemplate <class T> __device__ T plus(T a, T "
     "b);\n}\n"},
};

const test::OwnKernel& subject(const std::string& name) {
  for (const test::OwnKernel* const one : test::kOwnKernels)
    if (one->name == name) return *one;
  throw std::runtime_error("no kernel " + name);
}

// ---- by hand ----

void must(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(fmt::format("{} failed", what));
}

template <class Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  must(symbol != nullptr, name);
  return reinterpret_cast<Function*>(symbol);
}

void* open_library(const char* name) {
  if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* toolkit = std::getenv("GRAFT_CUDA_PATH");
  void* library =
      dlopen(fmt::format("{}/lib64/{}", toolkit ? toolkit : "/usr/local/cuda", name).c_str(), RTLD_NOW | RTLD_LOCAL);
  must(library != nullptr, name);
  return library;
}

#define FUNCTION(name) decltype(::name)* const name = find<decltype(::name)>(library, NAME(name))
#define NAME(name) NAME_OF(name)
#define NAME_OF(name) #name

std::string compile_by_hand(const std::string& text, const std::vector<std::string>& entries) {
  void* const library = open_library("libnvrtc.so.13");
  FUNCTION(nvrtcCreateProgram);
  FUNCTION(nvrtcAddNameExpression);
  FUNCTION(nvrtcCompileProgram);
  FUNCTION(nvrtcGetLTOIRSize);
  FUNCTION(nvrtcGetLTOIR);
  FUNCTION(nvrtcDestroyProgram);
  const char* options[] = {"-arch=compute_90", "-dlto", "-rdc=true", "-std=c++17", "-default-device", "-no-cache"};
  nvrtcProgram program = nullptr;
  must(!nvrtcCreateProgram(&program, text.c_str(), "text.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  for (const std::string& entry : entries)
    must(!nvrtcAddNameExpression(program, ("&" + entry).c_str()), "nvrtcAddNameExpression");
  must(!nvrtcCompileProgram(program, std::size(options), options), "nvrtcCompileProgram");
  std::size_t size = 0;
  must(!nvrtcGetLTOIRSize(program, &size), "nvrtcGetLTOIRSize");
  std::string ltoir(size, '\0');
  must(!nvrtcGetLTOIR(program, ltoir.data()), "nvrtcGetLTOIR");
  nvrtcDestroyProgram(&program);
  return ltoir;
}

std::string link_by_hand(const std::vector<std::string>& inputs) {
  void* const library = open_library("libnvJitLink.so.13");
  FUNCTION(nvJitLinkCreate);
  FUNCTION(nvJitLinkAddData);
  FUNCTION(nvJitLinkComplete);
  FUNCTION(nvJitLinkGetLinkedCubinSize);
  FUNCTION(nvJitLinkGetLinkedCubin);
  FUNCTION(nvJitLinkDestroy);
  const char* options[] = {"-arch=sm_90", "-lto", "-no-cache"};
  nvJitLinkHandle handle = nullptr;
  must(!nvJitLinkCreate(&handle, std::size(options), options), "nvJitLinkCreate");
  for (const std::string& input : inputs)
    must(!nvJitLinkAddData(handle, NVJITLINK_INPUT_LTOIR, input.data(), input.size(), "input"), "nvJitLinkAddData");
  must(!nvJitLinkComplete(handle), "nvJitLinkComplete");
  std::size_t size = 0;
  must(!nvJitLinkGetLinkedCubinSize(handle, &size), "nvJitLinkGetLinkedCubinSize");
  std::string cubin(size, '\0');
  must(!nvJitLinkGetLinkedCubin(handle, cubin.data()), "nvJitLinkGetLinkedCubin");
  nvJitLinkDestroy(&handle);
  return cubin;
}

std::string callbacks_by_hand(const test::OwnKernel& kernel, const std::vector<test::OwnKernel::Fill>& fills) {
  const auto declarations = kDeclarations.find(kernel.name);
  std::string text = declarations == kDeclarations.end() ? "" : declarations->second;
  for (const test::OwnKernel::Fill& fill : fills) text += fill.written_in + std::string("\n");
  return text;
}

// ---- the work of a child process ----

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

KernelCallbacks packed_callbacks(const test::OwnKernel& kernel, const fs::path& folder) {
  KernelCallbacks callbacks;
  for (std::size_t i = 0; i < kernel.fills.size(); ++i)
    callbacks.slots.push_back(
        {kernel.fills[i].slot, Callback::file(folder / fmt::format("{}_{}.graft", kernel.name, i))});
  return callbacks;
}

// The time from text, or from the content of files, to a cubin.
double once(const std::string& way, const test::OwnKernel& kernel, const fs::path& folder) {
  const auto file = [&](const std::string& ending) { return read(folder / (kernel.name + ending)); };
  cudaFree(nullptr);  // the driver and its context are there before the clock starts, if this machine has a GPU
  Stopwatch watch;
  if (way == "source by hand") {
    const std::string code = compile_by_hand(kernel.code, kernel.entries);
    link_by_hand({code, compile_by_hand(callbacks_by_hand(kernel, kernel.fills), {})});
  } else if (way == "source") {
    build(kernel.with_slots(), kernel.callbacks(), 90);
  } else if (way == "compiled by hand") {
    std::vector<std::string> inputs = {file(".ltoir")};
    for (std::size_t i = 0; i < kernel.fills.size(); ++i) inputs.push_back(file(fmt::format("_{}.ltoir", i)));
    link_by_hand(inputs);
  } else if (way == "compiled") {
    const KernelCode code = KernelCode::file(folder / fmt::format("{}.graft", kernel.name));
    build(code, packed_callbacks(kernel, folder), 90);
  } else {
    build(kernel.with_slots(), kernel.callbacks(), 90);
    KernelCallbacks second;
    for (const SlotCallback& one : kernel.callbacks())
      second.slots.push_back({one.slot, Callback(one.callback.text() + "\n// another text\n")});
    watch.lap();
    const Image image = build(kernel.with_slots(), second, 90);
    for (const Report::Step& step : image.report().steps)
      if (step.name == "compile kernel" || step.name == "read kernel")
        throw std::runtime_error("the kernel was compiled again");
  }
  return watch.lap();
}

// ---- the parent ----

void prepare(const test::OwnKernel& kernel, const fs::path& folder) {
  const auto save = [&](const std::string& ending, const std::vector<std::byte>& bytes) {
    write(folder / (kernel.name + ending), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  save(".graft", kernel.with_slots().precompile({90}));
  save(".ltoir", bytes_of(compile_by_hand(kernel.code, kernel.entries)));
  for (std::size_t i = 0; i < kernel.fills.size(); ++i) {
    save(fmt::format("_{}.graft", i), kernel.with_slots().precompile_for(kernel.callbacks()[i], {90}));
    save(fmt::format("_{}.ltoir", i), bytes_of(compile_by_hand(callbacks_by_hand(kernel, {kernel.fills[i]}), {})));
  }
}

void run(const Arguments& arguments) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("graft_bench_{}", ::getpid());
  fs::create_directories(folder);
  ::setenv("GRAFT_CACHE", "memory", 1);
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);
  const std::string self = fs::canonical("/proc/self/exe");
  const std::vector<std::string> ways = {"source by hand", "source", "compiled by hand", "compiled", "second"};
  nlohmann::json record = host_environment(arguments);
  record["benchmark"] = "own_kernels_create";
  for (const test::OwnKernel* const kernel : test::kOwnKernels) {
    prepare(*kernel, folder);
    std::map<std::string, std::vector<double>> times;
    for (int sample = 0; sample < arguments.samples; ++sample)
      for (const std::string& way : ways)
        times[way].push_back(
            std::stod(output_of(fmt::format("'{}' --once '{}' {} '{}'", self, way, kernel->name, folder.string()))));
    nlohmann::json row = {{"kernel", kernel->name}};
    fmt::print("{:<12}", kernel->name);
    for (const std::string& way : ways) {
      row[way] = summarize(times[way]).median;
      fmt::print("  {} {:.1f} ms", way, row[way].get<double>());
    }
    // The goals: 1.1 of by hand and 30 ms from source, 1.1 of by hand and 3 ms if both are compiled.
    const double source = 1.1 * row["source by hand"].get<double>() + 30;
    const double compiled = 1.1 * row["compiled by hand"].get<double>() + 3;
    row["goals"] = {{"source", {{"at_most", source}, {"met", row["source"].get<double>() <= source}}},
                    {"compiled", {{"at_most", compiled}, {"met", row["compiled"].get<double>() <= compiled}}}};
    fmt::print("  goals {:.1f}, {:.1f}\n", source, compiled);
    record["rows"].push_back(std::move(row));
  }
  fs::remove_all(folder);
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--once") fmt::print("{}\n", once(argv[2], subject(argv[3]), argv[4]));
  else run(parse_arguments(argc, argv, "own_kernels_create", 9));
  return 0;
}

}  // namespace graft::bench
