// Measures several ways to do something, in turns, so that all of them meet the same state of the machine.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_check.hpp"
#include "statistics.hpp"

namespace graft::bench {

struct Way {
  std::string name;
  std::function<void(cudaStream_t)> run;
  double bytes;                     // bytes that must move
  bool has_goal = false;            // its speed is compared with a goal
  int calls = 1;                    // that `run` makes
  std::vector<double> speeds = {};  // GB/s
};

// Runs all ways `samples` times, each time in another order, and adds the speeds. Some rounds in front of these are not
// counted.
inline void measure(std::vector<Way>& ways, int samples) {
  constexpr int kWarmupRounds = 3;
  const Stream stream = make_stream();
  const Event begin = make_event(), end = make_event();
  std::mt19937 random(std::random_device{}());
  std::vector<Way*> order;
  for (Way& way : ways) order.push_back(&way);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Way* const way : order) {
      check(cudaEventRecord(begin.get(), stream.get()));
      way->run(stream.get());
      check(cudaEventRecord(end.get(), stream.get()));
      check(cudaEventSynchronize(end.get()));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
      if (round >= 0) way->speeds.push_back(way->bytes / static_cast<double>(milliseconds) / 1e6);
    }
  }
}

// Makes each way many calls, which a graph launches without waiting for the host. For calls that take so little time
// that the host would be measured. Each way runs once in front of the capture, in which it may not make its workspace.
inline void repeat_in_graph(std::vector<Way>& ways, int number) {
  const Stream stream = make_stream();
  for (Way& way : ways) {
    cudaGraph_t graph = nullptr;
    way.run(stream.get());
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < number; ++i) way.run(stream.get());
    check(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t made = nullptr;
    check(cudaGraphInstantiate(&made, graph, 0));
    check(cudaGraphDestroy(graph));
    const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> calls(made, cudaGraphExecDestroy);
    way.run = [calls](cudaStream_t on) { check(cudaGraphLaunch(calls.get(), on)); };
    way.bytes *= number;
    way.calls = number;
  }
}

// The speed of one way, as a multiple of another's. Both ran in turns, so the ratio of each round has the state of the
// machine out of it.
inline double speed_ratio(const Way& way, const Way& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < way.speeds.size(); ++i) ratios.push_back(way.speeds[i] / to.speeds[i]);
  return summarize(ratios).median;
}

inline double microseconds(const Way& way) {
  return way.bytes / way.calls / summarize(way.speeds).median / 1e3;
}

}  // namespace graft::bench
