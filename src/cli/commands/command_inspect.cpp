// `graft inspect`: describes a file or a source text. The content, not the file's name, decides what kind of file it
// is.
//
// Each kind of file has its own function. For source, a build in a child process finds the signature. Compiled files
// and packs are read in this process. With --arch or --route host the command also prints the report of the linked
// kernel.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/printable_report.hpp"
#include "cli/output/progress.hpp"
#include "core/fail.hpp"
#include "families/kept_kernels.hpp"
#include "families/registry.hpp"
#include "format/binary_contents.hpp"
#include "format/file_kind.hpp"
#include "format/pack.hpp"
#include "format/pack_set.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

using format::FileKind;
using nlohmann::json;

struct InspectRequest {
  BuildRequest build;
  bool as_json = false;
};

// The result of an inspection, as lines for people and as JSON with the same facts.
struct Findings {
  std::string text;
  json object = json::object();
};

[[noreturn]] void refuse_file(const std::string& file, const format::FormatError& error) {
  fail(ErrorCode::ImageRefused, base::format("{}: {} (at byte {})", file, error.message, error.offset),
       "Give CUDA C++ source, a compiled callback, or a pack.");
}

json signature_json(const Signature& signature) {
  Report report;
  report.kernel.signature = signature;
  return json::parse(report.to_json()).at("signature");
}

bool wants_report(const InspectRequest& request) {
  return !request.build.architecture.empty() || request.build.route == "host";
}

Image build(const InspectRequest& request) {
  const Progress progress("building the kernel");
  return build_in_child(request.build);
}

void add_report(const Image& image, Findings& findings) {
  findings.text += printable(image.report()).to_text();
  findings.object["report"] = json::parse(image.report().to_json());
}

// Builds the callback and adds its signature to `findings`. With --arch or --route host, also adds the report of the
// linked kernel.
void add_kernel(const InspectRequest& request, Findings& findings) {
  const Image image = build(request);
  findings.object["signature"] = signature_json(image.signature());
  findings.text += printable(image.signature()).describe();
  if (wants_report(request)) add_report(image, findings);
}

std::string_view word(format::CodeKind kind) {
  switch (kind) {
    case format::CodeKind::Ptx:
      return "PTX";
    case format::CodeKind::Cubin:
      return "cubin";
    case format::CodeKind::LtoIr:
      return "LTO-IR";
    case format::CodeKind::Other:
      break;
  }
  return "other";
}

std::string line_on_code(const format::DeviceCode& code) {
  std::string line = base::format("  {} for {}, {} bytes", word(code.kind), code.architecture.sm(), code.size);
  if (code.is_compressed) line += ", compressed";
  if (!code.is_relocatable) line += ", fully linked: no other code can be linked to it";
  if (code.producer.major != 0) line += base::format(", by CUDA {}", code.producer.text());
  if (!code.member.empty()) line += base::format(", in {}", printable(code.member));
  return line + '\n';
}

json json_of(const format::DeviceCode& code) {
  json object = {{"kind", word(code.kind)},
                 {"architecture", code.architecture.sm()},
                 {"bytes", code.size},
                 {"compressed", code.is_compressed},
                 {"relocatable", code.is_relocatable}};
  if (code.producer.major != 0) object["cuda"] = code.producer.text();
  if (!code.member.empty()) object["member"] = code.member;
  return object;
}

void inspect_compiled(const InspectRequest& request, std::span<const std::byte> bytes, Findings& findings) {
  const auto info = format::read_binary_contents(bytes);
  if (!info) refuse_file(request.build.callback, info.error());
  findings.object["images"] = json::array();
  for (const format::DeviceCode& code : info->code) {
    findings.text += line_on_code(code);
    findings.object["images"].push_back(json_of(code));
  }
  findings.object["functions"] = info->functions;
  findings.object["functions_are_known"] = info->functions_are_known;
  for (const std::string_view function : info->functions)
    findings.text += base::format("  function {}\n", printable(function));
  if (!info->functions_are_known)
    findings.text += "  functions: the list may be incomplete, because some functions are not visible before linking\n";
  if (!request.build.signature.empty()) add_kernel(request, findings);
}

