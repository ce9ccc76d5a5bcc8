// A KernelSpec is the complete description of one kernel. graft decides the description before it makes the kernel.
// Code generation, compiling, linking, packs, cache entries and launches all read this one description. A Report
// contains the KernelSpec and adds how the build went.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/options.hpp>
#include <graft/route.hpp>
#include <graft/signature.hpp>
#include <graft/tuning.hpp>

namespace graft {

inline constexpr const char* kElementwise = "elementwise";  // the family of graft::Transform

struct KernelSpec {
  std::string family = kElementwise;  // the kind of kernels; it defines what signature and tuning mean
  std::string name = {};              // name of the entry function in the image: "graft_transform_relu"
  // The names of further entry functions, of kernels that a family compiles into one image.
  std::vector<std::string> further_entries = {};
  Route route = Route::Lto;        // the route that makes the kernel
  Architecture architecture = {};  // for the host route, its number is 0
  Signature signature = {};
  // What the family was asked for, beyond the callback: a record that only the family reads. Empty for elementwise
  // kernels.
  std::vector<std::byte> request = {};
  Tuning tuning = {};  // what graft chose
  FloatingPoint floating_point = {};
  int max_registers = 0;  // registers per thread; 0 if no limit was requested
  int shared_bytes = 0;   // dynamic shared memory of each thread block, in bytes
  // Options::compiler_options, sorted, each option once and by its long name: "--diag-suppress=177". Empty for the host
  // route.
  std::vector<std::string> compiler_options = {};

  bool operator==(const KernelSpec&) const = default;
};

}  // namespace graft
