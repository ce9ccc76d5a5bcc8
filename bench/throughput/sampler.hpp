// Times the contenders of one group of cells with Google Benchmark. All contenders are registered together and repeated
// in a random order. A sample is one batch of launches between two CUDA events.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../cuda_check.hpp"

namespace graft::bench {

struct Samples {
  std::vector<double> seconds;  // seconds per launch, which is the batch's time divided by its number of launches
  std::string error;            // error of the first batch that failed
};

class Sampler {
 public:
  explicit Sampler(cudaStream_t stream);

  // Takes one function per contender. Each function queues one launch on the stream. The samples are in the same order
  // as the functions.
  std::vector<Samples> sample(const std::vector<std::function<void()>>& launches, int batch, int repetitions);

  // Returns the seconds of one batch. An exception that `launch` throws reaches the caller.
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
