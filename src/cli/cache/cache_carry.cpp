// `graft cache export` and `graft cache import`: copy kernels to another machine, in one file.
//
// An import adds an entry of the file to the cache if this version of graft can read the entry, and refuses the entry
// otherwise. A file whose checksum is wrong is refused as a whole (store/maintenance.hpp).

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "cli/cache/cache_entries.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/output/new_file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/output_target.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/size_text.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

struct ExportRequest {
  std::string file;
  EntryFilter filter;
  bool all = false;
  bool as_json = false;
};

struct ImportRequest {
  std::vector<std::string> files;
  bool as_json = false;
};

store::Export export_chosen(const store::Store& store, const std::vector<store::EntryInfo>& chosen) {
  ProgressBar bar("reading the kernels");
  return store::export_entries(store, chosen, [&](std::size_t done, std::size_t all) { bar.show_of(done, all); });
}

void export_to(const ExportRequest& request) {
  if (request.all != request.filter.is_empty())
    throw CLI::ValidationError("export", "give either --all, or a selection by --name, --callback, --arch and --route");
  const store::Store store(cache_place());
  std::vector<std::string> problems;
  const store::Export made = export_chosen(store, request.filter.of(read_entries(store, problems)));
  if (made.entries == 0) {
    for (const std::string& problem : problems) complain("graft: " + printable(problem));
    refuse("no kernel in the cache matches the selection", "Run graft cache list to see the kernels in the cache.");
  }
  write_new_file(request.file, {made.file});
  if (request.as_json)
    print_json(
        {{"file", request.file}, {"entries", made.entries}, {"bytes", made.file.size()}, {"problems", problems}});
  else if (!is_standard_output(request.file))  // if the file is standard output, only the kernels are written to it
    print(base::format("exported {} to {}\n", kernels_text(made.entries), printable(request.file)));
  fail_if_any(problems);
}

std::string content_of(const std::string& path) {
  base::FileContent content = base::read_file(path, store::kLargestExport, store::largest_export);
  if (!content)
    fail(ErrorCode::FileUnreadable, base::format("cannot read the file {}: {}", path, content.problem()),
         "Give a file that graft cache export wrote, and that this user may read.");
  return std::move(*content);
}

// Returns one line for each reason why the import is incomplete.
std::vector<std::string> problems_of(const std::string& file, const store::Imported& imported) {
  std::vector<std::string> problems;
  if (imported.refused != 0)
    problems.push_back(base::format("{}: not imported, because damaged or from another version of graft: {}", file,
                                    kernels_text(imported.refused)));
  if (!imported.problem.empty()) problems.push_back(base::format("{}: {}", file, imported.problem));
  return problems;
}

store::Imported import_content(store::Store& store, const std::string& content) {
  ProgressBar bar("writing the cache");
  return store::import_entries(store, base::as_bytes(content),
                               [&](std::size_t done, std::size_t all) { bar.show_of(done, all); });
}

void import_from(const ImportRequest& request) {
  store::Store store(cache_place(true));
  std::uint64_t taken = 0;
  std::uint64_t known = 0;
  std::uint64_t refused = 0;
  std::vector<std::string> problems;
  for (const std::string& file : request.files) {
    const std::string content = content_of(file);
    const store::Imported imported = import_content(store, content);
    taken += imported.taken;
    known += imported.known;
    refused += imported.refused;
    for (std::string& problem : problems_of(file, imported)) problems.push_back(std::move(problem));
  }
  if (request.as_json)
    print_json({{"imported", taken}, {"known", known}, {"refused", refused}, {"problems", problems}});
  else if (known == 0) print(base::format("imported {}\n", kernels_text(taken)));
  else print(base::format("imported {}; the cache had {} already\n", kernels_text(taken), known));
  fail_if_any(problems);
}

}  // namespace

void add_cache_export(CLI::App& cache) {
  auto request = std::make_shared<ExportRequest>();
  CLI::App* const command = cache.add_subcommand(
      "export", "Write selected kernels of the cache to one file, for graft cache import on another machine");
  command->add_option("FILE", request->file, "File to write")->required();
  add_filter_options(*command, request->filter);
  command->add_flag("--all", request->all, "Export every kernel, including those of the read-only layers");
  command->add_flag("--json", request->as_json, "Print the result as JSON");
  command->callback([request] { export_to(*request); });
}

void add_cache_import(CLI::App& cache) {
  auto request = std::make_shared<ImportRequest>();
  CLI::App* const command =
      cache.add_subcommand("import", "Add kernels to the cache from files that graft cache export wrote");
  command->add_option("FILE", request->files, "Files that graft cache export wrote on this or another machine")
      ->required();
  command->add_flag("--json", request->as_json, "Print the result as JSON");
  command->callback([request] { import_from(*request); });
}

}  // namespace graft::cli
