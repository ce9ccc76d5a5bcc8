// `graft precompile`: callbacks compiled ahead of time, into files. The compiling is a child's: NVIDIA's tools crash on
// damaged input.

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/cbor.hpp"
#include "base/format.hpp"
#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/new_file.hpp"
#include "cli/output.hpp"
#include "cli/words.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kPrecompileCommand = "__precompile";

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

// ---- the child, and the message to it: CBOR {"build", "architectures", "format", "cubins"} ----

base::Bytes write_precompile_request(const PrecompileRequest& request) {
  const base::Bytes build = write_request(request.build);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(build.data());
  return base::to_cbor({{"build", json::binary({begin, begin + build.size()})},
                        {"architectures", request.architectures},
                        {"format", request.format},
                        {"cubins", request.with_cubins}});
}

PrecompileRequest read_precompile_request(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  PrecompileRequest request;
  request.build = read_request(std::as_bytes(std::span<const std::uint8_t>(object.at("build").get_binary())));
  request.architectures = object.at("architectures").get<std::vector<std::string>>();
  request.format = object.at("format").get<std::string>();
  request.with_cubins = object.at("cubins").get<bool>();
  return request;
}

ChildMessage precompile(std::span<const std::byte> question) {
  const PrecompileRequest request = read_precompile_request(question);
  std::vector<Architecture> architectures;
  for (const std::string& words : request.architectures)
    for (const std::string& word : split_at_commas(words)) architectures.push_back(Architecture::parse(word));
  const PrecompileFormat format = request.with_cubins ? PrecompileFormat::PackWithCubins : format_of(request).format;
  return {.precompiled = request.build.read_callback().precompile(architectures, format, request.build.options())};
}

// ---- the command ----

base::Bytes precompile_in_child(const PrecompileRequest& request, const std::string& source) {
  PrecompileRequest one = request;
  one.build.callback = source;
  ChildMessage answer =
      ask_child(kPrecompileCommand, write_precompile_request(one), "precompiling " + one.build.title());
  return std::move(answer.precompiled.value());
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
    fail(ErrorCode::FileUnreadable, base::format("{} is no folder, and several sources are given", request.output),
         "Name a folder that exists with -o; each gets a file of its own name there.");
  std::set<fs::path> files;
  for (const std::string& source : request.sources)
    if (!files.insert(file_for(request, source)).second)
      refuse(base::format("two of the sources would be written to {}", file_for(request, source).string()),
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
      ->allow_extra_args(false)
      ->check(problem_of_architectures)
      ->required();
  std::set<std::string> formats;
  for (const FormatWord& format : kFormats) formats.insert(format.word);
  command->add_option("--format", request->format, "pack, or without graft's: ltoir, fatbin, ptx, cubin")
      ->check(CLI::IsMember(formats));
  command->add_flag("--cubin", request->with_cubins,
                    "With finished kernels in the pack, for exactly these architectures");
  command->add_option("-o,--output", request->output, "The file to write; for several sources a folder")->required();
  add_compile_options(*command, request->build);
  command->add_flag("--json", request->as_json, "Print what was written as JSON");
  command->footer(std::string("Prints nothing unless --json is given. ") + kExitCodesHelp);
  command->callback([request] { run(*request); });
  program.add_subcommand(kPrecompileCommand, "")->group("")->callback([] { answer_parent(precompile); });
}

}  // namespace graft::cli
