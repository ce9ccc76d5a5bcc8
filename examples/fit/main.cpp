// Fits curves with models that are typed, with one of graft's ready-made callbacks, and with mistakes. On a machine
// with a GPU, the parameters that it finds are compared with those of which the curves were made.
#include "fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

#include "support/cuda.hpp"

namespace {

constexpr int kCurves = 1000, kPoints = 64;

struct Case {
  std::string title;
  fit::Model model;
  std::function<float(float, const fit::Parameters&)> on_host;
};

std::vector<Case> cases() {
  const auto decay = [](float x, const fit::Parameters& p) { return p.a * std::exp(-p.b * x) + p.c; };
  return {{"a * exp(-b * x) + c", fit::Model::typed("a * exp(-b * x) + c"), decay},
          {"a / (1 + b * x * x) + c", fit::Model::typed("a / (1 + b * x * x) + c"),
           [](float x, const fit::Parameters& p) { return p.a / (1 + p.b * x * x) + p.c; }},
          {"graft::callbacks::decay", fit::Model::of(graft::Callback::ready_made("decay<float>")), decay}};
}

// The parameters of a curve: from 1 to 2, 0.5 to 1.5 and 0 to 1.
fit::Parameters parameters_of(int curve) {
  const float t = static_cast<float>(curve) / kCurves;
  return {1 + t, 0.5f + std::fmod(7 * t, 1.0f), std::fmod(3 * t, 1.0f)};
}

bool is_near(float a, float b) {
  return std::fabs(a - b) <= 0.01f;
}

void run_on_gpu(const Case& one) {
  std::vector<float> x(kPoints), y;
  for (int i = 0; i < kPoints; ++i) x[static_cast<std::size_t>(i)] = 4.0f * static_cast<float>(i) / kPoints;
  for (int curve = 0; curve < kCurves; ++curve)
    for (const float at : x) y.push_back(one.on_host(at, parameters_of(curve)));
  const examples::DeviceBuffer<float> device_x(x), device_y(y);
  const examples::DeviceBuffer<fit::Parameters> parameters(std::vector<fit::Parameters>(kCurves, {1.5f, 1.0f, 0.3f}));
  const fit::Fitter fitter(one.model);
  fitter.run(nullptr, device_x.data(), device_y.data(), kPoints, kCurves, parameters.data());
  const std::vector<fit::Parameters> found = examples::on_host(parameters);
  for (int curve = 0; curve < kCurves; ++curve) {
    const fit::Parameters &wanted = parameters_of(curve), &is = found[static_cast<std::size_t>(curve)];
    if (!is_near(is.a, wanted.a) || !is_near(is.b, wanted.b) || !is_near(is.c, wanted.c))
      throw std::runtime_error(fmt::format("curve {}: found {} {} {}, made of {} {} {}", curve, is.a, is.b, is.c,
                                           wanted.a, wanted.b, wanted.c));
  }
  fmt::print("{}: {} curves fitted, {} registers\n", one.title, kCurves, fitter.report().resources.registers);
}

void build_without_gpu(const Case& one) {
  const graft::Image image = fit::build(one.model, 90);
  fmt::print("{}: {} registers on sm_90, {}\n", one.title, image.report().resources.registers,
             image.report().slots.front().how);
}

// What a user reads who makes a mistake.
void show_mistake(const std::string& formula) {
  try {
    fit::build(fit::Model::typed(formula), 90);
  } catch (const graft::Error& error) {
    const std::string place = error.diagnostics().empty() ? error.message() : error.diagnostics().front().text;
    fmt::print("{}: {}\n", formula, place);
    return;
  }
  throw std::runtime_error(formula + " was accepted");
}

}  // namespace

int main() {
  try {
    const bool has_gpu = examples::use_gpu();
    if (!has_gpu) fmt::print("No GPU: the kernels are built for sm_90 and not run.\n");
    for (const Case& one : cases())
      if (has_gpu) run_on_gpu(one);
      else build_without_gpu(one);
    for (const char* const formula : {"a * exp(-d * x)", "a; } __device__ int x() { return 0", "asm(\"trap;\")"})
      show_mistake(formula);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fit: {}\n", error.what());
    return 1;
  }
}
