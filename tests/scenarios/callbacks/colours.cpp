// Colours: other spaces, tone curves and packed pixels. The references use matrices, integers or other formulas.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/LU>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

struct Rgb {
  using Scalar = float;
  float r, g, b;
};
struct Rgba {
  using Scalar = float;
  alignas(16) float r;
  float g, b, a;
};
struct Pixel {
  using Scalar = std::uint8_t;
  std::uint8_t r, g, b;
};
struct YCoCg {
  using Scalar = std::int16_t;
  std::int16_t y, co, cg;
};
struct Grade {
  float contrast, saturation, exposure;
};

Eigen::Matrix3d bt2020() {
  Eigen::Matrix3d m;
  m << 0.2627, 0.6780, 0.0593, -0.2627 / 1.8814, -0.6780 / 1.8814, (1 - 0.0593) / 1.8814, (1 - 0.2627) / 1.4746,
      -0.6780 / 1.4746, -0.0593 / 1.4746;
  return m;
}
Rgb rgb_of(const Eigen::Vector3d& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}
Eigen::Vector3d vector_of(Rgb c) {
  return {c.r, c.g, c.b};
}

// The hue in sextants by the angle of the largest channel, as the definition of the hexagon says.
Rgb hue_saturation_value(Rgb c) {
  const std::array<double, 3> x = {c.r, c.g, c.b};
  const auto top = static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  const double high = x[top], low = *std::min_element(x.begin(), x.end());
  if (high == low) return {0, 0, static_cast<float>(high)};
  const double sextant = 2.0 * static_cast<double>(top) + (x[(top + 1) % 3] - x[(top + 2) % 3]) / (high - low);
  return {static_cast<float>((sextant < 0 ? sextant + 6 : sextant) / 6), static_cast<float>((high - low) / high),
          static_cast<float>(high)};
}
double channel_of_hsv(double n, double h, double s, double v) {
  const double k = std::fmod(n + h * 6, 6);
  return v - v * s * std::max(0.0, std::min({k, 4 - k, 1.0}));
}

}  // namespace

