// Times once, in this process, how long it takes to make an FFT with a load and a store callback, which exist as LTO-IR
// if nothing else is said.
// Prints one line of JSON with the milliseconds that passed, and those of the processor in all threads.
//
//     bench_fft_create_once compile FOLDER LENGTH     writes the callbacks to FOLDER, for the others
//     bench_fft_create_once graft FOLDER LENGTH       graft::Fft::create, the forward direction only
//     bench_fft_create_once graft-both FOLDER LENGTH  both directions
//     bench_fft_create_once graft-source FOLDER LENGTH  forward, the callbacks as source
//     bench_fft_create_once cufft FOLDER LENGTH       cuFFT's plan, which serves both directions
//     bench_fft_create_once mathdx FOLDER LENGTH      the FFT alone as LTO-IR, by libmathdx; needs no GPU
//
// With --no-gpu, graft makes the kernels for sm_90 and does not load them. The CUDA context exists before the clock
// starts; libraries are opened behind it, those of the toolkit for graft and cuFFT's for cuFFT.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <graft/graft.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "cuda_check.hpp"
#include "cufft_plan.hpp"
#include "fft_cubins.hpp"
#include "flags.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;
constexpr auto kPrecision = families::fft::Precision::Single;
constexpr int kArchitecture = 90;

void write(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot write " + path.string());
}
std::vector<std::byte> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

void compile(const fs::path& folder, std::int64_t length) {
  const CallbackTexts texts = callback_texts(kPrecision, length);
  const auto compiled = [](const std::string& text) {
    return Callback(text).precompile({Architecture(kArchitecture)}, PrecompileFormat::LtoIr);
  };
  write(folder / "load.ltoir", compiled(texts.load));
  write(folder / "store.ltoir", compiled(texts.store));
}

void make_by_graft(const FftCallbacks& callbacks, std::int64_t length, FftDirections directions, bool has_gpu) {
  const FftPlan plan = {.length = length, .directions = directions};
  if (has_gpu) Fft::create(plan, callbacks);
  else build(plan, callbacks, Architecture(kArchitecture));
}

void make_by_graft(const fs::path& folder, std::int64_t length, FftDirections directions, bool has_gpu) {
  const std::vector<std::byte> load = read(folder / "load.ltoir"), store = read(folder / "store.ltoir");
  const FftCallbacks callbacks = {
      .load = Callback::ltoir(load).with_signature("float2 user_load(void*, unsigned long long, void*, void*)"),
      .store =
          Callback::ltoir(store).with_signature("void user_store(void*, unsigned long long, float2, void*, void*)")};
  make_by_graft(callbacks, length, directions, has_gpu);
}

void make_by_graft_from_source(std::int64_t length, bool has_gpu) {
  const CallbackTexts texts = callback_texts(kPrecision, length);
  make_by_graft({.load = Callback(texts.load), .store = Callback(texts.store)}, length, FftDirections::Forward,
                has_gpu);
}

// A batch of 2^24 points.
void make_by_cufft(const fs::path& folder, std::int64_t length) {
  const DeviceBytes info = allocate(static_cast<std::size_t>(length) * sizeof(float));
  const CufftPlan plan(length, kPrecision, (1 << 24) / length, nullptr,
                       {"user_load", read(folder / "load.ltoir"), info.get()},
                       {"user_store", read(folder / "store.ltoir"), info.get()});
}

// ---- libmathdx ----

// Numbers of its interface (libcommondx.h, libcufftdx.h).
constexpr int kSize = 0, kDirection = 1, kPrecisionOperator = 3, kSm = 4, kExecution = 5, kInterface = 10;
constexpr int kForward = 0, kSingle = 5, kBlock = 1, kInRegisters = 0, kTargetSm = 1;

template <class... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(fmt::format("libmathdx has no {}", name));
  if (const int status = function(arguments...); status != 0)
    throw std::runtime_error(fmt::format("{} failed with status {}", name, status));
}

// The device function of an FFT whose points are in registers, which a kernel of the user's would have to be linked
// with.
void make_by_mathdx(void* library, std::int64_t length) {
  long long descriptor = 0, code = 0;
  call(library, "cufftdxCreateDescriptor", &descriptor);
  const std::pair<int, long long> operators[] = {
      {kSize, length},           {kDirection, kForward}, {kPrecisionOperator, kSingle},
      {kSm, 10 * kArchitecture}, {kExecution, kBlock},   {kInterface, kInRegisters}};
  for (const auto& [which, value] : operators) call(library, "cufftdxSetOperatorInt64", descriptor, which, value);
  call(library, "commondxCreateCode", &code);
  call(library, "commondxSetCodeOptionInt64", code, kTargetSm, static_cast<long long>(10 * kArchitecture));
  call(library, "cufftdxFinalizeCode", code, descriptor);
  std::size_t size = 0;
  call(library, "commondxGetCodeLTOIRSize", code, &size);
  std::vector<std::byte> bytes(size);
  call(library, "commondxGetCodeLTOIR", code, size, static_cast<void*>(bytes.data()));
}

double processor_milliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Make>
void print_time(const Make& make) {
  const double before = processor_milliseconds();
  Stopwatch watch;
  make();
  const double passed = watch.lap();
  fmt::print("{}\n", nlohmann::json{{"total", passed}, {"processor", processor_milliseconds() - before}}.dump());
}

void run(int argc, char** argv) {
  const bool has_gpu = !take_flag(argc, argv, "--no-gpu");
  if (argc != 4) throw std::invalid_argument("usage: bench_fft_create_once WHAT FOLDER LENGTH [--no-gpu]");
  const std::string what = argv[1];
  const fs::path folder = argv[2];
  const std::int64_t length = std::stoll(argv[3]);
  if (what == "compile") {
    compile(folder, length);
  } else if (what == "mathdx") {
    void* const library = dlopen("libmathdx.so.0", RTLD_NOW);
    if (library == nullptr) throw std::runtime_error(dlerror());
    print_time([&] { make_by_mathdx(library, length); });
  } else if (what == "graft" || what == "graft-both") {
    if (has_gpu) check(cudaFree(nullptr));
    const FftDirections directions = what == "graft" ? FftDirections::Forward : FftDirections::Both;
    print_time([&] { make_by_graft(folder, length, directions, has_gpu); });
  } else if (what == "graft-source") {
    if (has_gpu) check(cudaFree(nullptr));
    print_time([&] { make_by_graft_from_source(length, has_gpu); });
  } else if (what == "cufft") {
    check(cudaFree(nullptr));
    print_time([&] { make_by_cufft(folder, length); });
  } else {
    throw std::invalid_argument("nothing is called " + what);
  }
}

}  // namespace
}  // namespace graft::bench

int main(int argc, char** argv) {
  try {
    graft::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_fft_create_once: {}\n", error.what());
    return 1;
  }
}