void inspect_pack(const InspectRequest& request, std::span<const std::byte> bytes, Findings& findings) {
  const auto pack = families::read_pack(bytes);
  if (!pack) refuse_file(request.build.callback, pack.error());
  // The pack of a composition or of an FFT has several functions.
  if (!pack->entry.empty())
    findings.text += base::format("  entry {} ({})\n", printable(pack->entry), printable(pack->symbol));
  findings.text += printable(pack->kernel.signature).describe();
  findings.object["entry"] = pack->entry;
  findings.object["symbol"] = pack->symbol;
  findings.object["kernel"] = pack->kernel.name;
  findings.object["signature"] = signature_json(pack->kernel.signature);
  findings.object["compiler_options"] = pack->kernel.compiler_options;
  for (const std::string& option : pack->kernel.compiler_options)
    findings.text += base::format("  compiler option {}\n", option);
  findings.object["images"] = json::array();
  for (const format::PackPart& image : pack->images) {
    findings.text +=
        base::format("  {} for {}, {} bytes\n", to_string(image.kind), image.architecture.sm(), image.bytes.size());
    findings.object["images"].push_back(
        {{"kind", to_string(image.kind)}, {"architecture", image.architecture.sm()}, {"bytes", image.bytes.size()}});
  }
  findings.object["versions"] = json::object();
  for (const ToolVersion& tool : pack->tools) {
    findings.text += base::format("  made by {} {}\n", printable(tool.tool), printable(tool.version));
    findings.object["versions"][tool.tool] = tool.version;
  }
  if (wants_report(request)) add_report(build(request), findings);
}

// Describes the pack of an FFT: its kernels, one after the other.
void inspect_pack_set(const InspectRequest& request, std::span<const std::byte> bytes, Findings& findings) {
  const auto packs = format::read_pack_set(bytes);
  if (!packs) refuse_file(request.build.callback, packs.error());
  findings.object["packs"] = json::array();
  for (const std::span<const std::byte> pack : *packs) {
    Findings one;
    inspect_pack(request, pack, one);
    const KernelSpec kernel = families::read_pack(pack)->kernel;
    const std::string description = families::of(kernel.family).describe(kernel);
    one.object["description"] = description;
    findings.text += base::format("{}\n{}", description, one.text);
    findings.object["packs"].push_back(std::move(one.object));
  }
}

void inspect_content(const InspectRequest& request, FileKind kind, std::span<const std::byte> bytes,
                     Findings& findings) {
  switch (kind) {
    case FileKind::Source:
      return add_kernel(request, findings);
    case FileKind::Pack:
      return inspect_pack(request, bytes, findings);
    case FileKind::PackSet:
      return inspect_pack_set(request, bytes, findings);
    case FileKind::NvvmText:
    case FileKind::NvvmBitcode:
      if (!request.build.signature.empty()) add_kernel(request, findings);
      return;  // without --signature, graft can say only that the file is NVVM IR, and its size
    case FileKind::LtoIr:
    case FileKind::Fatbin:
    case FileKind::Ptx:
    case FileKind::Cubin:
    case FileKind::Object:
    case FileKind::Archive:
      return inspect_compiled(request, bytes, findings);
  }
}

// Describes an FFT that is not compiled yet. With --arch or --route host, adds the reports of its kernels.
void inspect_fft(InspectRequest request) {
  Findings findings;
  const int kernels = request.build.kernel_count();
  findings.text = base::format("FFT of {} points, {} kernels\n", request.build.fft_length, kernels);
  findings.object = {{"kind", "FFT"}, {"length", request.build.fft_length}, {"kernels", json::array()}};
  for (request.build.kernel = 0; request.build.kernel < kernels; ++request.build.kernel) {
    Findings one;
    add_kernel(request, one);
    findings.text += one.text;
    findings.object["kernels"].push_back(std::move(one.object));
  }
  if (request.as_json) print_json(findings.object);
  else print(findings.text);
}

void inspect(InspectRequest request) {
  if (request.build.is_fft()) return inspect_fft(std::move(request));
  const std::string& name = request.build.callback;
  const bool is_file = !request.build.is_text();
  if (is_file) request.build.read_content();
  const auto bytes = base::as_bytes(is_file ? *request.build.content : name);
  const auto kind = format::file_kind(bytes);
  if (!kind) refuse_file(name, kind.error());
  Findings findings;
  findings.text =
      base::format("{}: {}, {} bytes\n", is_file ? printable(name) : "the text", to_string(*kind), bytes.size());
  findings.object["kind"] = to_string(*kind);
  findings.object["bytes"] = bytes.size();
  if (is_file) findings.object["file"] = name;
  inspect_content(request, *kind, bytes, findings);
  if (request.as_json) print_json(findings.object);
  else print(findings.text);
}

}  // namespace

void add_inspect(CLI::App& program) {
  auto request = std::make_shared<InspectRequest>();
  CLI::App* const command = program.add_subcommand(
      "inspect",
      "Describe a file or an FFT: the signature of a source, the code in a compiled file, the content of a pack");
  add_request_options(*command, request->build, "FILE");
  add_fft_options(*command, request->build, "FILE");
  command->add_flag("--json", request->as_json, "Print the description as JSON");
  command->footer(std::string("With --arch or --route host, also builds the kernel and prints its report: registers, "
                              "inlining, times. For a compiled callback, this build requires --signature. ") +
                  kExitCodesHelp);
  command->callback([request] { inspect(*request); });
}

}  // namespace graft::cli
