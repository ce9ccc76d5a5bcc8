// Measures kernels of one's own (graft::Kernel) with a callback in their slots, beside the same kernels with the
// callback written into them, and with the callback as a function that is called:
//
//     bench_own_kernels [--samples N] [--out FILE] [--commit ID] [--no-heavy]
//
// The kernels are those of tests/own_kernels/subjects.hpp. Results in a slot are compared with those of the callback
// written in bit for bit, but for the fit, whose sums are atomic. The goal is at most 1.02 of the time of the kernel
// with the callback written in. Last comes a heavy callback, of 40 sinf at 48 calls, for which graft chooses a called
// function; the goal is at most 1.02 of the better of called and inlined, and 3 s to make it. To link it inlined takes
// more than a minute, which --no-heavy saves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <graft/graft.hpp>
#include <random>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "own_kernels/subjects.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "stopwatch.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

constexpr double kGoal = 1.02;
constexpr double kMillisecond = 1e6;  // the bytes with which a Way's speed is 1 / milliseconds

// Launches of one kernel: the arguments, and where the results are.
struct Case {
  const test::OwnKernel* kernel;
  std::function<void(const Kernel&, cudaStream_t)> launch;
  void* results;
  std::size_t bytes;
  bool is_exact = true;
};

template <class T>
DeviceBytes random_values(std::size_t count, double low, double high) {
  std::mt19937 generator(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> numbers(low, high);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(numbers(generator));
  DeviceBytes memory = allocate(count * sizeof(T));
  check(cudaMemcpy(memory.get(), values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

const float* floats(const DeviceBytes& memory) {
  return static_cast<const float*>(memory.get());
}

// The memory of all cases.
class Cases {
 public:
  std::vector<Case> all() const {
    return {
        {&test::kNeighbours,
         [this](const Kernel& kernel, cudaStream_t stream) {
           kernel.launch({.grid = {kQueries / 128}, .block = {128}, .stream = stream}, floats(queries_),
                         floats(points_), kPoints, static_cast<int*>(nearest_.get()), Pair{1.5f, 2.0f});
         },
         nearest_.get(), kQueries * sizeof(int)},
        {&test::kFit,
         [this](const Kernel& kernel, cudaStream_t stream) {
           kernel.launch({.grid = {kFits}, .block = {128}, .stream = stream}, floats(x_), floats(y_), kSamples,
                         floats(start_), static_cast<float*>(step_.get()));
         },
         step_.get(), kFits * 9 * sizeof(float), false},
        {&test::kSparse,
         [this](const Kernel& kernel, cudaStream_t stream) {
           kernel.launch({.grid = {kRows * 8 / 256}, .block = {256}, .stream = stream},
                         static_cast<const int*>(rows_.get()), static_cast<const int*>(columns_.get()), floats(values_),
                         floats(vector_), static_cast<float*>(product_.get()), kRows);
         },
         product_.get(), kRows * sizeof(float)},
        {&test::kMarch,
         [this](const Kernel& kernel, cudaStream_t stream) {
           kernel.launch({.grid = {kWidth / 16, kWidth / 16}, .block = {16, 16}, .stream = stream},
                         static_cast<float*>(depth_.get()), kWidth, kWidth, Pair{1.0f, 0.2f});
         },
         depth_.get(), std::size_t{kWidth} * kWidth * sizeof(float)},
        {&test::kSaxpy,
         [this](const Kernel& kernel, cudaStream_t stream) {
           kernel.launch({.grid = {kCount / 256}, .block = {256}, .stream = stream}, 2.0f, floats(a_), floats(b_),
                         static_cast<float*>(sum_.get()), kCount);
         },
         sum_.get(), kCount * sizeof(float)},
    };
  }

 private:
  struct Pair {
    float first, second;
  };
  static constexpr int kQueries = 1 << 16, kPoints = 4096, kFits = 4096, kSamples = 8192, kRows = 1 << 18,
                       kEntries = 32, kWidth = 2048, kCount = 1 << 26;

  static DeviceBytes numbers(int count, int factor) {
    std::vector<int> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) * factor;
    return copied(values);
  }
  static DeviceBytes scattered() {
    std::mt19937 generator(7);
    std::vector<int> values(std::size_t{kRows} * kEntries);
    for (int& value : values) value = static_cast<int>(generator() % kRows);
    return copied(values);
  }
  static DeviceBytes copied(const std::vector<int>& values) {
    DeviceBytes memory = allocate(values.size() * sizeof(int));
    check(cudaMemcpy(memory.get(), values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
    return memory;
  }

  DeviceBytes queries_ = random_values<float>(std::size_t{kQueries} * 8, -4, 4);
  DeviceBytes points_ = random_values<float>(std::size_t{kPoints} * 8, -4, 4);
  DeviceBytes nearest_ = allocate(kQueries * sizeof(int));
  DeviceBytes x_ = random_values<float>(kSamples, 0, 4), y_ = random_values<float>(kSamples, 0, 2);
  DeviceBytes start_ = random_values<float>(std::size_t{kFits} * 3, 0.5, 1.5);
  DeviceBytes step_ = allocate(kFits * 9 * sizeof(float));
  DeviceBytes rows_ = numbers(kRows + 1, kEntries), columns_ = scattered();
  DeviceBytes values_ = random_values<float>(std::size_t{kRows} * kEntries, 0, 1);
  DeviceBytes vector_ = random_values<float>(kRows, 0, 1), product_ = allocate(kRows * sizeof(float));
  DeviceBytes depth_ = allocate(std::size_t{kWidth} * kWidth * sizeof(float));
  DeviceBytes a_ = random_values<float>(kCount, -1, 1), b_ = random_values<float>(kCount, -1, 1);
  DeviceBytes sum_ = allocate(kCount * sizeof(float));
};

std::vector<std::byte> results_of(const Case& one, const Kernel& kernel) {
  check(cudaMemset(one.results, 0, one.bytes));
  one.launch(kernel, nullptr);
  std::vector<std::byte> results(one.bytes);
  check(cudaMemcpy(results.data(), one.results, one.bytes, cudaMemcpyDeviceToHost));
  return results;
}

// Whether all but a hundredth of the numbers are nearly equal. Around a call the compiler fuses other products and
// sums, and a ray that just touches a body may then miss it.
bool nearly_agree(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < a.size(); i += sizeof(float)) {
    float first = 0, second = 0;
    std::memcpy(&first, a.data() + i, sizeof first);
    std::memcpy(&second, b.data() + i, sizeof second);
    if (!(std::abs(first - second) <= 1e-3f * std::abs(first) + 1e-2f)) ++others;
  }
  return others * sizeof(float) * 100 <= a.size();
}

// The callbacks of a kernel behind pointers, which the compiler must not follow: it sees that nobody changes them.
std::vector<SlotCallback> through_pointers(const test::OwnKernel& kernel) {
  struct Pointer {
    const char *slot, *callback, *result, *parameters, *arguments;
  };
  constexpr Pointer kPointers[] = {
      {"metric", "huber", "float", "float a, float b, const Huber& s", "a, b, s"},
      {"lib::model", "decay", "void", "float x, const float* p, float* v, float* g", "x, p, v, g"},
      {"times", "f", "float", "float a, float b", "a, b"},
      {"plus", "plus", "float", "float a, float b", "a, b"},
      {"scene", "ball", "float", "float3 p, const Ball& s", "p, s"},
      {"combine", "combine", "float", "float a, float x, float y", "a, x, y"},
  };
  std::vector<SlotCallback> callbacks = kernel.callbacks();
  for (SlotCallback& one : callbacks) {
    const Pointer& pointer =
        *std::ranges::find_if(kPointers, [&](const Pointer& other) { return one.slot == other.slot; });
    std::string text = one.callback.text();
    if (text.starts_with('['))  // a lambda becomes a function
      text = fmt::format("__device__ {} {}{}", pointer.result, pointer.callback, text.substr(text.find('(')));
    one.callback =
        Callback(
            fmt::format("{}\n__device__ {} (*pointer)({}) = {};\n"
                        "__device__ {} through({}) {{\n"
                        "  decltype(pointer) target;\n  asm(\"mov.b64 %0, %1;\" : \"=l\"(target) : \"l\"(pointer));\n"
                        "  return target({});\n}}\n",
                        text, pointer.result, pointer.parameters, pointer.callback, pointer.result, pointer.parameters,
                        pointer.arguments))
            .with_entry("through");
  }
  return callbacks;
}

nlohmann::json row(const Case& one, int samples) {
  KernelCode called_code = one.kernel->with_slots();
  for (const test::OwnKernel::Fill& fill : one.kernel->fills)
    called_code = called_code.with_inlining(fill.slot, Inlining::Never);
  const Kernel linked = Kernel::create(one.kernel->with_slots(), one.kernel->callbacks());
  const Kernel written_in = Kernel::create(one.kernel->written_in(), {});
  const Kernel called = Kernel::create(called_code, one.kernel->callbacks());
  const Kernel indirect = Kernel::create(one.kernel->with_slots(), through_pointers(*one.kernel));
  const std::vector<std::byte> wanted = results_of(one, written_in);
  const std::vector<std::byte> found = results_of(one, linked);
  if (one.is_exact ? found != wanted : !nearly_agree(found, wanted))
    throw std::runtime_error(fmt::format("{}: other results than written in", one.kernel->name));
  for (const Kernel& other : {called, indirect})
    if (!nearly_agree(results_of(one, other), wanted))
      throw std::runtime_error(fmt::format("{}: other results if the callback is called", one.kernel->name));
  std::vector<std::pair<const char*, Kernel>> kernels = {
      {"in a slot", linked}, {"written in", written_in}, {"called", called}, {"through a pointer", indirect}};
  if (one.kernel != &test::kSaxpy) {  // its slot is extern "C", which no program with its callback can have
    const Kernel whole =
        Kernel::create(one.kernel->with_slots(), one.kernel->callbacks(), {.routes = {.required = Route::Program}});
    if (!nearly_agree(results_of(one, whole), wanted))
      throw std::runtime_error(fmt::format("{}: other results as one program", one.kernel->name));
    kernels.emplace_back("one program", whole);
  }
  std::vector<Way> ways;
  for (const auto& [name, kernel] : kernels)
    ways.push_back({name, [&one, kernel = kernel](cudaStream_t stream) { one.launch(kernel, stream); }, kMillisecond});
  measure(ways, samples);
  nlohmann::json made = {{"kernel", one.kernel->name}};
  const auto milliseconds = [](const Way& way) { return 1 / summarize(way.speeds).median; };
  const double by_hand = milliseconds(ways[1]);
  fmt::print("{:<12}", one.kernel->name);
  for (const Way& way : ways) {
    const double median = milliseconds(way);
    fmt::print("  {} {:.4f} ms ({:.3f})", way.name, median, median / by_hand);
    made[way.name] = {{"median_ms", median}, {"ratio", median / by_hand}};
  }
  fmt::print("\n");
  return made;
}

// A callback of 40 sinf in a kernel that would inline it at 48 calls.
nlohmann::json heavy_row(int samples) {
  std::string heavy = "__device__ float heavy(float x) {\n";
  for (int i = 0; i < 40; ++i) heavy += fmt::format("  x = sinf(x + {}.0f);\n", i);
  heavy += "  return x;\n}\n";
  const KernelCode code =
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void heavy(const float* x, float* y) {\n"
      "  const int at = 24 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 24; ++i) y[at + i] = f(x[at + i]) + f(x[at + i] + 1);\n"
      "}\n";
  constexpr int kThreads = 1 << 18;
  const DeviceBytes x = random_values<float>(std::size_t{24} * kThreads, -3, 3);
  const DeviceBytes y = allocate(std::size_t{24} * kThreads * sizeof(float));
  nlohmann::json made = {{"kernel", "heavy"}};
  std::vector<Way> ways;
  for (const auto& [name, inlining] :
       {std::pair("automatic", Inlining::Automatic), {"inlined", Inlining::Always}, {"called", Inlining::Never}}) {
    Stopwatch watch;
    const Kernel kernel = Kernel::create(code.with_inlining("f", inlining), {{"f", heavy}});
    made[name]["create_ms"] = watch.lap();
    ways.push_back({name,
                    [kernel, &x, &y](cudaStream_t stream) {
                      kernel.launch({.grid = {kThreads / 256}, .block = {256}, .stream = stream}, floats(x),
                                    static_cast<float*>(y.get()));
                    },
                    kMillisecond});
  }
  measure(ways, samples);
  std::vector<double> medians;
  for (const Way& way : ways) {
    medians.push_back(1 / summarize(way.speeds).median);
    made[way.name]["median_ms"] = medians.back();
    fmt::print("heavy  {} {:.4f} ms, made in {:.0f} ms\n", way.name, medians.back(),
               made[way.name]["create_ms"].get<double>());
  }
  made["ratio"] = medians[0] / std::min(medians[1], medians[2]);
  return made;
}

void run(const Arguments& arguments, bool has_heavy) {
  check(cudaFree(nullptr));
  const Cases cases;
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "own_kernels";
  double worst = 0;
  for (const Case& one : cases.all()) {
    record["rows"].push_back(row(one, arguments.samples));
    const double ratio = record["rows"].back().at("in a slot").at("ratio");
    if (!(ratio <= worst)) worst = ratio;
  }
  record["goal"] = {{"worst_ratio", worst}, {"at_most", kGoal}, {"met", worst <= kGoal}};
  if (has_heavy) {
    record["heavy"] = heavy_row(arguments.samples);
    fmt::print("heavy: {:.3f} of the better\n", record["heavy"]["ratio"].get<double>());
  }
  fmt::print("in a slot / written in: at most {:.3f}, goal {:.2f}: {}\n", worst, kGoal,
             worst <= kGoal ? "met" : "NOT met");
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  const bool has_heavy = !take_flag(argc, argv, "--no-heavy");
  run(parse_arguments(argc, argv, "own_kernels", 31), has_heavy);
  return 0;
}

}  // namespace graft::bench
