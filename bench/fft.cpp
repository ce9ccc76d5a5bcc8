// Measures the kernels of FFTs against plain cuFFT, on arrays of 1 GiB or of --mib MiB:
//
//     bench_fft                                 40 lengths from 2 to 8192, and longer ones; single and double precision
//     bench_fft --lengths 512,2000 --f64        these lengths, in double precision (--f32: single)
//     bench_fft --sweep --lengths 512           every plan that is worth trying, the fastest five printed
//
// Each length has three contenders: cuFFT without callbacks, graft's kernels without callbacks, and graft's kernels
// with a load and a store callback of cuFFT's shape (a window through caller_info at load, a scaling at store). They
// take turns in a random order; the results are medians. Every result is compared with cuFFT's.
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <graft/graft.hpp>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "compile/open_tools.hpp"
#include "compile/toolbox.hpp"
#include "cuda_check.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/program.hpp"
#include "families/fft/roots.hpp"
#include "flags.hpp"
#include "record.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

constexpr int kWarmupRounds = 2;
constexpr int kSweepRounds = 5;

// ---- cuFFT, opened at run time ----

class Cufft {
 public:
  Cufft() {
    for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"})
      if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW);
    if (library_ == nullptr) throw std::runtime_error("there is no libcufft.so: set LD_LIBRARY_PATH");
  }

  template <class Function>
  Function find(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(fmt::format("cuFFT has no {}", name));
    return reinterpret_cast<Function>(found);
  }

  static const Cufft& library() {
    static const Cufft one;
    return one;
  }

 private:
  void* library_ = nullptr;
};

void check_cufft(cufftResult result) {
  if (result != CUFFT_SUCCESS) throw std::runtime_error(fmt::format("cuFFT's error {}", static_cast<int>(result)));
}

class CufftPlan {
 public:
  CufftPlan(std::int64_t length, Precision precision, std::int64_t batch, cudaStream_t stream) : precision_(precision) {
    const Cufft& library = Cufft::library();
    int n = static_cast<int>(length);
    check_cufft(library.find<decltype(&cufftPlanMany)>("cufftPlanMany")(
        &plan_, 1, &n, nullptr, 1, n, nullptr, 1, n, precision == Precision::Single ? CUFFT_C2C : CUFFT_Z2Z,
        static_cast<int>(batch)));
    check_cufft(library.find<decltype(&cufftSetStream)>("cufftSetStream")(plan_, stream));
    single_ = library.find<decltype(&cufftExecC2C)>("cufftExecC2C");
    double_ = library.find<decltype(&cufftExecZ2Z)>("cufftExecZ2Z");
  }
  ~CufftPlan() { Cufft::library().find<decltype(&cufftDestroy)>("cufftDestroy")(plan_); }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  void execute(void* in, void* out) const {
    if (precision_ == Precision::Single)
      check_cufft(single_(plan_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), CUFFT_FORWARD));
    else
      check_cufft(
          double_(plan_, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out), CUFFT_FORWARD));
  }

 private:
  Precision precision_;
  cufftHandle plan_ = 0;
  decltype(&cufftExecC2C) single_ = nullptr;
  decltype(&cufftExecZ2Z) double_ = nullptr;
};

// ---- graft ----

// The window has a value for every point of an FFT; the store callback multiplies by a number.
std::string callbacks_text(Precision precision, std::int64_t length) {
  return fmt::format(
      "typedef {0} user_real;\ntypedef {0}2 user_complex;\n"
      "__device__ user_complex user_load(void* data, unsigned long long offset, void* info, void*) {{\n"
      "  user_complex value = ((user_complex*)data)[offset];\n"
      "  const user_real factor = ((const user_real*)info)[offset % {1}ull];\n"
      "  value.x *= factor; value.y *= factor;\n  return value;\n}}\n"
      "__device__ void user_store(void* data, unsigned long long offset, user_complex value, void* info, void*) {{\n"
      "  const user_real factor = *(const user_real*)info;\n"
      "  value.x *= factor; value.y *= factor;\n  ((user_complex*)data)[offset] = value;\n}}\n",
      precision == Precision::Single ? "float" : "double", length);
}

struct Memory {
  explicit Memory(std::size_t size)
      : bytes(size), in(allocate(size)), out(allocate(size)), expected(allocate(size)), workspace(allocate(size)) {}
  std::size_t bytes;
  DeviceBytes in, out, expected, workspace;
};

