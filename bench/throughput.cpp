// How fast the kernels move data: six callbacks over arrays of 2 GiB, beside cudaMemcpyAsync from device to device of
// 2 GiB in the same run.
//
// Everything that could favour one of them is taken out: each round runs every case and the copy once, in a random
// order; two sets of arrays take turns, so that nothing of the last round is in the L2 cache; the data is random; and
// every element of every result was checked in double precision before the first sample. The figure is the median of
// the rounds, in bytes read and written; the ratio to the copy is what is compared between machines and days.
#include <cuda_fp16.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <graft/graft.hpp>
#include <random>
#include <vector>

#include "cuda_check.hpp"
#include "record.hpp"
#include "reference.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kArrayBytes = std::size_t{1} << 31;
constexpr int kSets = 2;
constexpr int kWarmupRounds = 3;

// One set of arrays; every case reads its inputs here and writes `out`.
struct Set {
  DeviceBytes bytes = allocate(kArrayBytes);
  DeviceBytes halves = allocate(kArrayBytes);
  std::array<DeviceBytes, 3> floats = {allocate(kArrayBytes), allocate(kArrayBytes), allocate(kArrayBytes)};
  DeviceBytes out = allocate(kArrayBytes);
};

template <class T>
DeviceArray<T> view(const DeviceBytes& memory, std::size_t count = kArrayBytes / sizeof(T)) {
  return {static_cast<T*>(memory.get()), count};
}

void fill(const Set& set, unsigned seed) {
  fill_bytes(nullptr, view<unsigned char>(set.bytes).data(), kArrayBytes, seed);
  fill_halves(nullptr, set.halves.get(), kArrayBytes / sizeof(__half), seed + 1);
  for (unsigned k = 0; k < 3; ++k)
    fill_floats(nullptr, view<float>(set.floats[k]).data(), kArrayBytes / sizeof(float), seed + 2 + k);
  check(cudaDeviceSynchronize());
}

struct Case {
  const char* name;
  const char* source;  // null: the copy
  double goal;         // of the copy's throughput
  std::size_t count;
  std::size_t bytes_per_element;  // read and written
  std::function<void(const Transform&, cudaStream_t, const Set&)> run;
  std::function<Arrays(const Set&)> arrays;
  Verify verify;
};

constexpr std::size_t kFloats = kArrayBytes / sizeof(float);
constexpr std::size_t kPixels = kArrayBytes / sizeof(Rgb);

void copy(const Transform&, cudaStream_t stream, const Set& set) {
  check(cudaMemcpyAsync(set.out.get(), set.bytes.get(), kArrayBytes, cudaMemcpyDeviceToDevice, stream));
}

void byte_mul(const Transform& transform, cudaStream_t stream, const Set& set) {
  transform.execute(stream, view<signed char>(set.bytes), view<signed char>(set.out));
}
void mul(const Transform& transform, cudaStream_t stream, const Set& set) {
  transform.execute(stream, view<float>(set.floats[0]), view<float>(set.out));
}
void triad(const Transform& transform, cudaStream_t stream, const Set& set) {
  transform.execute(stream, inputs(view<float>(set.floats[0]), view<float>(set.floats[1])), view<float>(set.out));
}
void nstream(const Transform& transform, cudaStream_t stream, const Set& set) {
  const auto& f = set.floats;
  transform.execute(stream, inputs(view<float>(f[0]), view<float>(f[1]), view<float>(f[2])), view<float>(set.out));
}
void gray(const Transform& transform, cudaStream_t stream, const Set& set) {
  transform.execute(stream, view<Rgb>(set.bytes), view<unsigned char>(set.out, kPixels));
}
void gelu(const Transform& transform, cudaStream_t stream, const Set& set) {
  transform.execute(stream, view<__half>(set.halves), view<__half>(set.out));
}

Arrays of_bytes(const Set& set, std::size_t count) {
  return {{set.bytes.get()}, set.out.get(), count};
}
Arrays of_halves(const Set& set) {
  return {{set.halves.get()}, set.out.get(), kArrayBytes / sizeof(__half)};
}
Arrays of_floats(const Set& set) {
  return {{set.floats[0].get(), set.floats[1].get(), set.floats[2].get()}, set.out.get(), kFloats};
}
Arrays of_chars(const Set& set) {
  return of_bytes(set, kArrayBytes);
}
Arrays of_pixels(const Set& set) {
  return of_bytes(set, kPixels);
}

const std::array<Case, 7> kCases = {{
    {"memcpy", nullptr, 1.0, kArrayBytes, 2, copy, nullptr, nullptr},
    {"i8 mul", "__device__ signed char mul(signed char x) { return x * 3; }", 0.99, kArrayBytes, 2, byte_mul, of_chars,
     verify_byte_mul},
    {"f32 mul", "__device__ float mul(float x) { return 0.4f * x; }", 0.99, kFloats, 8, mul, of_floats, verify_mul},
    {"f32 triad", "__device__ float triad(float a, float b) { return a + 0.4f * b; }", 1.025, kFloats, 12, triad,
     of_floats, verify_triad},
    {"f32 nstream", "__device__ float nstream(float a, float b, float c) { return a + b + 0.4f * c; }", 1.045, kFloats,
     16, nstream, of_floats, verify_nstream},
    {"RGB8 to gray",
     "struct Rgb { unsigned char r, g, b; };\n"
     "__device__ unsigned char gray(Rgb p) { return 0.299f * p.r + 0.587f * p.g + 0.114f * p.b + 0.5f; }",
     1.035, kPixels, 4, gray, of_pixels, verify_gray},
    {"f16 gelu",
     "__device__ __half gelu(__half x) {\n"
     "  const float v = __half2float(x);\n"
     "  return __float2half(0.5f * v * (1.0f + erff(v * 0.70710678f)));\n}",
     0.825, kArrayBytes / sizeof(__half), 4, gelu, of_halves, verify_gelu},
}};

