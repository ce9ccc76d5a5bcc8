// Measures several ways to do something, in turns, so that all of them meet the same state of the machine.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.hpp"

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

}  // namespace graft::bench
