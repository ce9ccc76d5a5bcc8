// Measures how much slower a kernel is that calls its callback instead of inlining it. Callbacks with few to many
// instructions run over 2 GiB of floats, on every route. They also run in a kernel that calls its callback through a
// pointer, which was the only way before link-time optimisation (legacy_kernel.hpp).
//
// Each round runs each contender of one callback once, in a new random order, with two sets of arrays in turn. Before
// anything is timed, samples of every result are compared with references in double precision.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "legacy_kernel.hpp"
#include "main.hpp"
#include "record.hpp"
#include "reference.hpp"
#include "route_callbacks.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kCount = std::size_t{1} << 29;
constexpr int kSets = 2;
constexpr int kWarmupRounds = 2;
constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

// References in double precision, in the order of route_callbacks.hpp.
double repeated(double x, int times) {
  for (int i = 0; i < times; ++i) x = 0.99f * x + 0.01f;
  return x;
}
double divergent(double x) {
  const int turns = static_cast<int>(std::fabs(static_cast<float>(x)) * 16.0f);
  for (int i = 0; i < turns; ++i) x = 0.5 * x + 1 / (1 + x * x);
  return x;
}
double polynomial(double x) {
  double sum = 0;
  for (int power = 6; power > 0; --power) sum = x * (sum + std::pow(0.5, power));
  return 1 + sum;
}
using Function = double (*)(double);
struct Reference {
  Function value;
  // The permitted error, relative to the result, or absolute for results below 1. The default covers the errors of
  // single precision and of CUDA's functions.
  double tolerance = 4e-6;
};
constexpr std::array<Reference, kLegacyCallbacks> kReferences = {{
    {[](double x) { return x > 0 ? x : 0; }},
    {[](double x) { return 2.5 * x + 1; }},
    {polynomial},
    {[](double x) { return 1 / (1 + std::exp(-x)); }},
    {[](double x) { return std::log1p(std::exp(x)); }},
    {[](double x) { return 0.5 * x * (1 + std::erf(x * 0.70710678118654752)); }},
    {[](double x) { return std::sin(x) * std::cos(3.0 * x); }},
    {[](double x) { return std::pow(std::fabs(x), static_cast<double>(1.7f)); }},
    {[](double x) { return repeated(x, 64); }, 64 * 0x1p-23},  // each of the 64 operations rounds
    {[](double x) { return repeated(x, 256); }, 256 * 0x1p-23},
    {divergent, 32 * 0x1p-23},
}};

struct Callback {
  const char* name;
  const char* source;
};
#define ENTRY(name, ...) {#name, #__VA_ARGS__},
constexpr std::array kCallbacks = std::to_array<Callback>({GRAFT_BENCH_CALLBACKS(ENTRY)});
static_assert(kCallbacks.size() == kReferences.size());

struct Set {
  DeviceBytes in = allocate(kCount * sizeof(float));
  DeviceBytes out = allocate(kCount * sizeof(float));
};

// One contender: a way to compute a callback over arrays.
struct Way {
  std::string name;
  std::function<void(cudaStream_t, const Set&)> run;
  nlohmann::json about = {};
  std::vector<double> milliseconds = {};
};

float* floats(const DeviceBytes& memory) {
  return static_cast<float*>(memory.get());
}

Way by_route(const Callback& callback, Route route) {
  Options options;
  options.routes.required = route;
  const Transform transform = Transform::create(callback.source, options);
  const Report& report = transform.report();
  return {std::string(name(route)),
          [transform](cudaStream_t stream, const Set& set) {
            transform.execute(stream, DeviceArray<float>{floats(set.in), kCount},
                              DeviceArray<float>{floats(set.out), kCount});
          },
          {{"registers", report.resources.registers},
           {"local_bytes", report.resources.local_bytes},
           {"body", static_cast<Body>(report.kernel.tuning["body"]) == Body::Vector ? "vector" : "rolled"},
           {"vectors_per_thread", report.kernel.tuning["vectors_per_thread"]}}};
}

