// Tests which arrays with gaps between their elements the host route refuses. In version 0.1, the host route treated
// every type with data() and size() as a contiguous array. For a strided Eigen expression, graft read other elements
// than the expression's and wrote outside the array. tests/structure/arrays checks which types the compiler can refuse.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <complex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using Eigen::Dynamic;
using Eigen::Map;
using Eigen::MatrixXf;
using Eigen::VectorXf;
using RowMatrix = Eigen::Matrix<float, Dynamic, Dynamic, Eigen::RowMajor>;
using Strides = Eigen::Stride<Dynamic, Dynamic>;

const Transform& twice() {
  static const Transform transform =
      Transform::create("__device__ float twice(float x) { return 2 * x; }", {.routes = {.required = Route::Host}});
  return transform;
}

// Fills a matrix with 0, 1, 2, ... in memory order.
template <class Matrix>
Matrix counted(Eigen::Index rows, Eigen::Index columns) {
  Matrix matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(i);
  return matrix;
}

// Expects that the host route accepts the array as input and as output and handles the right elements.
template <class Array>
void expect_taken(Array&& array, const char* what) {
  SCOPED_TRACE(what);
  const auto before = array.eval();
  std::vector<float> out(static_cast<std::size_t>(array.size()));
  twice().execute(host, array, out);
  for (Eigen::Index row = 0; row < array.rows(); ++row)
    for (Eigen::Index column = 0; column < array.cols(); ++column) {
      const Eigen::Index at = array.IsRowMajor ? row * array.cols() + column : column * array.rows() + row;
      EXPECT_EQ(out[static_cast<std::size_t>(at)], 2 * before(row, column)) << row << ", " << column;
    }
  twice().execute(host, array, array);
  EXPECT_TRUE(array.matrix() == 2 * before.matrix());
}
#define EXPECT_TAKEN(...) expect_taken(__VA_ARGS__, #__VA_ARGS__)

void expect_refusal(const Error& error, const std::string& array, const std::string& strides) {
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_EQ(error.message().find(array), 0u) << error.what();
  EXPECT_NE(error.message().find(strides), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("matrix"), std::string::npos) << error.what();
}

// Expects that the host route refuses the array as input and as output and writes nothing.
template <class Array>
void expect_refused(Array&& array, const std::string& strides) {
  SCOPED_TRACE(strides);
  const auto before = array.eval();
  std::vector<float> plain(static_cast<std::size_t>(array.size()), 7.0f);
  expect_refusal(test::error_of([&] { twice().execute(host, array, plain); }), "input 0", strides);
  expect_refusal(test::error_of([&] { twice().execute(host, plain, array); }), "output 0", strides);
  expect_refusal(test::error_of([&] { twice().execute(host, host_inputs(plain, array), plain); }), "input 1", strides);
  expect_refusal(test::error_of([&] { twice().execute(host, plain, host_outputs(plain, array)); }), "output 1",
                 strides);
  expect_refusal(test::error_of([&] { device(array); }), "the array given to graft::device", strides);
  EXPECT_TRUE(array.matrix() == before.matrix());
}

TEST(StridedArrays, MatricesAndWholePartsOfThemAreTaken) {
  MatrixXf m = counted<MatrixXf>(3, 4);
  RowMatrix r = counted<RowMatrix>(3, 4);
  VectorXf v = VectorXf::LinSpaced(5, 1.0f, 5.0f);
  Eigen::RowVectorXf row = v.transpose();
  Eigen::ArrayXXf a = m.array();
  Eigen::Matrix4f fixed = Eigen::Matrix4f::Constant(3.0f);
  EXPECT_TAKEN(m);
  EXPECT_TAKEN(r);
  EXPECT_TAKEN(v);
  EXPECT_TAKEN(row);
  EXPECT_TAKEN(a);
  EXPECT_TAKEN(fixed);
  EXPECT_TAKEN(m.array());
  EXPECT_TAKEN(m.col(2));
  EXPECT_TAKEN(r.row(2));
  EXPECT_TAKEN(fixed.col(1));
  EXPECT_TAKEN(m.middleCols(1, 2));
  EXPECT_TAKEN(m.leftCols<2>());
  EXPECT_TAKEN(r.topRows(2));
  EXPECT_TAKEN(m.block(0, 1, 3, 2));
  EXPECT_TAKEN(m.col(1).segment(1, 2));
  EXPECT_TAKEN(v.head(3));
  EXPECT_TAKEN(v.tail<2>());
  EXPECT_TAKEN(m.transpose());
  EXPECT_TAKEN(v.transpose());
}