struct DestroyLibrary {
  void operator()(cudaLibrary_t library) const noexcept { cudaLibraryUnload(library); }
};

// The kernels of a plan, loaded.
class GraftFft {
 public:
  GraftFft(const fft::Plan& plan, int architecture, bool has_callbacks) : plan_(plan) {
    for (std::size_t number = 0; number < plan.kernels.size(); ++number) {
      fft::ProgramRequest request;
      request.plan = plan;
      request.kernel = number;
      request.name = "fft";
      if (has_callbacks)
        request.hooks = "graft_fft_hooks<graft_staged<user_load_part, graft_no_stage, user_store_part>, graft_complex>";
      load(callbacks_text(plan.precision, plan.length) + fft::device_text(request), architecture, plan.kernels[number]);
    }
  }

  void execute(const Memory& memory, std::int64_t batch, void* load_info, void* store_info, cudaStream_t stream) const {
    for (std::size_t number = 0; number < kernels_.size(); ++number) {
      const fft::Kernel& kernel = plan_.kernels[number];
      struct {
        fft::ParameterHead head;
        const void* in;
      } parameter;
      parameter.head.batch = static_cast<std::uint64_t>(batch);
      parameter.head.in_distance = parameter.head.out_distance = static_cast<std::uint64_t>(plan_.length);
      parameter.head.workspace = memory.workspace.get();
      parameter.head.roots = kernels_[number].roots.get();
      parameter.head.load_info = load_info;
      parameter.head.store_info = store_info;
      parameter.head.out = memory.out.get();
      parameter.in = memory.in.get();
      void* parameters[] = {&parameter};
      check(cudaLaunchKernel(reinterpret_cast<const void*>(kernels_[number].function),
                             dim3(static_cast<unsigned>(launch_blocks(kernel, batch))),
                             dim3(static_cast<unsigned>(kernel.block.block_threads())), parameters,
                             static_cast<std::size_t>(kernel.shared_bytes), stream));
    }
  }

 private:
  struct Loaded {
    std::unique_ptr<CUlib_st, DestroyLibrary> library;
    cudaKernel_t function = nullptr;
    DeviceBytes roots;
  };

  void load(const std::string& text, int architecture, const fft::Kernel& kernel) {
    static const compile::Toolbox toolbox({}, {}, 0);
    static const compile::OpenTools tools = compile::open_tools({}, toolbox);
    if (!tools.nvrtc) throw std::runtime_error(tools.states.nvrtc.why_not);
    toolchain::NvrtcProgram program;
    program.source = text;
    program.name = "fft.cu";
    program.output = toolchain::NvrtcOutput::Cubin;
    program.options =
        toolchain::nvrtc_options({fmt::format("-arch=sm_{}", architecture), "-std=c++17"}, tools.nvrtc->version());
    const toolchain::NvrtcResult compiled = tools.nvrtc->compile(program);
    if (!compiled.ok) throw std::runtime_error(compiled.log);
    Loaded loaded;
    cudaLibrary_t library = nullptr;
    check(cudaLibraryLoadData(&library, compiled.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    loaded.library.reset(library);
    check(cudaLibraryGetKernel(&loaded.function, library, "fft"));
    check(cudaKernelSetAttributeForDevice(loaded.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          kernel.shared_bytes, 0));
    if (plan_.precision == Precision::Single) loaded.roots = upload(fft::roots_of<float>(kernel));
    else loaded.roots = upload(fft::roots_of<double>(kernel));
    kernels_.push_back(std::move(loaded));
  }

  template <class Complex>
  static DeviceBytes upload(const std::vector<Complex>& table) {
    DeviceBytes memory = allocate(table.size() * sizeof(Complex) + 16);
    check(cudaMemcpy(memory.get(), table.data(), table.size() * sizeof(Complex), cudaMemcpyHostToDevice));
    return memory;
  }

  fft::Plan plan_;
  std::vector<Loaded> kernels_;
};

// ---- measuring ----

struct Contender {
  std::string name;
  std::function<void()> launch;
  std::vector<double> milliseconds = {};
};

void measure(std::vector<Contender>& contenders, cudaStream_t stream, int samples) {
  const Event begin = make_event(), end = make_event();
  std::mt19937 random(std::random_device{}());
  std::vector<Contender*> order;
  for (Contender& contender : contenders) order.push_back(&contender);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Contender* contender : order) {
      check(cudaEventRecord(begin.get(), stream));
      contender->launch();
      check(cudaEventRecord(end.get(), stream));
      check(cudaEventSynchronize(end.get()));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
      if (round >= 0) contender->milliseconds.push_back(static_cast<double>(milliseconds));
    }
  }
}

