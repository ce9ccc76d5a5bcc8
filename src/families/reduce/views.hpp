// A call with arrays of any shape: which kernel serves it best, and the launches of each kernel that can.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/unset_array.hpp"
#include "contract.h"
#include "families/form.hpp"
#include "families/reduce/checks.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/launches.hpp"
#include "families/reduce/order.hpp"

namespace graft::families::reduce {

class ViewCall {
 public:
  // Whether the call has memory, or only the shapes of its arrays matter.
  enum class Memory : bool { None, Checked };

  // Throws Error as check_dense does, and for shapes (families/form.hpp). Allocates memory only to throw. Keeps
  // references to the arguments.
  ViewCall(const Called& called, const Arguments& arguments, Memory memory = Memory::Checked);
  ViewCall(const ViewCall&) = delete;
  ViewCall& operator=(const ViewCall&) = delete;

  // Whether the call has no results, so that nothing is to do.
  bool is_empty() const noexcept { return form_.results == 0; }
  // Whether it is one of the first kernel.
  bool is_whole() const noexcept;
  const Chunks& chunks() const noexcept { return chunks_; }
  std::uint64_t results() const noexcept { return form_.results; }
  std::uint64_t elements() const noexcept { return count_; }  // of a result
  KernelKind best() const noexcept;
  bool is_served_by(KernelKind kind) const noexcept;

  // A piece of it needs no more than the workspace.
  Division divide(KernelKind kind, const Workspace& workspace) const noexcept;
  // Writes what the kernel needs to know of a part behind graft_reduce_call, and returns the size of the parameter. The
  // parameter has room for families::kMostParameterBytes.
  std::uint32_t lay_out(KernelKind kind, const Division& division, const Part& part, graft_reduce_call call,
                        std::byte* parameter) const noexcept;

  // "16 results of 1000 elements each, in 2 dimensions"
  std::string text() const;

 private:
  bool has_many_chunks() const noexcept;
  Division in_blocks(std::uint32_t of_result) const noexcept;
  Division divide_into_columns(const Workspace& workspace) const noexcept;
  std::uint64_t groups() const noexcept { return (count_ + width_ - 1) / width_; }
  std::size_t array_count() const noexcept { return inputs_ + outputs_; }
  bool is_contiguous(std::size_t input, unsigned dimension) const noexcept;
  unsigned contiguous_inputs(unsigned dimension) const noexcept;
  unsigned best_dimension_of_columns() const noexcept;
  bool has_columns_for_warps() const noexcept;
  void find_form();
  void check_overlap() const;

  const Called& called_;
  const Arguments& arguments_;
  std::size_t inputs_, outputs_;  // the results
  unsigned width_;
  std::array<std::int64_t, GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS> lengths_;  // the shapes of arrays that are no views
  base::UnsetArray<Operand, GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS> operands_;
  CallForm form_;
  std::uint64_t count_ = 0;  // elements of a result
  Chunks chunks_;
};

}  // namespace graft::families::reduce
