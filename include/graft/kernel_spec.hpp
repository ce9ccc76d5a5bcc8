// The description of one kernel: what graft decided of it, and what packs, cache entries and launches
// know it by. Everything else that a Report says is how the making went.
#pragma once

#include <string>

#include <graft/architecture.hpp>
#include <graft/options.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>
#include <graft/tuning.hpp>

namespace graft {

inline constexpr const char* kElementwise = "elementwise";  // the family of graft::Transform

struct KernelSpec {
  std::string family = kElementwise;  // of kernels: what its signature and its tuning mean
  std::string name = {};              // of the function in the image: "graft_transform_relu"
  Route route = Route::Lto;           // that makes it
  Architecture architecture = {};     // number 0 for the host route
  Signature signature = {};
  Tuning tuning = {};
  FloatingPoint floating_point = {};
  int max_registers = 0;  // per thread; 0: no limit was asked for
  int shared_bytes = 0;   // of dynamic shared memory, with which each block is launched

  bool operator==(const KernelSpec&) const = default;
};

}  // namespace graft
