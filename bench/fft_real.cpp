// Compares real FFTs of one dimension with cuFFT's, on 1 GiB of numbers or --mib MiB, in single precision or, with
// --f64, in double: forward and inverse without callbacks; both with a load and a store callback, beside plain cuFFT
// and beside cuFFT with the same callbacks as LTO-IR; and with a filter between an FFT and its inverse, beside two
// calls of cuFFT without one. The spectra that inverse FFTs read are those of real numbers. Of lengths up to 2^17 it
// also compares rounding errors with cuFFT's, both against FFTs in long double on the host.
//
//     bench_fft_real                            30 lengths from 32 to 16384
//     bench_fft_real --shapes 256,512x512       these lengths and shapes
#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "families/fft/reference.hpp"
#include "fft_shape.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

const std::vector<Shape> kShapes = {{32},   {36},   {48},   {60},   {64},   {81},   {96},   {100},  {125},  {128},
                                    {180},  {243},  {256},  {343},  {360},  {500},  {512},  {625},  {720},  {729},
                                    {1000}, {1024}, {1536}, {2000}, {2048}, {3000}, {4096}, {5000}, {8192}, {16384}};

// Two ways of a row, and what the time of the first as a share of the second's is called.
struct Comparison {
  const char *way, *of, *name;
};
constexpr Comparison kComparisons[] = {{"r2c", "cufft_r2c", "r2c"},
                                       {"c2r", "cufft_c2r", "c2r"},
                                       {"r2c_callbacks", "cufft_r2c", "r2c_callbacks"},
                                       {"c2r_callbacks", "cufft_c2r", "c2r_callbacks"},
                                       {"r2c_callbacks", "cufft_r2c_callbacks", "r2c_same_callbacks"},
                                       {"c2r_callbacks", "cufft_c2r_callbacks", "c2r_same_callbacks"},
                                       {"between", "cufft_twice", "between"}};

template <class Real>
class Sweep {
 public:
  Sweep(const Arguments& arguments, std::size_t bytes) : arguments_(arguments), count_(bytes / sizeof(Real)) {
    std::vector<Real> block(kBlock);
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> number(-1, 1);
    for (Real& value : block) value = number(random);
    for (std::size_t at = 0; at < count_; at += kBlock)
      check(cudaMemcpy(as<Real>(numbers_) + at, block.data(), std::min(kBlock, count_ - at) * sizeof(Real),
                       cudaMemcpyHostToDevice));
  }

