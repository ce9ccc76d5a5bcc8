// A call with segments: a result for the elements between each two neighbours of an array of offsets.
#pragma once

#include <cstdint>
#include <string>

#include "families/reduce/checks.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/launches.hpp"

namespace graft::families::reduce {

class SegmentCall {
 public:
  // Throws Error as check_dense does: the inputs have the same length, and each output has an element for each segment.
  // Offsets in host memory (`is_on_host`) must not descend: InvalidArgument. Keeps references to the arguments.
  SegmentCall(const Called& called, const Arguments& arguments, const ArrayRef& offsets, bool is_on_host);

  bool is_empty() const noexcept { return results_ == 0; }
  std::uint64_t results() const noexcept { return results_; }

  // The kernel for segments of this mean length.
  KernelKind best() const noexcept;
  Division divide(KernelKind kind) const noexcept;

  // As ViewCall::lay_out.
  std::uint32_t lay_out(const Division& division, const Part& part, graft_reduce_call call,
                        std::byte* parameter) const noexcept;

 private:
  std::uint64_t mean_groups() const noexcept;

  const Called& called_;
  const Arguments& arguments_;
  const ArrayRef& offsets_;
  std::uint64_t results_;
};

}  // namespace graft::families::reduce
