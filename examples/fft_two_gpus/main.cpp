// A 2-D FFT of one array on two GPUs or more: graft's FFTs of rows and columns, with callbacks, on a slab of the array
// on each GPU, and NCCL's send and receive between them. ffts.hpp says how.
//
//     fft_two_gpus [ROWS COLUMNS [GPUS]]         GPUS divides both extents; without arguments 8192 8192 2
//
// This is for capacity and not for speed: each GPU holds a part of an array that may be too large for one GPU, but the
// exchange costs time that one GPU does not need. The program prints memory and times of both, and compares each result
// with that of graft's 2-D FFT on one GPU, for arrays for which there is one.
//
// On a machine with fewer GPUs, the program says so and computes the slabs of a small array on the CPU, one after the
// other, with copies as the exchange. It returns 1 if results differ or anything else fails.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "gpus.hpp"
#include "slab.hpp"

namespace {

using fft_two_gpus::Gpus;
using fft_two_gpus::Shape;
using fft_two_gpus::Slab;
using fft_two_gpus::Whole;

// 0 for a text that is no number.
std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() && end == text.end() ? number : 0;
}

Shape shape_of(int argc, char** argv) {
  Shape shape = {8192, 8192, 2};
  if (argc > 2) shape = {number_in(argv[1]), number_in(argv[2]), argc > 3 ? number_in(argv[3]) : 2};
  const bool is_possible = argc != 2 && argc <= 4 && shape.rows > 0 && shape.columns > 0 && shape.slabs >= 2 &&
                           shape.rows % shape.slabs == 0 && shape.columns % shape.slabs == 0;
  if (!is_possible)
    throw std::runtime_error("usage: fft_two_gpus [ROWS COLUMNS [GPUS]], where GPUS is 2 or more and divides both");
  return shape;
}

// Compares the results of the slabs with those of the whole array.
bool is_right(const Shape& shape, const std::vector<std::vector<float>>& slabs, const std::vector<float>& whole) {
  double sum = 0;
  for (const float result : whole) sum += static_cast<double>(result) * result;
  const double points = static_cast<double>(shape.points()), size = std::sqrt(sum / points);

  // Each of the log2(points) steps of an FFT adds an error to every result: a few roundings of a result of the mean
  // size, also where the result itself is small.
  const double tolerance = 4 * std::log2(points) / (1 << 24);
  std::size_t wrong = 0;
  double squares = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::size_t row = i / shape.columns, column = i % shape.columns, width = shape.slab_columns();
    const double found = slabs[column / width][row * width + column % width];
    const double difference = std::abs(found - whole[i]) / size;
    if (!(difference <= tolerance)) ++wrong;  // also if `found` is not a number
    squares += difference * difference;
  }
  fmt::print("{} of {} results differ by more than {:.1e} of the mean size; on average, they differ by {:.1e}: {}\n",
             wrong, whole.size(), tolerance, std::sqrt(squares / points), wrong == 0 ? "ok" : "DIFFERENT");
  return wrong == 0;
}

