// Runs the kernels of FFTs on a GPU: every supported length to 4096 and the longest one, and all cases of
// text_cases.hpp with their callbacks, strides and inverses.
#include <gtest/gtest.h>

#include "families/fft/lengths.hpp"
#include "families/fft/text_case_run.hpp"
#include "gpu/fft_on_gpu.hpp"

namespace graft::test {
namespace {

class GpuFftKernels : public Gpu {};

template <class Real>
void expect_case(const TextCase& of_case) {
  TextCaseRun<Real, ManagedAllocator> run(of_case);
  run.run([&](std::size_t number, void* parameter, std::size_t, std::int64_t blocks) {
    families::fft::ProgramRequest request = of_case.request;
    request.kernel = number;
    const FftKernelOnGpu kernel(request, kIncludes + of_case.callbacks);
    kernel.launch(parameter, blocks);
    check(cudaDeviceSynchronize());
  });
  run.expect_results();
}

// The plan is made again, for the architecture of this GPU.
void expect_case_here(TextCase of_case) {
  const families::fft::Plan& plan = of_case.request.plan = of_case.make_plan(Architecture(current_architecture()));
  SCOPED_TRACE(base::format("{}: {}", of_case.number, describe(plan)));
  if (of_case.is_double()) expect_case<double>(of_case);
  else expect_case<float>(of_case);
}

// A share of the cases: most of their time is that of the compiler, so that processes share the work.
class GpuFftCases : public Gpu, public testing::WithParamInterface<int> {};

constexpr int kShares = 8;

TEST_P(GpuFftCases, CallbacksStridesAndInverses) {
  for (const TextCase& of_case : text_cases())
    if (of_case.number % kShares == GetParam()) expect_case_here(of_case);
}
INSTANTIATE_TEST_SUITE_P(Shares, GpuFftCases, testing::Range(0, kShares));

TextCase plain(std::int64_t length, families::fft::Precision precision) {
  TextCase of_case;
  of_case.make_plan = [=](Architecture architecture) {
    return families::fft::make_plan(length, precision, architecture);
  };
  of_case.request.name = "fft";
  return of_case;
}

TEST_F(GpuFftKernels, EveryLengthTo4096) {
  for (std::int64_t length = 1; length <= 4096; length = *families::fft::good_length_above(length))
    expect_case_here(plain(length, families::fft::Precision::Single));
}

// A sum of a few waves, whose transform is known: a peak at each wave's frequency, and 0 elsewhere.
template <class Real>
void expect_peaks(std::int64_t length, families::fft::Precision precision) {
  const families::fft::Plan plan = families::fft::make_plan(length, precision, current_architecture());
  SCOPED_TRACE(describe(plan));
  const auto n = static_cast<std::size_t>(length);
  using Complex = graft_fft::Complex<Real>;
  std::vector<Complex, ManagedAllocator<Complex>> in(n), out(n), workspace(n);
  const std::array<std::int64_t, 5> frequencies = {0, 1, length / 3, length / 2 + 1, length - 1};
  for (std::int64_t p = 0; p < length; ++p) {
    Wide sum = 0;
    for (std::size_t i = 0; i < frequencies.size(); ++i)
      sum += static_cast<long double>(i + 1) *
             std::conj(families::fft::root_of_unity(p * frequencies[i] % length, length));
    in[static_cast<std::size_t>(p)] = {static_cast<Real>(sum.real()), static_cast<Real>(sum.imag())};
  }
  for (std::size_t number = 0; number < plan.kernels.size(); ++number) {
    families::fft::ProgramRequest request;
    request.plan = plan;
    request.kernel = number;
    request.name = "fft";
    request.scale = 1 / static_cast<double>(length);
    const std::vector<Complex> table = families::fft::roots_of<Real>(plan.kernels[number]);
    const std::vector<Complex, ManagedAllocator<Complex>> roots(table.begin(), table.end());
    struct {
      families::fft::ParameterHead head;
      const void* in;
    } parameter;
    parameter.head.batch = 1;
    parameter.head.workspace = workspace.data();
    parameter.head.roots = roots.data();
    parameter.head.out = out.data();
    parameter.in = in.data();
    FftKernelOnGpu(request, "").launch(&parameter, launch_blocks(plan.kernels[number], 1));
    check(cudaDeviceSynchronize());
  }
  std::vector<Wide> expected(n);
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    expected[static_cast<std::size_t>(frequencies[i])] += static_cast<long double>(i + 1);
  std::vector<Complex> found(out.begin(), out.end());
  EXPECT_LT(rms_error(found, expected), 5);
}

TEST_F(GpuFftKernels, LongLengths) {
  for (const std::int64_t length : {16384, 262144, 1000000, 14480427, 16777216}) {
    expect_peaks<float>(length, families::fft::Precision::Single);
    expect_peaks<double>(length, families::fft::Precision::Double);
  }
}

}  // namespace
}  // namespace graft::test
