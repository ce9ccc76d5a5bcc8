// Measures the speed of kernels of the same callback with different tunings, by number of elements. A tuning is the
// number of vectors per thread and the number of threads per block. The tuning table in
// src/families/elementwise/policy.cpp has its numbers from this benchmark.
//
// Each sample is a batch of launches between two events. Each launch works on the next part of the arrays, so that
// nothing comes from the L2 cache. The tunings of one callback take turns in a random order in each round. Their
// results are compared byte by byte with those of the default tuning, because a tuning may change which thread computes
// an element, but never its value.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <utility>
#include <vector>

#include "cuda_check.hpp"
#include "main.hpp"
#include "record.hpp"
#include "reference.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kArrayBytes = std::size_t{1} << 31;
constexpr int kInputs = 3;

struct Rgb {
  unsigned char r, g, b;
};

struct Arrays4 {
  std::array<DeviceBytes, kInputs> in = {allocate(kArrayBytes), allocate(kArrayBytes), allocate(kArrayBytes)};
  DeviceBytes out = allocate(kArrayBytes);
};

// The part of the arrays on which one launch works. `first` and `count` are in elements.
struct Part {
  std::size_t first;
  std::size_t count;
};

struct Case {
  std::string name;
  std::string source;
  std::size_t widest;             // bytes of the largest element type
  std::size_t bytes_per_element;  // bytes that a kernel reads and writes per element
  std::size_t out_bytes;
  std::function<void(const Transform&, cudaStream_t, const Arrays4&, Part)> launch;
};

template <class T>
DeviceArray<T> view(const DeviceBytes& memory, Part part) {
  return {static_cast<T*>(memory.get()) + part.first, part.count};
}

template <class Out, class... In, std::size_t... K>
Case make_case(std::string name, std::string source, std::index_sequence<K...>) {
  return {std::move(name),
          std::move(source),
          std::max({sizeof(Out), sizeof(In)...}),
          sizeof(Out) + (sizeof(In) + ... + 0),
          sizeof(Out),
          [](const Transform& transform, cudaStream_t stream, const Arrays4& arrays, Part part) {
            transform.execute(stream, inputs(view<In>(arrays.in[K], part)...), view<Out>(arrays.out, part));
          }};
}

template <class Out, class... In>
Case make_case(std::string name, std::string source) {
  return make_case<Out, In...>(std::move(name), std::move(source), std::index_sequence_for<In...>());
}

std::string arithmetic(const std::string& type, int count) {
  static constexpr const char* kTexts[] = {"return a * s;", "return a + s * b;", "return a + b + s * c;"};
  static constexpr const char* kParameters[] = {"{0} a", "{0} a, {0} b", "{0} a, {0} b, {0} c"};
  return fmt::format("__device__ {0} f({1}) {{ const {0} s = static_cast<{0}>(3); {2} }}", type,
                     fmt::format(fmt::runtime(kParameters[count - 1]), type), kTexts[count - 1]);
}

template <class T>
void add_arithmetic(std::vector<Case>& cases, const std::string& type) {
  cases.push_back(make_case<T, T>(type + " mul", arithmetic(type, 1)));
  cases.push_back(make_case<T, T, T>(type + " triad", arithmetic(type, 2)));
  cases.push_back(make_case<T, T, T, T>(type + " nstream", arithmetic(type, 3)));
}

template <class T>
void add_long_math(std::vector<Case>& cases, const std::string& name, const std::string& type, const std::string& from,
                   const std::string& to) {
  const auto add = [&](const std::string& what, const std::string& formula) {
    cases.push_back(
        make_case<T, T>(fmt::format("{} {}", name, what),
                        fmt::format("__device__ {0} f({0} x) {{ const float v = {1}(x); return {2}({3}); }}", type,
                                    from, to, formula)));
  };
  add("gelu", "0.5f * v * (1.0f + erff(v * 0.70710678f))");
  add("softplus", "log1pf(expf(v))");
  add("sigmoid", "1.0f / (1.0f + expf(-v))");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_arithmetic<unsigned char>(cases, "unsigned char");
  add_arithmetic<short>(cases, "short");
  add_arithmetic<float>(cases, "float");
  add_arithmetic<double>(cases, "double");
  add_arithmetic<graft::complex<double>>(cases, "graft::complex<double>");
  add_long_math<__half>(cases, "f16", "__half", "__half2float", "__float2half");
  add_long_math<__nv_bfloat16>(cases, "bf16", "__nv_bfloat16", "__bfloat162float", "__float2bfloat16");
  add_long_math<float>(cases, "f32", "float", "", "");
  cases.push_back(make_case<unsigned char, Rgb>(
      "RGB8 to gray",
      "struct Rgb { unsigned char r, g, b; };\n"
      "__device__ unsigned char f(Rgb p) { return 0.299f * p.r + 0.587f * p.g + 0.114f * p.b + 0.5f; }"));
  cases.push_back(make_case<float>("fill", "__device__ float f(graft::Index) { return 1.5f; }"));
  cases.push_back(make_case<int>("iota", "__device__ int f(graft::Index i) { return i; }"));
  return cases;
}

