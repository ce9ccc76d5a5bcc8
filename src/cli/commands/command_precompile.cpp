// `graft precompile`: compiles callbacks ahead of time and writes the results to files.
//
// Each callback is compiled in a child process of its own (child.hpp), because NVIDIA's tools can crash on damaged
// input. The parent writes the result to a file.

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/depfile.hpp"
#include "cli/commands/words.hpp"
#include "cli/output/new_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct FormatWord {
  const char* word;
  PrecompileFormat format;
  const char* ending;  // the extension of the names of files with this format
};
constexpr std::array kFormats = {
    FormatWord{"pack", PrecompileFormat::Pack, ".graft"},      FormatWord{"ltoir", PrecompileFormat::LtoIr, ".ltoir"},
    FormatWord{"fatbin", PrecompileFormat::Fatbin, ".fatbin"}, FormatWord{"ptx", PrecompileFormat::Ptx, ".ptx"},
    FormatWord{"cubin", PrecompileFormat::Cubin, ".cubin"},
};

struct PrecompileRequest {
  BuildRequest build;
  std::vector<std::string> sources;
  std::vector<std::string> architectures;
  std::vector<std::string> entries;
  std::string format = "pack";
  bool with_cubins = false;
  std::string output;
  std::string depfile;
  bool as_json = false;
};

const FormatWord& format_of(const PrecompileRequest& request) {
  return *std::ranges::find_if(kFormats, [&](const FormatWord& one) { return one.word == request.format; });
}

base::Bytes precompile(const PrecompileRequest& request, const std::string& source) {
  BuildRequest build = request.build;
  build.callback = source;
  std::vector<Architecture> architectures;
  for (const std::string& words : request.architectures)
    for (const std::string& word : split_at_commas(words)) architectures.push_back(Architecture::parse(word));
  // Several sources have a progress bar. The end of one, for which a child compiles all architectures, is not known.
  std::optional<Progress> progress;
  if (request.sources.size() <= 1)
    progress.emplace(base::format("precompiling {} for {} architectures", build.title(), architectures.size()));
  const PrecompileFormat format = request.with_cubins ? PrecompileFormat::PackWithCubins : format_of(request).format;
  if (request.entries.size() > 1) return precompile_in_children(build, request.entries, architectures, format);
  if (!request.entries.empty()) build.entry = request.entries.front();
  return precompile_in_child(build, architectures, format);
}

// Returns the file for the result of one source. The result of a single source is written to the file `output`. The
// results of several sources are written into the folder `output`, where gain.cu becomes gain.graft.
fs::path file_for(const PrecompileRequest& request, const std::string& source) {
  if (request.sources.size() <= 1) return request.output;
  return fs::path(request.output) / fs::path(source).stem().concat(format_of(request).ending);
}

void check(const PrecompileRequest& request) {
  if (request.entries.size() > 1 && request.build.asked_job() != nullptr)
    throw CLI::ValidationError("several --entry are for a pack of callbacks, and not for " +
                               std::string(request.build.asked_job()->noun()));
  if (request.with_cubins && request.format != "pack")
    throw CLI::ValidationError("--cubin puts finished kernels into a pack, and cannot be combined with --format " +
                               request.format);
  if (request.sources.size() <= 1) return;
  if (!request.depfile.empty()) throw CLI::ValidationError("--depfile is for one source, but several are given");
  std::error_code ignored;
  if (!fs::is_directory(request.output, ignored))
    fail(ErrorCode::FileUnreadable, base::format("{} is not a folder, and several sources are given", request.output),
         "Name an existing folder with -o: graft writes one file for each source into the folder.");
  std::set<fs::path> files;
  for (const std::string& source : request.sources)
    if (!files.insert(file_for(request, source)).second)
      refuse(base::format("two of the sources would be written to {}", file_for(request, source).string()),
             "Precompile them separately, each with its own -o.");
}

void run(const PrecompileRequest& request) {
  check(request);
  json files = json::array();
  const JobOptions* const job = request.build.asked_job();
  const std::vector<std::string> sources = job != nullptr ? std::vector<std::string>{""} : request.sources;
  ProgressBar bar("precompiling", sources.size() > 1 ? sources.size() : 0);
  std::size_t done = 0;
  for (const std::string& source : sources) {
    const base::Bytes bytes = precompile(request, source);
    const fs::path file = file_for(request, source);
    write_new_file(file, {bytes});
    if (!request.depfile.empty()) {
      BuildRequest build = request.build;
      build.callback = source;
      if (!request.entries.empty()) build.entry = request.entries.front();  // includes do not depend on it
      const std::string rule = depfile(file, build);
      write_new_file(request.depfile, {base::as_bytes(rule)});
    }
    if (sources.size() > 1) bar.show(++done, 0);
    json one = {{"file", file.string()}, {"bytes", bytes.size()}};
    if (request.entries.size() > 1) one["entries"] = request.entries;
    if (job != nullptr) one.update(job->source(request.build.job_options));
    else one["source"] = source;
    files.push_back(std::move(one));
  }
  if (request.as_json) print_json({{"format", request.format}, {"files", files}});
}

}  // namespace

void add_precompile(CLI::App& program) {
  auto request = std::make_shared<PrecompileRequest>();
  CLI::App* const command = program.add_subcommand(
      "precompile",
      base::format("Compile callbacks{} ahead of time, to packs or to LTO-IR, fatbin, PTX or cubin; needs no GPU",
                   or_nouns()));
  command->add_option("SRC", request->sources, "Callbacks: source or compiled files (not packs), or source text")
      ->required();
  command
      ->add_option("--arch", request->architectures,
                   "Architectures to compile for: 75,90. Every format except cubin also works on all newer GPUs")
      ->allow_extra_args(false)
      ->check(problem_of_architectures)
      ->required();
  std::vector<std::string> formats;
  for (const FormatWord& format : kFormats) formats.emplace_back(format.word);
  command
      ->add_option("--format", request->format,
                   "pack (only for graft), or ltoir, fatbin, ptx, cubin (also for other tools); default: pack")
      ->check([formats](const std::string& word) { return problem_of_choice("format", word, formats); });
  command->add_flag("--cubin", request->with_cubins,
                    "Also add a finished kernel for each architecture of --arch to the pack; a GPU of exactly that "
                    "architecture then needs only the driver");
  command
      ->add_option("-o,--output", request->output,
                   "File to write; with several SRC, an existing folder, into which one file per SRC is written")
      ->required();
  command->add_option("--depfile", request->depfile,
                      "File to write a rule of make to: the output, and the files from which it was made");
  command
      ->add_option(kEntryOption, request->entries,
                   "Name of a function to use, when the source defines several; a template's with its arguments: "
                   "'scale<float>' (repeatable, for a pack of several)")
      ->allow_extra_args(false);
  add_compile_options(*command, request->build);
  add_job_options(*command, request->build, "SRC");
  command->add_flag("--json", request->as_json, "Print the written files as JSON");
  command->footer(std::string("Prints nothing unless --json is given. ") + kExitCodesHelp);
  command->callback([request] { run(*request); });
}

}  // namespace graft::cli