double median(const Contender& contender) {
  return summarize(contender.milliseconds).median;
}

// One length in one precision: the memory, the callbacks' data, and cuFFT's results.
template <class Real>
class Subject {
 public:
  Subject(std::int64_t length, const Memory& memory, cudaStream_t stream)
      : length_(length),
        batch_(std::max<std::int64_t>(1, static_cast<std::int64_t>(memory.bytes / (2 * sizeof(Real))) / length)),
        memory_(memory),
        stream_(stream),
        cufft_(length, precision(), batch_, stream),
        window_(allocate(static_cast<std::size_t>(length) * sizeof(Real))),
        scale_(allocate(sizeof(Real))) {
    // A window of ones and a scaling by one, so that all contenders have one result. The kernels cannot know that.
    const std::vector<Real> ones(static_cast<std::size_t>(length), 1);
    check(cudaMemcpy(window_.get(), ones.data(), ones.size() * sizeof(Real), cudaMemcpyHostToDevice));
    check(cudaMemcpy(scale_.get(), ones.data(), sizeof(Real), cudaMemcpyHostToDevice));
    fill();
    cufft_.execute(memory.in.get(), memory.expected.get());
    check(cudaStreamSynchronize(stream));
  }

  static constexpr Precision precision() { return sizeof(Real) == 4 ? Precision::Single : Precision::Double; }
  std::int64_t batch() const { return batch_; }

  Contender cufft() const {
    return {"cuFFT", [this] { cufft_.execute(memory_.in.get(), memory_.out.get()); }};
  }

  // Launches once and compares with cuFFT's result before it is measured.
  Contender graft(std::string name, const fft::Plan& plan, int architecture, bool has_callbacks) const {
    const auto made = std::make_shared<GraftFft>(plan, architecture, has_callbacks);
    Contender contender = {std::move(name),
                           [this, made] { made->execute(memory_, batch_, window_.get(), scale_.get(), stream_); }};
    check(cudaMemsetAsync(memory_.out.get(), 0xff, memory_.bytes, stream_));
    contender.launch();
    check(cudaStreamSynchronize(stream_));
    compare(describe(plan));
    return contender;
  }

 private:
  // Numbers that repeat, at a period that is no multiple of any length.
  void fill() const {
    std::mt19937 random(5);
    std::uniform_real_distribution<Real> numbers(-1, 1);
    std::vector<Real> values(999983);
    for (Real& value : values) value = numbers(random);
    for (std::size_t at = 0; at < memory_.bytes; at += values.size() * sizeof(Real))
      check(cudaMemcpy(static_cast<std::byte*>(memory_.in.get()) + at, values.data(),
                       std::min(values.size() * sizeof(Real), memory_.bytes - at), cudaMemcpyHostToDevice));
  }

  // Compares the first and the last megabyte.
  void compare(const std::string& what) const {
    const std::size_t all = static_cast<std::size_t>(batch_ * length_) * 2, some = std::min<std::size_t>(all, 262144);
    for (const std::size_t begin : {std::size_t{0}, all - some}) {
      std::vector<Real> found(some), expected(some);
      const auto copy = [&](std::vector<Real>& to, const DeviceBytes& from) {
        check(cudaMemcpy(to.data(), static_cast<const Real*>(from.get()) + begin, some * sizeof(Real),
                         cudaMemcpyDeviceToHost));
      };
      copy(found, memory_.out);
      copy(expected, memory_.expected);
      double difference = 0, whole = 0;
      for (std::size_t i = 0; i < some; ++i) {
        const double d = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
        difference += d * d;
        whole += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
      }
      const double error = std::sqrt(difference / whole) / (std::numeric_limits<Real>::epsilon() / 2);
      if (!(error < 12)) throw std::runtime_error(fmt::format("{}: differs from cuFFT by {} eps", what, error));
    }
  }

  std::int64_t length_;
  std::int64_t batch_;
  const Memory& memory_;
  cudaStream_t stream_;
  CufftPlan cufft_;
  DeviceBytes window_, scale_;
};

struct Setting {
  const Memory& memory;
  cudaStream_t stream;
  int architecture;
  int samples;
};

