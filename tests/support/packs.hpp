// Packs with one kernel, for tests that change this kernel or inspect the pack.
#pragma once

#include <utility>

#include "format/pack.hpp"

namespace graft::test {

inline format::Pack pack_of(format::PackedKernel kernel) {
  format::PackJob job{.family = kernel.spec.family};
  job.kernels.push_back(std::move(kernel));
  format::Pack pack;
  pack.jobs.push_back(std::move(job));
  return pack;
}

// The kernel of a callback, with `code` as its LTO-IR and as its cubin. `code` must outlive it.
inline format::PackedKernel relu_kernel(const base::Bytes& code) {
  format::PackedKernel kernel;
  kernel.entry = "relu";
  kernel.symbol = "_Z4reluf";
  kernel.spec.name = "graft_transform_relu";
  kernel.spec.signature = Signature::of<float(float)>();
  kernel.tools = {{"NVRTC", "13.0"}};
  kernel.parts = {{format::PackPartKind::LtoIr, Architecture(75), code},
                  {format::PackPartKind::Cubin, Architecture(90), code, format::PartFacts()}};
  return kernel;
}

inline format::PackedKernel& only_kernel(format::Pack& pack) {
  return pack.jobs.at(0).kernels.at(0);
}
inline const format::PackedKernel& only_kernel(const format::Pack& pack) {
  return pack.jobs.at(0).kernels.at(0);
}

}  // namespace graft::test
