#include "fft_between.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "fft_passes.hpp"
#include "graft/graft.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

struct FilterState {
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
  const Precision precision = subject.precision();
  const FftPlan plan = {.length = subject.length(),
                        .precision = precision == Precision::Single ? FftPrecision::F32 : FftPrecision::F64};
  const Fft fused = Fft::create(plan, {.between = Callback(filter_text(precision))});
  const CufftPlan plain(subject.length(), precision, subject.batch(), subject.stream());

  const ElementType type = precision == Precision::Single ? element_type<float2>() : element_type<double2>();
  const FilterState state = {subject.filter()};
  const FftLaunch launch = {.batch = static_cast<std::size_t>(subject.batch()),
                            .workspace = memory.workspace.get(),
                            .workspace_bytes = memory.bytes,
                            .state = state};
  std::vector<Contender> contenders;
  contenders.push_back({[&] {
    fused.execute(subject.stream(), ArrayRef(static_cast<const void*>(memory.in.get()), count, type),
                  ArrayRef(memory.out.get(), count, type), Direction::Forward, launch);
  }});
  contenders.push_back(subject.cufft());
  contenders.push_back({[&] {
    plain.execute(memory.in.get(), memory.workspace.get());
    launch_filter(subject.stream(), precision == Precision::Double, memory.workspace.get(), subject.filter(),
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
