// Tests the ready-made image callbacks (gray, gamma, sRGB, alpha), most of them for every possible byte value.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

using own::Rgb8;
using own::Rgba8;

struct Luma {
  const char* entry;
  double r, g, b;
};

class Gray : public testing::TestWithParam<Luma> {};

// Tests all 2^24 colours.
TEST_P(Gray, IsWithinItsBoundForEveryColour) {
  const auto [entry, r, g, b] = GetParam();
  const Transform gray = on_host("image", entry);
  std::vector<Rgb8> in(65536);
  std::vector<unsigned char> out(in.size());
  int wrong = 0;
  for (unsigned red = 0; red < 256; ++red) {
    for (unsigned i = 0; i < in.size(); ++i)
      in[i] = {static_cast<unsigned char>(red), static_cast<unsigned char>(i >> 8), static_cast<unsigned char>(i)};
    gray.execute(host, in, out);
    for (std::size_t i = 0; i < in.size(); ++i)
      wrong += !(std::fabs(out[i] - (r * in[i].r + g * in[i].g + b * in[i].b)) <= 0.503);
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(Gray, GreyStaysItself) {
  std::vector<Rgb8> in(256);
  std::vector<unsigned char> out(256);
  for (unsigned i = 0; i < 256; ++i) {
    const auto grey = static_cast<unsigned char>(i);
    in[i] = {grey, grey, grey};
  }
  on_host("image", GetParam().entry).execute(host, in, out);
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(out[i], i);
}

INSTANTIATE_TEST_SUITE_P(Image, Gray,
                         testing::Values(Luma{"gray_bt601", 0.299, 0.587, 0.114},
                                         Luma{"gray_bt709", 0.2126, 0.7152, 0.0722}),
                         [](const auto& gray) { return std::string(gray.param.entry); });

template <class W>
W decoded(W x, W threshold) {
  return x <= threshold ? x / W(12.92L) : std::pow((x + W(0.055L)) / W(1.055L), W(2.4L));
}
template <class W>
W encoded(W x, W threshold) {
  return x <= threshold ? W(12.92L) * x : W(1.055L) * std::pow(x, 1 / W(2.4L)) - W(0.055L);
}

template <class T>
class Transfer : public testing::Test {
 public:
  const Array<T> x = joined<T>(uniform<T>(20000, 0, 1), {T(0), T(1), T(0.04045), T(0.0031308), kNan<T>});
  Array<T> results = Array<T>(x.size());
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Transfer, Reals);

TYPED_TEST(Transfer, Gamma) {
  using T = TypeParam;
  using W = Wider<T>;
  for (const T exponent : {T(2.2), T(1 / 2.2), T(1)}) {
    on_host_of<T>("image", "gamma_correct").execute(host, this->x, this->results, own::Gamma<T>{exponent});
    const Array<W> want = this->x.template cast<W>().unaryExpr([=](W v) { return std::pow(v, W(exponent)); });
    expect_within<T>(this->results, want, ulps<T>(4, want));
  }
  const Array<T> negative = Array<T>::Constant(1, T(-0.5));
  Array<T> out(1);
  on_host_of<T>("image", "gamma_correct").execute(host, negative, out, own::Gamma<T>{T(2)});
  EXPECT_EQ(out[0], T(0));
}

TYPED_TEST(Transfer, Srgb) {
  using T = TypeParam;
  using W = Wider<T>;
  on_host_of<T>("image", "srgb_to_linear").execute(host, this->x, this->results);
  const Array<W> linear = this->x.template cast<W>().unaryExpr([](W v) { return decoded(v, W(T(0.04045))); });
  expect_within<T>(this->results, linear, ulps<T>(8, linear));
  on_host_of<T>("image", "linear_to_srgb").execute(host, this->x, this->results);
  const Array<W> srgb = this->x.template cast<W>().unaryExpr([](W v) { return encoded(v, W(T(0.0031308))); });
  expect_within<T>(this->results, srgb, ulps<T>(6, srgb));
}

TEST(SrgbBytes, DecodeWithinTheirBoundAndComeBack) {
  std::vector<unsigned char> bytes(256), back(256);
  for (unsigned i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i);
  Array<float> linear(256);
  on_host("image", "srgb8_to_linear").execute(host, bytes, linear);
  const Array<double> want =
      (Array<double>::LinSpaced(256, 0, 255) / 255).unaryExpr([](double x) { return decoded(x, 0.04045); });
  expect_within<float>(linear, want, ulps<float>(8, want));
  on_host("image", "linear_to_srgb8").execute(host, linear, back);
  EXPECT_EQ(back, bytes);
}

TEST(SrgbBytes, EncodeToTheNearestByteAndSaturate) {
  const Array<float> x =
      joined<float>(uniform<float>(50000, 0, 1), {-1.0f, 2.0f, kInf<float>, -kInf<float>, kNan<float>});
  std::vector<unsigned char> out(static_cast<std::size_t>(x.size()));
  on_host("image", "linear_to_srgb8").execute(host, x, out);
  for (std::size_t i = 0; i < 50000; ++i)
    ASSERT_LE(std::fabs(out[i] - 255 * encoded<double>(x[static_cast<Eigen::Index>(i)], 0.0031308)), 0.501);
  EXPECT_EQ(std::vector(out.end() - 5, out.end()), (std::vector<unsigned char>{0, 255, 255, 0, 0}));
}

unsigned char nearest(double x) {
  return static_cast<unsigned char>(std::min(std::floor(x + 0.5), 255.0));
}

Rgba8 all_channels(unsigned colour, unsigned alpha) {
  const auto c = static_cast<unsigned char>(colour);
  return {c, static_cast<unsigned char>(c / 2), static_cast<unsigned char>(255 - c), static_cast<unsigned char>(alpha)};
}

void expect_equal(Rgba8 got, Rgba8 want) {
  ASSERT_EQ((std::array{got.r, got.g, got.b, got.a}), (std::array{want.r, want.g, want.b, want.a}));
}

// Tests every byte value with every alpha. The test computes each quotient in double and rounds it to the nearest
// integer. This gives the exact result: no divisor exceeds 255, so a quotient is either exactly in the middle of two
// integers, or so far from the middle that the rounding error of double does not matter.
TEST(Alpha, PremultiplyAndUnpremultiplyAreExactlyRounded) {
  std::vector<Rgba8> in(65536), product(65536), quotient(65536);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = all_channels(i & 255, i >> 8);
  on_host("image", "premultiply").execute(host, in, product);
  on_host("image", "unpremultiply").execute(host, in, quotient);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Rgba8 p = in[i];
    const auto times = [&](double c) { return nearest(c * p.a / 255); };
    const auto over = [&](double c) { return p.a == 0 ? nearest(0) : nearest(255 * c / p.a); };
    expect_equal(product[i], {times(p.r), times(p.g), times(p.b), p.a});
    expect_equal(quotient[i], {over(p.r), over(p.g), over(p.b), p.a});
  }
}

TEST(Alpha, BlendIsPorterDuffOverExactlyRounded) {
  std::mt19937 random(5);
  std::uniform_int_distribution<unsigned> byte(0, 255);
  std::vector<Rgba8> top, bottom;
  for (unsigned alphas = 0; alphas < 65536; ++alphas) {  // every pair of alphas
    top.push_back(all_channels(byte(random), alphas & 255));
    bottom.push_back(all_channels(byte(random), alphas >> 8));
  }
  std::vector<Rgba8> out(top.size());
  on_host("image", "alpha_blend").execute(host, host_inputs(top, bottom), out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double t = 255.0 * top[i].a, b = (255.0 - top[i].a) * bottom[i].a;
    const auto mix = [&](double x, double y) { return t + b == 0 ? nearest(0) : nearest((t * x + b * y) / (t + b)); };
    expect_equal(out[i], {mix(top[i].r, bottom[i].r), mix(top[i].g, bottom[i].g), mix(top[i].b, bottom[i].b),
                          nearest((t + b) / 255)});
  }
}

}  // namespace
}  // namespace graft::test
