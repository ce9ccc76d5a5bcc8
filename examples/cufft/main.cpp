// Uses one load callback, unchanged, in a graft kernel and in a cuFFT plan. The callback turns radio samples, which are
// pairs of bytes, into the windowed complex numbers that an FFT needs. The program computes the FFT in two ways:
//
// First, a graft kernel (graft::Stages) writes an array of complex numbers, and a cuFFT plan without callback reads
// this array. Second, cuFFT links the callback into a plan, whose first pass calls the callback. The program makes such
// a plan with the callback as LTO-IR, and another with the callback as a fatbin.
//
// graft's kernel must write exactly the numbers that the CPU computes, because the callback only multiplies. The
// spectra of the two ways may differ by rounding. Without a GPU, the program compiles the callback in all its forms,
// builds graft's kernel for sm_90, and runs the callback on the CPU (route `host`). The program exits with 1 if results
// differ or anything else fails.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <graft/graft.hpp>
#include <optional>

#include "plan.hpp"
#include "samples.hpp"
#include "support/cuda.hpp"

namespace {

using namespace cufft_example;
using examples::DeviceBuffer;
using Spectrum = std::vector<std::complex<float>>;

// [callback]
constexpr const char* kLoadIq = R"(
__device__ float2 load_iq(void* data, unsigned long long offset, void* caller_info, void* shared) {
  const char2 sample = static_cast<const char2*>(data)[offset];
  const float weight = static_cast<const float*>(caller_info)[offset % 1024] / 128;
  return {weight * sample.x, weight * sample.y};
}
)";
// [/callback]
static_assert(kLength == 1024, "the text of load_iq contains the window's length");

// The tolerance for the relative distance between the spectra of the two ways. The tolerance is twice the bound of one
// FFT's error in the 2-norm, because each of the two spectra has such an error. The bound is log2(n) (mu + gamma_4
// (sqrt 2 + mu)), with n = 1024, u = 2^-24, gamma_4 = 4 u, and mu = u for the twiddle factors (N. J. Higham, Accuracy
// and Stability of Numerical Algorithms, 2002, theorem 24.2).
constexpr double kTolerance = 2 * 10 * (1 + 4 * 1.5) / (1 << 24);

bool verdict(bool good) {
  fmt::print("{}\n", good ? "ok" : "DIFFERENT");
  return good;
}

bool equal(const Spectrum& found, const Spectrum& expected) {
  fmt::print("  {} windowed samples, exactly those of the CPU: ", found.size());
  return verdict(found == expected);
}

bool close(const Spectrum& found, const Spectrum& expected) {
  const double error = distance(found, expected);
  fmt::print("  relative distance {:.2e} from the spectrum of graft's kernel, tolerance {:.2e}: ", error, kTolerance);
  return verdict(error <= kTolerance);
}

struct Compiled {
  const char* form;
  std::vector<std::byte> code;
};

// Returns the callback as a fatbin, or nothing if the toolkit lacks libnvfatbin. The example then uses LTO-IR only.
std::optional<Compiled> fatbin_for(graft::Architecture architecture) try {
  return Compiled{"fatbin", graft::Callback(kLoadIq).precompile({75, architecture}, graft::PrecompileFormat::Fatbin)};
} catch (const graft::Error& error) {
  if (error.code() != graft::ErrorCode::ToolMissing) throw;
  fmt::print("No fatbin: {}\n", error.message());
  return {};
}

std::vector<Compiled> compile_for(graft::Architecture architecture) {
  // [precompile]
  const graft::Callback callback(kLoadIq);
  std::vector<std::byte> ltoir = callback.precompile({architecture}, graft::PrecompileFormat::LtoIr);
  // [/precompile]
  std::vector<Compiled> all = {{"LTO-IR", std::move(ltoir)}};
  if (auto fatbin = fatbin_for(architecture)) all.push_back(std::move(*fatbin));
  for (const Compiled& one : all) fmt::print("load_iq as {}: {} bytes\n", one.form, one.code.size());
  return all;
}

void describe(const graft::Report& report) {
  fmt::print("graft's kernel: route {}{}, {} registers, callback {}\n", name(report.kernel.route),
             report.kernel.route == graft::Route::Host ? "" : " for " + report.kernel.architecture.sm(),
             report.resources.registers, report.inlined() ? "inlined" : "called");
}

bool run_on_gpu(const std::vector<Compiled>& all) {
  const std::vector<Sample> host_samples = make_samples();
  const DeviceBuffer<Sample> samples(host_samples);
  const DeviceBuffer<float> window(make_window());
  const DeviceBuffer<std::complex<float>> complex(samples.size()), spectrum(samples.size());

  // [stages]
  const graft::Transform load = graft::Transform::create(graft::Stages{.load = kLoadIq});
  load.execute(nullptr, samples, complex, graft::CallerInfo{.load = window.data()});
  // [/stages]
  describe(load.report());
  bool good = equal(on_host(complex), windowed(host_samples, make_window()));
  const Plan plain;
  plain.forward(complex.data(), spectrum.data());
  const Spectrum expected = on_host(spectrum);

  for (const Compiled& one : all) {
    examples::check(cudaMemset(spectrum.data(), 0xff, spectrum.size() * sizeof(std::complex<float>)));  // all nan
    fmt::print("cuFFT with load_iq as {}\n", one.form);
    const Plan plan(one.code, window.data());
    plan.forward(samples.data(), spectrum.data());
    good = close(on_host(spectrum), expected) && good;
  }
  return good;
}

bool run_on_cpu() {
  describe(graft::build(graft::Stages{.load = kLoadIq}, graft::Architecture(90)).report());
  fmt::print("No GPU is available, and cuFFT makes no plan without a GPU. The callback runs on the CPU:\n");
  const std::vector<Sample> samples = make_samples();
  std::vector<float> window = make_window();
  Spectrum complex(samples.size());
  graft::Transform::create(graft::Stages{.load = kLoadIq}, graft::Options::cpu())
      .execute(graft::host, samples, complex, graft::CallerInfo{.load = window.data()});
  return equal(complex, windowed(samples, window));
}

}  // namespace

int main() try {
  const bool has_gpu = examples::use_gpu();
  const std::vector<Compiled> all = compile_for(has_gpu ? examples::gpu_architecture() : graft::Architecture(90));
  return (has_gpu ? run_on_gpu(all) : run_on_cpu()) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