struct Subject {
  const Case& what;
  Transform transform;  // for the copy, any: it is not used
  std::vector<double> gigabytes_per_second = {};
};

std::vector<Subject> make_subjects() {
  std::vector<Subject> subjects;
  const Transform unused = Transform::create(kCases[1].source);
  for (const Case& what : kCases) subjects.push_back({what, what.source ? Transform::create(what.source) : unused});
  return subjects;
}

// Every element of every case, for every set. The output is filled with a pattern first, so nothing of an earlier case
// can pass for this one's result.
void verify(const Subject& subject, const std::array<Set, kSets>& sets) {
  if (!subject.what.verify) return;
  for (const Set& set : sets) {
    check(cudaMemset(set.out.get(), 0xff, kArrayBytes));
    subject.what.run(subject.transform, nullptr, set);
    const unsigned long long wrong = subject.what.verify(nullptr, subject.what.arrays(set));
    if (wrong) throw std::runtime_error(fmt::format("{}: {} wrong elements", subject.what.name, wrong));
  }
}

class Timer {
 public:
  double milliseconds(const Subject& subject, cudaStream_t stream, const Set& set) {
    check(cudaEventRecord(begin_.get(), stream));
    subject.what.run(subject.transform, stream, set);
    check(cudaEventRecord(end_.get(), stream));
    check(cudaEventSynchronize(end_.get()));
    float elapsed = 0;
    check(cudaEventElapsedTime(&elapsed, begin_.get(), end_.get()));
    return elapsed;
  }

 private:
  Event begin_ = make_event();
  Event end_ = make_event();
};

void measure(std::vector<Subject>& subjects, const std::array<Set, kSets>& sets, int samples) {
  const Stream stream = make_stream();
  std::mt19937 random(std::random_device{}());
  std::vector<std::size_t> order(subjects.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Timer timer;
  for (int round = -kWarmupRounds; round < samples; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      Subject& subject = subjects[i];
      const double bytes = static_cast<double>(subject.what.count * subject.what.bytes_per_element);
      const std::size_t set = static_cast<std::size_t>(round + kWarmupRounds) % kSets;
      const double milliseconds = timer.milliseconds(subject, stream.get(), sets[set]);
      if (round >= 0) subject.gigabytes_per_second.push_back(bytes / milliseconds * 1e-6);
    }
  }
}

nlohmann::json to_json(const Subject& subject, const Summary& summary, double ratio) {
  nlohmann::json row = {{"name", subject.what.name},
                        {"elements", subject.what.count},
                        {"median_gbs", summary.median},
                        {"min_gbs", summary.min},
                        {"max_gbs", summary.max},
                        {"ratio_to_memcpy", ratio},
                        {"samples_gbs", subject.gigabytes_per_second}};
  if (!subject.what.source) return row;
  const Report& report = subject.transform.report();
  row["goal"] = subject.what.goal;
  row["met"] = ratio >= subject.what.goal;
  row["verified_elements"] = subject.what.count * kSets;
  row["source"] = subject.what.source;
  row["vector_width"] = report.vector_width;
  row["vectors_per_thread"] = report.vectors_per_thread;
  row["registers"] = report.resources.registers;
  for (const ToolVersion& version : report.versions) row["tools"][version.tool] = version.version;
  return row;
}

// One line for each case; the copy's ratio is 1 and has no goal.
nlohmann::json print_and_record(const std::vector<Subject>& subjects) {
  nlohmann::json rows = nlohmann::json::array();
  const double copy_speed = summarize(subjects.front().gigabytes_per_second).median;
  fmt::print("{:<14}{:>9}{:>9}{:>9}{:>8}{:>8}  met\n", "case", "GB/s", "min", "max", "ratio", "goal");
  for (const Subject& subject : subjects) {
    const Summary summary = summarize(subject.gigabytes_per_second);
    const double ratio = summary.median / copy_speed;
    fmt::print("{:<14}{:>9.0f}{:>9.0f}{:>9.0f}{:>8.3f}", subject.what.name, summary.median, summary.min, summary.max,
               ratio);
    if (subject.what.source) fmt::print("{:>8}  {}", subject.what.goal, ratio >= subject.what.goal ? "yes" : "NO");
    fmt::print("\n");
    rows.push_back(to_json(subject, summary, ratio));
  }
  return rows;
}

void run(const Arguments& arguments) {
  check(cudaFree(nullptr));
  std::vector<Subject> subjects = make_subjects();
  const std::array<Set, kSets> sets;
  for (unsigned i = 0; i < kSets; ++i) fill(sets[i], 16 * i);
  for (const Subject& subject : subjects) verify(subject, sets);
  measure(subjects, sets, arguments.samples);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "throughput";
  record["bytes_per_array"] = kArrayBytes;
  record["cases"] = print_and_record(subjects);
  write_record(arguments, record);
}

}  // namespace
}  // namespace graft::bench

int main(int argc, char** argv) {
  try {
    graft::bench::run(graft::bench::parse_arguments(argc, argv, "throughput", 21));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
