// Measures two kinds of callbacks that structures of arrays need, in GB/s of bytes read and written:
//
//     nstream    a[i] += b[i] + 0.4f * c[i], where `a` is a graft::InOut parameter
//     lattice    12 inputs and 6 outputs of floats
//
// graft is compared with kernels written by hand, and with cudaMemcpyAsync, which moves the same number of bytes. The
// contenders take turns in a random order in each round, and the results are medians over the rounds. Each result is
// compared with a computation on the host.
#include "main.hpp"
#include "update_kernels.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <vector>

#include "cuda_check.hpp"
#include "record.hpp"
#include "spread.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kCounts[] = {std::size_t{1} << 22, std::size_t{1} << 24, std::size_t{1} << 26};
constexpr int kArrays = kLatticeInputs + kLatticeOutputs;
constexpr int kLaunchesPerSample = 4;
constexpr int kWarmupRounds = 3;
constexpr std::size_t kChecked = 100'000;  // elements of each output that are compared
constexpr double kInOutGoal = 0.99;        // of the hand-written nstream kernel's speed
constexpr double kLatticeGoal = 0.95;      // of the copy's speed

// 18 arrays of floats, one behind the other.
class Arrays {
 public:
  explicit Arrays(std::size_t count) : count_(count), memory_(allocate(kArrays * count * sizeof(float))) {}
  std::size_t count() const { return count_; }
  float* at(std::size_t k) const { return static_cast<float*>(memory_.get()) + k * count_; }
  DeviceArray<float> array(std::size_t k) const { return {at(k), count_}; }

