// Measures how long create takes if its kernel has been built before. "From disk" means that a new process takes the
// kernel from the disk cache; this time is compared with reading and loading the same cubin without graft. "From
// memory" means that one thread, and then many threads, of one process take a kernel that the process has made. The
// program also measures the time to fill a cache, on one thread and on all threads.
//
//    bench_cache [--samples N] [--out FILE] [--commit ID]
//
// For the measurements from disk the program starts itself as a new process, as `bench_cache graft` or `bench_cache
// bare CUBIN KERNEL`. Each new process prints milliseconds. In each new process the CUDA context exists before the
// clock starts, and the files are in the page cache.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <graft/graft.hpp>
#include <iterator>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callbacks.hpp"
#include "cuda_check.hpp"
#include "main.hpp"
#include "record.hpp"
#include "statistics.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMemoryGoal = 0.1;  // highest permitted microseconds per create from memory
constexpr double kDiskGoal = 0.2;    // highest permitted milliseconds per create from disk
// The highest permitted time of a create from disk, divided by the time to read and load the same cubin without graft.
constexpr double kDiskRatioGoal = 1.2;
constexpr int kThreads = 16;
constexpr int kHitsPerThread = 1000;
constexpr int kWarmed = 100;

template <class Function>
Function* driver_function(const char* name) {
  void* pointer = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &pointer, 12040, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw std::runtime_error(fmt::format("the driver has no {}", name));
  return reinterpret_cast<Function*>(pointer);
}

void require(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(fmt::format("{} failed: {}", what, static_cast<int>(result)));
}

// ---- what each new process measures ----

void child_graft() {
  check(cudaFree(nullptr));
  Stopwatch watch;
  const Transform transform = Transform::create(kFirstCallback);
  const double time = watch.lap();
  if (!transform.report().from_cache) throw std::runtime_error("the kernel was not in the cache");
  fmt::print("{}\n", time);
}

void child_bare(const char* cubin, const char* kernel_name) {
  check(cudaFree(nullptr));
  auto* const load = driver_function<decltype(::cuLibraryLoadData)>("cuLibraryLoadData");
  auto* const get_kernel = driver_function<decltype(::cuLibraryGetKernel)>("cuLibraryGetKernel");
  auto* const get_function = driver_function<decltype(::cuKernelGetFunction)>("cuKernelGetFunction");
  auto* const force = driver_function<decltype(::cuFuncLoad)>("cuFuncLoad");
  Stopwatch watch;
  std::ifstream file(cubin, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  require(load(&library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData");
  require(get_kernel(&kernel, library, kernel_name), "cuLibraryGetKernel");
  require(get_function(&function, kernel), "cuKernelGetFunction");
  require(force(function), "cuFuncLoad");
  fmt::print("{}\n", watch.lap());
}

double milliseconds_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  char text[64] = {};
  const bool read = std::fgets(text, sizeof text, pipe) != nullptr;
  if (pclose(pipe) != 0 || !read) throw std::runtime_error(command + " failed");
  return std::stod(text);
}

// ---- what the program measures in the first process ----

EngineOptions in_memory() {
  EngineOptions options;
  options.cache.policy = CachePolicy::MemoryOnly;
  return options;
}

struct DiskTimes {
  std::vector<double> graft, bare;
};

DiskTimes time_disk(const Arguments& arguments, const fs::path& folder) {
  setenv("GRAFT_CACHE", "read-write", 1);
  setenv("GRAFT_CACHE_DIR", (folder / "cache").c_str(), 1);
  const std::string self = fmt::format("'{}'", fs::absolute(arguments.program).string());
  EngineOptions filling;
  filling.cache.folder = folder / "cache";
  filling.cache.policy = CachePolicy::ReadWrite;
  Engine engine(filling);
  const Transform made = Transform::create(engine, kFirstCallback);
  const auto bytes = made.image().bytes();
  std::ofstream((folder / "kernel.cubin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const std::string bare =
      fmt::format("{} bare '{}' {}", self, (folder / "kernel.cubin").string(), made.report().kernel.name);
  DiskTimes times;
  for (int i = -1; i < arguments.samples; ++i) {
    double sample[2];
    for (const int turn : {0, 1}) {  // graft and the load without graft alternate in going first
      const bool is_graft = (i + 1 + turn) % 2 == 0;
      sample[is_graft ? 0 : 1] = milliseconds_of(is_graft ? self + " graft" : bare);
    }
    if (i < 0) continue;  // the first round only brings the libraries into the page cache
    times.graft.push_back(sample[0]);
    times.bare.push_back(sample[1]);
  }
  return times;
}

// Returns the microseconds of each create that takes its kernel from memory.
std::vector<double> time_memory(int samples) {
  constexpr int kCreates = 10'000;
  check(cudaSetDevice(0));
  check(cudaFree(nullptr));
  Engine engine(in_memory());
  const Callback callback = kFirstCallback;
  Transform::create(engine, callback);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    Stopwatch watch;
    for (int k = 0; k < kCreates; ++k) Transform::create(engine, callback);
    times.push_back(1000 * watch.lap() / kCreates);
  }
  if (engine.counters().builds != 1)
    throw std::runtime_error("a create that should hit in memory built the kernel again");
  return times;
}

// Returns one value per sample: the milliseconds from the start of all threads to the end of their last create.
std::vector<double> time_threads(int samples) {
  Engine engine(in_memory());
  const Callback callback = kFirstCallback;
  Transform::create(engine, callback);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    std::latch ready(kThreads + 1), done(kThreads);
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        check(cudaSetDevice(0));
        check(cudaFree(nullptr));
        ready.arrive_and_wait();
        for (int k = 0; k < kHitsPerThread; ++k) Transform::create(engine, callback);
        done.count_down();
      });
    ready.arrive_and_wait();
    Stopwatch watch;
    done.wait();
    times.push_back(watch.lap());
  }
  return times;
}

