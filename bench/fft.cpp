// Measures the kernels of FFTs against plain cuFFT, on arrays of 1 GiB or of --mib MiB:
//
//     bench_fft                                 40 lengths from 2 to 8192, and longer ones; single and double precision
//     bench_fft --lengths 512,2000 --f64        these lengths, in double precision (--f32: single)
//     bench_fft --sweep --lengths 512           the fastest of all plans that are worth trying (fft_sweep.hpp)
//     bench_fft --sweep --part 2/3              the second third of the lengths
//     bench_fft --sweep --dry-run               how many plans a sweep begins with; needs no GPU
//
// Each length has three contenders: cuFFT without callbacks, graft's kernels without callbacks, and graft's kernels
// with a load and a store callback of cuFFT's shape (a window through caller_info at load, a scaling at store). They
// take turns in a random order; the results are medians. Every result is compared with cuFFT's.
#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "families/fft/lengths.hpp"
#include "fft_subject.hpp"
#include "fft_sweep.hpp"
#include "flags.hpp"
#include "record.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

nlohmann::json row(Subject& subject, int rounds) {
  const fft::Plan plan = fft::make_plan(subject.length(), subject.precision(), subject.architecture());
  std::vector<Contender> contenders = {subject.cufft(), subject.graft(plan, false), subject.graft(plan, true)};
  measure(contenders, subject.stream(), rounds);
  const double cufft = contenders[0].median(), plain = contenders[1].median(), called = contenders[2].median();
  const char* const precision = name_of(subject.precision());
  fmt::print("{:8} {}  cuFFT {:.3f} ms | graft {:.3f} ({:.2f}) | with load and store {:.3f} ({:.2f}) | {}\n",
             subject.length(), precision, cufft, plain, plain / cufft, called, called / cufft, describe(plan));
  return {{"length", subject.length()}, {"precision", precision}, {"batch", subject.batch()}, {"cufft_ms", cufft},
          {"graft_ms", plain},          {"callbacks_ms", called}, {"plan", describe(plan)}};
}

// ---- goals ----

// graft's time for 2 to 8192 points, as a share of cuFFT's without callbacks: the geometric mean of all lengths.
constexpr double kPlainGoal = 1.00, kCallbacksGoal = 1.03;

nlohmann::json summary(const nlohmann::json& rows, const char* measured, double goal) {
  double logarithms = 0, worst = 0;
  std::string worst_row;
  int count = 0;
  for (const nlohmann::json& one : rows) {
    if (one["length"] > 8192 || !one.contains(measured)) continue;
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

int run(int argc, char** argv) {
  const bool is_sweep = take_flag(argc, argv, "--sweep"), is_dry_run = take_flag(argc, argv, "--dry-run");
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
    Subject subject(job.length, job.precision, 10 * device.major + device.minor, memory, stream.get());
    rows.push_back(is_sweep ? sweep(subject, arguments.samples) : row(subject, arguments.samples));
  }
  nlohmann::json record = environment(arguments);
  record["bytes"] = memory.bytes;
  record["plain"] = summary(rows, "graft_ms", kPlainGoal);
  record["callbacks"] = summary(rows, "callbacks_ms", kCallbacksGoal);
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
