// `graft tune`: measures the tuning of elementwise kernels, and what other families have (job_tuner.hpp), on the GPU at
// hand, and writes a tuning file (format/tuning_file.hpp) into the cache's folder, where engines find it. Also carries
// such files between machines.
//
// Kernels are built in this process and are in no cache, so that a later program finds what it would have found.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"
#include "cli/arrays/array_checks.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/devices.hpp"
#include "cli/output/new_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/output_target.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/progress.hpp"
#include "cli/tune/cell_tuner.hpp"
#include "cli/tune/job_tuner.hpp"
#include "cli/tune/tuning_words.hpp"
#include "core/fail.hpp"
#include "engine/tunings.hpp"
#include "graft/error.hpp"
#include "store/tuning_place.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

constexpr int kTuneSamples = 21;
constexpr std::uint64_t kMostUnusedImageBytes = std::uint64_t{1} << 28;  // of kernels that were measured

struct TuneRequest {
  std::vector<std::string> only;   // parts of names of what is measured; empty: all
  std::vector<std::string> skip;   // parts of names of what is not measured
  std::vector<GivenOption> given;  // the options of families
  int device = 0;
  int samples = kTuneSamples;
  std::string output;       // a path in place of the cache's folder
  std::string export_to;    // a path to which the cache's file is copied
  std::string import_from;  // a path of a file that the cache gets
  bool lists = false;
  bool as_json = false;
};

struct TunedFamily {
  const JobTuner* tuner;
  std::vector<TuneJob> jobs;
  std::vector<TunedJob> tuned = {};  // of the jobs
};

// What is measured.
struct Chosen {
  std::vector<TuneCell> cells;
  std::vector<TunedFamily> families;

  std::size_t count() const {
    std::size_t count = cells.size();
    for (const TunedFamily& one : families) count += one.jobs.size();
    return count;
  }
};

Chosen chosen(const TuneRequest& request) {
  const auto is_chosen = [&](const std::string& name) {
    const auto is_part = [&](const std::string& part) { return name.find(part) != std::string::npos; };
    return (request.only.empty() || std::ranges::any_of(request.only, is_part)) &&
           std::ranges::none_of(request.skip, is_part);
  };
  Chosen found;
  std::ranges::copy_if(tune_cells(), std::back_inserter(found.cells), is_chosen, &TuneCell::name);
  for (const JobOptions* const job : all_job_options()) {
    const JobTuner* const tuner = job->tuner();
    if (tuner == nullptr) continue;
    TunedFamily& family = found.families.emplace_back(TunedFamily{tuner, {}});
    family.jobs = tuner->jobs(values_of(request.given, tuner->option().name));
    std::erase_if(family.jobs, [&](const TuneJob& one) { return !is_chosen(one.name); });
  }
  if (found.count() == 0)
    throw CLI::ValidationError("--only", "nothing of the list has such a name (graft tune --list shows them)");
  return found;
}

Device tuned_device(int ordinal) {
  device_architecture(ordinal);  // throws Error(NoDevice)
  std::string why;
  return find_devices(why).at(static_cast<std::size_t>(ordinal));
}

json kind_json(const format::MeasuredKind& kind) {
  return {{"inputs", kind.inputs},
          {"outputs", kind.outputs},
          {"short_integers", kind.short_integers},
          {"long_math", kind.long_math}};
}

json policy_json(const MeasuredPolicy& policy) {
  return {{"vector_width", policy.vector_width},
          {"vectors_per_thread", policy.vectors_per_thread},
          {"block_threads", policy.block_threads},
          {"single_below", policy.single_below}};
}

json tuned_times_json(const TunedCell& cell) {
  const auto microseconds = [](const base::Spread& one) {
    return json{{"median_us", one.median * 1e6}, {"q1_us", one.lower * 1e6}, {"q3_us", one.upper * 1e6}};
  };
  json rows = json::array();
  for (std::size_t i = 0; cell.tuned && i < cell.counts.size(); ++i)
    rows.push_back({{"count", cell.counts[i]},
                    {"rules", microseconds(cell.rules_seconds[i])},
                    {"tuned", microseconds(cell.tuned_seconds[i])}});
  return rows;
}

