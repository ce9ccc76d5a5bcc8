// Measures the kernels of FFTs beside cuFFT, on arrays of 1 GiB or of --mib MiB:
//
//     bench_fft                                 40 lengths from 2 to 8192, and longer ones; single and double precision
//     bench_fft --lengths 512,2000 --f64        these lengths, in double precision (--f32: single)
//     bench_fft --between                       an FFT, a filter and the inverse FFT (fft_between.hpp)
//     bench_fft --accuracy                      rounding errors (fft_accuracy.hpp)
//     bench_fft --sweep --lengths 512           the fastest of all plans that are worth trying (fft_sweep.hpp)
//     bench_fft --sweep --between --lengths 512 the same for an FFT, a filter and the inverse FFT
//     bench_fft --sweep --real-forward          the same of real FFTs of twice as many numbers; --real-inverse,
//                                               --real-filter
//     bench_fft --sweep --part 2/3              the second third of the lengths
//     bench_fft --sweep --dry-run               how many plans a sweep begins with; needs no GPU
//
// Each length has five contenders: cuFFT without callbacks, graft's kernels without callbacks, graft's kernels with a
// load and a store callback of cuFFT's shape (a window through caller_info at load, a scaling at store), cuFFT with the
// same callbacks as LTO-IR, and cuFFT between two kernels that do the same. They take turns in a random order; the
// results are medians. Every result is compared with cuFFT's.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "families/fft/lengths.hpp"
#include "fft_accuracy.hpp"
#include "fft_between.hpp"
#include "fft_subject.hpp"
#include "fft_sweep.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "record.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

// cuFFT with callbacks, if it makes a plan for them.
std::optional<Contender> cufft_with_callbacks(Subject& subject) {
  try {
    return subject.cufft_with_callbacks();
  } catch (const std::exception& error) {
    fmt::print("{:8} {}  cuFFT with callbacks: {}\n", subject.length(), name_of(subject.precision()), error.what());
    return std::nullopt;
  }
}

nlohmann::json row(Subject& subject, int rounds) {
  const fft::Plan plan = fft::make_plan(subject.length(), subject.precision(), subject.architecture());
  std::vector<Contender> contenders = {subject.cufft(), subject.graft(plan, Calls::Nothing),
                                       subject.graft(plan, Calls::LoadAndStore), subject.cufft_between_kernels()};
  if (std::optional<Contender> cufft = cufft_with_callbacks(subject)) contenders.push_back(std::move(*cufft));
  measure(contenders, subject.stream(), rounds);
  const double cufft = contenders[0].median(), plain = contenders[1].median(), called = contenders[2].median(),
               kernels = contenders[3].median();
  const char* const precision = name_of(subject.precision());
  nlohmann::json found = {{"length", subject.length()}, {"precision", precision}, {"batch", subject.batch()},
                          {"cufft_ms", cufft},          {"graft_ms", plain},      {"callbacks_ms", called},
                          {"kernels_ms", kernels},      {"plan", describe(plan)}};
  fmt::print("{:8} {}  cuFFT {:.3f} ms | graft {:.3f} ({:.2f}) | with load and store {:.3f} ({:.2f}), ",
             subject.length(), precision, cufft, plain, plain / cufft, called, called / cufft);
  if (contenders.size() > 4) {
    const double same = contenders[4].median();
    found["cufft_callbacks_ms"] = same;
    fmt::print("cuFFT {:.3f} ({:.2f}), ", same, called / same);
  }
  fmt::print("kernel + cuFFT + kernel {:.3f} ({:.2f}) | {}\n", kernels, called / kernels, describe(plan));
  return found;
}

// ---- goals ----

// A goal for graft's time as a share of another one: its geometric mean over lengths, and the largest one.
struct Goal {
  const char* name;
  const char* measured;
  const char* against;
  std::int64_t shortest, longest;
  const char* precision;  // or null for both
  double mean, worst;
};

constexpr std::int64_t kShort = 8192;
constexpr std::int64_t kLong = 16777216;
constexpr Goal kGoals[] = {
    {"plain", "graft_ms", "cufft_ms", 2, kShort, nullptr, 1.00, 1.05},
    {"callbacks", "callbacks_ms", "cufft_ms", 2, kShort, nullptr, 1.03, 1.15},
    {"callbacks, both", "callbacks_ms", "cufft_callbacks_ms", 2, kShort, "f32", 0.41, 1.05},
    {"callbacks, both", "callbacks_ms", "cufft_callbacks_ms", 2, kShort, "f64", 0.95, 1.05},
    {"kernels around cuFFT", "callbacks_ms", "kernels_ms", 2, kShort, nullptr, 1.00, 1.00},
    {"callbacks, long", "callbacks_ms", "cufft_ms", kShort + 1, kLong, nullptr, 0.98, 1.10},
    {"between", "between_ms", "cufft_callback_ms", 64, kShort, "f32", 0.48, 0.60},
    {"between, f64", "between_ms", "cufft_callback_ms", 64, kShort, "f64", 1.00, 1.00},
    {"between, long", "between_ms", "cufft_callback_ms", kShort + 1, kLong, nullptr, 1.00, 1.00},
    {"rms error", "graft_eps", "cufft_eps", 2, kLong, nullptr, 0.95, 1.10},
};