TEST(StridedArrays, MapsAndRefsWithoutGapsAreTaken) {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6, 7, 8};
  MatrixXf m = counted<MatrixXf>(3, 4);
  EXPECT_TAKEN(Map<VectorXf>(memory.data(), 8));
  EXPECT_TAKEN(Map<MatrixXf>(memory.data(), 4, 2));
  EXPECT_TAKEN(Map<Eigen::Matrix2f>(memory.data()));
  EXPECT_TAKEN(Map<VectorXf, 0, Eigen::InnerStride<>>(memory.data(), 8, Eigen::InnerStride<>(1)));
  EXPECT_TAKEN(Map<MatrixXf, 0, Eigen::OuterStride<>>(memory.data(), 4, 2, Eigen::OuterStride<>(4)));
  EXPECT_TAKEN(Map<MatrixXf, 0, Eigen::OuterStride<4>>(memory.data(), 4, 2));
  EXPECT_TAKEN(Map<RowMatrix, 0, Strides>(memory.data(), 4, 2, Strides(2, 1)));
  Eigen::Ref<MatrixXf> ref = m;
  EXPECT_TAKEN(ref);
  Eigen::Ref<MatrixXf> columns = m.rightCols(2);
  EXPECT_TAKEN(columns);
}

// If a dimension has one element, its stride has no effect.
TEST(StridedArrays, FewElementsHaveNoGaps) {
  MatrixXf m = counted<MatrixXf>(3, 4);
  MatrixXf one_row = counted<MatrixXf>(1, 4);
  RowMatrix one_column = counted<RowMatrix>(4, 1);
  MatrixXf none(0, 0);
  VectorXf no_vector;
  EXPECT_TAKEN(m.block(1, 1, 1, 1));
  EXPECT_TAKEN(m.row(1).head(1));
  EXPECT_TAKEN(m.block(1, 1, 2, 1));
  EXPECT_TAKEN(m.block(1, 1, 0, 2));
  EXPECT_TAKEN(m.block(1, 1, 2, 0));
  EXPECT_TAKEN(m.row(1).head(0));
  EXPECT_TAKEN(one_row.row(0));
  EXPECT_TAKEN(one_row.block(0, 1, 1, 3));
  EXPECT_TAKEN(one_column.col(0));
  EXPECT_TAKEN(none);
  EXPECT_TAKEN(no_vector);
  float values[] = {1, 2, 3};
  EXPECT_TAKEN(Map<VectorXf, 0, Eigen::InnerStride<>>(values, 1, Eigen::InnerStride<>(2)));
  EXPECT_TAKEN(Map<MatrixXf, 0, Strides>(values, 1, 3, Strides(1, 7)));
}

TEST(StridedArrays, StridedPartsAreRefused) {
  MatrixXf m = counted<MatrixXf>(3, 4);
  RowMatrix r = counted<RowMatrix>(3, 4);
  expect_refused(m.row(0), "innerStride() 3");
  expect_refused(r.col(0), "innerStride() 4");
  expect_refused(m.transpose().col(1), "innerStride() 3");
  expect_refused(m.row(1).tail(2), "innerStride() 3");
  expect_refused(m.diagonal(), "innerStride() 4");
  expect_refused(m.block(0, 0, 2, 2), "outerStride() 3");
  expect_refused(m.block(1, 0, 1, 3), "outerStride() 3");
  expect_refused(m.topRows(2), "outerStride() 3");
  expect_refused(m.array().topRows(2), "outerStride() 3");
  expect_refused(r.leftCols(2), "outerStride() 4");
  expect_refused(m.topRows(2).transpose(), "outerStride() 3");
  Eigen::Ref<MatrixXf> ref = m.topRows(2);
  expect_refused(ref, "outerStride() 3");
}

