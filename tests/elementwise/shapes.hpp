// Shapes and arrays for the launch tests: made of C++ types and plain addresses, so that no GPU is needed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "families/elementwise/arguments.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::test {

// The shape of a kernel for the function type F.
template <class F>
elementwise::LaunchShape shape_of(int vector_width = 4, int vectors_per_thread = 1) {
  Report report;
  report.kernel.name = "graft_transform_f";
  report.kernel.signature = Signature::of<F>();
  report.kernel.tuning.set("vector_width", vector_width);
  report.kernel.tuning.set("vectors_per_thread", vectors_per_thread);
  return elementwise::make_shape(report.kernel);
}

// An array of T somewhere: nothing is ever read there.
template <class T>
ArrayRef array_at(std::uintptr_t address, std::size_t count) {
  return {reinterpret_cast<void*>(address), count, element_type<T>()};
}

// Names the test of a table's row.
template <class Row>
std::string name_of_row(const testing::TestParamInfo<Row>& row) {
  return row.param.name;
}

}  // namespace graft::test