  nlohmann::json row(const Shape& shape) {
    std::size_t points = 1;
    for (const std::int64_t extent : shape) points *= static_cast<std::size_t>(extent);
    const std::string title = fmt::format("{}", fmt::join(shape, "x"));
    const auto of_row = static_cast<std::size_t>(shape.back());
    const std::size_t batch = count_ / points;
    const Side numbers = {batch * points, element_type<Real>(), kReal},
               spectra = {batch * (points / of_row) * (of_row / 2 + 1), element_type<Point>(), kPoint};
    const auto r2c = cufft(shape, batch, kIsSingle ? CUFFT_R2C : CUFFT_D2Z, {});
    const auto c2r = cufft(shape, batch, kIsSingle ? CUFFT_C2R : CUFFT_Z2D, {});
    r2c->execute(numbers_.get(), spectra_.get());
    check(cudaDeviceSynchronize());

    FftPlan plan = plan_of(shape, kOfGraft, batch);
    plan.kind = FftKind::Real;
    const Fft plain = Fft::create(plan);
    const Fft filtered =
        Fft::create(plan, {.between = Callback(fmt::format("__device__ {0} pass({0} z) {{ return z; }}", kPoint))});
    const FftCallbacks on_forward = callbacks(kReal, kPoint), on_inverse = callbacks(kPoint, kReal);
    plan.directions = FftDirections::Forward;
    const Fft forward = Fft::create(plan, on_forward);
    plan.directions = FftDirections::Inverse;
    const Fft inverse = Fft::create(plan, on_inverse);

    const double bytes =
        static_cast<double>(numbers.count * sizeof(Real)) + static_cast<double>(spectra.count * sizeof(Point));
    const auto by_cufft = [&](const char* name, const std::shared_ptr<const CufftPlan>& ffts, const Array& in) {
      return Way{name,
                 [this, ffts, &in](cudaStream_t stream) {
                   ffts->set_stream(stream);
                   ffts->execute(in.get(), expected_.get());
                 },
                 bytes};
    };
    const auto by_graft = [&](const char* name, const Fft& fft, const Array& in, const Side& from, const Side& to,
                              Direction direction) {
      return Way{name,
                 [=, this, &in](cudaStream_t stream) {
                   fft.execute(stream, from.of(in), to.of(out_), direction, {.batch = batch});
                 },
                 bytes};
    };
    std::vector<Way> ways = {by_cufft("cufft_r2c", r2c, numbers_),
                             by_graft("r2c", plain, numbers_, numbers, spectra, Direction::Forward),
                             by_graft("r2c_callbacks", forward, numbers_, numbers, spectra, Direction::Forward),
                             by_cufft("cufft_c2r", c2r, overwritten_),
                             by_graft("c2r", plain, spectra_, spectra, numbers, Direction::Inverse),
                             by_graft("c2r_callbacks", inverse, spectra_, spectra, numbers, Direction::Inverse),
                             {"cufft_twice",
                              [this, r2c, c2r](cudaStream_t stream) {
                                r2c->set_stream(stream);
                                c2r->set_stream(stream);
                                r2c->execute(numbers_.get(), between_.get());
                                c2r->execute(between_.get(), expected_.get());
                              },
                              bytes},
                             by_graft("between", filtered, numbers_, numbers, numbers, Direction::Forward)};
    try {
      ways.push_back(by_cufft("cufft_r2c_callbacks", cufft(shape, batch, kIsSingle ? CUFFT_R2C : CUFFT_D2Z, on_forward),
                              numbers_));
      ways.push_back(by_cufft("cufft_c2r_callbacks", cufft(shape, batch, kIsSingle ? CUFFT_C2R : CUFFT_Z2D, on_inverse),
                              overwritten_));
    } catch (const std::exception& error) {
      fmt::print("{}: no cuFFT with callbacks: {}\n", title, error.what());
    }
    compare<Point>(ways, "r2c", "cufft_r2c", spectra.count);
    compare<Point>(ways, "r2c_callbacks", "cufft_r2c", spectra.count);
    compare<Real>(ways, "c2r", "cufft_c2r", numbers.count);
    compare<Real>(ways, "c2r_callbacks", "cufft_c2r", numbers.count);
    compare<Real>(ways, "between", "cufft_twice", numbers.count);
    nlohmann::json errors =
        shape.size() == 1 && shape[0] <= kLongestReference ? errors_of(ways, points, batch) : nlohmann::json();
    measure(ways, arguments_.samples);

    nlohmann::json found = {{"shape", title}, {"batch", batch}};
    for (const Way& way : ways) found[way.name] = spread(way.speeds, "GB/s");
    fmt::print("{:<11} cuFFT {:8.1f}, {:8.1f} us;", title, microseconds(*find(ways, "cufft_r2c")),
               microseconds(*find(ways, "cufft_c2r")));
    for (const Comparison& comparison : kComparisons) {
      const Way *const way = find(ways, comparison.way), *const of = find(ways, comparison.of);
      if (of == nullptr) continue;
      const double share = 1 / speed_ratio(*way, *of);
      found["time_of_cufft"][comparison.name] = share;
      fmt::print(" {} {:.3f}", comparison.name, share);
    }
    for (const auto& [name, share] : errors.items()) {
      found["error_of_cufft"][name] = share;
      fmt::print(" rms error {} {:.3f}", name, share.template get<double>());
    }
    fmt::print("\n");
    return found;
  }

 private:
  using Point = std::complex<Real>;
  static constexpr bool kIsSingle = sizeof(Real) == 4;
  static constexpr FftPrecision kOfGraft = kIsSingle ? FftPrecision::F32 : FftPrecision::F64;
  static constexpr const char *kReal = kIsSingle ? "float" : "double", *kPoint = kIsSingle ? "float2" : "double2";
  static constexpr std::size_t kBlock = std::size_t{1} << 21;
  static constexpr std::int64_t kLongestReference = 1 << 17;

