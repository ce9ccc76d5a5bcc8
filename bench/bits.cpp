// Measures kernels with bit arrays (graft::Bit, such as validity masks) against a copy, by the bytes that must move: an
// element of a bit array counts as an eighth of a byte. Where arrays of other elements are read or written too, such a
// kernel should reach at least 0.95 of the copy's speed.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "main.hpp"
#include "record.hpp"
#include "reference.hpp"
#include "spread.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 30;  // of the largest array of a kernel
constexpr double kGoal = 0.95;

// The memory for all kernels, reinterpreted by each. The contents are random.
struct Buffers {
  DeviceBytes x = allocate(kBytes);
  DeviceBytes y = allocate(kBytes);
  DeviceBytes masks[3] = {allocate(kBytes / 8), allocate(kBytes / 8), allocate(kBytes / 8)};
  DeviceBytes counter = allocate(sizeof(std::uint64_t));

  template <class T>
  ArrayRef in(std::size_t count) const {
    return {x.get(), count, element_type<T>()};
  }
  template <class T>
  ArrayRef out(std::size_t count) const {
    return {y.get(), count, element_type<T>()};
  }
  BitArray<std::uint32_t> mask(int i, std::size_t count, std::size_t offset = 0) const {
    return bits(static_cast<std::uint32_t*>(masks[i].get()), offset, count);
  }
};

// A kernel that reads x and a mask, and writes y and a mask.
template <class T>
Way masked(const Buffers& buffers, const std::string& name, const std::string& type, std::size_t offset = 0,
           bool counts = false) {
  const std::size_t count = kBytes / sizeof(T) - 64;
  const Transform transform = Transform::create(
      fmt::format("__device__ graft::Bit f({0} x, graft::Bit is_valid, {0}& y) {{ y = x + x; return is_valid && x > 0; "
                  "}}",
                  type));
  return {name,
          [=, &buffers](cudaStream_t stream) {
            BitArray<std::uint32_t> result = buffers.mask(1, count);
            if (counts) result = result.count_zeros(static_cast<std::uint64_t*>(buffers.counter.get()));
            const ArrayRef in[] = {buffers.in<T>(count), buffers.mask(0, count, offset)};
            const ArrayRef out[] = {result, buffers.out<T>(count)};
            transform.execute(stream, in, out);
          },
          static_cast<double>(count) * (2 * sizeof(T) + 0.25), true};
}

std::vector<Way> ways_of(const Buffers& buffers) {
  const std::size_t floats = kBytes / sizeof(float) - 64;
  const std::size_t bits_only = kBytes - 64;
  const Transform copy = Transform::create("__device__ float copy(float x) { return x; }");
  const Transform predicate = Transform::create("__device__ graft::Bit f(float x) { return x > 0; }");
  const Transform both = Transform::create("__device__ graft::Bit f(graft::Bit a, graft::Bit b) { return a && b; }");
  const Transform select = Transform::create(
      "__device__ graft::Store f(float x, graft::Bit stored, float& y) { y = x; return graft::Store(stored); }");
  std::vector<Way> ways;
  ways.push_back({"copy",
                  [=, &buffers](cudaStream_t stream) {
                    copy.execute(stream, buffers.in<float>(floats), buffers.out<float>(floats));
                  },
                  8.0 * static_cast<double>(floats)});
  ways.push_back(masked<float>(buffers, "f32, mask in and out", "float"));
  ways.push_back(masked<float>(buffers, "f32, mask in at bit 5", "float", 5));
  ways.push_back(masked<float>(buffers, "f32, zeros counted", "float", 0, true));
  ways.push_back(masked<double>(buffers, "f64, mask in and out", "double"));
  ways.push_back(masked<short>(buffers, "i16, mask in and out", "short"));
  ways.push_back(masked<signed char>(buffers, "i8, mask in and out", "signed char"));
  ways.push_back({"f32 to mask",
                  [=, &buffers](cudaStream_t stream) {
                    predicate.execute(stream, buffers.in<float>(floats), ArrayRef(buffers.mask(1, floats)));
                  },
                  4.125 * static_cast<double>(floats), true});
  ways.push_back({"mask and mask",
                  [=, &buffers](cudaStream_t stream) {
                    const ArrayRef in[] = {buffers.mask(0, bits_only), buffers.mask(1, bits_only)};
                    both.execute(stream, in, ArrayRef(buffers.mask(2, bits_only)));
                  },
                  0.375 * static_cast<double>(bits_only)});
  ways.push_back({"f32 stored by mask",
                  [=, &buffers](cudaStream_t stream) {
                    const ArrayRef in[] = {buffers.in<float>(floats), buffers.mask(0, floats)};
                    select.execute(stream, in, buffers.out<float>(floats));
                  },
                  6.125 * static_cast<double>(floats)});
  return ways;
}

// Checks the results of the first masked kernel.
void verify(const Buffers& buffers, Way& way) {
  const std::size_t count = kBytes / sizeof(float) - 64;
  way.run(nullptr);
  std::vector<float> x(count), y(count);
  std::vector<std::uint32_t> in(count / 32), out(count / 32);
  const auto fetch = [](auto& to, const DeviceBytes& from) {
    check(cudaMemcpy(to.data(), from.get(), to.size() * sizeof to[0], cudaMemcpyDeviceToHost));
  };
  fetch(x, buffers.x), fetch(y, buffers.y), fetch(in, buffers.masks[0]), fetch(out, buffers.masks[1]);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_valid = (in[i / 32] >> (i % 32) & 1) != 0 && x[i] > 0;
    if (y[i] != x[i] + x[i] || (out[i / 32] >> (i % 32) & 1) != static_cast<unsigned>(is_valid))
      throw std::runtime_error(fmt::format("{}: element {} is wrong", way.name, i));
  }
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Buffers buffers;
  fill_floats(nullptr, static_cast<float*>(buffers.x.get()), kBytes / sizeof(float), 1);
  unsigned seed = 2;
  for (const DeviceBytes& mask : buffers.masks) {
    // Random words: every bit of a mask is 0 or 1 with equal probability.
    std::mt19937 random(seed++);
    std::vector<std::uint32_t> words(kBytes / 8 / sizeof(std::uint32_t));
    std::ranges::generate(words, std::ref(random));
    check(cudaMemcpy(mask.get(), words.data(), kBytes / 8, cudaMemcpyHostToDevice));
  }
  check(cudaMemset(buffers.counter.get(), 0, sizeof(std::uint64_t)));
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "bits";
  std::vector<Way> ways = ways_of(buffers);
  verify(buffers, ways[1]);
  measure(ways, arguments.samples);
  const double copy = summarize(ways.front().speeds).median;
  for (const Way& way : ways) {
    const double ratio = summarize(way.speeds).median / copy;
    fmt::print("{:<24}{:>8.0f} GB/s   {:.3f} of the copy{}\n", way.name, summarize(way.speeds).median, ratio,
               way.has_goal && ratio < kGoal ? "   below the goal" : "");
    nlohmann::json row = {{"kernel", way.name}, {"speed", spread(way.speeds, "GB/s")}, {"ratio_to_copy", ratio}};
    if (way.has_goal) row["goal"] = {{"ratio_to_copy", kGoal}, {"reached", ratio >= kGoal}};
    record["kernels"].push_back(std::move(row));
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "bits", 21));
  return 0;
}

}  // namespace graft::bench
