// Measures a masked update: `y[i] = x[i]` where a byte of a mask is not zero, with graft::Store, which leaves the other
// elements alone. Compared with a copy; with the same update without graft::Store, which reads the old value of y and
// writes it back; with a kernel written by hand, in which each thread handles one element; and with graft::Store in
// vectors of four elements. The masks store all elements, runs of elements, every second element at random, or none.
//
// A speed is in bytes that must move: mask and x are read once per element, and y is written once per stored element.
// (The update without graft::Store moves more bytes.) Where stored elements come in runs, graft::Store should reach at
// least 0.95 of the copy's speed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "update_kernels.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kCount = std::size_t{1} << 28;
constexpr double kGoal = 0.95;

struct Mask {
  const char* name;
  bool has_runs;  // the goal applies
  std::function<bool(std::size_t i, std::minstd_rand& random)> is_stored;
};
const std::array<Mask, 4> kMasks = {{
    {"all", true, [](std::size_t, std::minstd_rand&) { return true; }},
    {"runs", true, [](std::size_t i, std::minstd_rand&) { return i / 4096 % 2 == 0; }},
    {"random", false, [](std::size_t, std::minstd_rand& random) { return random() % 2 == 0; }},
    {"none", true, [](std::size_t, std::minstd_rand&) { return false; }},
}};

constexpr const char* kUpdate =
    "__device__ graft::Store update(float x, unsigned char flag, float& y) { y = x; return graft::Store(flag != 0); }";

struct Buffers {
  DeviceBytes x = allocate(kCount * sizeof(float));
  DeviceBytes y = allocate(kCount * sizeof(float));
  DeviceBytes mask = allocate(kCount);
  DeviceArray<float> in() const { return {static_cast<float*>(x.get()), kCount}; }
  DeviceArray<float> out() const { return {static_cast<float*>(y.get()), kCount}; }
  DeviceArray<unsigned char> flags() const { return {static_cast<unsigned char*>(mask.get()), kCount}; }
};

std::vector<Way> ways_of(const Buffers& buffers, std::size_t stored) {
  const Transform copy = Transform::create("__device__ float copy(float x) { return x; }");
  const Transform update = Transform::create(kUpdate);
  const Transform rewrite =
      Transform::create("__device__ float rewrite(float x, unsigned char flag, float y) { return flag != 0 ? x : y; }");
  const auto updated = static_cast<double>(kCount * (sizeof(float) + 1) + stored * sizeof(float));
  Options in_vectors;  // the tuning that other callbacks have
  in_vectors.policy = {.vector_width = 4, .vectors_per_thread = 1};
  const Transform vectors = Transform::create(kUpdate, in_vectors);
  const auto run = [&buffers](const Transform& transform) {
    return [transform, &buffers](cudaStream_t stream) {
      transform.execute(stream, inputs(buffers.in(), buffers.flags()), buffers.out());
    };
  };
  return {
      {"copy", [=, &buffers](cudaStream_t stream) { copy.execute(stream, buffers.in(), buffers.out()); },
       2.0 * kCount * sizeof(float)},
      {"graft::Store", run(update), updated},
      {"read and write back",
       [=, &buffers](cudaStream_t stream) {
         rewrite.execute(stream, inputs(buffers.in(), buffers.flags(), buffers.out()), buffers.out());
       },
       updated},
      {"by hand",
       [&buffers](cudaStream_t stream) {
         launch_update_where(stream, buffers.out().data(), buffers.in().data(), buffers.flags().data(), kCount);
       },
       updated},
      {"graft::Store in vectors", run(vectors), updated},
  };
}

// Makes the mask, and returns how many elements it stores.
std::size_t fill(const Buffers& buffers, const Mask& mask, std::vector<unsigned char>& flags) {
  std::minstd_rand random(1);
  for (std::size_t i = 0; i < kCount; ++i) flags[i] = mask.is_stored(i, random) ? 1 : 0;
  check(cudaMemcpy(buffers.mask.get(), flags.data(), kCount, cudaMemcpyHostToDevice));
  return static_cast<std::size_t>(std::ranges::count(flags, 1));
}

// Checks that an update changes exactly the elements that the mask stores. All bits of the other elements stay 1.
void verify(const Way& way, const Buffers& buffers, const std::vector<unsigned char>& flags) {
  constexpr unsigned kBefore = 0xffffffff;
  check(cudaMemset(buffers.y.get(), 0xff, kCount * sizeof(float)));
  way.run(nullptr);
  std::vector<unsigned> x(kCount), y(kCount);
  check(cudaMemcpy(x.data(), buffers.x.get(), kCount * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(y.data(), buffers.y.get(), kCount * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < kCount; ++i)
    if (y[i] != (flags[i] != 0 ? x[i] : kBefore))
      throw std::runtime_error(fmt::format("{}: element {} is wrong", way.name, i));
}

// Prints one line for a mask: the medians, and the ratios to the copy. Returns the same figures for the record.
nlohmann::json print_and_record(const Mask& mask, const std::vector<Way>& ways) {
  nlohmann::json row = {{"mask", mask.name}};
  const double copy = summarize(ways.front().speeds).median;
  fmt::print("{:<8}", mask.name);
  for (const Way& way : ways) {
    const double median = summarize(way.speeds).median;
    fmt::print("{:>12.0f} ({:.3f})", median, median / copy);
    row["ways"][way.name] = {{"speed", spread(way.speeds, "GB/s")}, {"ratio_to_copy", median / copy}};
  }
  const bool is_reached = !mask.has_runs || summarize(ways[1].speeds).median >= kGoal * copy;
  fmt::print("{}\n", is_reached ? "" : "   below the goal");
  if (mask.has_runs) row["goal"] = {{"ratio_to_copy", kGoal}, {"reached", is_reached}};
  return row;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Buffers buffers;
  fill_floats(nullptr, static_cast<float*>(buffers.x.get()), kCount, 1);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "selective";
  record["elements"] = kCount;
  fmt::print("mask, then GB/s (ratio to the copy) of: copy, graft::Store, read and write back, by hand, ...\n");
  std::vector<unsigned char> flags(kCount);
  for (const Mask& mask : kMasks) {
    std::vector<Way> ways = ways_of(buffers, fill(buffers, mask, flags));
    for (std::size_t i = 1; i < ways.size(); ++i) verify(ways[i], buffers, flags);
    measure(ways, arguments.samples);
    record["masks"].push_back(print_and_record(mask, ways));
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "selective", 21));
  return 0;
}

}  // namespace graft::bench
