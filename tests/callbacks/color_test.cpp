// Tests the ready-made colour conversions: by published values, by round trips over all bytes, and by references in
// double precision.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

using own::Lab;
using own::LinearRgb;
using own::Srgb8;
using own::Xyz;
using own::Yuv8;

template <class To, class From>
std::vector<To> apply(const char* entry, const std::vector<From>& in) {
  std::vector<To> out(in.size());
  on_host("color", entry).execute(host, in, out);
  return out;
}

std::vector<Srgb8> all_colors(unsigned step) {
  std::vector<Srgb8> colors;
  for (unsigned r = 0; r < 256; r += step)
    for (unsigned g = 0; g < 256; g += step)
      for (unsigned b = 0; b < 256; b += step)
        colors.push_back({static_cast<unsigned char>(r), static_cast<unsigned char>(g), static_cast<unsigned char>(b)});
  return colors;
}

// Compares L*a*b* of sRGB's primaries, of white and of a grey (with the white point D65) with published values.
TEST(Colors, LabOfKnownColors) {
  struct Known {
    Srgb8 color;
    double l, a, b;
  };
  const std::vector<Known> known = {{{255, 255, 255}, 100, 0, 0},
                                    {{0, 0, 0}, 0, 0, 0},
                                    {{255, 0, 0}, 53.2408, 80.0925, 67.2032},
                                    {{0, 255, 0}, 87.7347, -86.1827, 83.1793},
                                    {{0, 0, 255}, 32.2970, 79.1875, -107.8602},
                                    {{128, 128, 128}, 53.5850, 0, 0}};
  std::vector<Srgb8> in;
  for (const Known& one : known) in.push_back(one.color);
  const auto lab = apply<Lab<float>>("linear_rgb_to_lab<float>", apply<LinearRgb<float>>("srgb8_to_linear_rgb", in));
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_NEAR(lab[i].l, known[i].l, 0.02) << i;
    EXPECT_NEAR(lab[i].a, known[i].a, 0.02) << i;
    EXPECT_NEAR(lab[i].b, known[i].b, 0.02) << i;
  }
}

TEST(Colors, EveryFifthColorComesBackFromLab) {
  const std::vector<Srgb8> in = all_colors(5);
  const auto rgb = apply<LinearRgb<float>>("srgb8_to_linear_rgb", in);
  const auto lab = apply<Lab<float>>("linear_rgb_to_lab<float>", rgb);
  const auto back = apply<Srgb8>("linear_rgb_to_srgb8", apply<LinearRgb<float>>("lab_to_linear_rgb<float>", lab));
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ((std::array{back[i].r, back[i].g, back[i].b}), (std::array{in[i].r, in[i].g, in[i].b})) << i;
}

TEST(Colors, XyzGoesThereAndBackInDouble) {
  std::vector<LinearRgb<double>> in;
  const Array<double> x = uniform<double>(3000, 0, 1);
  for (Eigen::Index i = 0; i < x.size(); i += 3) in.push_back({x[i], x[i + 1], x[i + 2]});
  const auto xyz = apply<Xyz<double>>("linear_rgb_to_xyz<double>", in);
  const auto lab = apply<Lab<double>>("xyz_to_lab<double>", xyz);
  const auto from_lab = apply<Xyz<double>>("lab_to_xyz<double>", lab);
  const auto back = apply<LinearRgb<double>>("xyz_to_linear_rgb<double>", from_lab);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_NEAR(from_lab[i].x, xyz[i].x, 1e-14);
    ASSERT_NEAR(from_lab[i].y, xyz[i].y, 1e-14);
    ASSERT_NEAR(from_lab[i].z, xyz[i].z, 1e-14);
    ASSERT_NEAR(back[i].r, in[i].r, 1e-6);  // the published matrices have seven digits
    ASSERT_NEAR(back[i].g, in[i].g, 1e-6);
    ASSERT_NEAR(back[i].b, in[i].b, 1e-6);
  }
}

TEST(Colors, YuvOfKnownColors) {
  const std::vector<Srgb8> in = {{255, 255, 255}, {0, 0, 0}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
  const auto expect = [&](const char* entry, const std::vector<std::array<int, 3>>& want) {
    const auto got = apply<Yuv8>(entry, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ((std::array<int, 3>{got[i].y, got[i].u, got[i].v}), want[i]) << entry << ' ' << i;
  };
  expect("srgb8_to_yuv_bt601", {{255, 128, 128}, {0, 128, 128}, {76, 85, 255}, {150, 44, 21}, {29, 255, 107}});
  expect("srgb8_to_yuv_bt709", {{235, 128, 128}, {16, 128, 128}, {63, 102, 240}, {173, 42, 26}, {32, 240, 118}});
}

// In video range, one step of YUV is larger than one step of RGB. A colour that is converted to YUV and back may
// therefore differ by a few steps.
TEST(Colors, YuvComesBackWithinItsSteps) {
  const std::vector<Srgb8> in = all_colors(5);
  const auto worst = [&](const char* there, const char* back) {
    const auto got = apply<Srgb8>(back, apply<Yuv8>(there, in));
    int most = 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      for (const int steps : {got[i].r - in[i].r, got[i].g - in[i].g, got[i].b - in[i].b})
        most = std::max<int>(most, std::abs(steps));
    return most;
  };
  EXPECT_LE(worst("srgb8_to_yuv_bt601", "yuv_bt601_to_srgb8"), 2);
  EXPECT_LE(worst("srgb8_to_yuv_bt709", "yuv_bt709_to_srgb8"), 2);
}

}  // namespace
}  // namespace graft::test