  using Array = DeviceBytes;
  template <class T>
  static T* as(const Array& array) {
    return static_cast<T*>(array.get());
  }
  // What the numbers or the spectra of a row are.
  struct Side {
    std::size_t count;
    ElementType type;
    const char* name;
    ArrayRef of(const Array& array) const { return {array.get(), count, type}; }
  };

  // Callbacks of cuFFT's shape, which both call: the results are those without callbacks.
  static FftCallbacks callbacks(const char* from, const char* to) {
    return {
        .load = Callback(fmt::format("__device__ {0} user_load(void* data, unsigned long long offset, void*, void*) "
                                     "{{ return (({0}*)data)[offset]; }}",
                                     from)),
        .store = Callback(fmt::format("__device__ void user_store(void* data, unsigned long long offset, {0} value, "
                                      "void*, void*) {{ (({0}*)data)[offset] = value; }}",
                                      to))};
  }

  std::shared_ptr<const CufftPlan> cufft(const Shape& shape, std::size_t batch, cufftType type,
                                         const FftCallbacks& callbacks) const {
    const auto compiled = [](const std::optional<Callback>& callback, const char* name) {
      if (!callback) return CufftCallback{};
      return CufftCallback{name, callback->precompile({Architecture(90)}, PrecompileFormat::LtoIr)};
    };
    return std::make_shared<CufftPlan>(std::vector<int>(shape.begin(), shape.end()), type,
                                       static_cast<std::int64_t>(batch), nullptr, compiled(callbacks.load, "user_load"),
                                       compiled(callbacks.store, "user_store"));
  }

  static const Way* find(const std::vector<Way>& ways, const std::string& name) {
    const auto found = std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.name == name; });
    return found == ways.end() ? nullptr : &*found;
  }

  // Throws std::runtime_error if the results of two ways differ at the begin or at the end. cuFFT's inverse FFTs of
  // several dimensions overwrite their input, so that they get a copy.
  template <class T>
  void compare(const std::vector<Way>& ways, const char* way, const char* of, std::size_t count) const {
    check(cudaMemset(out_.get(), 0xff, count * sizeof(T)));
    check(cudaMemcpy(overwritten_.get(), spectra_.get(), most_bytes_, cudaMemcpyDeviceToDevice));
    find(ways, way)->run(nullptr);
    find(ways, of)->run(nullptr);
    check(cudaDeviceSynchronize());
    double differences = 0, whole = 0;
    const std::size_t part = std::min(kBlock, count);
    std::vector<T> x(part), y(part);
    for (const std::size_t begin : {std::size_t{0}, count - part}) {
      check(cudaMemcpy(x.data(), as<T>(out_) + begin, part * sizeof(T), cudaMemcpyDeviceToHost));
      check(cudaMemcpy(y.data(), as<T>(expected_) + begin, part * sizeof(T), cudaMemcpyDeviceToHost));
      for (std::size_t i = 0; i < part; ++i) {
        differences += std::norm(x[i] - y[i]);
        whole += std::norm(y[i]);
      }
    }
    const double error = std::sqrt(differences / whole);
    if (!(error < 20 * std::numeric_limits<Real>::epsilon()))
      throw std::runtime_error(fmt::format("{} and {} differ by {} of their size", way, of, error));
  }

  // The root mean squares of the errors of the first FFTs, of 2^16 numbers or more, as shares of those of cuFFT.
  nlohmann::json errors_of(const std::vector<Way>& ways, std::size_t length, std::size_t batch) const {
    const std::size_t half = length / 2 + 1, ffts = std::min(((std::size_t{1} << 16) + length - 1) / length, batch);
    const std::vector<Real> numbers = fetched<Real>(numbers_, ffts * length);
    const std::vector<Point> spectra = fetched<Point>(spectra_, ffts * half);
    const test::ReferenceFft forward(length, -1), inverse(length, 1);
    std::vector<test::Wide> of_numbers, of_spectra;
    for (std::size_t b = 0; b < ffts; ++b) {
      std::vector<test::Wide> x, y(length);
      for (std::size_t p = 0; p < length; ++p) x.emplace_back(numbers[b * length + p]);
      for (std::size_t k = 0; k < half; ++k) {
        const Point& z = spectra[b * half + k];
        const bool is_alone = k == 0 || 2 * k == length;  // its imaginary part is ignored
        y[k] = {z.real(), is_alone ? 0 : z.imag()};
        if (!is_alone) y[length - k] = std::conj(y[k]);
      }
      x = forward(x);
      of_numbers.insert(of_numbers.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(half));
      for (const test::Wide& number : inverse(y)) of_spectra.push_back(number.real());
    }
    const auto error = [&](const char* way, const Array& out, const std::vector<test::Wide>& expected,
                           bool has_numbers) {
      check(cudaMemcpy(overwritten_.get(), spectra_.get(), most_bytes_, cudaMemcpyDeviceToDevice));
      find(ways, way)->run(nullptr);
      check(cudaDeviceSynchronize());
      long double differences = 0;
      const std::vector<Point> points = has_numbers ? std::vector<Point>() : fetched<Point>(out, expected.size());
      const std::vector<Real> reals = has_numbers ? fetched<Real>(out, expected.size()) : std::vector<Real>();
      for (std::size_t i = 0; i < expected.size(); ++i)
        differences += std::norm((has_numbers ? test::Wide(reals[i]) : test::Wide(points[i])) - expected[i]);
      return static_cast<double>(std::sqrt(differences));
    };
    return {
        {"r2c", error("r2c", out_, of_numbers, false) / error("cufft_r2c", expected_, of_numbers, false)},
        {"c2r", error("c2r", out_, of_spectra, true) / error("cufft_c2r", expected_, of_spectra, true)},
    };
  }

  template <class T>
  static std::vector<T> fetched(const Array& from, std::size_t count) {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), from.get(), count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  const Arguments& arguments_;
  std::size_t count_;
  // Spectra have a frequency more than half as many numbers; of rows of 16 numbers this is an eighth more.
  std::size_t most_bytes_ = count_ * sizeof(Real) / 8 * 9 + 4096;
  Array numbers_ = allocate(most_bytes_), spectra_ = allocate(most_bytes_), out_ = allocate(most_bytes_),
        expected_ = allocate(most_bytes_), between_ = allocate(most_bytes_), overwritten_ = allocate(most_bytes_);
};

