// Measures the time that `graft warm` takes to fill an empty cache with 100 kernels, with one process and with one
// process per core. These times are compared with the time of a single process that builds the kernels on several
// threads, as `graft warm` would work without child processes. Needs no GPU.
//
//     bench_warm [--samples N] [--out FILE] [--commit ID]
//
// The program runs `graft`, which must be in this program's folder, and itself as `bench_warm threads N`. The caches of
// the driver and the linker are off. The first round brings the libraries into the page cache and is not counted.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <graft/graft.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "main.hpp"
#include "record.hpp"
#include "statistics.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kKernels = 100;

std::string callback(int i) {
  return fmt::format("__device__ float f(float x) {{ return {}.0f * x + 1; }}", i);
}

// Fills a cache on threads of this process. Environment variables name the cache, as for `graft warm`.
void child_threads(unsigned thread_count) {
  Engine engine;
  std::atomic<int> next{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < thread_count; ++t)
      threads.emplace_back([&] {
        for (int i = next++; i < kKernels; i = next++) build(engine, callback(i), Architecture(90));
      });
  }
  if (engine.counters().bytes_written == 0) throw std::runtime_error("no kernel was written to the cache");
}

void write_list(const fs::path& path) {
  std::ofstream list(path);
  for (int i = 0; i < kKernels; ++i) list << '\'' << callback(i) << "' --arch 90\n";
}

// Returns the milliseconds of a whole process that fills an empty cache.
double time_of(const std::string& command, const fs::path& cache) {
  fs::remove_all(cache);
  Stopwatch watch;
  if (std::system((command + " >/dev/null").c_str()) != 0) throw std::runtime_error(command + " failed");
  const double time = watch.lap();
  const auto entries = std::distance(fs::directory_iterator(cache / "v1"), fs::directory_iterator());
  if (entries < kKernels) throw std::runtime_error(fmt::format("{} wrote only {} cache entries", command, entries));
  return time;
}

struct Way {
  std::string name;
  std::string command;
  std::vector<double> times = {};
};

nlohmann::json summary(const Way& way) {
  const Summary s = summarize(way.times);
  fmt::print("{:<28}{:>10.0f}{:>10.0f}{:>10.0f}  ms\n", way.name, s.median, s.min, s.max);
  return {{"unit", "ms"}, {"median", s.median}, {"min", s.min}, {"max", s.max}, {"samples", way.times}};
}

void run(const Arguments& arguments) {
  std::string name = (fs::temp_directory_path() / "graft-bench-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  const fs::path folder = name;
  write_list(folder / "list");
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "read-write", 1);
  setenv("GRAFT_CACHE_DIR", (folder / "cache").c_str(), 1);

  const fs::path programs = fs::absolute(arguments.program).parent_path();
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  const auto warm = [&](unsigned jobs) {
    return fmt::format("'{}' warm '{}' --jobs {}", (programs / "graft").string(), (folder / "list").string(), jobs);
  };
  const auto threads = [&](unsigned count) { return fmt::format("'{}' threads {}", arguments.program, count); };
  std::vector<Way> ways = {{"graft warm, 1 process", warm(1)},
                           {fmt::format("graft warm, {} processes", all), warm(all)},
                           {"1 thread", threads(1)},
                           {fmt::format("{} threads", all), threads(all)}};
  for (int i = -1; i < arguments.samples; ++i)
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      Way& way = ways[(turn + static_cast<std::size_t>(i + 1)) % ways.size()];  // each round begins with another way
      const double time = time_of(way.command, folder / "cache");
      if (i >= 0) way.times.push_back(time);
    }

  nlohmann::json record = host_environment(arguments);
  record["benchmark"] = "warm";
  record["kernels"] = kKernels;
  fmt::print("{:<28}{:>10}{:>10}{:>10}\n", fmt::format("{} kernels, empty cache", kKernels), "median", "min", "max");
  const char* const keys[] = {"warm_one", "warm_all", "threads_one", "threads_all"};
  for (std::size_t i = 0; i < ways.size(); ++i) record[keys[i]] = summary(ways[i]);
  write_record(arguments, record);
  fs::remove_all(folder);
}

}  // namespace

int run(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "threads") child_threads(static_cast<unsigned>(std::stoul(argv[2])));
  else run(parse_arguments(argc, argv, "warm", 5));
  return 0;
}

}  // namespace graft::bench
