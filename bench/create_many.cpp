// Measures the time in which a process makes many kernels: 1, 4, 16 and 64 different callbacks on 1, 4 and 16 threads.
// Each combination runs in new processes, for which this program starts itself with the combination as arguments. The
// caches of the driver, the tools and graft are off.
//
//     bench_create_many [--no-gpu] [--samples N] [--out FILE] [--commit ID]
//
// The clock runs from the start of the first create to the end of the last create. The threads and the CUDA context
// exist before the clock starts. With --no-gpu the kernels are images for sm_90, which are not loaded.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <graft/graft.hpp>
#include <latch>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "processes.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

constexpr int kCallbacks[] = {1, 4, 16, 64};
constexpr int kThreads[] = {1, 4, 16};

std::string callback(int i) {
  return fmt::format("__device__ float f(float x) {{ return {}.0f * x + 1; }}", i + 2);
}

// ---- what each new process measures ----

void make_one(int i, bool no_gpu) {
  const Report report =
      no_gpu ? build(callback(i), Architecture(90)).report() : Transform::create(callback(i)).report();
  if (report.from_cache) throw std::runtime_error("the kernel came from a cache, but this benchmark must build it");
}

// The work of each thread: it takes the next callback and makes the callback's kernel, until no callback is left. A
// failure ends the process, and the record then contains the failure.
void work(std::atomic<int>& next, int callbacks, bool no_gpu) {
  for (int i = next++; i < callbacks; i = next++) make_one(i, no_gpu);
}

void run_once(int callbacks, int threads, bool no_gpu) {
  if (!no_gpu) check(cudaFree(nullptr));
  std::atomic<int> next{0};
  std::latch ready(threads + 1), done(threads);
  std::vector<std::jthread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      if (!no_gpu) check(cudaSetDevice(0));
      ready.arrive_and_wait();
      work(next, callbacks, no_gpu);
      done.count_down();
    });
  ready.arrive_and_wait();
  Stopwatch watch;
  done.wait();
  fmt::print("{}\n", watch.lap());
}

// ---- the first process, which starts the others ----

struct Cell {
  int callbacks;
  int threads;
  std::vector<double> milliseconds = {};
  std::string failure = {};
};

void sample(Cell& cell, const std::string& command, bool counts) {
  if (!cell.failure.empty()) return;
  try {
    const double milliseconds = std::stod(output_of(fmt::format("{} {} {}", command, cell.callbacks, cell.threads)));
    if (counts) cell.milliseconds.push_back(milliseconds);
  } catch (const std::exception& error) {
    cell.failure = error.what();
  }
}

nlohmann::json print_and_record(const Cell& cell) {
  nlohmann::json record = {{"callbacks", cell.callbacks}, {"threads", cell.threads}};
  if (!cell.failure.empty()) {
    fmt::print("{:>10}{:>9}  {}\n", cell.callbacks, cell.threads, cell.failure);
    record["failure"] = cell.failure;
    return record;
  }
  const double median = summarize(cell.milliseconds).median;
  fmt::print("{:>10}{:>9}{:>10.1f}{:>10.1f}{:>10.1f}{:>14.1f}\n", cell.callbacks, cell.threads, median,
             summarize(cell.milliseconds).min, summarize(cell.milliseconds).max, median / cell.callbacks);
  record.update(spread(cell.milliseconds, "ms"));
  record["per_callback_ms"] = median / cell.callbacks;
  record["samples_ms"] = cell.milliseconds;
  return record;
}

void run(const Arguments& arguments, bool no_gpu) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "off", 1);
  std::vector<Cell> cells;
  for (const int callbacks : kCallbacks)
    for (const int threads : kThreads)
      if (threads <= callbacks) cells.push_back({callbacks, threads});
  const std::string command = fmt::format("'{}' {} ", arguments.program, no_gpu ? "--once-no-gpu" : "--once");
  std::mt19937 random(std::random_device{}());
  // Round -1 brings the libraries into the page cache and is not counted.
  for (int round = -1; round < arguments.samples; ++round) {
    std::shuffle(cells.begin(), cells.end(), random);
    for (Cell& cell : cells)
      if (round >= 0 || cell.callbacks == 1) sample(cell, command, round >= 0);
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return std::pair(a.callbacks, a.threads) < std::pair(b.callbacks, b.threads);
  });

  nlohmann::json record = no_gpu ? host_environment(arguments) : environment(arguments);
  record["benchmark"] = "create_many";
  record["cores"] = std::thread::hardware_concurrency();
  record["why_ignored"] = no_gpu ? nlohmann::json{"load"} : nlohmann::json::array();
  fmt::print("{:>10}{:>9}{:>10}{:>10}{:>10}{:>14}   ms, medians of {} processes\n", "callbacks", "threads", "median",
             "min", "max", "a callback", arguments.samples);
  for (const Cell& cell : cells) record["cells"].push_back(print_and_record(cell));
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  const std::string mode = argc == 4 ? argv[1] : "";
  if (mode == "--once" || mode == "--once-no-gpu") {
    run_once(std::stoi(argv[2]), std::stoi(argv[3]), mode == "--once-no-gpu");
    return 0;
  }
  const bool no_gpu = take_flag(argc, argv, "--no-gpu");
  Arguments arguments = parse_arguments(argc, argv, "create_many", 7);
  if (no_gpu) arguments.command_line += " --no-gpu";
  run(arguments, no_gpu);
  return 0;
}

}  // namespace graft::bench
