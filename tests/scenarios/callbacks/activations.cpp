// Activation functions of neural networks, and the derivatives that training needs. The references compute in double.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
// The derivative of f at x by a central difference in double.
template <class F>
float derivative(F f, double x) {
  constexpr double step = 1e-5;
  return static_cast<float>((f(x + step) - f(x - step)) / (2 * step));
}

struct Steepness {
  float beta, linear_above;
};
struct Limits {
  float low, high, value;
};

}  // namespace

void add_activations(Table& table) {
  table.begin_kind("Activations");

  table.add("relu6", "float(float)", "__device__ float relu6(float x) { return fminf(fmaxf(x, 0.0f), 6.0f); }",
            from(reals(-10, 10)), [](float x) { return std::clamp(x, 0.0f, 6.0f); });

  table.add(
      "hard_sigmoid", "float(float)", R"(
__device__ float hard_sigmoid(float x) { return __saturatef(x / 6 + 0.5f); })",
      from(reals(-5, 5)), [](double x) { return static_cast<float>(std::clamp((x + 3) / 6, 0.0, 1.0)); }, within(1e-6));

  table.add(
      "hard_swish", "float(float)", R"(
__device__ float hard_swish(float x) {
  const float gate = x + 3.0f;
  return x * (gate <= 0.0f ? 0.0f : gate >= 6.0f ? 6.0f : gate) * (1.0f / 6.0f);
})",
      from(reals(-6, 6)), [](double x) { return static_cast<float>(std::clamp((x + 3) / 6, 0.0, 1.0) * x); },
      within(1e-6));

  table.add(
      "mish", "float(float)", R"(
__device__ float mish(float x) {
  if (x > 20.0f) return x;
  const float e = expf(x), n = e * (e + 2.0f);
  return x * n / (n + 2.0f);
})",
      from(reals(-15, 25)), [](double x) { return static_cast<float>(x * std::tanh(std::log1p(std::exp(x)))); },
      within(4e-6));

  table.add(
      "selu", "float(float)", R"(
#define SELU_ALPHA 1.6732632423543772f
#define SELU_SCALE 1.0507009873554805f
__device__ float selu(float x) { return SELU_SCALE * (x > 0 ? x : SELU_ALPHA * expm1f(x)); })",
      from(reals(-8, 8)),
      [](double x) {
        return static_cast<float>(1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * (std::exp(x) - 1)));
      },
      within(2e-6));

  table
      .add(
          "celu", "float(float, const float&)", R"(
__device__ float celu(float x, const float& alpha) {
  return max(0.0f, x) + min(0.0f, alpha * (exp(x / alpha) - 1.0f));
})",
          from(reals(-9, 9)), [](double x) { return static_cast<float>(x > 0 ? x : 1.5 * std::expm1(x / 1.5)); },
          within(2e-6))
      .state(1.5f);

  table.add(
      "softsign", "float(float)", "__device__ float softsign(float x) { return x / (1.0f + fabsf(x)); }",
      from(reals(-100, 100)), [](double x) { return static_cast<float>(x < 0 ? x / (1 - x) : x / (1 + x)); },
      within(1e-6));

  table.add(
      "tanh_shrink", "double(double)", "__device__ double tanh_shrink(double x) { return x - tanh(x); }",
      from(doubles(-4, 4)), [](double x) { return x - (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1); }, within(1e-13));

  table
      .add("soft_shrink", "float(float, const float&)", R"(
__device__ float soft_shrink(float x, const float& lambda) {
  return copysignf(fdimf(fabsf(x), lambda), x);
})",
           from(reals(-2, 2)), [](float x) { return std::copysign(std::max(std::fabs(x) - 0.5f, 0.0f), x); })
      .state(0.5f);

  table
      .add("hard_shrink", "float(float, const float&)", R"(
__device__ float hard_shrink(float x, const float& lambda) { return (x > lambda || x < -lambda) ? x : 0.0f; })",
           from(reals(-2, 2)), [](float x) { return std::fabs(x) > 0.75f ? x : 0.0f; })
      .state(0.75f);

  table
      .add("threshold_clip", "float(float, const Limits&)", R"(
struct Limits { float low, high, value; };
__device__ float threshold_clip(float x, const Limits& l) {
  if (x <= l.low) return l.value;
  return x < l.high ? x : l.high;
})",
           from(reals(-2, 2)), [](float x) { return x > -1 ? std::min(x, 1.25f) : -7.0f; })
      .state(Limits{-1, 1.25f, -7});

  table.add(
      "log_sigmoid", "float(float)", R"(
__device__ float log_sigmoid(float x) { return fminf(x, 0.0f) - log1pf(expf(-fabsf(x))); })",
      from(reals(-80, 80)), [](double x) { return static_cast<float>(-std::log1p(std::exp(-x))); }, within(2e-6));

  table.add(
      "quick_gelu", "float(float)", R"(
__device__ float quick_gelu(float x) { return x / (1.0f + __expf(-1.702f * x)); })",
      from(reals(-6, 6)), [](double x) { return static_cast<float>(x * sigmoid(1.702 * x)); }, within(1e-5));

  table
      .add(
          "sharp_softplus", "float(float, const Steepness&)", R"(
struct Steepness { float beta, linear_above; };
__device__ float sharp_softplus(float x, const Steepness& s) {
  const float scaled = s.beta * x;
  return scaled > s.linear_above ? x : log1p(exp(scaled)) / s.beta;
})",
          from(reals(-4, 12)), [](double x) { return static_cast<float>(std::log(1 + std::exp(2.5 * x)) / 2.5); },
          within(3e-6))
      .state(Steepness{2.5f, 20});

  table
      .add(
          "swiglu", "float(float, float)", R"(
__device__ float swish(float x) { return x / (1.0f + expf(-x)); }
__device__ float swiglu(float gate, float value) { return swish(gate) * value; })",
          from(reals(-10, 10), reals(-3, 3)),
          [](double gate, double value) { return static_cast<float>(gate * sigmoid(gate) * value); }, within(4e-6))
      .entry("swiglu");

  table.add(
      "geglu", "float(float, float)", R"(
__device__ float geglu(float x, float y) { return y * x * normcdff(x); })",
      from(reals(-5, 5), reals(-3, 3)),
      [](double x, double y) { return static_cast<float>(y * x * 0.5 * std::erfc(-x / std::numbers::sqrt2)); },
      within(4e-6));

  table.add(
      "silu_backward", "float(float, float)", R"(
__device__ float silu_backward(float gradient, float x) {
  const float s = 1.0f / (1.0f + expf(-x));
  return gradient * s * (1.0f + x * (1.0f - s));
})",
      from(reals(-2, 2), reals(-8, 8)),
      [](float gradient, double x) { return gradient * derivative([](double t) { return t * sigmoid(t); }, x); },
      within(5e-6));

  table.add(
      "gelu_backward", "float(float, float)", R"(
__device__ float gelu_backward(float gradient, float x) {
  const float cdf = 0.5f * erfcf(-x * 0.70710678f), pdf = 0.39894228f * expf(-0.5f * x * x);
  return gradient * fmaf(x, pdf, cdf);
})",
      from(reals(-2, 2), reals(-5, 5)),
      [](float gradient, double x) {
        return gradient * derivative([](double t) { return t * 0.5 * std::erfc(-t / std::numbers::sqrt2); }, x);
      },
      within(5e-6));

  table.add(
      "mish_backward", "float(float, float)", R"(
__device__ float mish_backward(float gradient, float x) {
  const float t = tanhf(log1pf(expf(x)));
  const float s = 1.0f / (1.0f + expf(-x));
  return gradient * (t + x * s * (1.0f - t * t));
})",
      from(reals(-2, 2), reals(-8, 8)),
      [](float gradient, double x) {
        return gradient * derivative([](double t) { return t * std::tanh(std::log1p(std::exp(t))); }, x);
      },
      within(5e-6));

  table.add(
      "tanh_backward_from_output", "float(float, float)", R"(
__device__ float tanh_backward(float gradient, float y) { return gradient * (1.0f - y) * (1.0f + y); })",
      from(reals(-2, 2), reals(-1, 1)),
      [](double gradient, double y) { return static_cast<float>(gradient * (1 - y * y)); }, within(1e-6));

  table.add("squared_relu_with_gradient", "void(float, float&, float&)", R"(
__device__ void squared_relu(float x, float& y, float& dy) {
  const float r = x > 0 ? x : 0;
  y = r * r;
  dy = 2 * r;
})",
            from(reals(-3, 3)), [](float x) { return x > 0 ? std::tuple(x * x, x + x) : std::tuple(0.0f, 0.0f); });
}

}  // namespace graft::test::table
