// Compares FFTs of arrays of halves (FftPlan::storage_in and storage_out) with cuFFT's, on arrays of 1 GiB or of --mib
// MiB, without callbacks. cuFFT has halves for powers of two only; other lengths are compared with
// cuFFT's FFT of as many points in single precision, which moves twice as many bytes. Times are also those of cuFFT's
// in single precision, so that both kinds of rows have one scale.
//
//     bench_fft_storage --shapes 64,1000       these lengths
#include <fmt/format.h>
#include <library_types.h>

#include <bit>
#include <cmath>
#include <complex>
#include <graft/fft.hpp>
#include <graft/graft.hpp>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "cufft_plan.hpp"
#include "fft_shape.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

const std::vector<Shape> kShapes = {{64},    {128}, {256},  {512},  {1024}, {2048}, {4096}, {8192},
                                    {16384}, {100}, {1000}, {1536}, {3000}, {5000}, {17},   {1009}};

// A half, by its bits.
float value_of(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31U, fraction = half & 0x3ffU;
  if (exponent == 0) return (sign != 0 ? -1.0F : 1.0F) * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

class Sweep {
 public:
  Sweep(const Arguments& arguments, std::size_t bytes) : arguments_(arguments), points_(bytes / sizeof(Half2)) {
    std::vector<Half2> block(kBlock);
    std::mt19937 random(7);
    // Numbers from -1/64 to 1/64, whose sums do not overflow, with all bits of the fraction.
    const auto number = [&] {
      return static_cast<std::uint16_t>(random() & 0x83ffU) | static_cast<std::uint16_t>(8U << 10);
    };
    for (Half2& point : block) point = {static_cast<std::uint16_t>(number()), static_cast<std::uint16_t>(number())};
    for (std::size_t at = 0; at < points_; at += kBlock)
      check(cudaMemcpy(as(in_) + at, block.data(), std::min(kBlock, points_ - at) * sizeof(Half2),
                       cudaMemcpyHostToDevice));
  }

  nlohmann::json row(const Shape& shape) {
    const auto length = static_cast<std::size_t>(shape.front());
    const std::size_t batch = points_ / length, count = batch * length;
    FftPlan plan = plan_of(shape, FftPrecision::F32, batch);
    plan.directions = FftDirections::Forward;
    plan.storage_in = FftStorage::F16;
    const Fft exact = Fft::create(plan);
    plan.storage_out = FftStorage::F16;
    const Fft halves = Fft::create(plan);
    const double bytes = 2.0 * static_cast<double>(count) * sizeof(Half2);
    const std::vector<int> extents = {static_cast<int>(length)};
    const bool is_power = (length & (length - 1)) == 0;
    // cuFFT's points in single precision fill the arrays with half as many FFTs, so that each way moves as many bytes.
    const std::size_t batch_of_floats = batch / 2;
    const auto floats =
        std::make_shared<CufftPlan>(extents, CUFFT_C2C, static_cast<std::int64_t>(batch_of_floats), nullptr);
    const double floats_bytes = 2.0 * static_cast<double>(batch_of_floats * length) * sizeof(std::complex<float>);
    std::vector<Way> ways = {
        {"cufft_f32",
         [=, this](cudaStream_t stream) {
           floats->set_stream(stream);
           floats->execute(in_.get(), expected_.get());
         },
         floats_bytes},
        {"graft", [=, this](cudaStream_t stream) { halves.execute(stream, refer(in_, count), refer(out_, count)); },
         bytes}};
    if (is_power) {
      const auto cufft = std::make_shared<CufftPlan>(extents, CUDA_C_16F, static_cast<std::int64_t>(batch));
      ways.push_back({"cufft_f16",
                      [=, this](cudaStream_t stream) {
                        cufft->set_stream(stream);
                        cufft->execute(in_.get(), expected_.get());
                      },
                      bytes});
    }
    const double error = error_of(halves, exact, length);
    // Half of the last bit of a half is 2^-11 of a number; cuFFT calculates in halves.
    if (!(error < 1.0 / 2048)) throw std::runtime_error(fmt::format("{}: an error of {}", length, error));
    measure(ways, arguments_.samples);
    nlohmann::json found = {{"length", length}, {"batch", batch}, {"error", error}};
    for (const Way& way : ways) found[way.name] = spread(way.speeds, "GB/s");
    found["bytes_per_second_of_cufft_f32"] = speed_ratio(ways[1], ways[0]);
    fmt::print("{:<6} graft {:8.1f} us, {:.3f} of the speed of cuFFT's single precision", length, microseconds(ways[1]),
               found["bytes_per_second_of_cufft_f32"].get<double>());
    if (is_power) {
      found["time_of_cufft"] = 1 / speed_ratio(ways[1], ways[2]);
      fmt::print(", {:.3f} of the time of its halves", found["time_of_cufft"].get<double>());
    }
    fmt::print("\n");
    return found;
  }

 private:
  struct alignas(4) Half2 {
    std::uint16_t re, im;
  };
  static constexpr std::size_t kBlock = std::size_t{1} << 21;

  static Half2* as(const DeviceBytes& array) { return static_cast<Half2*>(array.get()); }
  static ArrayRef refer(const DeviceBytes& array, std::size_t count) {
    return {array.get(), count, ElementType::named("c32")};
  }

  // The difference to the FFT whose results are floats, as a share of their size: the rounding of the results alone.
  double error_of(const Fft& halves, const Fft& exact, std::size_t length) const {
    const std::size_t batch = kBlock / length, count = batch * length;
    halves.execute(nullptr, refer(in_, count), refer(out_, count));
    exact.execute(nullptr, refer(in_, count), ArrayRef{expected_.get(), count, element_type<std::complex<float>>()});
    check(cudaDeviceSynchronize());
    std::vector<Half2> x(count);
    std::vector<std::complex<float>> y(count);
    check(cudaMemcpy(x.data(), out_.get(), count * sizeof x[0], cudaMemcpyDeviceToHost));
    check(cudaMemcpy(y.data(), expected_.get(), count * sizeof y[0], cudaMemcpyDeviceToHost));
    double differences = 0, whole = 0;
    for (std::size_t i = 0; i < count; ++i) {
      differences += std::norm(std::complex<float>(value_of(x[i].re), value_of(x[i].im)) - y[i]);
      whole += std::norm(y[i]);
    }
    return std::sqrt(differences / whole);
  }

  const Arguments& arguments_;
  std::size_t points_;
  DeviceBytes in_ = allocate(points_ * sizeof(Half2)), out_ = allocate(points_ * sizeof(Half2)),
              expected_ = allocate(points_ * sizeof(Half2));
};

}  // namespace

int run(int argc, char** argv) {
  const std::string mib = take_option(argc, argv, "--mib"), listed = take_option(argc, argv, "--shapes");
  const Arguments arguments = parse_arguments(argc, argv, "fft_storage", 9);
  const std::size_t bytes = (mib.empty() ? std::size_t{1024} : std::stoull(mib)) << 20;
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "fft_storage";
  record["bytes"] = bytes;
  Sweep sweep(arguments, bytes);
  double logarithms = 0, worst = 0;
  int rows = 0;
  for (const Shape& shape : listed.empty() ? kShapes : parse_shapes(listed)) {
    record["rows"].push_back(sweep.row(shape));
    const nlohmann::json& row = record["rows"].back();
    if (!row.contains("time_of_cufft")) continue;
    const double share = row["time_of_cufft"].get<double>();
    logarithms += std::log(share);
    if (!(share <= worst)) worst = share;
    ++rows;
  }
  if (rows > 0)
    fmt::print("geometric mean of {} rows {:.3f} of the time of cuFFT's halves, worst {:.3f}\n", rows,
               std::exp(logarithms / rows), worst);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
