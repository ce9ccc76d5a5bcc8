// A kernel that stands in a pack, as cubin or PTX, against the policy that a request asks for.
//
// Width, vectors and body are compiled into the kernel, so another request needs another kernel. The rest belongs to
// the launch: every kernel is bounded by 256 threads and asks the hardware how many there are, and one that was made
// for programmatic launch may be launched without it. The other way round it would read what the last kernel has not
// written yet. The indirect route's block is one for all requests and has no policy.
#pragma once

#include <string>

#include "format/pack.hpp"
#include "graft/options.hpp"
#include "plan/policy.hpp"

namespace graft::building {

// Why the kernel does not serve the request: "vector_width=4, but this request asks for 2". Empty when it does.
std::string misfit(const format::PackKernel& kernel, const PolicyOverrides& asked);

// The policy by which a kernel that serves the request is launched.
plan::Policy launch_policy(const format::PackKernel& kernel, const PolicyOverrides& asked);

}  // namespace graft::building
