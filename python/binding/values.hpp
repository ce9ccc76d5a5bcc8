// Binds the classes whose objects are values or are shared (Callback, Signature, Image, Engine), those of jobs
// (Transform, Reduce, Fft), and those of kernels of the user's own. The functions that read names and bytes serve all.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/formula.hpp>
#include <graft/precompile.hpp>
#include <graft/report.hpp>

#include "lock.hpp"

namespace graft_python {

std::vector<graft::Architecture> architectures_of(const std::vector<std::string>& names);
graft::PrecompileFormat format_of(const std::string& name);
std::span<const std::byte> span_of(const nanobind::bytes& bytes);
nanobind::bytes bytes_of(std::span<const std::byte> bytes);

// A report as the package's Report takes it: its text, and its JSON.
using ReportTexts = std::pair<std::string, std::string>;
ReportTexts texts_of(const graft::Report& report);

// Does what takes time without Python's lock.
template <class Work>
auto unlocked(Work&& work) {
  const WithoutLock without_lock;
  return work();
}

// A number of Python. Throws nb::type_error for other objects, and graft::Error for a number that none of graft holds.
graft::Number number_of(nanobind::handle value);

void bind_values(nanobind::module_& module);
void bind_jobs(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);

}  // namespace graft_python
