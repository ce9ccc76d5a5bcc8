// Compares FFTs of two and three dimensions with cuFFT's, on arrays of 1 GiB or of --mib MiB, in single precision or,
// with --f64, in double: without callbacks, with a load and a store callback, and with a filter between an FFT and its
// inverse, beside two calls of cuFFT without one.
//
//     bench_fft_shapes --shapes 512x512,65536    these shapes, also of one dimension
//     bench_fft_shapes --any                     90 lengths of which most have a large prime factor
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <graft/fft.hpp>
#include <graft/graft.hpp>
#include <limits>
#include <memory>
#include <optional>
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

const std::vector<Shape> kShapes = {
    {16, 16},        {32, 32},        {64, 64},        {100, 100},      {128, 128},     {256, 256},    {360, 360},
    {512, 512},      {1000, 1000},    {1024, 1024},    {2048, 2048},    {4096, 4096},   {8192, 8192},  {16, 4096},
    {4096, 16},      {64, 1024},      {1024, 64},      {100, 2000},     {2000, 100},    {480, 640},    {1080, 1920},
    {32, 8192},      {8192, 32},      {243, 500},      {625, 81},       {16, 16, 16},   {32, 32, 32},  {64, 64, 64},
    {100, 100, 100}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512}, {64, 128, 256}, {256, 128, 64}};

// 20 primes, 30 composites with a prime factor above 13, and 40 of the lengths 20 + 4 i to 5136 of octahedral grids,
// drawn at random.
std::vector<Shape> other_lengths() {
  std::vector<Shape> lengths;
  for (const int prime :
       {17, 19, 23, 29, 31, 37, 43, 61, 67, 97, 127, 191, 257, 383, 509, 1021, 2039, 4093, 6007, 8191})
    lengths.push_back({prime});
  for (const int composite : {34,  38,  51,  62,  68,  74,  85,   93,   111,  134,  170,  206,  254,  323,  391,
                              437, 514, 629, 731, 802, 986, 1111, 1406, 1853, 2227, 2774, 3281, 4106, 5111, 7106})
    lengths.push_back({composite});
  std::mt19937 random(20261128);
  std::vector<int> octahedral;
  for (int length = 20; length <= 5136; length += 4) octahedral.push_back(length);
  std::shuffle(octahedral.begin(), octahedral.end(), random);
  for (int i = 0; i < 40; ++i) lengths.push_back({octahedral[static_cast<std::size_t>(i)]});
  return lengths;
}

template <class Real>
class Sweep {
 public:
  Sweep(const Arguments& arguments, std::size_t bytes) : arguments_(arguments), points_(bytes / sizeof(Point)) {
    std::vector<Point> block(kBlock);
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> number(-1, 1);
    for (Point& point : block) point = {number(random), number(random)};
    for (std::size_t at = 0; at < points_; at += kBlock)
      check(cudaMemcpy(in_ + at, block.data(), std::min(kBlock, points_ - at) * sizeof(Point), cudaMemcpyHostToDevice));
  }

  nlohmann::json row(const Shape& shape) {
    std::int64_t length = 1;
    std::vector<int> extents;
    std::string name;
    for (const std::int64_t extent : shape) {
      length *= extent;
      extents.push_back(static_cast<int>(extent));
      name += (name.empty() ? "" : "x") + std::to_string(extent);
    }
    const std::size_t batch = points_ / static_cast<std::size_t>(length);
    if (batch == 0) {
      fmt::print("{:<16} is longer than the arrays\n", name);
      return nullptr;
    }
    const std::size_t count = batch * static_cast<std::size_t>(length);
    const auto cufft = std::make_shared<CufftPlan>(extents, kPrecision, static_cast<std::int64_t>(batch), nullptr);
    FftPlan plan = plan_of(shape, kOfGraft, batch);
    const Fft plain = Fft::create(plan);
    plan.directions = FftDirections::Forward;
    const Fft called = Fft::create(plan, {.load = scale("2"), .store = scale("0.5")});
    std::optional<Fft> filtered;
    try {
      filtered = Fft::create(plan, {.between = scale("1")});
    } catch (const Error&) {  // a length with a large prime factor
    }
    const double bytes = 2.0 * static_cast<double>(count) * sizeof(Point);
    const auto by_graft = [&](const Fft& fft) {
      return [=, this](cudaStream_t stream) { fft.execute(stream, refer(in_, count), refer(out_, count)); };
    };
    std::vector<Way> ways = {{"cufft",
                              [=, this](cudaStream_t stream) {
                                cufft->set_stream(stream);
                                cufft->execute(in_, other_);
                              },
                              bytes},
                             {"graft", by_graft(plain), bytes},
                             {"callbacks", by_graft(called), bytes}};
    if (filtered) {
      ways.push_back({"cufft_twice",
                      [=, this](cudaStream_t stream) {
                        cufft->set_stream(stream);
                        cufft->execute(in_, other_);
                        cufft->execute(other_, other_, CUFFT_INVERSE);
                      },
                      bytes});
      ways.push_back({"between", by_graft(*filtered), bytes});
    }
    std::vector<double> errors = {difference(ways[1], ways[0], count), difference(ways[2], ways[0], count)};
    if (filtered) errors.push_back(difference(ways[4], ways[3], count));
    for (const double error : errors)
      if (!(error < 20 * std::numeric_limits<Real>::epsilon()))
        throw std::runtime_error(fmt::format("{}: the results differ by {} of their size", name, error));
    measure(ways, arguments_.samples);
    nlohmann::json found = {{"shape", name}, {"batch", batch}, {"kernels", plain.reports().size() / 2}};
    for (const Way& way : ways) found[way.name] = spread(way.speeds, "GB/s");
    found["time_of_cufft"] = 1 / speed_ratio(ways[1], ways[0]);
    found["callbacks_time_of_cufft"] = 1 / speed_ratio(ways[2], ways[0]);
    fmt::print("{:<16} cuFFT {:9.1f} us; graft {:9.1f} us, {:.3f} of it; with callbacks {:.3f}; ", name,
               microseconds(ways[0]), microseconds(ways[1]), found["time_of_cufft"].template get<double>(),
               found["callbacks_time_of_cufft"].template get<double>());
    if (filtered) {
      found["between_time_of_cufft_twice"] = 1 / speed_ratio(ways[4], ways[3]);
      fmt::print("between {:.3f} of two; ", found["between_time_of_cufft_twice"].template get<double>());
    }
    fmt::print("{} kernels\n", plain.reports().size() / 2);
    return found;
  }