template <class Real>
nlohmann::json row(std::int64_t length, const Setting& setting) {
  const Subject<Real> subject(length, setting.memory, setting.stream);
  const fft::Plan plan = fft::make_plan(length, subject.precision(), setting.architecture);
  std::vector<Contender> contenders = {subject.cufft(), subject.graft("graft", plan, setting.architecture, false),
                                       subject.graft("load and store", plan, setting.architecture, true)};
  measure(contenders, setting.stream, setting.samples);
  const double cufft = median(contenders[0]), plain = median(contenders[1]), called = median(contenders[2]);
  fmt::print("{:8} {}  cuFFT {:.3f} ms | graft {:.3f} ({:.2f}) | with load and store {:.3f} ({:.2f}) | {}\n", length,
             sizeof(Real) == 4 ? "f32" : "f64", cufft, plain, plain / cufft, called, called / cufft, describe(plan));
  return {{"length", length},         {"precision", sizeof(Real) == 4 ? "f32" : "f64"},
          {"batch", subject.batch()}, {"cufft_ms", cufft},
          {"graft_ms", plain},        {"callbacks_ms", called},
          {"plan", describe(plan)}};
}

// ---- the sweep ----

void add_radices(int length, int largest, std::vector<int>& radices, std::vector<std::vector<int>>& lists) {
  if (length == 1) lists.push_back(radices);
  // More passes than the fewest that are possible, and one more, are never faster.
  if (length == 1 || radices.size() == 5) return;
  for (int radix = largest; radix >= 2; --radix) {
    if (length % radix != 0) continue;
    radices.push_back(radix);
    add_radices(length / radix, radix, radices, lists);
    radices.pop_back();
  }
}

// Plans of one kernel with different radices, threads, FFTs per block and kinds of exchange; plans of several kernels
// with different factors.
std::vector<fft::Plan> candidates(std::int64_t length, Precision precision, int architecture) {
  std::vector<fft::Plan> plans = {fft::make_plan(length, precision, architecture)};
  std::set<std::string> known = {describe(plans[0])};
  const auto add = [&](const fft::Choices& choices) {
    try {
      fft::Plan plan = fft::make_plan(length, precision, architecture, choices);
      if (known.insert(describe(plan)).second) plans.push_back(std::move(plan));
    } catch (const Error&) {  // these choices fit no kernel
    }
  };
  if (plans[0].has_workspace()) {
    for (std::int64_t factor = 16; factor <= 8192; ++factor)
      if (length % factor == 0 && length / factor <= 8192) add({.factors = {factor, length / factor}});
    return plans;
  }
  std::vector<std::vector<int>> lists;
  std::vector<int> radices;
  add_radices(static_cast<int>(length), 16, radices, lists);
  std::size_t fewest = 5;
  for (const auto& list : lists) fewest = std::min(fewest, list.size());
  for (const auto& list : lists) {
    if (list.size() > fewest + 1) continue;
    for (const int radix : std::set<int>(list.begin(), list.end()))
      for (const int share : {1, 2, 4}) {
        const int threads = static_cast<int>(length) / radix / share;
        if (threads < 1 || static_cast<int>(length) / radix % share != 0) continue;
        for (int ffts = 1; ffts * threads <= 512; ffts *= 2)
          if (ffts * threads >= 64)
            for (const bool splits : {false, true})
              add({.radices = {list}, .threads = {threads}, .ffts = {ffts}, .splits_complex = splits});
      }
  }
  return plans;
}

template <class Real>
nlohmann::json sweep(std::int64_t length, const Setting& setting) {
  const Subject<Real> subject(length, setting.memory, setting.stream);
  const std::vector<fft::Plan> plans = candidates(length, subject.precision(), setting.architecture);
  std::vector<std::pair<double, std::string>> results;
  for (const fft::Plan& plan : plans) {
    std::vector<Contender> one = {subject.graft("graft", plan, setting.architecture, true)};
    measure(one, setting.stream, kSweepRounds);
    results.emplace_back(median(one[0]), describe(plan));
  }
  std::vector<Contender> cufft = {subject.cufft()};
  measure(cufft, setting.stream, kSweepRounds);
  fmt::print(
      "{} {}: cuFFT {:.3f} ms without callbacks; the planner's choice of {} with load and store: {:.3f} ({:.2f})\n",
      length, sizeof(Real) == 4 ? "f32" : "f64", median(cufft[0]), results.size(), results[0].first,
      results[0].first / median(cufft[0]));
  std::sort(results.begin(), results.end());
  nlohmann::json record = {{"length", length}, {"cufft_ms", median(cufft[0])}, {"best", nlohmann::json::array()}};
  for (std::size_t i = 0; i < std::min<std::size_t>(5, results.size()); ++i) {
    fmt::print("    {:.3f} ({:.2f})  {}\n", results[i].first, results[i].first / median(cufft[0]), results[i].second);
    record["best"].push_back({{"ms", results[i].first}, {"plan", results[i].second}});
  }
  return record;
}

