// A kernel family that src does not know. It proves that the Family interface supports more than elementwise
// transforms. The family combines all elements of an array into one result with the callback `T f(T, T)`, in two
// launches:
//
//     first launch     each of `blocks` thread blocks writes one partial result to the workspace
//     second launch    one thread block combines the partial results into the result
//
// The family generates the whole kernel text for exactly one signature and request. The request says how many blocks
// and threads there are, which also fixes the order in which elements are combined.
//
// Sum is the face of the family: the class that a user would have.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "graft/graft.hpp"

namespace graft::test {

inline constexpr const char* kTwoLaunchSum = "two_launch_sum";

// Registers the family. Only the first call in a process does anything.
void add_two_launch_sum();

struct SumRequest {
  int blocks = 64;
  int threads = 256;
};

// The job of the family: `combine` is its only callback.
engine::JobKernels sum_of(const Callback& combine, SumRequest request = {});

Image build(const engine::JobKernels& sum, Architecture architecture, const Options& options = {});
std::vector<std::byte> precompile(const engine::JobKernels& sum, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format = PrecompileFormat::Pack);

class Sum {
 public:
  explicit Sum(const engine::JobKernels& kernels, const Options& options = {});
  static Sum load(std::span<const std::byte> pack);

  void execute(CUstream_st* stream, const ArrayRef& in, const ArrayRef& out) const;
  void execute(HostTag, const ArrayRef& in, const ArrayRef& out) const;
  const Report& report() const { return job_->reports().front(); }

 private:
  std::shared_ptr<LoadedJob> job_;
};

}  // namespace graft::test