 private:
  using Point = std::complex<Real>;
  static constexpr bool kIsSingle = sizeof(Real) == 4;
  static constexpr FftPrecision kOfGraft = kIsSingle ? FftPrecision::F32 : FftPrecision::F64;
  static constexpr families::fft::Precision kPrecision =
      kIsSingle ? families::fft::Precision::Single : families::fft::Precision::Double;
  static constexpr std::size_t kBlock = std::size_t{1} << 21;

  static Callback scale(const char* factor) {
    const char* const point = kIsSingle ? "float2" : "double2";
    return Callback(fmt::format("__device__ {0} scale({0} z) {{ z.x *= {1}; z.y *= {1}; return z; }}", point, factor));
  }

  static ArrayRef refer(Point* points, std::size_t count) { return {points, count, element_type<Point>()}; }

  // How much the results of two ways differ at the begin and at the end, as a share of their size.
  double difference(const Way& a, const Way& b, std::size_t count) const {
    check(cudaMemset(out_, 0, count * sizeof(Point)));
    a.run(nullptr);
    b.run(nullptr);
    check(cudaDeviceSynchronize());
    double differences = 0, whole = 0;
    const std::size_t part = std::min(kBlock, count);
    std::vector<Point> x(part), y(part);
    for (const std::size_t begin : {std::size_t{0}, count - part}) {
      check(cudaMemcpy(x.data(), out_ + begin, part * sizeof(Point), cudaMemcpyDeviceToHost));
      check(cudaMemcpy(y.data(), other_ + begin, part * sizeof(Point), cudaMemcpyDeviceToHost));
      for (std::size_t i = 0; i < part; ++i) {
        differences += std::norm(x[i] - y[i]);
        whole += std::norm(y[i]);
      }
    }
    return std::sqrt(differences / whole);
  }

  const Arguments& arguments_;
  std::size_t points_;
  DeviceBytes in_memory_ = allocate(points_ * sizeof(Point)), out_memory_ = allocate(points_ * sizeof(Point)),
              other_memory_ = allocate(points_ * sizeof(Point));
  Point* in_ = static_cast<Point*>(in_memory_.get());
  Point* out_ = static_cast<Point*>(out_memory_.get());
  Point* other_ = static_cast<Point*>(other_memory_.get());
};

template <class Real>
nlohmann::json rows_of(const Arguments& arguments, std::size_t bytes, const std::vector<Shape>& shapes) {
  Sweep<Real> sweep(arguments, bytes);
  nlohmann::json rows = nlohmann::json::array();
  double logarithms[3] = {0, 0, 0};
  int counts[3] = {0, 0, 0};
  for (const Shape& shape : shapes) {
    nlohmann::json found = sweep.row(shape);
    if (found.is_null()) continue;
    rows.push_back(std::move(found));
    const std::size_t kind = shape.size() - 1;
    logarithms[kind] += std::log(rows.back()["time_of_cufft"].get<double>());
    ++counts[kind];
  }
  for (const int kind : {0, 1, 2})
    if (counts[kind] > 0)
      fmt::print("{} dimensions: geometric mean of {} rows {:.3f} of cuFFT's time\n", kind + 1, counts[kind],
                 std::exp(logarithms[kind] / counts[kind]));
  return rows;
}

}  // namespace

int run(int argc, char** argv) {
  const bool is_double = take_flag(argc, argv, "--f64");
  const std::string mib = take_option(argc, argv, "--mib"), listed = take_option(argc, argv, "--shapes");
  const bool is_any = take_flag(argc, argv, "--any");
  const std::vector<Shape> shapes = is_any ? other_lengths() : listed.empty() ? kShapes : parse_shapes(listed);
  const Arguments arguments =
      parse_arguments(argc, argv, fmt::format("{}{}", is_any ? "fft_any" : "fft_shapes", is_double ? "_f64" : ""), 9);
  const std::size_t bytes = (mib.empty() ? std::size_t{1024} : std::stoull(mib)) << 20;
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "fft_shapes";
  record["bytes"] = bytes;
  record["rows"] = is_double ? rows_of<double>(arguments, bytes, shapes) : rows_of<float>(arguments, bytes, shapes);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
