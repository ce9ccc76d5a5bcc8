// Tests that every ready-made callback builds for the GPU, is inlined completely, and has the signature that
// callbacks/README.md lists.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

struct Case {
  const char* family;
  const char* entry;
  const char* signature;
  std::size_t stack_bytes = 0;  // expected stack size; sin and cos use a stack for the range reduction of huge angles
};

class ReadyMade : public testing::TestWithParam<Case> {};

TEST_P(ReadyMade, IsInlinedAndHasItsSignature) {
  const Image image = build(ready_made(GetParam().family, GetParam().entry), Architecture(90));
  EXPECT_EQ(image.signature().text(), GetParam().signature);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_EQ(image.report().resources.spill_store_bytes, 0u) << image.report().to_text();
  EXPECT_LE(image.report().resources.stack_bytes, GetParam().stack_bytes) << image.report().to_text();
}

TEST_P(ReadyMade, StandsInTheReadme) {
  std::ifstream file(GRAFT_SOURCE_DIR "/callbacks/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  const std::string entry = GetParam().entry;
  EXPECT_NE(readme.str().find("| `" + entry.substr(0, entry.find('<'))), std::string::npos) << entry;
}

constexpr Case kCases[] = {
    {"arithmetic", "add<float>", "float(float, float)"},
    {"arithmetic", "add<int>", "int(int, int)"},
    {"arithmetic", "subtract<float>", "float(float, float)"},
    {"arithmetic", "multiply<float>", "float(float, float)"},
    {"arithmetic", "multiply<unsigned char>", "unsigned char(unsigned char, unsigned char)"},
    {"arithmetic", "divide<double>", "double(double, double)"},
    {"arithmetic", "multiply_add<float>", "float(float, float, float)"},
    {"arithmetic", "multiply_add<int>", "int(int, int, int)"},
    {"arithmetic", "minimum<float>", "float(float, float)"},
    {"arithmetic", "maximum<float>", "float(float, float)"},
    {"arithmetic", "axpy<float>", "float(float, float, const graft::callbacks::Scale<float>&)"},
    {"arithmetic", "affine<float>", "float(float, const graft::callbacks::Affine<float>&)"},
    {"arithmetic", "clamp<float>", "float(float, const graft::callbacks::Range<float>&)"},
    {"arithmetic", "lerp<float>", "float(float, float, float)"},
    {"arithmetic", "ramp<float>", "float(graft::Index, const graft::callbacks::Ramp<float>&)"},
    {"activations", "relu<float>", "float(float)"},
    {"activations", "leaky_relu<float>", "float(float, const graft::callbacks::Slope<float>&)"},
    {"activations", "prelu<float>", "float(float, float)"},
    {"activations", "poly_relu<float>", "float(float, const graft::callbacks::PolyRelu<float>&)"},
    {"activations", "elu<float>", "float(float, const graft::callbacks::Elu<float>&)"},
    {"activations", "sigmoid<float>", "float(float)"},
    {"activations", "silu<float>", "float(float)"},
    {"activations", "softplus<float>", "float(float)"},
    {"activations", "gelu<float>", "float(float)"},
    {"activations", "gelu<double>", "double(double)"},
    {"activations", "gelu_tanh<float>", "float(float)"},
    {"activations", "relu<__half>", "__half(__half)"},
    {"activations", "silu<__nv_bfloat16>", "__nv_bfloat16(__nv_bfloat16)"},
    {"complex", "complex_multiply<float>", "graft::complex<float>(graft::complex<float>, graft::complex<float>)"},
    {"complex", "multiply_conjugate<float>", "graft::complex<float>(graft::complex<float>, graft::complex<float>)"},
    {"complex", "complex_scale<float>",
     "graft::complex<float>(graft::complex<float>, const graft::callbacks::ComplexScale<float>&)"},
    {"complex", "complex_weight<float>", "graft::complex<float>(graft::complex<float>, float)"},
    {"complex", "conjugate<double>", "graft::complex<double>(graft::complex<double>)"},
    {"complex", "magnitude<float>", "float(graft::complex<float>)"},
    {"complex", "squared_magnitude<float>", "float(graft::complex<float>)"},
    {"complex", "phase<float>", "float(graft::complex<float>)"},
    {"complex", "from_polar<float>", "graft::complex<float>(float, float)", 32},
    {"image", "gray_bt601", "unsigned char(graft::callbacks::Rgb8)"},
    {"image", "gray_bt709", "unsigned char(graft::callbacks::Rgb8)"},
    {"image", "gamma_correct<float>", "float(float, const graft::callbacks::Gamma<float>&)"},
    {"image", "srgb_to_linear<float>", "float(float)"},
    {"image", "linear_to_srgb<float>", "float(float)"},
    {"image", "srgb8_to_linear", "float(unsigned char)"},
    {"image", "linear_to_srgb8", "unsigned char(float)"},
    {"image", "premultiply", "graft::callbacks::Rgba8(graft::callbacks::Rgba8)"},
    {"image", "unpremultiply", "graft::callbacks::Rgba8(graft::callbacks::Rgba8)"},
    {"image", "alpha_blend", "graft::callbacks::Rgba8(graft::callbacks::Rgba8, graft::callbacks::Rgba8)"},
    {"windows", "hann<float>", "float(float, graft::Index, const graft::callbacks::Window&)"},
    {"windows", "hann<double>", "double(double, graft::Index, const graft::callbacks::Window&)"},
    {"windows", "hamming<float>", "float(float, graft::Index, const graft::callbacks::Window&)"},
    {"windows", "blackman<float>", "float(float, graft::Index, const graft::callbacks::Window&)"},
    {"windows", "kaiser<float>", "float(float, graft::Index, const graft::callbacks::Kaiser<float>&)"},
    {"windows", "kaiser<double>", "double(double, graft::Index, const graft::callbacks::Kaiser<double>&)"},
    {"distances", "absolute_difference<float>", "float(float, float)"},
    {"distances", "squared_difference<float>", "float(float, float)"},
    {"distances", "huber<float>", "float(float, float, const graft::callbacks::Huber<float>&)"},
    {"distances", "minkowski<float>", "float(float, float, const graft::callbacks::Minkowski<float>&)"},
    {"distances", "canberra<float>", "float(float, float)"},
    {"distances", "chi_squared<float>", "float(float, float)"},
    {"potentials", "lennard_jones<float>", "float(float, const graft::callbacks::LennardJones<float>&)"},
    {"potentials", "coulomb<float>", "float(float, const graft::callbacks::Coulomb<float>&)"},
    {"potentials", "yukawa<float>", "float(float, const graft::callbacks::Yukawa<float>&)"},
    {"potentials", "morse<float>", "float(float, const graft::callbacks::Morse<float>&)"},
    {"potentials", "harmonic<float>", "float(float, const graft::callbacks::Harmonic<float>&)"},
    {"models", "decay<float>", "float(float, const graft::callbacks::Decay<float>&)"},
    {"models", "gaussian_peak<float>", "float(float, const graft::callbacks::Peak<float>&)"},
    {"models", "lorentzian_peak<float>", "float(float, const graft::callbacks::Peak<float>&)"},
    {"models", "logistic_growth<float>", "float(float, const graft::callbacks::Growth<float>&)"},
    {"models", "michaelis_menten<float>", "float(float, const graft::callbacks::Saturation<float>&)"},
    {"models", "power_law<float>", "float(float, const graft::callbacks::PowerLaw<float>&)"},
    {"finance", "black_scholes<float>",
     "void(float, float, float, float&, float&, const graft::callbacks::Market<float>&)"},
    {"finance", "black_scholes<double>",
     "void(double, double, double, double&, double&, const graft::callbacks::Market<double>&)"},
    {"conversion", "float_to_half", "__half(float)"},
    {"conversion", "half_to_float", "float(__half)"},
    {"conversion", "float_to_bfloat16", "__nv_bfloat16(float)"},
    {"conversion", "bfloat16_to_float", "float(__nv_bfloat16)"},
    {"conversion", "quantize<signed char>", "signed char(float, const graft::callbacks::Quantization&)"},
    {"conversion", "quantize<unsigned char>", "unsigned char(float, const graft::callbacks::Quantization&)"},
    {"conversion", "dequantize<signed char>", "float(signed char, const graft::callbacks::Quantization&)"},
    {"conversion", "dequantize<unsigned char>", "float(unsigned char, const graft::callbacks::Quantization&)"},
    {"random", "philox", "graft::callbacks::Words4(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "random_bits", "unsigned int(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "uniform<float>", "float(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "uniform<double>", "double(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "normal<float>", "float(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "normal<double>", "double(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "uniform4", "graft::callbacks::Numbers4<float>(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "normal4", "graft::callbacks::Numbers4<float>(graft::Index, const graft::callbacks::Philox&)"},
    {"random", "add_noise<float>", "float(float, graft::Index, const graft::callbacks::Noise<float>&)"},
    {"random", "dropout<float>", "float(float, graft::Index, const graft::callbacks::Dropout<float>&)"},
    {"special", "bessel_j0<float>", "float(float)", 32},
    {"special", "bessel_j1<float>", "float(float)", 32},
    {"special", "bessel_y0<float>", "float(float)", 32},
    {"special", "bessel_y1<float>", "float(float)", 32},
    {"special", "bessel_i0<float>", "float(float)"},
    {"special", "bessel_i1<double>", "double(double)"},
    {"special", "digamma<double>", "double(double)", 40},
    {"color", "srgb8_to_linear_rgb", "graft::callbacks::LinearRgb<float>(graft::callbacks::Srgb8)"},
    {"color", "linear_rgb_to_srgb8", "graft::callbacks::Srgb8(graft::callbacks::LinearRgb<float>)"},
    {"color", "linear_rgb_to_xyz<float>", "graft::callbacks::Xyz<float>(graft::callbacks::LinearRgb<float>)"},
    {"color", "xyz_to_linear_rgb<float>", "graft::callbacks::LinearRgb<float>(graft::callbacks::Xyz<float>)"},
    {"color", "xyz_to_lab<float>", "graft::callbacks::Lab<float>(graft::callbacks::Xyz<float>)"},
    {"color", "lab_to_xyz<double>", "graft::callbacks::Xyz<double>(graft::callbacks::Lab<double>)"},
    {"color", "linear_rgb_to_lab<float>", "graft::callbacks::Lab<float>(graft::callbacks::LinearRgb<float>)"},
    {"color", "lab_to_linear_rgb<float>", "graft::callbacks::LinearRgb<float>(graft::callbacks::Lab<float>)"},
    {"color", "srgb8_to_yuv_bt601", "graft::callbacks::Yuv8(graft::callbacks::Srgb8)"},
    {"color", "yuv_bt601_to_srgb8", "graft::callbacks::Srgb8(graft::callbacks::Yuv8)"},
    {"color", "srgb8_to_yuv_bt709", "graft::callbacks::Yuv8(graft::callbacks::Srgb8)"},
    {"color", "yuv_bt709_to_srgb8", "graft::callbacks::Srgb8(graft::callbacks::Yuv8)"},
    {"packing", "saturate<signed char, float>", "signed char(float)"},
    {"packing", "saturate<int, double>", "int(double)"},
    {"packing", "saturate_integer<unsigned short, int>", "unsigned short(int)"},
    {"packing", "pack_int4", "unsigned char(signed char, signed char)"},
    {"packing", "unpack_int4", "void(unsigned char, signed char&, signed char&)"},
    {"packing", "pack_uint4", "unsigned char(unsigned char, unsigned char)"},
    {"packing", "unpack_uint4", "void(unsigned char, unsigned char&, unsigned char&)"},
    {"packing", "quantize_int4", "unsigned char(float, float, const graft::callbacks::Int4Scale&)"},
    {"packing", "dequantize_int4", "void(unsigned char, float&, float&, const graft::callbacks::Int4Scale&)"},
    {"packing", "float_to_e4m3", "unsigned char(float)"},
    {"packing", "e4m3_to_float", "float(unsigned char)"},
    {"packing", "float_to_e5m2", "unsigned char(float)"},
    {"packing", "e5m2_to_float", "float(unsigned char)"},
    {"packing", "pack_bytes", "unsigned int(unsigned char, unsigned char, unsigned char, unsigned char)"},
    {"packing", "unpack_bytes", "void(unsigned int, unsigned char&, unsigned char&, unsigned char&, unsigned char&)"},
};

// Replaces the characters that a test name may not have: "quantize<signed char>" becomes "quantize_signed_char".
std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.entry;
  if (name.back() == '>') name.pop_back();
  for (char& c : name)
    if (c == '<' || c == ' ' || c == ',') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Callbacks, ReadyMade, testing::ValuesIn(kCases), test_name);

}  // namespace
}  // namespace graft::test
