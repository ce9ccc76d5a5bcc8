// Runs Google Benchmark with manual timing. Each iteration queues a batch of launches behind a kernel that waits
// (hold.hpp), and reports the time between two CUDA events.
#include "sampler.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <new>

#include "hold.hpp"

namespace graft::bench {
namespace {

// Collects the time of every repetition. A benchmark's name is its number in the order of registration.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::size_t benchmarks) : all(benchmarks) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      Samples& samples = all[std::stoul(run.run_name.function_name)];
      if (!run.error_occurred) samples.seconds.push_back(run.real_accumulated_time);
      else if (samples.error.empty()) samples.error = run.error_message;
    }
  }
  std::vector<Samples> all;
};

void use_random_order() {
  static const bool done = [] {
    char program[] = "throughput", order[] = "--benchmark_enable_random_interleaving=true", end[] = "";
    char* arguments[] = {program, order, end};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

Sampler::Sampler(cudaStream_t stream) : stream_(stream) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped));
  released_.reset(::new (memory) unsigned(0));
}

double Sampler::time(const std::function<void()>& launch, int batch) {
  struct Release {
    unsigned& released;
    unsigned ticket;
    ~Release() { std::atomic_ref(released).store(ticket, std::memory_order_release); }
  };
  {
    const Release release{*released_, ++ticket_};  // releases the GPU even if a launch throws
    queue_hold(stream_, released_.get(), ticket_);
    check(cudaEventRecord(begin_.get(), stream_));
    for (int i = 0; i < batch; ++i) launch();
    check(cudaEventRecord(end_.get(), stream_));
  }
  check(cudaEventSynchronize(end_.get()));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
  return static_cast<double>(milliseconds) * 1e-3;
}

std::vector<Samples> Sampler::sample(const std::vector<std::function<void()>>& launches, int batch, int repetitions) {
  use_random_order();
  benchmark::ClearRegisteredBenchmarks();
  for (std::size_t i = 0; i < launches.size(); ++i)
    benchmark::RegisterBenchmark(std::to_string(i).c_str(),
                                 [this, &launch = launches[i], batch](benchmark::State& state) {
                                   for ([[maybe_unused]] auto iteration : state) try {
                                       state.SetIterationTime(time(launch, batch) / batch);
                                     } catch (const std::exception& error) {
                                       state.SkipWithError(error.what());
                                     }
                                 })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(repetitions);
  Collector collector(launches.size());
  benchmark::RunSpecifiedBenchmarks(&collector, "all");
  return collector.all;
}

}  // namespace graft::bench
