// A Step asks for one kernel: the callback that the kernel calls, and what the kernel does with it. A transform is one
// step. An FFT has several (families/job.hpp).
#pragma once

#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "graft/callback.hpp"
#include "graft/kernel_spec.hpp"

namespace graft {

struct Step {
  // Implicit, because a callback alone asks for a transform.
  Step(const Callback& its_callback, std::string its_family = kElementwise, base::Bytes its_request = {})
      : callback(its_callback), family(std::move(its_family)), request(std::move(its_request)) {}

  Callback callback;   // may be a composition, or a pack that holds the kernel
  std::string family;  // the kernel family that makes the kernel (families/family.hpp)
  // What the family is asked for: a record (base/record.hpp) of the family's own struct. Only the family reads it.
  base::Bytes request;

  bool operator==(const Step&) const = default;
};

}  // namespace graft
