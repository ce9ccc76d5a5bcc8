// The slabs on the GPUs 0 to P - 1 of this machine, and NCCL's communicators between these GPUs.
#pragma once

#include <nccl.h>

#include <string>
#include <vector>

#include "slab.hpp"
#include "support/cuda.hpp"

namespace fft_two_gpus {

std::string nccl_version();

// One communicator for each GPU, all of them of this process.
class Communicators {
 public:
  // Throws std::runtime_error with NCCL's message.
  explicit Communicators(std::size_t gpus);
  ~Communicators();
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  ncclComm_t operator[](std::size_t gpu) const { return communicators_[gpu]; }
  // Throws std::runtime_error if an operation that NCCL had queued failed.
  void check() const;

 private:
  std::vector<ncclComm_t> communicators_;
};

// The 2-D FFT of the whole array, which the constructor fills with noise. Functions throw std::runtime_error or
// graft::Error.
class Gpus {
 public:
  explicit Gpus(const Shape& shape);

  // Queue a step on all GPUs, and return. Each step works on what the one before it left.
  void transform_rows();
  void exchange();
  void transform_columns();
  // Queues the three steps.
  void transform();

  // Waits until all GPUs are ready.
  void wait() const;
  // Waits, then returns the results of each slab, as Slab::results has them.
  std::vector<std::vector<float>> results();
  std::size_t bytes_of_gpu() const { return slabs_.front().bytes(); }

 private:
  template <class Step>
  void on_each(const Step& step);

  Shape shape_;
  Communicators communicators_;
  std::vector<examples::Stream> streams_;
  SlabFfts ffts_;
  std::vector<Slab<cudaStream_t>> slabs_;
};

}  // namespace fft_two_gpus
