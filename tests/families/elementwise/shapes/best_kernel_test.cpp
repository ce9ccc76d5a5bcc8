// Tests which kernel is made for examples of shapes, before the signature of the callback is known.
#include "families/elementwise/shapes/best_kernel.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "families/elementwise/geometries.hpp"
#include "support/random_views.hpp"

namespace graft::test {
namespace {

using elementwise::KernelShapes;
using elementwise::ShapeClass;

const float* const kNothing = nullptr;
float* const kNowhere = nullptr;

KernelShapes likely(const CallShapes& example) {
  return elementwise::likely_kernel(example, 0);
}

TEST(BestKernel, IsLikelyThatForTheArraysTypes) {
  const auto rows = view(kNowhere, {64, 48});
  EXPECT_EQ(likely({view(kNothing, {64, 48}), rows}), ShapeClass::Flat);
  EXPECT_EQ(likely({inputs(), rows}), ShapeClass::Flat);
  EXPECT_EQ(likely({view(kNothing, {64, 48}, {56, 1}), rows}), ShapeClass::Strided);
  EXPECT_EQ(likely({inputs(view(kNothing, {64, 48}), view(kNothing, {48})), rows}), ShapeClass::Strided);
  EXPECT_EQ(likely({inputs(view(kNothing, {64, 48}), view(kNothing, {64, 48}, {1, 64})), rows}),
            KernelShapes(ShapeClass::Transposed, 2));
  EXPECT_EQ(likely({view(kNothing, {64, 47}), rows}), ShapeClass::Flat);  // refused when the signature is known
}

// Without an index, the guess is the kernel that is found when the signature is known.
TEST(BestKernel, IsTheLikelyOne) {
  std::mt19937 random(7);
  const Signature signature = Signature::of<float(double, unsigned char)>();
  const elementwise::LaunchGeometry geometry = geometry_of<float(double, unsigned char)>();
  int others = 0;
  for (int round = 0; round < 400; ++round) {
    const Extents call = {1 + static_cast<std::int64_t>(random() % 40), 1 + static_cast<std::int64_t>(random() % 40)};
    std::vector<RandomView> views;
    for (int k = 0; k < 3; ++k) views.push_back(random_view(call, k == 2, random));
    const void* const somewhere = reinterpret_cast<const void*>(std::uintptr_t{1} << 30);
    const std::vector<ArrayRef> in = {views[0].ref(somewhere, element_type<double>()),
                                      views[1].ref(somewhere, element_type<unsigned char>())};
    const std::vector<ArrayRef> out = {views[2].ref(somewhere, element_type<float>())};
    elementwise::Arguments arguments;
    arguments.inputs = in;
    arguments.outputs = out;
    const KernelShapes best = elementwise::best_kernel(geometry, signature, arguments);
    EXPECT_EQ(likely({in, out}), best);
    others += best != ShapeClass::Flat;
  }
  EXPECT_GT(others, 100);
}

}  // namespace
}  // namespace graft::test