json cell_json(const TunedCell& cell) {
  json object = {{"name", cell.name}, {"kind", kind_json(cell.kind)}, {"rules", policy_json(cell.rules)}};
  object["tuned"] = cell.tuned ? policy_json(*cell.tuned) : json();
  object["rows"] = tuned_times_json(cell);
  return object;
}

std::string policy_text(const MeasuredPolicy& policy) {
  std::string text = base::format("{} elements x {} per thread, {} threads per block", policy.vector_width,
                                  policy.vectors_per_thread, policy.block_threads);
  if (policy.single_below > 0) base::append(text, ", from {} elements on", policy.single_below);
  return text;
}

// The lines about a kind of callback that has become faster.
std::string cell_text(const TunedCell& cell) {
  std::string text = base::format("{} ({}): {}; the rules have {}\n", cell.name, text_of(cell.kind),
                                  policy_text(*cell.tuned), policy_text(cell.rules));
  base::append(text, "{:>15} {:>13} {:>13} {:>7}\n", "elements", "rules", "tuned", "speed");
  for (std::size_t i = 0; i < cell.counts.size(); ++i) {
    const double rules = cell.rules_seconds[i].median, tuned = cell.tuned_seconds[i].median;
    base::append(text, "{:>15} {:>10.2f} us {:>10.2f} us {:>7.3f}\n", cell.counts[i], rules * 1e6, tuned * 1e6,
                 rules / tuned);
  }
  return text;
}

format::TuningFile measured_file(const Device& device, const std::vector<TunedCell>& cells,
                                 const std::vector<TunedFamily>& families) {
  format::TuningFile file{.gpu = device.gpu(), .architecture = device.architecture.number};
  for (const TunedCell& cell : cells)
    if (cell.tuned) file.elementwise.push_back({cell.kind, *cell.tuned});
  for (const TunedFamily& family : families)
    for (const TunedJob& job : family.tuned)
      if (!job.row.empty()) file.further[std::string(family.tuner->family())].push_back(job.row);
  return file;
}

json family_json(const TunedFamily& family) {
  json rows = json::array();
  for (std::size_t i = 0; i < family.jobs.size(); ++i) {
    const TunedJob& job = family.tuned[i];
    json object = job.record;
    object["name"] = family.jobs[i].name;
    object["what"] = family.jobs[i].what;
    object["tuned"] = job.row.empty() ? json() : json::parse(job.row);
    object["left_out"] = job.left_out;
    rows.push_back(std::move(object));
  }
  return rows;
}

// What became faster, and the candidates that were left out.
std::string family_text(const TunedFamily& family) {
  std::string text;
  for (std::size_t i = 0; i < family.jobs.size(); ++i) {
    text += family.tuned[i].text;
    for (const std::string& line : family.tuned[i].left_out)
      base::append(text, "{}, left out: {}\n", family.jobs[i].name, line);
  }
  return text;
}

// "3 of 33 kinds of callbacks and 2 of 20 sums"
std::string counts_text(const format::TuningFile& file, const std::vector<TunedCell>& cells,
                        const std::vector<TunedFamily>& families) {
  std::vector<std::string> counts;
  if (!cells.empty())
    counts.push_back(base::format("{} of {} kinds of callbacks", file.elementwise.size(), cells.size()));
  for (const TunedFamily& family : families) {
    const auto improved = std::ranges::count_if(family.tuned, [](const TunedJob& job) { return !job.row.empty(); });
    if (!family.jobs.empty())
      counts.push_back(base::format("{} of {} {}", improved, family.jobs.size(), family.tuner->noun()));
  }
  return base::join(counts, " and ");
}