bool is_of(const Goal& goal, const nlohmann::json& row) {
  return row["length"] >= goal.shortest && row["length"] <= goal.longest && row.contains(goal.measured) &&
         row.contains(goal.against) && row[goal.against] > 0 &&
         (goal.precision == nullptr || row["precision"] == goal.precision);
}

nlohmann::json summary(const nlohmann::json& rows, const Goal& goal) {
  double logarithms = 0, worst = 0;
  std::string worst_row;
  int count = 0;
  for (const nlohmann::json& one : rows) {
    if (!is_of(goal, one)) continue;
    const double ratio = one[goal.measured].get<double>() / one[goal.against].get<double>();
    logarithms += std::log(ratio);
    ++count;
    if (ratio <= worst) continue;
    worst = ratio;
    worst_row = fmt::format("{} {}", one["length"].get<std::int64_t>(), one["precision"].get<std::string>());
  }
  if (count == 0) return nullptr;
  const double mean = std::exp(logarithms / count);
  const bool is_reached = mean <= goal.mean && worst <= goal.worst;
  fmt::print("{}: geometric mean of {} rows {:.3f} of {} (goal {:.2f}), at most {:.2f} ({}; goal {:.2f}){}\n",
             goal.name, count, mean, goal.against, goal.mean, worst, worst_row, goal.worst,
             is_reached ? "" : " NOT REACHED");
  return {{"name", goal.name},
          {"measured", goal.measured},
          {"against", goal.against},
          {"rows", count},
          {"mean", mean},
          {"goal", goal.mean},
          {"worst", worst},
          {"worst_row", worst_row},
          {"worst_goal", goal.worst},
          {"reached", is_reached}};
}

nlohmann::json summaries(const nlohmann::json& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const Goal& goal : kGoals)
    if (nlohmann::json one = summary(rows, goal); !one.is_null()) all.push_back(std::move(one));
  return all;
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

struct Job {
  std::int64_t length;
  Precision precision;
};

// Returns every n-th job, the first of which is i, for a part of "i/n".
std::vector<Job> part_of(const std::vector<Job>& jobs, const std::string& part) {
  std::size_t number = 0, parts = 0;
  char slash = 0;
  if (!(std::istringstream(part) >> number >> slash >> parts) || slash != '/' || number < 1 || number > parts)
    throw std::invalid_argument("--part: " + part + " is not a part, such as 2/3");
  std::vector<Job> found;
  for (std::size_t i = number - 1; i < jobs.size(); i += parts) found.push_back(jobs[i]);
  return found;
}

std::vector<Job> take_jobs(int& argc, char** argv) {
  const bool only_single = take_flag(argc, argv, "--f32"), only_double = take_flag(argc, argv, "--f64");
  const std::string listed = take_option(argc, argv, "--lengths"), part = take_option(argc, argv, "--part");
  std::vector<Job> jobs;
  for (const std::int64_t length : listed.empty() ? default_lengths() : parse_lengths(listed)) {
    if (!only_double) jobs.push_back({length, Precision::Single});
    if (!only_single) jobs.push_back({length, Precision::Double});
  }
  return part.empty() ? jobs : part_of(jobs, part);
}

void print_sweep(const std::vector<Job>& jobs) {
  constexpr int kArchitecture = 90;
  std::size_t kernels = 0;
  for (const Job& job : jobs) kernels += print_first_step(job.length, job.precision, kArchitecture);
  fmt::print("{} lengths, {} kernels\n", jobs.size(), kernels);
}

}  // namespace

int run(int argc, char** argv) {
  const bool is_sweep = take_flag(argc, argv, "--sweep"), is_dry_run = take_flag(argc, argv, "--dry-run");
  const bool is_between = take_flag(argc, argv, "--between"), is_accuracy = take_flag(argc, argv, "--accuracy");
  const std::optional<Work> real_work = take_flag(argc, argv, "--real-forward")   ? std::optional(Work::RealForward)
                                        : take_flag(argc, argv, "--real-inverse") ? std::optional(Work::RealInverse)
                                        : take_flag(argc, argv, "--real-filter")  ? std::optional(Work::RealFilter)
                                                                                  : std::nullopt;
  if (real_work && !is_sweep) throw std::invalid_argument("--real-forward, --real-inverse, --real-filter: add --sweep");
  const std::vector<Job> jobs = take_jobs(argc, argv);
  const std::string mib = take_option(argc, argv, "--mib");
  const Arguments arguments = parse_arguments(argc, argv, "fft", is_sweep ? 21 : 9);
  if (is_dry_run) {
    print_sweep(jobs);
    return 0;
  }
  const Memory memory((mib.empty() ? std::size_t{1024} : std::stoull(mib)) << 20);
  const Stream stream = make_stream();
  cudaDeviceProp device = {};
  check(cudaGetDeviceProperties(&device, 0));
  nlohmann::json rows = nlohmann::json::array();
  for (const Job& job : jobs) {
    Subject subject(job.length, job.precision, 10 * device.major + device.minor, memory, stream.get(),
                    real_work    ? *real_work
                    : is_between ? Work::Filter
                                 : Work::Fft);
    rows.push_back(is_sweep      ? sweep(subject, arguments.samples)
                   : is_between  ? measure_between(subject, arguments.samples)
                   : is_accuracy ? measure_accuracy(subject)
                                 : row(subject, arguments.samples));
  }
  nlohmann::json record = environment(arguments);
  record["bytes"] = memory.bytes;
  record["goals"] = summaries(rows);
  record["rows"] = std::move(rows);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