struct Subject {
  std::string name;
  Transform transform;
  std::vector<double> microseconds = {};
};

std::vector<Subject> subjects_of(const Case& what) {
  std::vector<Subject> subjects;
  subjects.reserve(16);
  subjects.push_back({"default", Transform::create(what.source)});
  Options rolled;
  rolled.policy.body = Body::Rolled;
  subjects.push_back({"rolled", Transform::create(what.source, rolled)});
  Options alone;
  alone.policy.programmatic_launch = false;
  subjects.push_back({"alone", Transform::create(what.source, alone)});
  for (const int vectors : {1, 2, 4})
    for (const int threads : {64, 128, 256}) {
      Options options;
      options.policy.vectors_per_thread = vectors;
      options.policy.block_threads = threads;
      subjects.push_back({fmt::format("{}x{}", vectors, threads), Transform::create(what.source, options)});
    }
  return subjects;
}

void compare(const Case& what, const std::vector<Subject>& subjects, const Arrays4& arrays) {
  constexpr std::size_t kCount = 100'003;
  std::vector<std::byte> expected, found(kCount * what.out_bytes);
  for (const Subject& subject : subjects) {
    check(cudaMemset(arrays.out.get(), 0xff, found.size()));
    what.launch(subject.transform, nullptr, arrays, {0, kCount});
    check(cudaMemcpy(found.data(), arrays.out.get(), found.size(), cudaMemcpyDeviceToHost));
    if (expected.empty()) expected = found;
    if (expected != found)
      throw std::runtime_error(
          fmt::format("{} with {} gives other results than the default tuning", what.name, subject.name));
  }
}

double sample(const Case& what, const Transform& transform, const Arrays4& arrays, std::size_t count,
              cudaStream_t stream) {
  static const Event begin = make_event();
  static const Event end = make_event();
  constexpr double kTargetBytes = 1e9;
  const double bytes = static_cast<double>(count * what.bytes_per_element);
  const int launches = std::clamp(static_cast<int>(kTargetBytes / bytes), 1, 50);
  const std::size_t places = kArrayBytes / what.widest / count;
  static std::size_t place = 0;
  check(cudaEventRecord(begin.get(), stream));
  for (int i = 0; i < launches; ++i) what.launch(transform, stream, arrays, {++place % places * count, count});
  check(cudaEventRecord(end.get(), stream));
  check(cudaEventSynchronize(end.get()));
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, begin.get(), end.get()));
  return elapsed * 1e3 / launches;
}

nlohmann::json measure(const Case& what, std::vector<Subject>& subjects, const Arrays4& arrays, std::size_t count,
                       int samples) {
  constexpr int kWarmupRounds = 2;
  const Stream stream = make_stream();
  std::mt19937 random(1);
  std::vector<Subject*> order;
  for (Subject& subject : subjects) subject.microseconds.clear(), order.push_back(&subject);
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Subject* subject : order) {
      const double microseconds = sample(what, subject->transform, arrays, count, stream.get());
      if (round >= 0) subject->microseconds.push_back(microseconds);
    }
  }
  nlohmann::json row = {{"case", what.name}, {"elements", count}};
  const double usual = summarize(subjects[0].microseconds).median;
  fmt::print("{:<32}{:>11}{:>9.0f} GB/s ", what.name, count,
             static_cast<double>(count * what.bytes_per_element) / usual * 1e-3);
  for (const Subject& subject : subjects) {
    const Summary summary = summarize(subject.microseconds);
    row["policies"][subject.name] = {{"median_us", summary.median},
                                     {"min_us", summary.min},
                                     {"max_us", summary.max},
                                     {"registers", subject.transform.report().resources.registers}};
    fmt::print("  {} {:.3f}", subject.name, usual / summary.median);
  }
  fmt::print("\n");
  return row;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  const Arrays4 arrays;
  for (unsigned k = 0; k < kInputs; ++k)
    fill_floats(nullptr, static_cast<float*>(arrays.in[k].get()), kArrayBytes / sizeof(float), k);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "policy";
  fmt::print("speed relative to the default tuning; a tuning is vectors per thread x threads per block\n");
  for (const Case& what : all_cases()) {
    std::vector<Subject> subjects = subjects_of(what);
    compare(what, subjects, arrays);
    const std::size_t most = kArrayBytes / what.widest;
    for (std::size_t count : {std::size_t{1} << 16, std::size_t{1} << 18, std::size_t{1} << 20, std::size_t{1} << 22,
                              std::size_t{1} << 24, most})
      record["rows"].push_back(measure(what, subjects, arrays, count, arguments.samples));
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  run(parse_arguments(argc, argv, "policy", 21));
  return 0;
}

}  // namespace graft::bench
