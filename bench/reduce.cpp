// Measures reductions of whole arrays (graft::Reduce) beside cub::DeviceReduce, from 2^12 to 2^30 elements. The results
// of both are compared. Each is measured as calls of a program, one after the other, and in a graph, where the host
// does not matter. With --create, measures instead how long the kernels take to make.
#include "graft/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <graft/graft.hpp>
#include <string>
#include <vector>

#include "cub_reduce.hpp"
#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "stopwatch.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

constexpr const char* kWelford =
    "struct M { float n, mean, m2; };\n"
    "__device__ M one(float x) { return {1, x, 0}; }\n"
    "__device__ M join(M a, M b) {\n"
    "  const float n = a.n + b.n, d = b.mean - a.mean, f = b.n / n;\n"
    "  return {n, a.mean + d * f, a.m2 + b.m2 + d * d * a.n * f};\n"
    "}\n";
constexpr const char* kThree =
    "struct S { float sum, min, max; };\n"
    "__device__ S one(float x) { return {x, x, x}; }\n"
    "__device__ S join(S a, S b) {\n"
    "  return {a.sum + b.sum, a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};\n"
    "}\n";
constexpr const char* kBest =
    "struct B { float v; unsigned int unused; unsigned long long i; };\n"
    "__device__ B one(float x, graft::Index i) { return {x, 0, i}; }\n"
    "__device__ B join(B a, B b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }\n"
    "__device__ unsigned long long place(B a) { return a.i; }\n";

struct Subject {
  const char* name;
  Reduction reduction;
  ReduceCallbacks callbacks;
  ElementType element;
  ElementType result;
};

ReduceCallbacks parts_of(const char* text) {
  const Callback source(text);
  return {.map = source.with_entry("one"), .combine = source.with_entry("join")};
}

std::vector<Subject> subjects() {
  constexpr ElementType f32 = element_type<float>(), f64 = element_type<double>();
  const ElementType f16{ElementKind::Float, 2, 2};
  ReduceCallbacks argmax = parts_of(kBest);
  argmax.finish = Callback(kBest).with_entry("place");
  const char* const add = "__device__ float add(float a, float b) { return a + b; }";
  return {
      {"f32 sum of squares",
       Reduction::SquaresF32,
       {.map = "__device__ float square(float x) { return x * x; }", .combine = add},
       f32,
       f32},
      {"f16 sum in f32",
       Reduction::SumF16,
       {.map = "#include <cuda_fp16.h>\n__device__ float wide(__half x) { return x; }", .combine = add},
       f16,
       f32},
      {"i8 sum in i32",
       Reduction::SumI8,
       {.map = "__device__ int wide(signed char x) { return x; }",
        .combine = "__device__ int add(int a, int b) { return a + b; }"},
       element_type<signed char>(),
       element_type<int>()},
      {"f64 largest magnitude",
       Reduction::MaxF64,
       {.map = "__device__ double size(double x) { return x < 0 ? -x : x; }",
        .combine = "__device__ double larger(double a, double b) { return a < b ? b : a; }"},
       f64,
       f64},
      {"complex sum",
       Reduction::SumComplex,
       {.combine = "__device__ float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }"},
       {ElementKind::Complex, 8, 8},
       {ElementKind::Complex, 8, 8}},
      {"f32 argmax", Reduction::ArgmaxF32, argmax, f32, element_type<unsigned long long>()},
      {"f32 mean and variance", Reduction::Moments, parts_of(kWelford), f32, ElementType::structure(12, 4)},
      {"f32 sum, min and max", Reduction::Three, parts_of(kThree), f32, ElementType::structure(12, 4)},
  };
}

