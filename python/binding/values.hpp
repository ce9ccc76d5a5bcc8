// Binds the classes whose objects are values or are shared (Callback, Signature, Image, Engine) and those of jobs
// (Transform, Reduce, Fft). The functions that read names and bytes serve both.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/precompile.hpp>

namespace graft_python {

std::vector<graft::Architecture> architectures_of(const std::vector<std::string>& names);
graft::PrecompileFormat format_of(const std::string& name);
std::span<const std::byte> span_of(const nanobind::bytes& bytes);
nanobind::bytes bytes_of(std::span<const std::byte> bytes);

void bind_values(nanobind::module_& module);
void bind_jobs(nanobind::module_& module);

}  // namespace graft_python
