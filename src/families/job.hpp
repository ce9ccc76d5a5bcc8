// A Job is what a user asks a family of kernels for, and a Schedule is what the job becomes on one architecture: the
// kernels that must exist, and the methods by which calls use them.
//
//     job         sums of rows and of columns, with a load callback
//     schedule    on sm_90    kernel 0, method "rows"; kernels 1 and 2, method "columns"
//
// A transform is a job with one callback, and its schedule has one kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "core/step.hpp"

namespace graft::families {

// The place at which a family calls a callback, and the callback: {"load", ...}, {"store", ...}.
struct NamedCallback {
  std::string name;
  Callback callback;
};

struct Job {
  std::string family = kElementwise;
  base::Bytes request = {};  // a record of the family's own struct, which only the family reads
  // None if the kernels were made before, and are in packs or images.
  std::vector<NamedCallback> callbacks = {};
  std::vector<std::string> methods = {};  // the methods that calls will use; if empty, all that the schedule has
  // The size of the largest call, in the family's unit. It decides how large a workspace is allocated with the kernels.
  std::uint64_t capacity = 1;

  // Returns the callback at a place, or nothing if the job has none there.
  std::optional<Callback> find(std::string_view place) const;
};

struct Method {
  std::string name;
  std::vector<std::size_t> kernels;  // the kernels that a call launches or may launch, as indices of Schedule::kernels
};

struct Schedule {
  std::vector<Step> kernels;
  std::vector<Method> methods;

  // Returns the method with this name, or null.
  const Method* find(std::string_view name) const;
};

// Returns the schedule with only the methods that are named, in the order of the schedule, and the kernels of these
// methods. Throws Error(InvalidArgument) if it has no method of one of the names.
Schedule with_methods(const Schedule& schedule, const std::vector<std::string>& names);

}  // namespace graft::families