// ---- goals ----

// graft's time for 2 to 8192 points, as a share of cuFFT's without callbacks: the geometric mean of all lengths.
constexpr double kPlainGoal = 1.00, kCallbacksGoal = 1.03;

nlohmann::json summary(const nlohmann::json& rows, const char* measured, double goal) {
  double logarithms = 0, worst = 0;
  std::string worst_row;
  int count = 0;
  for (const nlohmann::json& one : rows) {
    if (one["length"] > 8192) continue;
    const double ratio = one[measured].get<double>() / one["cufft_ms"].get<double>();
    logarithms += std::log(ratio);
    ++count;
    if (ratio <= worst) continue;
    worst = ratio;
    worst_row = fmt::format("{} {}", one["length"].get<std::int64_t>(), one["precision"].get<std::string>());
  }
  if (count == 0) return nullptr;
  const double mean = std::exp(logarithms / count);
  fmt::print("{}: geometric mean of {} rows {:.3f} of cuFFT without callbacks (goal {:.2f}{}), at most {:.2f} ({})\n",
             measured, count, mean, goal, mean <= goal ? "" : ", NOT REACHED", worst, worst_row);
  return {{"mean", mean}, {"goal", goal}, {"reached", mean <= goal}, {"worst", worst}, {"worst_row", worst_row}};
}

// ---- the command line ----

std::vector<std::int64_t> default_lengths() {
  return {2,    3,     4,     5,     6,      7,      8,       9,       10,      12,      15,   16,   20,
          24,   25,    27,    32,    36,     48,     60,      64,      81,      100,     125,  128,  243,
          256,  343,   500,   512,   625,    729,    1000,    1024,    1536,    2000,    2048, 3000, 4096,
          8192, 16384, 32768, 65536, 262144, 531441, 1000000, 1048576, 4194304, 16777216};
}

std::vector<std::int64_t> parse_lengths(const std::string& text) {
  std::vector<std::int64_t> lengths;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    lengths.push_back(std::stoll(word));
    if (!fft::is_good_length(lengths.back())) throw std::invalid_argument("--lengths: no FFT has " + word + " points");
  }
  return lengths;
}

int run(int argc, char** argv) {
  const bool is_sweep = take_flag(argc, argv, "--sweep");
  const bool only_single = take_flag(argc, argv, "--f32"), only_double = take_flag(argc, argv, "--f64");
  const std::string listed = take_option(argc, argv, "--lengths"), mib = take_option(argc, argv, "--mib");
  const std::vector<std::int64_t> lengths = listed.empty() ? default_lengths() : parse_lengths(listed);
  const Arguments arguments = parse_arguments(argc, argv, "fft", 9);
  const Memory memory((mib.empty() ? std::size_t{1024} : std::stoull(mib)) << 20);
  const Stream stream = make_stream();
  cudaDeviceProp device = {};
  check(cudaGetDeviceProperties(&device, 0));
  const Setting setting = {memory, stream.get(), 10 * device.major + device.minor, arguments.samples};
  nlohmann::json rows = nlohmann::json::array();
  for (const std::int64_t length : lengths) {
    if (!only_double) rows.push_back(is_sweep ? sweep<float>(length, setting) : row<float>(length, setting));
    if (!only_single) rows.push_back(is_sweep ? sweep<double>(length, setting) : row<double>(length, setting));
  }
  nlohmann::json record = environment(arguments);
  record["bytes"] = memory.bytes;
  if (!is_sweep) {
    record["plain"] = summary(rows, "graft_ms", kPlainGoal);
    record["callbacks"] = summary(rows, "callbacks_ms", kCallbacksGoal);
  }
  record["rows"] = std::move(rows);
  write_record(arguments, record);
  return 0;
}

}  // namespace
}  // namespace graft::bench

int main(int argc, char** argv) {
  try {
    return graft::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_fft: {}\n", error.what());
    return 1;
  }
}