bool run_on_cpu(const Shape& shape) {
  const graft::Options options = graft::Options::cpu();
  const graft::Transform noise = fft_two_gpus::noise(options);
  const fft_two_gpus::SlabFfts ffts = {rows_of_slab(shape, options), columns_of_slab(shape, options)};
  std::vector<Slab<graft::HostTag>> slabs;
  slabs.reserve(shape.slabs);
  for (std::size_t number = 0; number < shape.slabs; ++number)
    slabs.emplace_back(graft::host, shape, number, ffts, noise);

  for (auto& slab : slabs) slab.transform_rows(ffts.rows);
  for (std::size_t from = 0; from < shape.slabs; ++from)
    for (std::size_t to = 0; to < shape.slabs; ++to)
      if (to != from) std::copy_n(slabs[from].block_for(to), shape.block_points(), slabs[to].block_from(from));
  std::vector<std::vector<float>> results;
  for (auto& slab : slabs) {
    slab.transform_columns(ffts.columns);
    results.emplace_back(slab.results(), slab.results() + shape.slab_points());
  }

  const graft::Fft fft = whole_array(shape, options);
  Whole<graft::HostTag> whole(graft::host, shape, fft, noise);
  whole.transform(fft);
  return is_right(shape, results, whole.results());
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// The median times of the parts of 21 runs, which follow 3 others that are not measured. A part is a function that
// queues work and waits for it.
template <class... Parts>
std::vector<double> median_milliseconds(const Parts&... parts) {
  constexpr int kWarm = 3, kRuns = 21;
  std::vector<std::vector<double>> times(sizeof...(parts));
  const auto time = [](const auto& part) {
    const auto start = std::chrono::steady_clock::now();
    part();
    return milliseconds_since(start);
  };
  for (int run = 0; run < kWarm + kRuns; ++run) {
    const std::vector<double> of_run = {time(parts)...};
    for (std::size_t part = 0; part < times.size(); ++part)
      if (run >= kWarm) times[part].push_back(of_run[part]);
  }
  std::vector<double> medians;
  for (const auto& of_part : times) medians.push_back(median(of_part));
  return medians;
}

double gib(std::size_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

struct Times {
  double rows, exchange, columns, all;
};

// Of each step, if all GPUs wait behind it, and of all steps without waits between them.
Times times_of(Gpus& gpus) {
  const auto part = [&](void (Gpus::*queue)()) {
    return [&gpus, queue] {
      (gpus.*queue)();
      gpus.wait();
    };
  };
  const std::vector<double> steps =
      median_milliseconds(part(&Gpus::transform_rows), part(&Gpus::exchange), part(&Gpus::transform_columns));
  return {steps[0], steps[1], steps[2], median_milliseconds(part(&Gpus::transform))[0]};
}

void print(const Shape& shape, const Times& times, std::size_t bytes) {
  const std::size_t sent = (shape.slabs - 1) * shape.block_points() * sizeof(fft_two_gpus::Complex);
  fmt::print("{} GPUs: {:.3f} ms, {:.3f} GiB each\n", shape.slabs, times.all, gib(bytes));
  fmt::print("  rows {:.3f} ms, exchange {:.3f} ms ({:.0f} GB/s from each GPU), columns {:.3f} ms\n", times.rows,
             times.exchange, static_cast<double>(sent) / 1e6 / times.exchange, times.columns);
}

// Empty if graft has no FFT of this shape. FFTs of rows and of columns may be larger.
std::optional<graft::Fft> whole_on_gpu(const Shape& shape) {
  try {
    return whole_array(shape, {});
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::InvalidArgument) throw;
    // Samples, points between the FFTs of both dimensions, and results.
    const std::size_t bytes = shape.points() * (sizeof(short) + sizeof(fft_two_gpus::Complex) + sizeof(float));
    fmt::print("1 GPU: would need {:.3f} GiB; there is no FFT to compare with: {}\n", gib(bytes), error.message());
    return {};
  }
}

bool run_on_gpus(const Shape& shape) {
  fmt::print("{} x {} samples on {}, NCCL {}\n", shape.rows, shape.columns, examples::gpu_name(),
             fft_two_gpus::nccl_version());
  Gpus gpus(shape);
  const Times times = times_of(gpus);
  print(shape, times, gpus.bytes_of_gpu());

  examples::use_gpu();  // GPU 0
  const std::optional<graft::Fft> fft = whole_on_gpu(shape);
  if (!fft) return true;
  Whole<cudaStream_t> whole(nullptr, shape, *fft, fft_two_gpus::noise({}));
  const double time = median_milliseconds([&] {
    whole.transform(*fft);
    examples::check(cudaStreamSynchronize(nullptr));
  })[0];
  fmt::print("1 GPU: {:.3f} ms, {:.3f} GiB\n", time, gib(whole.bytes()));
  fmt::print(
      "More GPUs are for capacity and not for speed: {} take {:.2f} of the time of one, the exchange alone {:.2f}\n",
      shape.slabs, times.all / time, times.exchange / time);
  const std::vector<float> expected = whole.results();
  return is_right(shape, gpus.results(), expected);
}

}  // namespace

int main(int argc, char** argv) try {
  const Shape shape = shape_of(argc, argv);
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) gpus = 0;
  if (static_cast<std::size_t>(gpus) >= shape.slabs) return run_on_gpus(shape) ? 0 : 1;

  fmt::print("This needs {} GPUs, and the machine has {}: slabs of a small array on the CPU instead\n", shape.slabs,
             gpus);
  return run_on_cpu({24 * shape.slabs, 40 * shape.slabs, shape.slabs}) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
