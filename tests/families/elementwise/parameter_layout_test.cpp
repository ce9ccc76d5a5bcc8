// Checks the offset of every field in a kernel's parameter. The offsets are compiled into the kernels in caches and
// packs. A changed offset would make these older kernels read wrong bytes.
#include "families/elementwise/parameter_layout.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::elementwise {
namespace {

struct LayoutCase {
  const char* name;
  ParameterFields fields;  // the arguments: inputs, outputs, masks, coordinates, state_bytes, state_alignment
  // the expected offsets: pointers, masks, dividers, state, then the size in bytes and the alignment
  ParameterLayout layout;
};

void PrintTo(const LayoutCase& row, std::ostream* out) {
  *out << row.name;
}

class Layouts : public testing::TestWithParam<LayoutCase> {};

TEST_P(Layouts, AreTheseNumbers) {
  const ParameterLayout layout = lay_out_parameter(GetParam().fields);
  const ParameterLayout& expected = GetParam().layout;
  EXPECT_EQ(layout.pointers, expected.pointers);
  EXPECT_EQ(layout.masks, expected.masks);
  EXPECT_EQ(layout.dividers, expected.dividers);
  EXPECT_EQ(layout.state, expected.state);
  EXPECT_EQ(layout.bytes, expected.bytes);
  EXPECT_EQ(layout.alignment, expected.alignment);
}

// An absent field has the offset of the field after it.
INSTANTIATE_TEST_SUITE_P(
    Cases, Layouts,
    testing::Values(LayoutCase{"one_to_one", {1, 1, 0, 0, 0, 1}, {32, 48, 48, 48, 48, 8}},
                    LayoutCase{"no_input", {0, 1, 0, 0, 0, 1}, {32, 40, 40, 40, 40, 8}},
                    LayoutCase{"without_state_no_alignment", {1, 1, 0, 0, 0, 64}, {32, 48, 48, 48, 48, 8}},
                    LayoutCase{"one_byte_of_state", {1, 1, 0, 0, 1, 1}, {32, 48, 48, 48, 56, 8}},
                    LayoutCase{"float_of_state", {2, 1, 0, 0, 4, 4}, {32, 56, 56, 56, 64, 8}},
                    LayoutCase{"aligned_state", {2, 1, 0, 0, 16, 16}, {32, 56, 56, 64, 80, 16}},
                    LayoutCase{"largest_of_today", {8, 4, 0, 0, 2048, 64}, {32, 128, 128, 128, 2176, 64}},
                    LayoutCase{"most_arrays", {16, 8, 0, 0, 2048, 64}, {32, 224, 224, 256, 2304, 64}},
                    LayoutCase{"bit_arrays", {3, 2, 2, 0, 4, 4}, {32, 72, 104, 104, 112, 8}},
                    LayoutCase{"coordinates", {2, 1, 0, 3, 0, 1}, {32, 56, 56, 104, 104, 8}},
                    LayoutCase{"everything", {16, 8, 24, 0, 2048, 64}, {32, 224, 608, 640, 2688, 64}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ParameterLayout, OfASignatureIsContiguous) {
  const ParameterLayout bare = lay_out_parameter(Signature::of<float(float)>());
  EXPECT_EQ(bare.bytes, 48u);
  const ParameterLayout with_state = lay_out_parameter(Signature::of<float(float, short, double&, const double&)>());
  EXPECT_EQ(with_state.pointers, 32u);
  EXPECT_EQ(with_state.state, 64u);
  EXPECT_EQ(with_state.bytes, 72u);
  const Signature baked = Signature::of<float(float, const double&)>().with_baked_state();
  EXPECT_EQ(lay_out_parameter(baked).bytes, 48u);
}

TEST(ParameterLayout, OfTheLargestSignatureIsThatOfEveryBuffer) {
  EXPECT_EQ(kLargestParameter.bytes, 2752u);
  EXPECT_EQ(families::kMostParameterBytes, 4096u);
}

}  // namespace
}  // namespace graft::elementwise