template <class Real>
nlohmann::json rows_of(const Arguments& arguments, std::size_t bytes, const std::vector<Shape>& shapes) {
  Sweep<Real> sweep(arguments, bytes);
  nlohmann::json rows = nlohmann::json::array();
  for (const Shape& shape : shapes) rows.push_back(sweep.row(shape));
  const auto summarize = [&](const char* shares, const char* name, const char* of) {
    double logarithms = 0, worst = 0;
    int count = 0;
    for (const nlohmann::json& row : rows) {
      if (!row.contains(shares) || !row[shares].contains(name)) continue;
      const double share = row[shares][name].get<double>();
      logarithms += std::log(share);
      if (!(share <= worst)) worst = share;
      ++count;
    }
    if (count > 0)
      fmt::print("{:<20} geometric mean of {} rows {:.3f}, worst {:.3f}{}\n", name, count, std::exp(logarithms / count),
                 worst, of);
  };
  for (const Comparison& comparison : kComparisons) summarize("time_of_cufft", comparison.name, "");
  for (const char* const name : {"r2c", "c2r"}) summarize("error_of_cufft", name, " of cuFFT's rounding errors");
  return rows;
}

}  // namespace

int run(int argc, char** argv) {
  const bool is_double = take_flag(argc, argv, "--f64");
  const std::string mib = take_option(argc, argv, "--mib"), listed = take_option(argc, argv, "--shapes");
  const Arguments arguments = parse_arguments(argc, argv, is_double ? "fft_real_f64" : "fft_real", 9);
  const std::size_t bytes = (mib.empty() ? std::size_t{1024} : std::stoull(mib)) << 20;
  const std::vector<Shape> shapes = listed.empty() ? kShapes : parse_shapes(listed);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "fft_real";
  record["bytes"] = bytes;
  record["rows"] = is_double ? rows_of<double>(arguments, bytes, shapes) : rows_of<float>(arguments, bytes, shapes);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
