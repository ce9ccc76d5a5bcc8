// `graft bench`: measures a callback, or a job of a family, over numbers of elements, on a GPU or on the CPU.
//
// The kernel is built in a child process whose cache is off, so that the times of create are those of a new process.
// The reference is built from the same request for the CPU route.

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cli/arrays/array_checks.hpp"
#include "cli/arrays/formula_numbers.hpp"
#include "cli/arrays/state_source.hpp"
#include "cli/bench/bench_result.hpp"
#include "cli/bench/element_layouts.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/bench/place.hpp"
#include "cli/bench/subject.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/terminal.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr int kSamples = 21;
constexpr std::uint64_t kFirstElements = 1024;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

struct BenchRequest {
  BuildRequest build;
  std::vector<std::uint64_t> counts;
  std::string state;
  int samples = kSamples;
  int device = 0;
  bool plots = false;
  bool as_json = false;

  bool is_on_host() const { return build.options().routes.required == Route::Host; }
  // Null for a callback.
  const JobBench* job_bench() const { return build.asked_job() == nullptr ? nullptr : build.asked_job()->bench(); }
};

// The families whose jobs can be measured.
std::span<const JobOptions* const> measured_jobs() {
  static const std::vector<const JobOptions*> jobs = [] {
    std::vector<const JobOptions*> found;
    std::ranges::copy_if(all_job_options(), std::back_inserter(found),
                         [](const JobOptions* job) { return job->bench() != nullptr; });
    return found;
  }();
  return jobs;
}

std::vector<Image> build_all(BuildRequest build) {
  std::vector<Image> images;
  const int kernels = build.kernel_count();
  for (build.kernel = 0; build.kernel < kernels; ++build.kernel) images.push_back(build_in_child(build));
  return images;
}

std::unique_ptr<const Subject> load(const BenchRequest& request, const std::vector<Image>& images,
                                    const base::Bytes& state, std::uint64_t most_items) {
  if (const JobBench* const job = request.job_bench())
    return job->load(request.build, images, request.device, most_items, state);
  return transform_subject(images.front(), request.device, state);
}

// What results are compared with: the same for the CPU. Null if it cannot be made; `why` then says why.
std::unique_ptr<const Subject> load_reference(const BenchRequest& request, const base::Bytes& state,
                                              const ElementLayouts& layouts, std::string& why) {
  const Options options = request.build.options();
  const bool is_forbidden = std::ranges::count(options.routes.forbidden, Route::Host) != 0;
  if (request.is_on_host()) why = "it is what was measured";
  else if (options.closed) why = "--closed keeps the callback from running as a program of this machine";
  else if (is_forbidden) why = "--forbid-route host";
  else if (!layouts.unknown_output.empty())
    why = base::format("the members of {} are not known", layouts.unknown_output);
  if (!why.empty()) return nullptr;
  BuildRequest on_host = request.build;
  on_host.route = name(Route::Host);
  on_host.architecture.clear();
  try {
    return load(request, build_all(on_host), state, 0);
  } catch (const Error& error) {
    why = error.message();
    return nullptr;
  }
}

base::Bytes state_for(const BenchRequest& request, const Image& image) {
  if (request.job_bench() == nullptr) return state_of(request.build, image, request.state);
  return state_of(image, request.state, [] {
    return format::FormatError{format::Flaw::Unfit, "several callbacks may have one, which is given by its bytes", 0};
  });
}

// The numbers of items of the table's rows.
std::vector<std::uint64_t> counts_of(const BenchRequest& request, const Measurement& measurement) {
  const JobBench* const job = request.job_bench();
  if (request.counts.empty()) return measurement.usual_counts(job != nullptr ? job->first_count() : kFirstElements);
  return request.counts;
}

