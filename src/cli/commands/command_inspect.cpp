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
#include "cli/commands/kernel_code.hpp"
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
#include "graft/error.hpp"
#include "graft/formula.hpp"
#include "own_kernels/packed.hpp"

namespace graft::cli {
namespace {

using format::FileKind;
using nlohmann::json;

struct InspectRequest {
  BuildRequest build;
  WantedCode code;
  bool as_json = false;
};

// The result of an inspection, as lines for people and as JSON with the same facts.
struct Findings {
  std::string text;
  json object = json::object();
};

[[noreturn]] void refuse_file(const std::string& file, const format::FormatError& error) {
  fail(ErrorCode::ImageRefused, base::format("{}: {} (at byte {})", file, error.message, error.offset),
       error.flaw == format::Flaw::Compressed ? "Build graft with libzstd, or make the pack with this build."
                                              : "Give CUDA C++ source, a compiled callback, or a pack.");
}

json signature_json(const Signature& signature) {
  Report report;
  report.kernel.signature = signature;
  return json::parse(report.to_json()).at("signature");
}

bool wants_report(const InspectRequest& request) {
  return !request.build.architecture.empty() || request.build.route == "host" || request.code.is_wanted();
}

Image build(const InspectRequest& request) {
  const Progress progress("building the kernel");
  return build_in_child(request.build);
}

// Returns the report of a kernel as text, and adds it to `object`, with what the command line asks for.
std::string add_report(const InspectRequest& request, const Image& image, json& object) {
  std::string text = printable(image.report()).to_text();
  if (image.report().kernel.route != Route::Host) {
    const std::uint64_t shared = shared_memory_of(image);
    if (shared > 0) text += base::format("  {:<14}{} bytes per thread block\n", "shared memory", shared);
    object["shared_memory_bytes"] = shared;
  }
  object["report"] = json::parse(image.report().to_json());
  return text + add_code(request.code, request.build, image, object);
}

// Adds the report of the linked kernel, and the reports of those for views that the request asks for.
void add_reports(InspectRequest request, const Image& image, Findings& findings) {
  findings.text += add_report(request, image, findings.object);
  if (request.build.shapes.empty()) return;
  json& reports = findings.object["reports"] = json::array({findings.object["report"]});
  const int kernels = request.build.kernel_count();
  for (request.build.kernel = 1; request.build.kernel < kernels; ++request.build.kernel) {
    json other;
    findings.text += add_report(request, build(request), other);
    reports.push_back(std::move(other["report"]));
    other.erase("report");
    if (!other.empty()) findings.object["views"].push_back(std::move(other));
  }
}

// Builds the callback and adds its signature to `findings`. With --arch or --route host, also adds the report of the
// linked kernel.
void add_kernel(const InspectRequest& request, Findings& findings) {
  const Image image = build(request);
  findings.object["signature"] = signature_json(image.signature());
  findings.text += printable(image.signature()).describe();
  if (wants_report(request)) add_reports(request, image, findings);
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
  if (!request.build.signature.empty() || request.code.is_wanted()) add_kernel(request, findings);
}

std::string sizes_text(const std::vector<std::uint64_t>& sizes) {
  return base::format("{}", base::join(sizes, ", "));
}

// Adds the kernels, slots and constants that the code of own kernels has.
void add_shape(const own_kernels::CodeShape& shape, Findings& findings) {
  findings.object["entries"] = findings.object["slots"] = findings.object["constants"] = json::array();
  for (const KernelEntry& entry : shape.entries) {
    findings.text +=
        base::format("  kernel {}, parameters of {} bytes{}\n", printable(entry.name), sizes_text(entry.parameters),
                     entry.types.empty() ? "" : ": " + printable(base::join(entry.types, ", ")));
    findings.object["entries"].push_back(
        {{"name", entry.name}, {"symbol", entry.symbol}, {"parameters", entry.parameters}, {"types", entry.types}});
  }
  for (const own_kernels::Slot& slot : shape.slots) {
    findings.text += base::format("  slot {}\n", printable(slot.declaration));
    findings.object["slots"].push_back({{"name", slot.name}, {"declaration", slot.declaration}});
  }
  for (const own_kernels::Variable& variable : shape.variables) {
    findings.text += base::format("  constant {}, {} bytes\n", printable(variable.name), variable.bytes);
    findings.object["constants"].push_back({{"name", variable.name}, {"bytes", variable.bytes}});
  }
}

// Adds what the first such part says: that of the oldest architecture.
void add_own_kernel(const format::PackedKernel& kernel, Findings& findings) {
  for (const format::PackPart& part : kernel.parts) {
    if (part.kind == format::PackPartKind::KernelLtoIr)
      if (const auto code = own_kernels::read_packed_code(part.details); code && code->shape)
        return add_shape(*code->shape, findings);
    if (part.kind == format::PackPartKind::SlotLtoIr)
      if (const auto packed = own_kernels::read_packed_slot(part.details); packed && packed->slot) {
        findings.text += base::format("  for the slot {}: {}{}\n", printable(packed->slot->declaration),
                                      printable(packed->title), printable(packed->how));
        findings.object["for"] = packed->slot->declaration;
        return;
      }
  }
}

void add_packed_kernel(const format::PackedKernel& kernel, Findings& findings) {
  const bool has_elements = families::of(kernel.spec.family).has_elements();
  // The kernel of a composition has several functions.
  if (!kernel.entry.empty() && has_elements)
    findings.text += base::format("  entry {} ({})\n", printable(kernel.entry), printable(kernel.symbol));
  if (has_elements) {
    findings.text += printable(kernel.spec.signature).describe();
  } else {
    add_own_kernel(kernel, findings);
    for (const std::string& words : families::of(kernel.spec.family).words_on(kernel.spec.request))
      findings.text += base::format("  {}\n", printable(words));
  }
  findings.object["entry"] = kernel.entry;
  findings.object["symbol"] = kernel.symbol;
  findings.object["kernel"] = kernel.spec.name;
  if (has_elements) findings.object["signature"] = signature_json(kernel.spec.signature);
  findings.object["compiler_options"] = kernel.spec.compiler_options;
  for (const std::string& option : kernel.spec.compiler_options)
    findings.text += base::format("  compiler option {}\n", option);
  findings.object["images"] = json::array();
  for (const format::PackPart& part : kernel.parts) {
    findings.text +=
        base::format("  {} for {}, {} bytes\n", to_string(part.kind), part.architecture.sm(), part.bytes.size());
    findings.object["images"].push_back(
        {{"kind", to_string(part.kind)}, {"architecture", part.architecture.sm()}, {"bytes", part.bytes.size()}});
  }
  findings.object["versions"] = json::object();
  for (const ToolVersion& tool : kernel.tools) {
    findings.text += base::format("  made by {} {}\n", printable(tool.tool), printable(tool.version));
    findings.object["versions"][tool.tool] = tool.version;
  }
}

// What the kernel was asked for: {"length": "64", "kind": "real"}.
json json_of_request(const KernelSpec& kernel) {
  json object = json::object();
  for (const std::string& words : families::of(kernel.family).words_on(kernel.request))
    if (const std::size_t equals = words.find('='); equals != words.npos)
      object[words.substr(0, equals)] = words.substr(equals + 1);
  return object;
}

// Describes the kernel of a callback, or the kernels of another job one after the other.
void add_packed_job(const format::PackJob& job, Findings& findings) {
  if (families::is_for_callbacks(job)) return add_packed_kernel(job.kernels.front(), findings);
  findings.object["packs"] = json::array();
  for (const format::PackedKernel& kernel : job.kernels) {
    Findings one;
    add_packed_kernel(kernel, one);
    const std::string description = families::of(job.family).describe(kernel.spec);
    one.object["description"] = description;
    if (const json request = json_of_request(kernel.spec); !request.empty()) one.object["request"] = request;
    findings.text += description.empty() ? one.text : base::format("{}\n{}", description, one.text);
    findings.object["packs"].push_back(std::move(one.object));
  }
}

std::string kind_of(const format::Pack& pack) {
  if (pack.jobs.size() > 1)
    return base::format("pack of {} {}", pack.jobs.size(),
                        std::ranges::all_of(pack.jobs, families::is_for_callbacks) ? "callbacks" : "jobs");
  const format::PackJob& job = pack.jobs.front();
  const std::string_view noun = families::of(job.family).face().job;
  return noun.empty() || families::is_for_callbacks(job) ? "pack" : base::format("pack of {}", noun);
}

void inspect_pack(const InspectRequest& request, std::span<const std::byte> bytes, Findings& findings) {
  const auto pack = families::read_pack(bytes);
  if (!pack) refuse_file(request.build.callback, pack.error());
  findings.object["kind"] = kind_of(*pack);
  if (pack->jobs.size() == 1) add_packed_job(pack->jobs.front(), findings);
  else
    for (const format::PackJob& job : pack->jobs) {
      Findings one;
      add_packed_job(job, one);
      one.object["job"] = families::title_of(job);
      findings.text += base::format("{}\n{}", printable(families::title_of(job)), one.text);
      findings.object["jobs"].push_back(std::move(one.object));
    }
  if (!request.build.shapes.empty() && !families::of(pack->jobs.front().family).has_elements())
    refuse("--shapes is for transforms, and the pack is of kernels of your own", "Leave --shapes out.");
  if (!wants_report(request)) return;
  InspectRequest kernel = request;
  if (!families::of(pack->jobs.front().family).has_elements() && request.build.asked_job() == nullptr)
    kernel.build.job_options.push_back({"--kernel", request.build.callback});
  add_reports(kernel, build(kernel), findings);
}

void inspect_content(const InspectRequest& request, FileKind kind, std::span<const std::byte> bytes,
                     Findings& findings) {
  switch (kind) {
    case FileKind::Source:
      return add_kernel(request, findings);
    case FileKind::Pack:
      return inspect_pack(request, bytes, findings);
    case FileKind::NvvmText:
    case FileKind::NvvmBitcode:
      if (!request.build.signature.empty() || request.code.is_wanted()) add_kernel(request, findings);
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

void show(const InspectRequest& request, const Findings& findings) {
  if (request.as_json) print_json(findings.object);
  else print(findings.text);
}

// Describes a job of a family. With --arch or --route host, adds the reports of its kernels.
void inspect_job(InspectRequest request, const JobOptions& job) {
  Findings findings;
  const int kernels = request.build.kernel_count();
  findings.text = base::format("{}, {}\n", job.title(request.build.job_options), base::counted(kernels, "kernel"));
  findings.object = job.description(request.build.job_options);
  findings.object["kernels"] = json::array();
  for (request.build.kernel = 0; request.build.kernel < kernels; ++request.build.kernel) {
    Findings one;
    add_kernel(request, one);
    findings.text += one.text;
    findings.object["kernels"].push_back(std::move(one.object));
  }
  show(request, findings);
}

// The kernel is the user's, also if its callbacks are a stranger's (--closed).
BuildRequest only_kernel(BuildRequest request) {
  request.closed = false;
  std::erase_if(request.job_options, [](const GivenOption& one) { return one.name.starts_with("--slot"); });
  return request;
}

// Describes kernels of the user's own by their pack, which is made here unless the file is one.
void inspect_own_kernels(InspectRequest request, const JobOptions& job) {
  Findings findings;
  findings.object = job.description(request.build.job_options);
  const std::string title = job.title(request.build.job_options);
  const std::string file = findings.object["file"];
  BuildRequest reader = request.build;
  reader.callback = request.build.callback = file;  // for messages
  reader.read_content();
  const auto kind = format::file_kind(base::as_bytes(*reader.content));
  const Architecture architecture = request.build.options().architecture.value_or(kOldestArchitecture);
  const base::Bytes pack =
      kind && *kind == FileKind::Pack
          ? base::Bytes(base::as_bytes(*reader.content).begin(), base::as_bytes(*reader.content).end())
          : precompile_in_child(only_kernel(request.build), {architecture}, PrecompileFormat::Pack);
  inspect_pack(request, pack, findings);
  findings.text = base::format("{}: kernels of your own\n{}", printable(title), findings.text);
  show(request, findings);
}

// `-o` names one file.
void check_output(const InspectRequest& request) {
  if (request.code.output.empty() || request.build.kernel_count() == 1) return;
  refuse(base::format("-o writes one kernel, and this request has {}", request.build.kernel_count()),
         "Ask for one: leave --shapes out, or give one direction (--directions forward).");
}

void inspect(InspectRequest request) {
  check_output(request);
  const JobOptions* const job = request.build.asked_job();
  if (job != nullptr && !job->is_described_by_its_pack()) return inspect_job(std::move(request), *job);
  if (job != nullptr) return inspect_own_kernels(std::move(request), *job);
  const std::string& name = request.build.callback;
  const bool is_file = !request.build.is_text();
  if (is_file) request.build.read_content();
  const auto bytes = base::as_bytes(is_file ? *request.build.content : name);
  const auto kind = request.build.is_formula() ? format::Outcome<FileKind>(FileKind::Source) : format::file_kind(bytes);
  if (!kind) refuse_file(name, kind.error());
  Findings findings;
  findings.object["kind"] = to_string(*kind);
  findings.object["bytes"] = bytes.size();
  if (is_file) findings.object["file"] = name;
  inspect_content(request, *kind, bytes, findings);
  findings.text = base::format("{}: {}, {} bytes\n{}", is_file ? printable(name) : "the text",
                               findings.object["kind"].get_ref<const std::string&>(), bytes.size(), findings.text);
  if (request.build.is_formula()) findings.text += "the types of x + y, by those of x and y:\n" + formula_types();
  show(request, findings);
}

}  // namespace

void add_inspect(CLI::App& program) {
  auto request = std::make_shared<InspectRequest>();
  CLI::App* const command = program.add_subcommand(
      "inspect",
      base::format("Describe a file{}: the signature of a source, the code in a compiled file, the content of a pack",
                   or_nouns()));
  add_request_options(*command, request->build, "FILE");
  add_job_options(*command, request->build, "FILE");
  add_shapes_option(*command, request->build)->needs(command->get_option("--arch"));
  add_code_options(*command, request->code);
  command->add_flag("--json", request->as_json, "Print the description as JSON");
  command->footer(
      std::string(
          "With --arch or --route host, also builds the kernel and prints its report: registers, inlining, times. "
          "--ptx, --sass and -o build it too, for sm_75 without --arch. For a compiled callback, this build "
          "requires --signature. ") +
      kExitCodesHelp);
  command->callback([request] { inspect(*request); });
}

}  // namespace graft::cli
