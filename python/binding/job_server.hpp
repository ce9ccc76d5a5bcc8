// Serves the ordinary calls of a job (called.hpp): finds the kernel, and reads the state.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include <graft/element.hpp>

#include "called.hpp"
#include "job_kernel.hpp"
#include "state_packer.hpp"

namespace graft_python {
namespace nb = nanobind;

// A kernel of a job, and how its state is made.
struct ServedKernel {
  std::shared_ptr<const JobKernel> kernel;
  std::optional<StatePacker> packer;  // nothing for a state that Python code makes
  bool has_members_by_place = false;  // whether members of the state follow the inputs in a call

  nb::object call(const Arguments& arguments) const;

 private:
  std::optional<StatePacker::Packed> state_of(const Arguments& arguments, JobCall& call) const;
};

// Calls with a stream, and states of other members than numbers and pointers to them, are left to Python code.
class JobServer {
 public:
  nb::object call(const Arguments& arguments) const;

  const std::shared_ptr<const ServedKernel>& kernel(bool on_device) const { return on_device ? on_device_ : on_host_; }

  // The first kernel stays.
  void keep(bool on_device, ServedKernel kernel);

  // Of a job that has one for each combination of types: the one for arrays of these types, which are read directly.
  void keep_instance(std::span<PyObject* const> inputs, const JobServer& instance);

 private:
  struct Instance {
    std::vector<graft::ElementType> types;
    bool on_device;
    std::shared_ptr<const ServedKernel> kernel;
  };

  // Null if there is none for arrays of these types.
  std::shared_ptr<const ServedKernel> find_instance(const std::vector<graft::ElementType>& types, bool on_device) const;

  // Shared with the calls that use them: another thread may let this object forget an instance.
  std::shared_ptr<const ServedKernel> on_host_, on_device_;
  std::vector<Instance> instances_;
};

}  // namespace graft_python