// Writes the file to `output`, or if that is empty into the cache's folder. Returns where.
std::string keep_tuning(const format::TuningFile& file, const std::string& output) {
  const std::string text = format::write_tuning_file(file);
  if (!output.empty()) {
    write_new_file(output, {base::as_bytes(text)});
    return output;
  }
  const std::filesystem::path folder = cache_place(true).folder;
  const std::string name = format::tuning_file_name(file.gpu);
  if (const std::string problem = store::put_tuning(folder, name, text); !problem.empty())
    fail(ErrorCode::FileUnreadable, "the tuning file was not written: " + problem,
         "Write it to another place with --output, and name it in EngineOptions::tuning_file.");
  return (folder / store::kTuningFolder / name).string();
}

void measure_tuning(const TuneRequest& request) {
  Chosen asked = chosen(request);
  const Device device = tuned_device(request.device);
  if (request.output.empty()) cache_place(true);  // throws if the cache cannot be written
  EngineOptions in_memory;
  in_memory.cache.policy = CachePolicy::MemoryOnly;
  in_memory.max_unused_image_bytes = kMostUnusedImageBytes;
  Engine engine(std::move(in_memory));
  std::vector<TunedCell> tuned;
  {
    ProgressBar bar("measuring", asked.count());
    std::size_t done = 0;
    for (const TuneCell& cell : asked.cells) {
      tuned.push_back(tune_cell(engine, cell, request.device, device.architecture, request.samples));
      bar.show(++done, 0);
    }
    for (TunedFamily& family : asked.families)
      for (const TuneJob& job : family.jobs) {
        family.tuned.push_back(job.tune({engine, request.device, device.architecture, request.samples}));
        bar.show(++done, 0);
      }
  }
  const format::TuningFile file = measured_file(device, tuned, asked.families);
  const std::string path = keep_tuning(file, request.output);
  if (request.as_json) {
    json rows = json::array();
    for (const TunedCell& cell : tuned) rows.push_back(cell_json(cell));
    json further = json::object();
    for (const TunedFamily& family : asked.families) further[std::string(family.tuner->family())] = family_json(family);
    return print_json({{"gpu", device.name},
                       {"architecture", device.architecture.sm()},
                       {"memory_clock_khz", device.memory_clock_khz},
                       {"cells", rows},
                       {"further", further},
                       {"path", path}});
  }
  std::string text;
  for (const TunedCell& cell : tuned)
    if (cell.tuned) text += cell_text(cell);
  for (const TunedFamily& family : asked.families) text += family_text(family);
  print(base::format("{}{} are faster on {} than with graft's own rules; written to {}\n", text,
                     counts_text(file, tuned, asked.families), printable(device.name), printable(path)));
}

void export_tuning(const TuneRequest& request) {
  const Device device = tuned_device(request.device);
  const std::string name = format::tuning_file_name(device.gpu());
  const store::TuningText found = store::find_tuning(cache_place(), name);
  format::TuningFile file;
  const std::string problem = found.text.empty() ? found.problem : engine::read_tuning(found.text, file);
  if (found.text.empty() || !problem.empty())
    fail(ErrorCode::FileUnreadable,
         problem.empty() ? base::format("{} was not measured: the cache has no tuning file {}", device.name, name)
                         : base::format("the tuning file of {} cannot be used: {}", device.name, problem),
         "Measure it with graft tune.");
  write_new_file(request.export_to, {base::as_bytes(found.text)});
  if (!is_standard_output(request.export_to) && request.as_json)
    print_json({{"file", request.export_to}, {"gpu", file.gpu.name}});
  else if (!is_standard_output(request.export_to))
    print(base::format("exported the tuning of {} to {}\n", printable(file.gpu.name), printable(request.export_to)));
}

