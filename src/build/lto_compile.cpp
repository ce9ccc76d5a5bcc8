#include "build/lto_compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/embedded.hpp"
#include "build/compile_log.hpp"
#include "build/flags.hpp"
#include "build/signature_check.hpp"
#include "graft/error.hpp"
#include "reflect/probe.hpp"

namespace graft::building {
namespace {

using toolchain::NvrtcProgram;

bool may_need_half(const SourceProgram& program, const Options& options) {
  const reflect::SourceScan& scan = program.scan;
  return scan.mentions_half || scan.mentions_bfloat16 || scan.includes_half_header || scan.includes_bfloat16_header ||
         !options.headers.empty() || !options.include_paths.empty();
}

// The user's headers first; graft's own and NVRTC's missing ones wherever the user has none of that name.
std::vector<NvrtcProgram::Include> headers(const SourceProgram& program, const Options& options) {
  std::vector<NvrtcProgram::Include> list;
  for (const Header& header : options.headers) list.push_back({header.name, header.text});
  auto add = [&](std::string_view name, std::string_view file) {
    const auto same = [&](const NvrtcProgram::Include& other) { return other.name == name; };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back({name, base::embedded_file(file)});
  };
  for (const std::string_view name : {"graft/device.h", "graft/contract.h", "graft/adapter.h", "graft/kernel.h"})
    add(name, name);
  add("cstdint", "std/cstdint");
  add("cstddef", "std/cstddef");
  add("cmath", "std/cmath");
  if (may_need_half(program, options))
    for (const std::string_view name : {"cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp"})
      add(name, name);
  return list;
}

// The toolkit's own headers (<cuda/std/...>, curand) are there for a callback that includes something.
void add_toolkit_folders(std::vector<std::string>& flags, const SourceProgram& program, const Options& options,
                         const std::filesystem::path& toolkit_headers) {
  if (toolkit_headers.empty() || (program.scan.includes.empty() && options.headers.empty())) return;
  flags.push_back("-I" + toolkit_headers.string());
  flags.push_back("-I" + (toolkit_headers / "cccl").string());
}

std::string remedy_for(const std::string& log) {
  if (log.find("cannot open source file") != std::string::npos)
    return "Give the header in Options::headers, or its folder in Options::include_paths.";
  if (log.find("without execution space annotations") != std::string::npos)
    return "Mark the function __device__, like everything that a callback calls.";
  return "Correct the lines that the compiler names.";
}

// No message is about the user's own lines: the adapter could not fit the entry.
[[noreturn]] void throw_misfit(const SourceProgram& program, const std::string& text, Error::Details details) {
  const std::string& entry = program.parts.entry;
  const std::string_view first = std::string_view(text).substr(0, text.find('\n'));  // the others follow from it
  auto mentions = [&](std::string_view words) { return first.find(words) != std::string::npos; };
  if (mentions("graft_declared_signature(")) {
    details.message = fmt::format("{}: the declared signature \"{}\" is no function type here", program.title,
                                  program.parts.declared);
    details.remedy = "Write it like \"float(float, const Scale&)\", with types that the callback's source knows.";
    throw Error(ErrorCode::SignatureMismatch, std::move(details));
  }
  if (program.parts.pick_overload && mentions("overload")) {
    details.message =
        fmt::format("{}: no overload of `{}` has the signature \"{}\"", program.title, entry, program.parts.declared);
    details.remedy = "Declare the signature of one that the source defines.";
    throw Error(ErrorCode::SignatureMismatch, std::move(details));
  }
  if (mentions("overloaded") || mentions("template") || mentions("ambiguous")) {
    details.message = fmt::format("{}: `{}` names several functions", program.title, entry);
    details.remedy = "Name one instance (\"scale<float>\"), or declare the signature with Callback::with_signature.";
    throw Error(ErrorCode::AmbiguousEntry, std::move(details));
  }
  if (mentions("is undefined") || mentions("has no member") || mentions("not a type name") ||
      mentions("must be a class or namespace name")) {
    details.message = fmt::format("{} has no function `{}`", program.parts.callback_name, entry);
    details.remedy = "Check the spelling of Options::entry, with its namespace.";
    throw Error(ErrorCode::NoSuchEntry, std::move(details));
  }
  details.message = fmt::format("{}: it cannot be called as a callback", program.title);
  details.remedy = "Make it a plain __device__ function, or a function object with one call operator.";
  throw Error(ErrorCode::UnsupportedParameter, std::move(details));
}

[[noreturn]] void throw_compile_error(const SourceProgram& program, const std::string& raw_log,
                                      const std::vector<ToolVersion>& versions) {
  const std::vector<CompileMessage> messages = parse_compile_log(raw_log);
  const auto users = std::find_if(messages.begin(), messages.end(),
                                  [](const CompileMessage& message) { return message.is_error && !message.is_own; });
  if (users == messages.end()) {
    std::string own;
    for (const CompileMessage& message : messages) own += message.text;
    if (messages.empty())  // not even a message: the compiler itself failed
      throw Error(ErrorCode::CompileFailed, {.message = fmt::format("{} does not compile", program.title),
                                             .remedy = "The compiler's words say why.",
                                             .log = raw_log,
                                             .versions = versions});
    throw_misfit(program, own, {.message = {}, .remedy = {}, .log = own, .versions = versions});
  }
  const std::string log = user_log(messages);
  throw Error(ErrorCode::CompileFailed,
              {.message = fmt::format("{} does not compile: line {}", users->file, users->line),
               .remedy = remedy_for(log),
               .log = log,
               .versions = versions});
}

}  // namespace

Compiled compile_ltoir(const SourceProgram& program, Architecture architecture, const Options& options,
                       const toolchain::Nvrtc& nvrtc, const std::filesystem::path& toolkit_headers,
                       const std::vector<ToolVersion>& versions) {
  NvrtcProgram request;
  request.source = reflect::program_text(program.parts);
  request.name = "graft_program";
  request.headers = headers(program, options);
  request.options = compile_flags(options, architecture, !program.scan.mentions_textures);
  add_toolkit_folders(request.options, program, options, toolkit_headers);
  request.name_expressions.emplace_back(reflect::kProbe);
  if (!program.parts.declared.empty()) request.name_expressions.emplace_back(reflect::kDeclaredProbe);
  request.output = toolchain::NvrtcOutput::LtoIr;

  toolchain::NvrtcResult result = nvrtc.compile(request);
  if (!result.ok) throw_compile_error(program, result.log, versions);
  Compiled compiled;
  compiled.log = user_log(parse_compile_log(result.log));
  const reflect::Probe probe = reflect::parse_probe(result.lowered_names.at(0));
  compiled.signature = reflect::to_signature(probe, program.title);
  if (!program.parts.declared.empty())
    check_declared(probe, reflect::parse_probe(result.lowered_names.at(1)), program.title, versions);
  compiled.ltoir = std::move(result.code);
  compiled.source = std::move(request.source);
  return compiled;
}

}  // namespace graft::building