std::vector<Way> ways_of(std::size_t which) {
  std::vector<Way> ways;
  for (const Route route : kRoutes) ways.push_back(by_route(kCallbacks[which], route));
  const LegacyCallback pointer = legacy_callback(which);
  ways.push_back({"legacy", [pointer](cudaStream_t stream, const Set& set) {
                    launch_legacy(stream, floats(set.in), floats(set.out), kCount, pointer);
                  }});
  return ways;
}

// Compares every 509th element of the result with the reference.
void verify(const Way& way, std::size_t which, const Set& set) {
  constexpr std::size_t kStride = 509;
  constexpr std::size_t kSamples = kCount / kStride;
  check(cudaMemset(set.out.get(), 0xff, kCount * sizeof(float)));
  way.run(nullptr, set);
  const auto sampled = [&](const DeviceBytes& memory) {
    std::vector<float> values(kSamples);
    check(cudaMemcpy2D(values.data(), sizeof(float), memory.get(), kStride * sizeof(float), sizeof(float), kSamples,
                       cudaMemcpyDeviceToHost));
    return values;
  };
  const std::vector<float> in = sampled(set.in);
  const std::vector<float> out = sampled(set.out);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const double expected = kReferences[which].value(in[i]);
    const double tolerance = kReferences[which].tolerance * std::max(1.0, std::fabs(expected));
    if (!(std::fabs(expected - static_cast<double>(out[i])) <= tolerance))
      throw std::runtime_error(fmt::format("{} by {}: f({}) is {}, but the kernel computed {}", kCallbacks[which].name,
                                           way.name, in[i], expected, out[i]));
  }
}

void measure(std::vector<Way>& ways, const std::array<Set, kSets>& sets, int samples) {
  const Stream stream = make_stream();
  const Event begin = make_event();
  const Event end = make_event();
  std::mt19937 random(std::random_device{}());
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::vector<Way*> order;
    for (Way& way : ways) order.push_back(&way);
    std::shuffle(order.begin(), order.end(), random);
    for (Way* const way : order) {
      check(cudaEventRecord(begin.get(), stream.get()));
      way->run(stream.get(), sets[static_cast<std::size_t>(round + kWarmupRounds) % kSets]);
      check(cudaEventRecord(end.get(), stream.get()));
      check(cudaEventSynchronize(end.get()));
      float elapsed = 0;
      check(cudaEventElapsedTime(&elapsed, begin.get(), end.get()));
      if (round >= 0) way->milliseconds.push_back(static_cast<double>(elapsed));
    }
  }
}

// Prints one line for a callback: each contender's median, and its ratio to the time of the inlined callback (route
// lto). Returns the same figures for the record.
nlohmann::json print_and_record(const Callback& callback, const std::vector<Way>& ways) {
  nlohmann::json row = {{"name", callback.name}, {"source", callback.source}};
  const double inlined = summarize(ways.front().milliseconds).median;
  std::string ratios;
  fmt::print("{:<12}", callback.name);
  for (const Way& way : ways) {
    const Summary summary = summarize(way.milliseconds);
    fmt::print("{:>10.3f}", summary.median);
    ratios += fmt::format("{:>9.2f}", summary.median / inlined);
    row["ways"][way.name] = {{"median_ms", summary.median},
                             {"min_ms", summary.min},
                             {"max_ms", summary.max},
                             {"ratio_to_lto", summary.median / inlined},
                             {"kernel", way.about}};
  }
  fmt::print("   {}\n", ratios);
  return row;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const std::array<Set, kSets> sets;
  for (unsigned i = 0; i < kSets; ++i) fill_floats(nullptr, floats(sets[i].in), kCount, i);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "routes";
  record["elements"] = kCount;
  fmt::print("{:<12}{:>10}{:>10}{:>10}{:>10}{:>10}   ms; then the ratio to lto\n", "callback", "lto", "program", "ptx",
             "indirect", "legacy");
  for (std::size_t which = 0; which < kCallbacks.size(); ++which) {
    std::vector<Way> ways = ways_of(which);
    for (const Way& way : ways)
      for (const Set& set : sets) verify(way, which, set);
    measure(ways, sets, arguments.samples);
    record["callbacks"].push_back(print_and_record(kCallbacks[which], ways));
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "routes", 21));
  return 0;
}

}  // namespace graft::bench