void add_colours(Table& table) {
  table.begin_kind("Colours");

  table.add(
      "rgb_to_yuv_bt2020", "Yuv(Rgb)", R"(
struct Rgb { float r, g, b; };
struct Yuv { float y, u, v; };
__device__ Yuv to_yuv(Rgb c) {
  const float y = 0.2627f * c.r + 0.6780f * c.g + 0.0593f * c.b;
  return {y, (c.b - y) / 1.8814f, (c.r - y) / 1.4746f};
})",
      from(vectors<Rgb>(0, 1)), [](Rgb c) { return rgb_of(bt2020() * vector_of(c)); }, within(0, 1e-6));

  table.add(
      "yuv_bt2020_to_rgb", "Rgb(Rgb)", R"(
struct Rgb { float r, g, b; };
__device__ Rgb from_yuv(Rgb yuv) {
  const float y = yuv.r, u = yuv.g, v = yuv.b;
  const float r = y + 1.4746f * v, b = y + 1.8814f * u;
  return Rgb{r, (y - 0.2627f * r - 0.0593f * b) / 0.6780f, b};
})",
      from(vectors<Rgb>(-0.5, 0.5)), [](Rgb yuv) { return rgb_of(bt2020().inverse() * vector_of(yuv)); },
      within(0, 2e-6));

  table.add("rgb_to_hsv", "float3(float3)", R"(
__device__ float3 rgb_to_hsv(float3 c) {
  const float v = fmaxf(c.x, fmaxf(c.y, c.z)), chroma = v - fminf(c.x, fminf(c.y, c.z));
  float h = 0;
  if (chroma > 0) {
    if (v == c.x) h = (c.y - c.z) / chroma;
    else if (v == c.y) h = 2 + (c.z - c.x) / chroma;
    else h = 4 + (c.x - c.y) / chroma;
    if (h < 0) h += 6;
  }
  return make_float3(h / 6, v > 0 ? chroma / v : 0, v);
})",
            from(vectors<Rgb>(0.01, 1)), hue_saturation_value, within(0, 4e-6));

  table.add(
      "hsv_to_rgb", "float3(float3)", R"(
__device__ float3 hsv_to_rgb(float3 hsv) {
  const float sextant = hsv.x * 6, f = sextant - floorf(sextant);
  const float v = hsv.z, p = v * (1 - hsv.y), q = v * (1 - hsv.y * f), t = v * (1 - hsv.y * (1 - f));
  switch (static_cast<int>(sextant)) {
    case 0: return {v, t, p};
    case 1: return {q, v, p};
    case 2: return {p, v, t};
    case 3: return {p, q, v};
    case 4: return {t, p, v};
    default: return {v, p, q};
  }
})",
      from(vectors<Rgb>(0, 0.999)),
      [](Rgb c) {
        return Rgb{static_cast<float>(channel_of_hsv(5, c.r, c.g, c.b)),
                   static_cast<float>(channel_of_hsv(3, c.r, c.g, c.b)),
                   static_cast<float>(channel_of_hsv(1, c.r, c.g, c.b))};
      },
      within(0, 4e-6));

  table.add("lightness_of_hsl", "float(float3)", R"(
__device__ float lightness(float3 c) {
  const float high = max(max(c.x, c.y), c.z), low = min(min(c.x, c.y), c.z);
  return 0.5f * (high + low);
})",
            from(vectors<Rgb>(0, 1)), [](Rgb c) {
              std::array<float, 3> x = {c.r, c.g, c.b};
              std::sort(x.begin(), x.end());
              return (x[0] + x[2]) / 2;
            });

  table
      .add(
          "reinhard", "float(float, const float&)", R"(
__device__ float reinhard(float luminance, const float& white) {
  return luminance * (1.0f + luminance / (white * white)) / (1.0f + luminance);
})",
          from(reals(0, 50)), [](double l) { return static_cast<float>((l + l * l / 16) / (1 + l)); }, within(1e-6))
      .state(4.0f);

  table
      .add(
          "filmic_curve", "float3(float3)", R"(
namespace filmic {
constexpr float a = 2.51f, b = 0.03f, c = 2.43f, d = 0.59f, e = 0.14f;
__device__ float channel(float x) { return __saturatef((x * (a * x + b)) / (x * (c * x + d) + e)); }
}
__device__ float3 tone_map(float3 x) {
  return make_float3(filmic::channel(x.x), filmic::channel(x.y), filmic::channel(x.z));
})",
          from(vectors<Rgb>(0, 4)),
          [](Rgb c) {
            const Eigen::Array3d x = vector_of(c).array();
            const Eigen::Array3d y = (2.51 * x.square() + 0.03 * x) / (2.43 * x.square() + 0.59 * x + 0.14);
            return rgb_of(y.max(0.0).min(1.0).matrix());
          },
          within(2e-6))
      .entry("tone_map");

  table.add(
      "perceptual_quantizer", "float(float)", R"(
// SMPTE ST 2084: from luminance relative to 10,000 cd/m^2 to the signal.
__device__ float pq(float luminance) {
  const float m1 = 2610.0f / 16384, m2 = 2523.0f / 4096 * 128;
  const float c1 = 3424.0f / 4096, c2 = 2413.0f / 4096 * 32, c3 = 2392.0f / 4096 * 32;
  const float p = powf(luminance, m1);
  return powf((c1 + c2 * p) / (1 + c3 * p), m2);
})",
      from(reals(0.0001, 1)),
      [](double l) {
        const double p = std::exp(0.1593017578125 * std::log(l));
        return static_cast<float>(std::exp(78.84375 * std::log((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p))));
      },
      within(5e-5));

  table.add(
      "hybrid_log_gamma", "float(float)", R"(
__device__ float hlg(float e) {
  return e <= 1.0f / 12 ? sqrtf(3 * e) : 0.17883277f * logf(12 * e - 0.28466892f) + 0.55991073f;
})",
      from(reals(0, 1)),
      [](double e) {
        constexpr double a = 0.17883277;
        return static_cast<float>(12 * e <= 1 ? 0.5 * std::sqrt(12 * e)
                                              : 0.5 + a * std::log((12 * e - (1 - 4 * a)) / (4 * a)));
      },
      within(4e-6));

  table.add("pack_rgb565", "unsigned short(uchar3)", R"(
__device__ unsigned short pack565(uchar3 p) {
  return static_cast<unsigned short>((p.x >> 3) << 11 | (p.y >> 2) << 5 | p.z >> 3);
})",
            from(any<Pixel>()),
            [](Pixel p) { return static_cast<std::uint16_t>(p.r / 8 * 2048 + p.g / 4 * 32 + p.b / 8); });

  table.add("unpack_rgb565", "uchar3(unsigned short)", R"(
__device__ uchar3 unpack565(unsigned short p) {
  const unsigned r = p >> 11, g = p >> 5 & 63, b = p & 31;
  return make_uchar3(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2);
})",
            from(any<std::uint16_t>()), [](std::uint16_t p) {
              return Pixel{static_cast<std::uint8_t>(p / 2048 * 33 / 4),
                           static_cast<std::uint8_t>(p / 32 % 64 * 65 / 16),
                           static_cast<std::uint8_t>(p % 32 * 33 / 4)};
            });

  table.add("lossless_ycocg", "YCoCg(uchar3)", R"(
struct YCoCg { short y, co, cg; };
__device__ YCoCg forward(uchar3 p) {
  const int co = p.x - p.z, t = p.z + (co >> 1), cg = p.y - t;
  return {short(t + (cg >> 1)), short(co), short(cg)};
})",
            from(any<Pixel>()), [](Pixel p) {
              const int t = (p.r + p.b) >> 1;
              return YCoCg{static_cast<std::int16_t>((t + p.g) >> 1), static_cast<std::int16_t>(p.r - p.b),
                           static_cast<std::int16_t>(p.g - t)};
            });

  table
      .add("sepia", "uchar3(uchar3)", R"(
__device__ unsigned char limited(int x) { return static_cast<unsigned char>(x > 255 ? 255 : x); }
__device__ uchar3 sepia(uchar3 p) {
  return make_uchar3(limited((393 * p.x + 769 * p.y + 189 * p.z) / 1000),
                     limited((349 * p.x + 686 * p.y + 168 * p.z) / 1000),
                     limited((272 * p.x + 534 * p.y + 131 * p.z) / 1000));
})",
           from(any<Pixel>()),
           [](Pixel p) {
             Eigen::Matrix3i m;
             m << 393, 769, 189, 349, 686, 168, 272, 534, 131;
             const Eigen::Array3i x = (m * Eigen::Vector3i(p.r, p.g, p.b)).array();
             const auto byte = [&](int k) { return static_cast<std::uint8_t>(std::min(x[k] / 1000, 255)); };
             return Pixel{byte(0), byte(1), byte(2)};
           })
      .entry("sepia");

  table
      .add(
          "over_premultiplied", "float4(float4, float4)", R"(
__device__ float4 operator*(float s, float4 v) { return make_float4(s * v.x, s * v.y, s * v.z, s * v.w); }
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 over(float4 top, float4 bottom) { return top + (1 - top.w) * bottom; })",
          from(vectors<Rgba>(0, 1), vectors<Rgba>(0, 1)),
          [](Rgba top, Rgba bottom) {
            const double rest = 1.0 - top.a;
            const auto mix = [&](float t, float b) { return static_cast<float>(t + rest * b); };
            return Rgba{mix(top.r, bottom.r), mix(top.g, bottom.g), mix(top.b, bottom.b), mix(top.a, bottom.a)};
          },
          within(0, 1e-6))
      .entry("over");

  table
      .add(
          "colour_grade", "void(float, float, float, float&, float&, float&, const Grade&)", R"(
struct Grade { float contrast, saturation, exposure; };
__device__ void grade(float r, float g, float b, float& out_r, float& out_g, float& out_b, const Grade& grade) {
  const float gain = exp2f(grade.exposure);
  r *= gain, g *= gain, b *= gain;
  const float luma = 0.2126f * r + 0.7152f * g + 0.0722f * b;
  auto channel = [&](float x) { return (luma + grade.saturation * (x - luma) - 0.18f) * grade.contrast + 0.18f; };
  out_r = channel(r);
  out_g = channel(g);
  out_b = channel(b);
})",
          from(reals(0, 1), reals(0, 1), reals(0, 1)),
          [](float r, float g, float b) {
            const Eigen::Vector3d x = std::sqrt(2.0) * Eigen::Vector3d(r, g, b);
            const double luma = x.dot(Eigen::Vector3d(0.2126, 0.7152, 0.0722));
            const Eigen::Array3d y = ((1.25 * x.array() - 0.25 * luma) - 0.18) * 1.1 + 0.18;
            return std::tuple(static_cast<float>(y[0]), static_cast<float>(y[1]), static_cast<float>(y[2]));
          },
          within(0, 4e-6))
      .state(Grade{1.1f, 1.25f, 0.5f});

  table.add("gamma_byte", "unsigned char(unsigned char)", R"(
__device__ unsigned char darker(unsigned char x) { return x * x / 255; })",
            from(any<std::uint8_t>()),
            [](std::uint8_t x) { return static_cast<std::uint8_t>(std::floor(std::pow(x / 255.0, 2) * 255 + 1e-9)); });
}

}  // namespace graft::test::table
