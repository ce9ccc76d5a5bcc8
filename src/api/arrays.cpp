// Throws the error for an array with gaps between its elements, for example a strided Eigen expression. Templates in
// the public header graft/arrays.hpp detect such gaps. The error text is in this file, and not in the templates, so
// that it is compiled once.
#include "graft/arrays.hpp"
#include "base/format.hpp"

#include <string>

#include "core/fail.hpp"

namespace graft::detail {
namespace {

std::string name_of(ArrayRole role, std::size_t number) {
  if (role == ArrayRole::Device) return "the array given to graft::device";
  return base::format("{} {}", role == ArrayRole::Input ? "input" : "output", number);
}

std::string remedy_for(ArrayRole role) {
  if (role == ArrayRole::Input)
    return "Pass the result of the expression's .eval(), or copy the expression into a matrix and pass the matrix.";
  if (role == ArrayRole::Output)
    return "Pass a matrix of the same size, and assign the matrix to the expression afterwards.";
  return "Copy the array into a matrix in memory that the device can reach, and pass the matrix.";
}

}  // namespace

void refuse_strides(ArrayRole role, std::size_t number, const Strides& strides) {
  refuse(base::format("{} has gaps between its elements: {} x {}, {}-major, innerStride() {}, outerStride() {}",
                      name_of(role, number), strides.rows, strides.columns, strides.is_row_major ? "row" : "column",
                      strides.inner, strides.outer),
         remedy_for(role));
}

}  // namespace graft::detail