// Returns the milliseconds to build kWarmed different kernels and store them in an empty cache folder.
double time_warm(const fs::path& folder, unsigned thread_count) {
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder;
  Engine engine(options);
  std::atomic<int> next{0};
  Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < thread_count; ++t)
      threads.emplace_back([&] {
        for (int i = next++; i < kWarmed; i = next++)
          build(engine, fmt::format("__device__ float f(float x) {{ return {}.0f * x + 1; }}", i), Architecture(90));
      });
  }
  const double time = watch.lap();
  if (engine.counters().builds != kWarmed) throw std::runtime_error("not all kernels were built");
  return time;
}

nlohmann::json summary(const char* what, const char* unit, const std::vector<double>& samples) {
  const Summary s = summarize(samples);
  fmt::print("{:<44}{:>12.4f}{:>12.4f}{:>12.4f}  {}\n", what, s.median, s.min, s.max, unit);
  return {{"unit", unit}, {"median", s.median}, {"min", s.min}, {"max", s.max}, {"samples", samples}};
}

void judge(nlohmann::json& record, const char* what, double value, double goal) {
  record["goals"][what] = {{"value", value}, {"goal", goal}, {"met", value <= goal}};
  fmt::print("goal, {}: {:.3f}, at most {}: {}\n", what, value, goal, value <= goal ? "met" : "NOT met");
}

void run(const Arguments& arguments) {
  std::string name = (fs::temp_directory_path() / "graft-bench-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  const fs::path folder = name;
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "cache";
  fmt::print("{:<44}{:>12}{:>12}{:>12}\n", "", "median", "min", "max");
  const DiskTimes disk = time_disk(arguments, folder);
  record["disk_hit"] = summary("disk hit, new process", "ms", disk.graft);
  record["bare_load"] = summary("bare read and load, new process", "ms", disk.bare);
  record["memory_hit"] = summary("memory hit", "us", time_memory(arguments.samples));
  record["threads"] = summary("16 threads, 1,000 memory hits each", "ms", time_threads(arguments.samples));
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  record["warm_one"] = summary("100 kernels built, 1 thread", "ms", {time_warm(folder / "one", 1)});
  record["warm_all"] =
      summary(fmt::format("100 kernels built, {} threads", all).c_str(), "ms", {time_warm(folder / "all", all)});
  judge(record, "memory hit (us)", record["memory_hit"]["median"], kMemoryGoal);
  judge(record, "disk hit (ms)", record["disk_hit"]["median"], kDiskGoal);
  judge(record, "disk hit over bare load",
        record["disk_hit"]["median"].get<double>() / record["bare_load"]["median"].get<double>(), kDiskRatioGoal);
  write_record(arguments, record);
  fs::remove_all(folder);
}

}  // namespace

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "graft") child_graft();
  else if (mode == "bare" && argc == 4) child_bare(argv[2], argv[3]);
  else run(parse_arguments(argc, argv, "cache", 21));
  return 0;
}

}  // namespace graft::bench