void import_tuning(const TuneRequest& request) {
  const base::FileContent content = base::read_file(request.import_from, format::kLargestTuningFile);
  format::TuningFile file;
  const std::string problem = content ? engine::read_tuning(*content, file) : content.problem();
  if (!problem.empty())
    fail(ErrorCode::FileUnreadable, base::format("{} is no tuning file: {}", request.import_from, problem),
         "Give a file that graft tune wrote.");
  const std::string path = keep_tuning(file, {});
  if (request.as_json)
    print_json({{"path", path},
                {"gpu", file.gpu.name},
                {"kinds", file.elementwise.size()},
                {"further", counts_of_further_rows(file)}});
  else
    print(base::format("imported the tuning of {}, {}, to {}\n", printable(file.gpu.name), text_of_rows(file),
                       printable(path)));
}

void list_cells(const TuneRequest& request) {
  json rows = json::array();
  std::string text;
  const Chosen listed = chosen(request);
  for (const TuneCell& cell : listed.cells) {
    const format::MeasuredKind kind = kind_of(cell);
    base::append(text, "{:<24} {}\n", cell.name, text_of(kind));
    rows.push_back({{"name", cell.name}, {"kind", kind_json(kind)}, {"source", cell.source}});
  }
  json further = json::object();
  for (const TunedFamily& family : listed.families)
    for (const TuneJob& job : family.jobs) {
      base::append(text, "{:<24} {}\n", job.name, job.what);
      further[std::string(family.tuner->family())].push_back({{"name", job.name}, {"what", job.what}});
    }
  if (request.as_json) print_json({{"cells", rows}, {"further", further}});
  else print(text);
}

void tune(const TuneRequest& request) {
  if (request.lists) list_cells(request);
  else if (!request.export_to.empty()) export_tuning(request);
  else if (!request.import_from.empty()) import_tuning(request);
  else measure_tuning(request);
}

}  // namespace

void add_tune(CLI::App& program) {
  auto request = std::make_shared<TuneRequest>();
  CLI::App* const command = program.add_subcommand(
      "tune",
      "Measure on this machine's GPU which tuning is faster than that of graft's own rules, for later programs; takes "
      "some minutes");
  command
      ->add_option("--only", request->only,
                   "Measure only what has this text in its name (repeatable; --list shows the names)")
      ->allow_extra_args(false);
  command->add_option("--skip", request->skip, "Leave out what has this text in its name (repeatable)")
      ->allow_extra_args(false);
  for (const JobOptions* const job : all_job_options())
    if (job->tuner() != nullptr) add_option(*command, job->tuner()->option(), request->given);
  command->add_option("--device", request->device, "Ordinal of the GPU to measure (default: 0)");
  command
      ->add_option("--samples", request->samples,
                   base::format("Samples of each of the times that are compared (default: {})", kTuneSamples))
      ->check(CLI::Range(5, 10000));
  CLI::Option* const output = command->add_option("-o,--output", request->output,
                                                  "Write the tuning file here, and not into the cache's folder");
  CLI::Option* const exported =
      command->add_option("--export", request->export_to,
                          "Measure nothing: copy the tuning file that the cache has for the GPU to this file");
  CLI::Option* const imported = command->add_option("--import", request->import_from,
                                                    "Measure nothing: copy this tuning file into the cache's folder");
  CLI::Option* const list = command->add_flag("--list", request->lists, "Measure nothing: show what is measured");
  for (CLI::Option* const other : {exported, imported, list}) output->excludes(other);
  exported->excludes(imported)->excludes(list);
  imported->excludes(list);
  command->add_flag("--json", request->as_json, "Print the figures as JSON");
  std::string footer =
      "A tuning is kept only if no measured number of elements is slower with it than with the rules, beyond the "
      "spread, and one is faster. Results do not change. ";
  for (const JobOptions* const job : all_job_options())
    if (job->tuner() != nullptr) base::append(footer, "{} ", job->tuner()->effect());
  command->footer(footer + "To go back to the rules, delete the file. " + kExitCodesHelp);
  command->callback([request] { tune(*request); });
}

}  // namespace graft::cli