  // Fills all arrays with numbers in (0.5, 2) that repeat after kChecked elements.
  void fill() const {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> numbers(0.5f, 2.0f);
    for (std::size_t k = 0; k < kArrays; ++k) {
      std::vector<float> values(kChecked);
      for (float& value : values) value = numbers(random);
      for (std::size_t i = 0; i < count_; i += kChecked)
        check(cudaMemcpy(at(k) + i, values.data(), std::min(kChecked, count_ - i) * sizeof(float),
                         cudaMemcpyHostToDevice));
    }
  }
  // Returns the last kChecked elements of an array.
  std::vector<float> tail(std::size_t k) const {
    std::vector<float> values(kChecked);
    check(cudaMemcpy(values.data(), at(k) + count_ - kChecked, kChecked * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  DeviceBytes memory_;
};

struct Way {
  std::string name;
  std::function<void(cudaStream_t)> launch;
  std::vector<double> milliseconds = {};
};

struct Case {
  std::string name;
  std::size_t bytes_per_element;
  std::string goal_against;
  double goal;
  std::vector<Way> ways;  // graft's first, then the hand-written kernel, then the copy
  // Computes element i of each output from the elements of all arrays, and returns the index of its array.
  std::function<void(const std::vector<std::vector<float>>&, std::size_t, std::vector<double>&)> expected;
  std::vector<std::size_t> outputs;
};

Way copy_of(const Arrays& arrays, std::size_t bytes) {
  return {"copy", [&arrays, bytes](cudaStream_t stream) {
            check(cudaMemcpyAsync(arrays.at(kArrays / 2), arrays.at(0), bytes / 2, cudaMemcpyDeviceToDevice, stream));
          }};
}

Case nstream(const Arrays& arrays) {
  const Transform transform = Transform::create(
      "__device__ void nstream(graft::InOut<float> a, float b, float c, const float& scalar) { a += b + scalar * c; }");
  constexpr std::size_t bytes = 4 * sizeof(float);
  return {"nstream",
          bytes,
          "by hand",
          kInOutGoal,
          {{"graft",
            [&arrays, transform](cudaStream_t stream) {
              transform.execute(stream, inputs(arrays.array(1), arrays.array(2)), arrays.array(0), 0.4f);
            }},
           {"by hand",
            [&arrays](cudaStream_t stream) {
              launch_nstream(stream, arrays.at(0), arrays.at(1), arrays.at(2), 0.4f, arrays.count());
            }},
           copy_of(arrays, bytes * arrays.count())},
          [](const std::vector<std::vector<float>>& in, std::size_t i, std::vector<double>& out) {
            out = {static_cast<double>(in[0][i]) + in[1][i] + static_cast<double>(0.4f) * in[2][i]};
          },
          {0}};
}

constexpr const char* kLattice =
    "__device__ void lattice(float a, float b, float c, float d, float e, float f, float g, float h, float i, float "
    "j,\n"
    "                        float k, float l, float& m, float& n, float& o, float& p, float& q, float& r) {\n"
    "  m = a + 0.4f * b; n = c + 0.4f * d; o = e + 0.4f * f;\n"
    "  p = g + 0.4f * h; q = i + 0.4f * j; r = k + 0.4f * l;\n"
    "}\n";

Case lattice(const Arrays& arrays) {
  const Transform transform = Transform::create(kLattice);
  constexpr std::size_t bytes = kArrays * sizeof(float);
  LatticeArrays pointers = {};
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < kLatticeInputs; ++k) pointers.in[k] = arrays.at(k);
  for (std::size_t k = 0; k < kLatticeOutputs; ++k) {
    pointers.out[k] = arrays.at(kLatticeInputs + k);
    places.push_back(kLatticeInputs + k);
  }
  const auto refs = [&arrays](std::size_t begin, std::size_t end) {
    std::vector<ArrayRef> list;
    for (std::size_t k = begin; k < end; ++k) list.emplace_back(arrays.at(k), arrays.count(), element_type<float>());
    return list;
  };
  return {"lattice",
          bytes,
          "copy",
          kLatticeGoal,
          {{"graft", [transform, in = refs(0, kLatticeInputs), out = refs(kLatticeInputs, kArrays)](
                         cudaStream_t stream) { transform.execute(stream, in, out); }},
           {"by hand", [&arrays, pointers](cudaStream_t stream) { launch_lattice(stream, pointers, arrays.count()); }},
           copy_of(arrays, bytes * arrays.count())},
          [](const std::vector<std::vector<float>>& in, std::size_t i, std::vector<double>& out) {
            out.clear();
            for (std::size_t k = 0; k < kLatticeOutputs; ++k)
              out.push_back(in[2 * k][i] + static_cast<double>(0.4f) * in[2 * k + 1][i]);
          },
          std::move(places)};
}

// Checks one launch of graft's kernel and one of the hand-written kernel.
void verify(const Case& one, const Arrays& arrays, cudaStream_t stream) {
  for (const Way& way : one.ways) {
    if (way.name == "copy") continue;
    arrays.fill();
    std::vector<std::vector<float>> before;
    for (std::size_t k = 0; k < kArrays; ++k) before.push_back(arrays.tail(k));
    check(cudaDeviceSynchronize());  // the copies run on the default stream, for which `stream` does not wait
    way.launch(stream);
    check(cudaStreamSynchronize(stream));
    std::vector<std::vector<float>> made;
    for (const std::size_t k : one.outputs) made.push_back(arrays.tail(k));
    std::vector<double> expected;
    for (std::size_t i = 0; i < kChecked; ++i) {
      one.expected(before, i, expected);
      for (std::size_t k = 0; k < made.size(); ++k)
        if (!(std::abs(made[k][i] - expected[k]) <= 1e-6 * std::abs(expected[k])))  // a NaN is wrong, too
          throw std::runtime_error(fmt::format("{}, {}: output {} of element {} is {}, not {}", one.name, way.name, k,
                                               i, made[k][i], expected[k]));
    }
  }
}

void measure(Case& one, cudaStream_t stream, int samples) {
  const Event begin = make_event(), end = make_event();
  std::mt19937 random(std::random_device{}());
  std::vector<Way*> order;
  for (Way& way : one.ways) order.push_back(&way);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Way* way : order) {
      check(cudaEventRecord(begin.get(), stream));
      for (int i = 0; i < kLaunchesPerSample; ++i) way->launch(stream);
      check(cudaEventRecord(end.get(), stream));
      check(cudaEventSynchronize(end.get()));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
      if (round >= 0) way->milliseconds.push_back(static_cast<double>(milliseconds) / kLaunchesPerSample);
    }
  }
}

nlohmann::json print_and_record(const Case& one, std::size_t count) {
  nlohmann::json record = {{"case", one.name}, {"count", count}};
  const double gigabytes = static_cast<double>(one.bytes_per_element * count) * 1e-9;
  double graft = 0, other = 0;
  for (const Way& way : one.ways) {
    const double speed = gigabytes / summarize(way.milliseconds).median * 1000;
    fmt::print("{:<10}{:>12}  {:<10}{:>9.0f} GB/s\n", one.name, count, way.name, speed);
    record["ways"][way.name] = spread(way.milliseconds, "ms");
    record["ways"][way.name]["gigabytes_per_second"] = speed;
    if (way.name == "graft") graft = speed;
    if (way.name == one.goal_against) other = speed;
  }
  record["ratio"] = {{"against", one.goal_against}, {"value", graft / other}, {"goal", one.goal}};
  fmt::print("{:<10}{:>12}  {:.3f} of {}, goal {}\n", one.name, count, graft / other, one.goal_against, one.goal);
  return record;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Stream stream = make_stream();
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "updates";
  record["rounds"] = arguments.samples;
  for (const std::size_t count : kCounts) {
    const Arrays arrays(count);
    for (Case one : {nstream(arrays), lattice(arrays)}) {
      verify(one, arrays, stream.get());
      measure(one, stream.get(), arguments.samples);
      record["cells"].push_back(print_and_record(one, count));
    }
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "updates", 51));
  return 0;
}

}  // namespace graft::bench