bool agree(const Subject& subject, const void* graft_out, const void* cub_out) {
  unsigned char a[64] = {}, b[64] = {};
  check(cudaMemcpy(a, graft_out, subject.result.size, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(b, cub_out, subject.result.size, cudaMemcpyDeviceToHost));
  const bool is_exact = subject.reduction == Reduction::SumI8 || subject.reduction == Reduction::MaxF64 ||
                        subject.reduction == Reduction::ArgmaxF32;
  if (is_exact) return std::memcmp(a, b, subject.result.size) == 0;
  for (std::size_t i = 0; i < subject.result.size / sizeof(float); ++i) {
    float x = 0, y = 0;
    std::memcpy(&x, a + i * sizeof x, sizeof x);
    std::memcpy(&y, b + i * sizeof y, sizeof y);
    if (!(std::abs(x - y) <= 1e-3f * std::max(std::abs(x), std::abs(y)) + 1e-3f)) return false;
  }
  return true;
}

// Makes each way many calls, one after the other, as a program makes them.
void call_often(std::vector<Way>& ways, int calls) {
  for (Way& way : ways) {
    way.run = [one = std::move(way.run), calls](cudaStream_t stream) {
      for (int i = 0; i < calls; ++i) one(stream);
    };
    way.bytes *= calls;
    way.calls = calls;
  }
}

class Sweep {
 public:
  explicit Sweep(const Arguments& arguments) : arguments_(arguments) {}

  void run(nlohmann::json& record) {
    for (const Subject& subject : subjects()) {
      const Reduce reduce = Reduce::create(subject.callbacks);
      fill_for(subject.reduction, in_.get(), static_cast<long long>(kBytes / subject.element.size));
      for (const int power : {12, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 28, 30})
        if ((std::size_t{1} << power) * subject.element.size <= kBytes / (subject.element.size > 4 ? 4 : 2))
          record["cells"].push_back(cell(subject, reduce, power));
      record["misaligned"].push_back(misaligned(subject, reduce));
    }
    record["dependent"] = dependent();
    record["geometric_mean"] = std::exp(logarithms_ / cells_);
    fmt::print("calls: geometric mean {:.3f} of {} cells\n", std::exp(logarithms_ / cells_), cells_);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{8} << 30, kWorkspace = std::size_t{64} << 20;

  nlohmann::json cell(const Subject& subject, const Reduce& reduce, int power) {
    const std::size_t count = std::size_t{1} << power, bytes = count * subject.element.size;
    const ArrayRef from(in_.get(), count, subject.element), to(out_.get(), 1, subject.result);
    const auto of_graft = [=, &reduce](cudaStream_t stream) { reduce.execute(stream, {from}, {to}); };
    const auto of_cub = [=, this](cudaStream_t stream) {
      std::size_t needed = kWorkspace;
      cub_reduce(stream, subject.reduction, in_.get(), other_.get(), static_cast<long long>(count), workspace_.get(),
                 needed);
    };
    of_graft(nullptr);
    of_cub(nullptr);
    check(cudaDeviceSynchronize());
    if (!agree(subject, out_.get(), other_.get()))
      throw std::runtime_error(fmt::format("{}: the results for 2^{} differ", subject.name, power));
    const auto of_thrust = [=, this](cudaStream_t stream) {
      thrust_reduce(stream, subject.reduction, in_.get(), other_.get(), static_cast<long long>(count));
    };
    of_thrust(nullptr);
    check(cudaDeviceSynchronize());
    if (!agree(subject, out_.get(), other_.get()))
      throw std::runtime_error(fmt::format("{}: Thrust's result for 2^{} differs", subject.name, power));
    const std::vector<Way> once = {{"graft", of_graft, static_cast<double>(bytes)},
                                   {"cub", of_cub, static_cast<double>(bytes)}};
    std::vector<Way> calls = once, in_graph = once;
    calls.push_back({"thrust", of_thrust, static_cast<double>(bytes)});
    const bool is_reproducible = add_reproducible_sum(subject, reduce, power, calls);
    const int number = power < 22 ? 100 : power < 26 ? 20 : 3;
    call_often(calls, number);
    repeat_in_graph(in_graph, number);
    measure(calls, arguments_.samples);
    measure(in_graph, arguments_.samples);
    const double of_calls = speed_ratio(calls[0], calls[1]), of_graph = speed_ratio(in_graph[0], in_graph[1]);
    logarithms_ += std::log(of_calls);
    ++cells_;
    fmt::print(
        "{:<24} 2^{} {:9.2f} us {:7.0f} GB/s, cub/graft {:.3f}; in a graph {:9.2f} us, cub/graft {:.3f}; "
        "thrust/graft {:.3f}{}\n",
        subject.name, power, microseconds(calls[0]), summarize(calls[0].speeds).median, of_calls,
        microseconds(in_graph[0]), of_graph, speed_ratio(calls[0], calls[2]),
        is_reproducible ? fmt::format(", gpu_to_gpu/graft {:.3f}", speed_ratio(calls[0], calls[3])) : "");
    nlohmann::json record = {{"case", subject.name},
                             {"log2", power},
                             {"graft", spread(calls[0].speeds, "GB/s")},
                             {"cub", spread(calls[1].speeds, "GB/s")},
                             {"graft_to_cub", of_calls},
                             {"in_a_graph",
                              {{"graft", spread(in_graph[0].speeds, "GB/s")},
                               {"cub", spread(in_graph[1].speeds, "GB/s")},
                               {"graft_to_cub", of_graph}}},
                             {"thrust", spread(calls[2].speeds, "GB/s")},
                             {"graft_to_thrust", speed_ratio(calls[0], calls[2])}};
    if (is_reproducible) {
      record["cub_gpu_to_gpu"] = spread(calls[3].speeds, "GB/s");
      record["graft_to_cub_gpu_to_gpu"] = speed_ratio(calls[0], calls[3]);
    }
    return record;
  }

  // An array that begins behind one element, beside one that is aligned.
  nlohmann::json misaligned(const Subject& subject, const Reduce& reduce) {
    const std::size_t count = (std::size_t{1} << 28) / subject.element.size;
    const ArrayRef to(out_.get(), 1, subject.result);
    const auto way_from = [&](const char* name, std::size_t elements) {
      const ArrayRef from(static_cast<unsigned char*>(in_.get()) + elements * subject.element.size, count,
                          subject.element);
      return Way{name, [=, &reduce](cudaStream_t stream) { reduce.execute(stream, {from}, {to}); },
                 static_cast<double>(count) * subject.element.size};
    };
    std::vector<Way> ways = {way_from("misaligned", 1), way_from("aligned", 0)};
    call_often(ways, 10);
    measure(ways, arguments_.samples);
    const double share = 1 / speed_ratio(ways[1], ways[0]);
    fmt::print("{:<24} behind one element, 256 MiB: {:.3f} of the aligned speed\n", subject.name, share);
    return {{"case", subject.name},
            {"misaligned", spread(ways[0].speeds, "GB/s")},
            {"aligned", spread(ways[1].speeds, "GB/s")},
            {"share_of_aligned", share}};
  }

  // 100 reductions of 4,096 floats, each of which reads what the one before wrote, beside 100 such transforms.
  nlohmann::json dependent() {
    constexpr std::size_t kFloats = 4096;
    const Reduce reduce = Reduce::create(subjects().front().callbacks);
    const Transform transform = Transform::create("__device__ float half_of(float x) { return x / 2; }");
    auto* const first = static_cast<float*>(in_.get());
    float* const second = first + kFloats;
    std::vector<Way> ways = {{"reductions",
                              [=](cudaStream_t stream) {
                                for (int i = 0; i < 50; ++i) {
                                  reduce.execute(stream, {first, kFloats}, {second, 1});
                                  reduce.execute(stream, {second, kFloats}, {first, 1});
                                }
                              },
                              1},
                             {"transforms",
                              [=](cudaStream_t stream) {
                                for (int i = 0; i < 50; ++i) {
                                  transform.execute(stream, {first, kFloats}, {second, kFloats});
                                  transform.execute(stream, {second, kFloats}, {first, kFloats});
                                }
                              },
                              1}};
    for (Way& way : ways) way.calls = 100;
    std::vector<Way> in_graph = ways;
    repeat_in_graph(in_graph, 1);
    for (Way& way : in_graph) way.calls = 100;
    measure(ways, arguments_.samples);
    measure(in_graph, arguments_.samples);
    const double ratio = 1 / speed_ratio(ways[0], ways[1]), of_graph = 1 / speed_ratio(in_graph[0], in_graph[1]);
    fmt::print(
        "100 dependent reductions of {} floats: {:.2f} us each, {:.3f} of transforms; in a graph {:.2f} us, {:.3f}\n",
        kFloats, microseconds(ways[0]), ratio, microseconds(in_graph[0]), of_graph);
    return {{"floats", kFloats},
            {"reduction", microseconds(ways[0])},
            {"time_of_transforms", ratio},
            {"in_a_graph", {{"reduction", microseconds(in_graph[0])}, {"time_of_transforms", of_graph}}}};
  }

  // CUB's sums with the same bits on each GPU, of many floats.
  bool add_reproducible_sum(const Subject& subject, const Reduce& reduce, int power, std::vector<Way>& calls) {
    if (!cub_has_reproducible_sums() || subject.reduction != Reduction::SquaresF32 || power < 24) return false;
    const auto* const in = static_cast<const float*>(in_.get());
    auto* const out = static_cast<float*>(other_.get());
    const long long count = 1LL << power;
    calls.push_back({"gpu_to_gpu", [=](cudaStream_t stream) { cub_reproducible_sum(stream, in, out, count); },
                     calls.front().bytes});
    calls.back().run(nullptr);
    check(cudaDeviceSynchronize());
    if (!agree(subject, out_.get(), out))
      throw std::runtime_error(
          fmt::format("CUB's reproducible sum of 2^{} differs from that of {}", power, reduce.report().kernel.name));
    return true;
  }

  const Arguments& arguments_;
  DeviceBytes in_ = allocate(kBytes), out_ = allocate(256), other_ = allocate(256), workspace_ = allocate(kWorkspace);
  double logarithms_ = 0;
  int cells_ = 0;
};

// Measures how long a sum takes to make, in multiples of a transform with the same map callback.
void run_create(const Arguments& arguments, nlohmann::json& record) {
  Engine engine({.cache = {.policy = CachePolicy::Off}});
  for (const Subject& subject : subjects()) {
    std::vector<double> transforms, ratios;
    for (int i = -1; i < arguments.samples; ++i) {
      Stopwatch watch;
      Transform::create(engine, subject.callbacks.map ? *subject.callbacks.map : subject.callbacks.combine);
      const double alone = watch.lap();
      Reduce::create(engine, subject.callbacks);
      const double made = watch.lap();
      if (i < 0) continue;
      transforms.push_back(alone);
      ratios.push_back(made / alone);
    }
    fmt::print("{:<24} transform {:6.1f} ms, reduction {:.2f} of it\n", subject.name, summarize(transforms).median,
               summarize(ratios).median);
    record["create"].push_back({{"case", subject.name},
                                {"transform", spread(transforms, "ms")},
                                {"ratio_to_transform", summarize(ratios).median}});
  }
}

}  // namespace

int run(int argc, char** argv) {
  const bool creates = take_flag(argc, argv, "--create");
  const Arguments arguments = parse_arguments(argc, argv, creates ? "reduce_create" : "reduce", 15);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = creates ? "reduce_create" : "reduce";
  record["cub"] = cub_version();
  if (creates) run_create(arguments, record);
  else Sweep(arguments).run(record);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
