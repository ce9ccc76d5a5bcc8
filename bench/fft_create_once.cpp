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
// With --real, the FFT is one of LENGTH real numbers. With --no-gpu, graft makes the kernels for sm_90 and does not
// load them. The CUDA context exists before the clock starts; libraries are opened behind it, those of the toolkit for
// graft and cuFFT's for cuFFT.
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
#include "main.hpp"
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

// What is made.
struct Subject {
  fs::path folder;
  std::int64_t length = 0;
  bool is_real = false, has_gpu = true;

  CallbackTexts texts() const { return callback_texts(kPrecision, length, {.loads_numbers = is_real}); }
};

void compile(const Subject& subject) {
  const CallbackTexts texts = subject.texts();
  const auto compiled = [](const std::string& text) {
    return Callback(text).precompile({Architecture(kArchitecture)}, PrecompileFormat::LtoIr);
  };
  write(subject.folder / "load.ltoir", compiled(texts.load));
  write(subject.folder / "store.ltoir", compiled(texts.store));
}

void make_by_graft(const FftCallbacks& callbacks, const Subject& subject, FftDirections directions) {
  const FftPlan plan = {
      .length = subject.length, .directions = directions, .kind = subject.is_real ? FftKind::Real : FftKind::Complex};
  if (subject.has_gpu) Fft::create(plan, callbacks);
  else build(plan, callbacks, Architecture(kArchitecture));
}

void make_by_graft(const Subject& subject, FftDirections directions) {
  const std::vector<std::byte> load = read(subject.folder / "load.ltoir"), store = read(subject.folder / "store.ltoir");
  const std::string loaded = subject.is_real ? "float" : "float2";
  const FftCallbacks callbacks = {
      .load = Callback::ltoir(load).with_signature(loaded + " user_load(void*, unsigned long long, void*, void*)"),
      .store =
          Callback::ltoir(store).with_signature("void user_store(void*, unsigned long long, float2, void*, void*)")};
  make_by_graft(callbacks, subject, directions);
}

void make_by_graft_from_source(const Subject& subject) {
  const CallbackTexts texts = subject.texts();
  make_by_graft({.load = Callback(texts.load), .store = Callback(texts.store)}, subject, FftDirections::Forward);
}

// A batch of 2^24 points.
void make_by_cufft(const Subject& subject) {
  const DeviceBytes info = allocate(static_cast<std::size_t>(subject.length) * sizeof(float));
  const CufftPlan plan(std::vector<int>{static_cast<int>(subject.length)}, subject.is_real ? CUFFT_R2C : CUFFT_C2C,
                       (1 << 24) / subject.length, nullptr,
                       {"user_load", read(subject.folder / "load.ltoir"), info.get()},
                       {"user_store", read(subject.folder / "store.ltoir"), info.get()});
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

}  // namespace

int run(int argc, char** argv) {
  Subject subject;
  subject.has_gpu = !take_flag(argc, argv, "--no-gpu");
  subject.is_real = take_flag(argc, argv, "--real");
  if (argc != 4) throw std::invalid_argument("usage: bench_fft_create_once WHAT FOLDER LENGTH [--real] [--no-gpu]");
  const std::string what = argv[1];
  subject.folder = argv[2];
  subject.length = std::stoll(argv[3]);
  if (subject.has_gpu && what != "compile" && what != "mathdx") check(cudaFree(nullptr));
  if (what == "compile") {
    compile(subject);
  } else if (what == "mathdx") {
    void* const library = dlopen("libmathdx.so.0", RTLD_NOW);
    if (library == nullptr) throw std::runtime_error(dlerror());
    print_time([&] { make_by_mathdx(library, subject.length); });
  } else if (what == "graft" || what == "graft-both") {
    const FftDirections directions = what == "graft" ? FftDirections::Forward : FftDirections::Both;
    print_time([&] { make_by_graft(subject, directions); });
  } else if (what == "graft-source") {
    print_time([&] { make_by_graft_from_source(subject); });
  } else if (what == "cufft") {
    print_time([&] { make_by_cufft(subject); });
  } else {
    throw std::invalid_argument("nothing is called " + what);
  }
  return 0;
}

}  // namespace graft::bench
