// Times what is compared with each other, on Google Benchmark: all of one group are registered together, repeated, and
// run in an order that it draws at random. A sample is one batch of launches between two CUDA events.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../cuda_check.hpp"

namespace graft::bench {

struct Samples {
  std::vector<double> seconds;  // of one launch: the batch's time by its size
  std::string error;            // of the first batch that failed
};

class Sampler {
 public:
  explicit Sampler(cudaStream_t stream);

  // Each queues one launch on the stream. The answers are in the same order.
  std::vector<Samples> sample(const std::vector<std::function<void()>>& launches, int batch, int repetitions);

  // Seconds of one batch. Throws what a launch throws.
  double time(const std::function<void()>& launch, int batch);

 private:
  struct FreeHost {
    void operator()(unsigned* pointer) const noexcept { cudaFreeHost(pointer); }
  };
  cudaStream_t stream_;
  Event begin_ = make_event();
  Event end_ = make_event();
  std::unique_ptr<unsigned, FreeHost> released_;
  unsigned ticket_ = 0;
};

}  // namespace graft::bench
