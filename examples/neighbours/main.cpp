// Uses a library of nearest neighbours, whose kernel has slots for a metric and for a filter: with the library's own
// metric and with one that was compiled with this program, which need no compiler here, and with a text.
//
// On a machine with a GPU, the results are compared with those of a loop on the CPU; on others, the kernels are built.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>

#include "huber.hpp"  // made by graft_add_callback
#include "nearest.hpp"
#include "support/cuda.hpp"

namespace {

constexpr int kDimensions = 8, kQueries = 500, kPoints = 1000;

struct Case {
  const char* title;
  nearest::Callbacks callbacks;
  nearest::State state;
  std::function<float(float, float)> metric;  // the same on the CPU
  std::function<bool(int)> filter;
  bool needs_compiler;
};

std::vector<Case> cases() {
  const auto square = [](float a, float b) { return (a - b) * (a - b); };
  const auto huber_on_host = [](float a, float b) {
    const float e = std::fabs(a - b);
    return e <= 0.5f ? 0.5f * e * e : 0.5f * (e - 0.25f);
  };
  const auto all = [](int) { return true; };
  struct Huber {
    float delta;
  };
  return {{"the library's metric", {}, {}, square, all, false},
          {"a compiled metric", {.metric = huber()}, nearest::State(Huber{0.5f}), huber_on_host, all, false},
          {"a metric and a filter as text",
           {.metric = "[](float a, float b) { return fabsf(a - b); }", .filter = "[](int p) { return p % 3 == 0; }"},
           {},
           [](float a, float b) { return std::fabs(a - b); },
           [](int point) { return point % 3 == 0; },
           true}};
}

std::vector<float> random_numbers(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> numbers(-2, 2);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = numbers(generator);
  return values;
}

float distance(const Case& one, const float* query, const float* point) {
  float sum = 0;
  for (int d = 0; d < kDimensions; ++d) sum += one.metric(query[d], point[d]);
  return sum;
}

// Whether the found points are as near as those that a loop finds. Rounding may exchange points of equal distance.
bool is_right(const Case& one, const std::vector<float>& queries, const std::vector<float>& points,
              const std::vector<int>& found) {
  for (int q = 0; q < kQueries; ++q) {
    const float* const query = queries.data() + q * kDimensions;
    float best = 3.0e38f;
    for (int p = 0; p < kPoints; ++p)
      if (one.filter(p)) best = std::min(best, distance(one, query, points.data() + p * kDimensions));
    const int place = found[static_cast<std::size_t>(q)];
    if (place < 0 || !one.filter(place)) return false;
    if (!(distance(one, query, points.data() + place * kDimensions) <= best * 1.00001f)) return false;
  }
  return true;
}

// Throws if the kernel was not made as the case says.
void show(const Case& one, const graft::Report& report) {
  const bool used_compiler = std::ranges::any_of(
      report.versions, [](const graft::ToolVersion& tool) { return tool.tool == "NVRTC" && !tool.version.empty(); });
  fmt::print("{}: {} registers, {}, {}\n", one.title, report.resources.registers,
             report.inlined() ? "inlined" : "not inlined", used_compiler ? "compiled here" : "without a compiler");
  for (const graft::Report::Slot& slot : report.slots)
    fmt::print("  {}: {}{}{}\n", slot.declaration, slot.callback, slot.callback.empty() ? "" : ", ", slot.how);
  if (used_compiler != one.needs_compiler || !report.inlined()) throw std::runtime_error("not as expected");
}

void run_on_gpu(const Case& one) {
  const nearest::Finder finder(kDimensions, one.callbacks);
  show(one, finder.report());
  const std::vector<float> queries = random_numbers(kQueries * kDimensions, 1),
                           points = random_numbers(kPoints * kDimensions, 2);
  const examples::DeviceBuffer<float> device_queries(queries), device_points(points);
  const examples::DeviceBuffer<int> found(std::vector<int>(kQueries, -1));
  finder.find(nullptr, device_queries.data(), kQueries, device_points.data(), kPoints, found.data(), one.state);
  if (!is_right(one, queries, points, examples::on_host(found))) throw std::runtime_error("wrong neighbours");
  fmt::print("  the neighbours are right\n");
}

}  // namespace

int main() {
  try {
    const bool has_gpu = examples::use_gpu();
    if (!has_gpu) fmt::print("No GPU: the kernels are built for sm_90 and not run.\n");
    for (const Case& one : cases())
      if (has_gpu) run_on_gpu(one);
      else show(one, nearest::build(kDimensions, one.callbacks, 90).report());
  } catch (const std::exception& error) {
    fmt::print(stderr, "neighbours: {}\n", error.what());
    return 1;
  }
}
