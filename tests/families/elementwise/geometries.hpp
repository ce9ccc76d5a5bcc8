// Launch geometries and arrays for the launch tests. They are made from C++ types and invented addresses, so no GPU is
// needed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "families/elementwise/arguments.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::test {

// Returns the launch geometry of a kernel whose callback has the function type F.
template <class F>
elementwise::LaunchGeometry geometry_of(int vector_width = 4, int vectors_per_thread = 1) {
  Report report;
  report.kernel.name = "graft_transform_f";
  report.kernel.signature = Signature::of<F>();
  report.kernel.tuning.set("vector_width", vector_width);
  report.kernel.tuning.set("vectors_per_thread", vectors_per_thread);
  return elementwise::make_geometry(report.kernel);
}

// Describes an array of T at the given address. No test accesses the address.
template <class T>
ArrayRef array_at(std::uintptr_t address, std::size_t count) {
  return {reinterpret_cast<void*>(address), count, element_type<T>()};
}

// Returns the name that GoogleTest prints for a row of a table.
template <class Row>
std::string name_of_row(const testing::TestParamInfo<Row>& row) {
  return row.param.name;
}

}  // namespace graft::test
