// Packs with one kernel, for tests that change this kernel.
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

inline format::PackedKernel& only_kernel(format::Pack& pack) {
  return pack.jobs.at(0).kernels.at(0);
}
inline const format::PackedKernel& only_kernel(const format::Pack& pack) {
  return pack.jobs.at(0).kernels.at(0);
}

}  // namespace graft::test