TEST(StridedArrays, StridedMapsAreRefused) {
  std::vector<float> memory = {1, 2, 3, 4, 5, 6, 7, 8};
  expect_refused(Map<VectorXf, 0, Eigen::InnerStride<>>(memory.data(), 4, Eigen::InnerStride<>(2)), "innerStride() 2");
  expect_refused(Map<MatrixXf, 0, Eigen::OuterStride<>>(memory.data(), 2, 2, Eigen::OuterStride<>(3)),
                 "outerStride() 3");
  expect_refused(Map<MatrixXf, 0, Eigen::OuterStride<4>>(memory.data(), 2, 2), "outerStride() 4");
  expect_refused(Map<MatrixXf, 0, Strides>(memory.data(), 2, 2, Strides(4, 2)), "innerStride() 2");
  // This map shows a row-major matrix as a column-major matrix. It has no gaps, but its elements are in another order
  // in memory.
  expect_refused(Map<MatrixXf, 0, Strides>(memory.data(), 2, 2, Strides(1, 2)), "innerStride() 2");
  expect_refused(Map<VectorXf, 0, Eigen::InnerStride<>>(memory.data() + 7, 4, Eigen::InnerStride<>(-2)),
                 "innerStride() -2");
  expect_refused(Map<MatrixXf, 0, Eigen::OuterStride<>>(memory.data() + 4, 2, 3, Eigen::OuterStride<>(-2)),
                 "outerStride() -2");
}

TEST(StridedArrays, TheErrorSaysWhichArrayAndWhatToDo) {
  const MatrixXf m = counted<MatrixXf>(3, 4);
  const Error error = test::error_of([&] { host_inputs(m, m, m.topRows(2)); });
  EXPECT_EQ(error.message(),
            "input 2 has gaps between its elements: 2 x 4, column-major, innerStride() 1, outerStride() 3");
  EXPECT_NE(error.remedy().find(".eval()"), std::string::npos) << error.what();
  // The error message suggests a copy, and the copy works.
  std::vector<float> out(8);
  twice().execute(host, m.topRows(2).eval(), out);
  EXPECT_EQ(out, (std::vector<float>{0, 2, 6, 8, 12, 14, 18, 20}));
}

TEST(StridedArrays, ContiguousRangesAreTaken) {
  std::vector<float> vector = {1, 2, 3};
  std::array<float, 3> array = {1, 2, 3};
  float plain[] = {1, 2, 3};
  std::vector<float> out(3);
  const std::vector<float> expected = {2, 4, 6};
  const auto run = [&](const HostInputs& in) {
    out.assign(3, 0.0f);
    twice().execute(host, in, out);
    return out;
  };
  EXPECT_EQ(run(vector), expected);
  EXPECT_EQ(run(array), expected);
  EXPECT_EQ(run(plain), expected);
  EXPECT_EQ(run(std::span(vector)), expected);
  EXPECT_EQ(run(std::span<const float, 3>(plain)), expected);
  EXPECT_EQ(run({plain, 3}), expected);
  EXPECT_EQ(run(device(vector)), expected);
  EXPECT_EQ(run(host_inputs(plain)), expected);
  twice().execute(host, vector, plain);
  EXPECT_EQ(plain[2], 6.0f);
  twice().execute(host, vector, host_outputs(array));
  EXPECT_EQ(array[2], 6.0f);
  const Transform upper =
      Transform::create("__device__ char upper(char c) { return c - 32; }", {.routes = {.required = Route::Host}});
  std::string text(3, ' ');
  upper.execute(host, std::string_view("abc"), text);
  EXPECT_EQ(text, "ABC");
}

}  // namespace
}  // namespace graft
