// A transform or a reduction, with the shapes of the calls that it has served.
//
// A kernel that was made for other shapes often serves a call too, and takes longer: a transform's kernel for views
// serves transposed arrays, and a reduction's kernel for rows serves columns in six times the time. So the first call
// with arrays of other shapes asks for the kernel that serves them best. In C++ the caller does it (prepare_shapes),
// because execute never compiles.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include <graft/arrays.hpp>
#include <graft/error.hpp>
#include <graft/transform.hpp>

#include "driver.hpp"
#include "lock.hpp"
#include "values.hpp"

namespace graft_python {
namespace nb = nanobind;

// The place of a call: a stream, or the host if there is none.
using Place = std::optional<std::intptr_t>;
using Refs = std::span<const graft::ArrayRef>;

template <class Launch>
void launch_on(const Place& place, Launch&& launch) {
  const WithoutLock without_lock;
  if (place) launch(reinterpret_cast<CUstream_st*>(*place));
  else launch(graft::host);
}

// A number that tells the shapes and strides of arrays apart, and the devices that are current.
inline std::uint64_t layout_of(Refs in, Refs out) {
  std::uint64_t number = 0xcbf29ce484222325;  // FNV-1a, of words
  const auto add = [&](std::uint64_t word) { number = (number ^ word) * 0x100000001b3; };
  add(static_cast<std::uint64_t>(current_device().value_or(-1)));
  for (const Refs refs : {in, out})
    for (const graft::ArrayRef& ref : refs) {
      add(ref.rank);
      add(ref.count);
      for (std::uint32_t d = 0; d < ref.rank; ++d) {
        add(static_cast<std::uint64_t>(ref.shape[d]));
        add(ref.strides ? static_cast<std::uint64_t>(ref.strides[d]) : 0);
      }
    }
  return number;
}

template <class Job>
class Shaped {
 public:
  explicit Shaped(Job job) : job_(std::move(job)) {}

  Job& job() noexcept { return job_; }
  const Job& job() const noexcept { return job_; }
  std::size_t known_shapes() const noexcept { return known_.size(); }

  // Queues the work on a stream, or does it on the host. Releases Python's lock.
  void execute(const Place& place, Refs in, Refs out, const graft::StateRef& state) {
    if (place) make_best(*place, in, out);
    launch_on(place, [&](auto where) { job_.execute(where, in, out, state); });
  }

  // Makes the kernel that serves calls with these arrays best, if this was not done yet. A call that is captured takes
  // the kernels that are there, because CUDA may refuse to load one then. Python's lock guards the shapes.
  void make_best(std::intptr_t stream, Refs in, Refs out) {
    const std::uint64_t layout = layout_of(in, out);
    if (known_.contains(layout) || is_captured(stream)) return;
    try {
      unlocked([&] { job_.prepare_shapes(in, out); });
    } catch (const graft::Error& error) {
      if (may_pass(error.code())) return;
      // Else another kernel serves these shapes for good, as one of a pack does; or execute says what is wrong.
    }
    if (known_.size() >= kMostShapes) known_.clear();
    known_.insert(layout);
  }

 private:
  static constexpr std::size_t kMostShapes = 4096;

  // Whether a later call may succeed: in a context that the thread has not yet, or with more memory.
  static bool may_pass(graft::ErrorCode code) {
    return code == graft::ErrorCode::NotPrepared || code == graft::ErrorCode::NoDevice ||
           code == graft::ErrorCode::DriverFailed;
  }

  Job job_;
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace graft_python
