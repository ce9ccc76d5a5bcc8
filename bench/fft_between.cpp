#include "fft_between.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "families/fft/kernel_request.hpp"
#include "fft_passes.hpp"
#include "graft/graft.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

const char* real_of(Precision precision) {
  return precision == Precision::Single ? "float" : "double";
}

// Multiplies a frequency by the number of the filter for it.
std::string graft_text(Precision precision) {
  return fmt::format(
      "struct Filter {{ const {0}2* values; }};\n"
      "__device__ {0}2 filtered({0}2 z, graft::Index k, const Filter& filter) {{\n"
      "  const {0}2 h = filter.values[k];\n"
      "  return make_{0}2(z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x);\n}}\n",
      real_of(precision));
}
std::string cufft_text(Precision precision, std::int64_t length) {
  return fmt::format(
      "__device__ void user_filter(void* data, unsigned long long offset, {0}2 z, void* info, void*) {{\n"
      "  const {0}2 h = ((const {0}2*)info)[offset % {1}ull];\n"
      "  (({0}2*)data)[offset] = make_{0}2(z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x);\n}}\n",
      real_of(precision), length);
}

// Numbers of absolute value 1/N, so that the results are as large as the inputs.
template <class Real>
DeviceBytes make_filter(std::int64_t length) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> angles(0, 6.28);
  std::vector<Real> values;
  for (std::int64_t k = 0; k < length; ++k) {
    const double angle = angles(random);
    values.push_back(static_cast<Real>(std::cos(angle) / static_cast<double>(length)));
    values.push_back(static_cast<Real>(std::sin(angle) / static_cast<double>(length)));
  }
  DeviceBytes memory = allocate(values.size() * sizeof(Real));
  check(cudaMemcpy(memory.get(), values.data(), values.size() * sizeof(Real), cudaMemcpyHostToDevice));
  return memory;
}

struct Filter {
  const void* values;
};

// The relative difference of the results of two contenders, in units of the precision's rounding error.
template <class Real>
double difference(const std::vector<Real>& found, const std::vector<Real>& expected) {
  double differences = 0, whole = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
    differences += d * d;
    whole += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(differences / whole) / (static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2);
}

template <class Real>
nlohmann::json measure_of(Subject& subject, int rounds) {
  const Memory& memory = subject.memory();
  const auto count = static_cast<std::uint64_t>(subject.batch() * subject.length());
  const DeviceBytes filter = make_filter<Real>(subject.length());

  const Precision precision = subject.precision();
  const FftPlan plan = {.length = subject.length(),
                        .precision = precision == Precision::Single ? FftPrecision::F32 : FftPrecision::F64};
  const Fft fused = Fft::create(plan, {.between = Callback(graft_text(precision))});
  const CufftCallback store = {"user_filter",
                               Callback(cufft_text(precision, subject.length()))
                                   .precompile({Architecture(subject.architecture())}, PrecompileFormat::LtoIr),
                               filter.get()};
  const CufftPlan plain(subject.length(), precision, subject.batch(), subject.stream());
  const CufftPlan filtering(subject.length(), precision, subject.batch(), subject.stream(), {}, store);

  const ElementType type = precision == Precision::Single ? element_type<float2>() : element_type<double2>();
  const Filter state = {filter.get()};
  const FftLaunch launch = {.batch = static_cast<std::size_t>(subject.batch()),
                            .workspace = memory.workspace.get(),
                            .workspace_bytes = memory.bytes,
                            .state = state};
  std::vector<Contender> contenders;
  contenders.push_back({[&] {
    fused.execute(subject.stream(), ArrayRef(static_cast<const void*>(memory.in.get()), count, type),
                  ArrayRef(memory.out.get(), count, type), Direction::Forward, launch);
  }});
  contenders.push_back({[&] {
    filtering.execute(memory.in.get(), memory.workspace.get());
    plain.execute(memory.workspace.get(), memory.out.get(), CUFFT_INVERSE);
  }});
  contenders.push_back({[&] {
    plain.execute(memory.in.get(), memory.workspace.get());
    launch_filter(subject.stream(), precision == Precision::Double, memory.workspace.get(), filter.get(),
                  static_cast<std::uint32_t>(subject.length()), count);
    plain.execute(memory.workspace.get(), memory.out.get(), CUFFT_INVERSE);
  }});

  // The first 2^17 points and the last ones.
  const std::size_t some = std::min<std::size_t>(count, 1U << 17) * 2;
  std::vector<std::vector<Real>> results;
  for (Contender& contender : contenders) {
    check(cudaMemsetAsync(memory.out.get(), 0xff, memory.bytes, subject.stream()));
    contender.launch();
    check(cudaStreamSynchronize(subject.stream()));
    std::vector<Real>& result = results.emplace_back(2 * some);
    const Real* const out = static_cast<const Real*>(memory.out.get());
    check(cudaMemcpy(result.data(), out, some * sizeof(Real), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(result.data() + some, out + 2 * count - some, some * sizeof(Real), cudaMemcpyDeviceToHost));
    const double eps = difference(result, results.front());
    if (!(eps < 16)) throw std::runtime_error(fmt::format("the filtered signals differ by {} eps", eps));
  }
  measure(contenders, subject.stream(), rounds);
  const double graft = contenders[0].median(), callback = contenders[1].median(), kernel = contenders[2].median();
  fmt::print(
      "{:8} {}  graft, {} kernels {:.3f} ms | cuFFT, store callback {:.3f} ({:.2f}) | cuFFT, kernel {:.3f} "
      "({:.2f})\n",
      subject.length(), name_of(precision), fused.reports().size(), graft, callback, graft / callback, kernel,
      graft / kernel);
  return {{"length", subject.length()}, {"precision", name_of(precision)},
          {"batch", subject.batch()},   {"kernels", fused.reports().size()},
          {"between_ms", graft},        {"cufft_callback_ms", callback},
          {"cufft_kernel_ms", kernel}};
}

}  // namespace

nlohmann::json measure_between(Subject& subject, int rounds) {
  return subject.precision() == Precision::Single ? measure_of<float>(subject, rounds)
                                                  : measure_of<double>(subject, rounds);
}

}  // namespace graft::bench
