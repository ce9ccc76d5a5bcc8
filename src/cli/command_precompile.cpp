// `graft precompile`: callbacks compiled ahead of time, into files. The compiling is a child's: NVIDIA's tools crash on
// damaged input.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/new_file.hpp"
#include "cli/output.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct FormatWord {
  const char* word;
  PrecompileFormat format;
  const char* ending;  // of a file's name
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
  std::string format = "pack";
  bool with_cubins = false;
  std::string output;
  bool as_json = false;
};

const FormatWord& format_of(const PrecompileRequest& request) {
  return *std::ranges::find_if(kFormats, [&](const FormatWord& one) { return one.word == request.format; });
}

// ---- the child ----

void add_format_options(CLI::App& command, PrecompileRequest& request) {
  std::set<std::string> words;
  for (const FormatWord& format : kFormats) words.insert(format.word);
  command.add_option("--format", request.format, "pack, or without graft's: ltoir, fatbin, ptx, cubin")
      ->check(CLI::IsMember(words));
  command.add_flag("--cubin", request.with_cubins,
                   "With finished kernels in the pack, for exactly these architectures");
}

ChildMessage precompile(const PrecompileRequest& request) {
  std::vector<Architecture> architectures;
  for (const std::string& word : request.architectures) architectures.push_back(Architecture::parse(word));
  const PrecompileFormat format = request.with_cubins ? PrecompileFormat::PackWithCubins : format_of(request).format;
  return {.precompiled = request.build.read_callback().precompile(architectures, format, request.build.options())};
}

// ---- the command ----

base::Bytes precompile_in_child(const PrecompileRequest& request, const std::string& source) {
  std::vector<std::string> words = {"__precompile", fmt::format("--for={}", fmt::join(request.architectures, ",")),
                                    fmt::format("--format={}", request.format)};
  if (request.with_cubins) words.emplace_back("--cubin");
  BuildRequest build = request.build;
  build.callback = source;
  for (std::string& word : build.words()) words.push_back(std::move(word));
  return std::move(ask_child(words, "precompiling " + build.title()).precompiled.value());
}

// Several sources go into a folder, each under its own name.
fs::path file_for(const PrecompileRequest& request, const std::string& source) {
  if (request.sources.size() == 1) return request.output;
  return fs::path(request.output) / fs::path(source).stem().concat(format_of(request).ending);
}

void check(const PrecompileRequest& request) {
  if (request.with_cubins && request.format != "pack")
    throw CLI::ValidationError("--cubin puts finished kernels into a pack, and --format " + request.format +
                               " makes none");
  if (request.sources.size() == 1) return;
  std::error_code ignored;
  if (!fs::is_directory(request.output, ignored))
    fail(ErrorCode::FileUnreadable, fmt::format("{} is no folder, and several sources are given", request.output),
         "Name a folder that exists with -o; each gets a file of its own name there.");
  std::set<fs::path> files;
  for (const std::string& source : request.sources)
    if (!files.insert(file_for(request, source)).second)
      refuse(fmt::format("two of the sources would be written to {}", file_for(request, source).string()),
             "Precompile them apart, each with a name of its own.");
}

void run(const PrecompileRequest& request) {
  check(request);
  json files = json::array();
  ProgressBar bar("precompiling", request.sources.size());
  std::size_t done = 0;
  for (const std::string& source : request.sources) {
    const base::Bytes bytes = precompile_in_child(request, source);
    const fs::path file = file_for(request, source);
    write_new_file(file, {bytes});
    bar.show(++done, 0);
    files.push_back({{"source", source}, {"file", file.string()}, {"bytes", bytes.size()}});
  }
  if (request.as_json) print_json({{"format", request.format}, {"files", files}});
}

}  // namespace

void add_precompile(CLI::App& program) {
  auto request = std::make_shared<PrecompileRequest>();
  CLI::App* const command = program.add_subcommand(
      "precompile", "Compile callbacks ahead of time: into packs, or into what other linkers take; needs no GPU");
  command->add_option("SRC", request->sources, "Callbacks: files of any form but packs, or source text")->required();
  command->add_option("--arch", request->architectures, "Architectures to compile for: 75,90; older ones serve newer")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  add_format_options(*command, *request);
  command->add_option("-o,--output", request->output, "The file to write; for several sources a folder")->required();
  add_compile_options(*command, request->build);
  command->add_flag("--json", request->as_json, "Print what was written as JSON");
  command->footer(std::string("Prints nothing unless --json is given. ") + kExitCodesHelp);
  command->callback([request] { run(*request); });

  auto asked = std::make_shared<PrecompileRequest>();
  CLI::App* const child = program.add_subcommand("__precompile", "")->group("");
  child->add_option("--for", asked->architectures, "")->delimiter(',');
  add_format_options(*child, *asked);
  add_request_options(*child, asked->build, "CALLBACK");
  child->callback([asked] {
    if (const int code = answer_parent([&] { return precompile(*asked); }); code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace graft::cli