BenchResult measure(const BenchRequest& request, Place& place) {
  const JobOptions* const job = request.build.asked_job();
  BenchResult result;
  result.title = job != nullptr ? job->title(request.build.job_options) : request.build.title();
  result.place = place.title();
  std::vector<Image> images;
  {
    const Progress progress("building the kernel");
    images = build_all(request.build);
  }
  for (const Image& image : images) result.reports.push_back(image.report());
  const base::Bytes state = state_for(request, images.front());
  // A job is loaded for the largest call. How large that is depends on the arrays, which a loaded job knows.
  std::unique_ptr<const Subject> subject = load(request, images, state, 0);
  const std::vector<std::uint64_t> counts = counts_of(request, Measurement(place, *subject, {}, nullptr));
  if (job != nullptr) subject = load(request, images, state, *std::ranges::max_element(counts));
  const ElementLayouts layouts = element_layouts(request.build, images.front());
  const std::unique_ptr<const Subject> reference = load_reference(request, state, layouts, result.unverified);
  result.word = subject->word();
  Measurement measurement(place, *subject, layouts.layouts, reference.get());
  ProgressBar bar("measuring", counts.size());
  measurement.prepare(counts);
  for (const std::uint64_t count : counts) {
    result.rows.push_back(measurement.measure(count, request.samples));
    bar.show(result.rows.size(), 0);
  }
  if (result.unverified.empty()) result.unverified = measurement.unverified();
  if (!place.is_host()) result.host_seconds = measurement.host_seconds(counts.front(), request.samples);
  return result;
}

void bench(BenchRequest request) {
  request.state = take_numbers(request.build, request.state);
  if (const JobBench* const job = request.job_bench()) job->complete(request.build);
  else if (!request.build.is_text()) request.build.read_content();  // built again for the CPU and the state's fields
  if (!request.is_on_host()) {
    const Architecture architecture = device_architecture(request.device);
    if (request.build.architecture.empty()) request.build.architecture = architecture.sm();
  }
  ::setenv("GRAFT_CACHE", "off", 1);  // for the children
  const std::unique_ptr<Place> place = request.is_on_host() ? host_place() : gpu_place(request.device);
  const BenchResult result = measure(request, *place);
  if (request.as_json) print_json(bench_json(result));
  else print(table_of(result) + (request.plots || is_terminal(STDOUT_FILENO) ? plot_of(result) : ""));
  const std::vector<std::string> problems = problems_of(result);
  for (const std::string& problem : problems) complain("graft: " + problem);
  if (!problems.empty()) throw CLI::RuntimeError(kWorkFailed);
}

}  // namespace

void add_bench(CLI::App& program) {
  auto request = std::make_shared<BenchRequest>();
  CLI::App* const command = program.add_subcommand(
      "bench",
      base::format("Measure a callback{} beside a copy, over numbers of elements, on a GPU, or on the CPU with "
                   "--route host",
                   or_nouns(measured_jobs())));
  add_request_options(*command, request->build, "CALLBACK");
  add_job_options(*command, request->build, "CALLBACK", measured_jobs());
  command
      ->add_option("--count", request->counts,
                   "Number of elements, or of transforms of a batch, to measure (repeatable; default: from 1,024, or "
                   "from one transform, to the most that fit)")
      ->check(CLI::Range(std::uint64_t{1}, kMostElements))
      ->allow_extra_args(false);
  command->add_option(
      "--state", request->state,
      "Value of the `const T&` parameter: a number (2.5), the fields of a struct or the parameters of a formula "
      "(a=2.5,w={1,2}), bytes in hexadecimal (hex:0000803f), or a file that contains the bytes (@FILE)");
  command->add_option("--samples", request->samples, base::format("Samples of each row (default: {})", kSamples))
      ->check(CLI::Range(1, 10000));
  command->add_option("--device", request->device, "Ordinal of the GPU to run on (default: 0)");
  command->add_flag("--plot", request->plots, "Also print the plot if standard output is no terminal");
  command->add_flag("--json", request->as_json, "Print the figures and the kernels' reports as JSON");
  command->footer(std::string("Results are compared with those of the CPU route, which runs the callback as a program "
                              "of this machine (not with --closed); wrong results are a failure. ") +
                  kExitCodesHelp);
  command->callback([request] { bench(*request); });
}

}  // namespace graft::cli
