// Each function of DeviceCompiler makes a request for NVRTC, runs it, and lets CompileErrors throw if it failed.
// exact() and entry_if_so() are different: they compile a program for the signature that the callback's text seems to
// have. If that fails without an error in the user's lines, or if the compiler sees another signature, they return
// nothing and do not throw, so that their caller can compile another program.
#include "compile/device_compile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "codegen/lines.hpp"
#include "codegen/separate_program.hpp"
#include "compile/compile_headers.hpp"
#include "compile/read_signature.hpp"
#include "compile/refused_option.hpp"
#include "compile/scanned_headers.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "format/ptx.hpp"

namespace graft::compile {
namespace {

using toolchain::NvrtcProgram;

std::vector<std::string> name_expressions(const codegen::SourceProgram& program) {
  std::vector<std::string> expressions;
  for (const WantedProbe& probe : wanted_probes(program))
    expressions.push_back(base::format("&graft_probe<{}>", probe.arguments));
  return expressions;
}

// Adds the toolkit's include folders if the callback's source includes any header, because that header may be the
// toolkit's (<cuda/std/...>, curand).
void add_toolkit_folders(std::vector<std::string>& flags, const codegen::SourceProgram& program, const Options& options,
                         const std::filesystem::path& toolkit_headers) {
  if (toolkit_headers.empty() || (program.scan.includes.empty() && options.headers.empty())) return;
  flags.push_back("-I" + toolkit_headers.string());
  flags.push_back("-I" + (toolkit_headers / "cccl").string());
}

// Whether the flag is the caller's --diag-error. graft's own flag of this name is kReturnsRequired.
bool makes_users_error(std::string_view flag) {
  return makes_an_error(flag) && flag != kReturnsRequired;
}

// The number of NVRTC's warning "extern declaration of the entity w is treated as a static definition".
constexpr std::string_view kExternWarning = "#20044";

// Whether there is such a warning of a variable that is not graft's probe, which is declared only for its name.
bool warns_of_extern(std::string_view log) {
  constexpr std::string_view kBeforeName = "entity ", kOwn = "graft_probe<";
  for (std::size_t at = log.find(kExternWarning); at != log.npos; at = log.find(kExternWarning, at + 1)) {
    const std::string_view line = log.substr(at, log.find('\n', at) - at);
    const std::size_t name = line.find(kBeforeName);
    if (name == line.npos || !line.substr(name + kBeforeName.size()).starts_with(kOwn)) return true;
  }
  return false;
}

bool is_in(std::string_view file, const std::filesystem::path& folder) {
  return !folder.empty() && file.starts_with(folder.string() + '/');
}

// Whether the file is a header of NVIDIA's. NVRTC has some headers in memory; `folder` has the toolkit's others.
bool is_nvidias(std::string_view file, const std::filesystem::path& folder) {
  for (const std::string_view begin : {"__nv_nvrtc", "cuda_fp16.h", "cuda_bf16.h"})
    if (file.starts_with(begin)) return true;
  return is_in(file, folder);
}

std::vector<CompileMessage> parsed(std::string_view log) {
  return parse_compile_log(log, Compiler::Nvrtc);
}

Compiled compiled(NvrtcProgram program, toolchain::NvrtcResult result, const Signature& signature) {
  const auto [compiler_log, ptxas_log] = split_ptxas_log(result.log);
  return {std::move(result.code),         signature, std::move(program.source),
          user_log(parsed(compiler_log)), ptxas_log, std::move(result.ptx)};
}

}  // namespace

std::vector<std::string> nvrtc_flags(const codegen::SourceProgram& program, const Options& options,
                                     Architecture architecture, CodeKind kind, const plan::HeaderScan* scan) {
  const bool minimal = !program.scan.mentions_textures && !includes_others(program, options, scan);
  return compile_flags(options, architecture, minimal, kind);
}

DeviceCompiler::DeviceCompiler(const codegen::SourceProgram& program, Architecture architecture, const Options& options,
                               const OpenTools& tools)
    : program_(program),
      architecture_(architecture),
      options_(options),
      tools_(tools),
      errors_(program, Compiler::Nvrtc, {tools.nvrtc_version()}) {
  errors_.check_doubt([this](const codegen::ProgramParts& parts) { return compile_alone(parts); });
}

NvrtcProgram DeviceCompiler::request(std::string text, CodeKind kind) const {
  NvrtcProgram request;
  request.source = std::move(text);
  request.name = kProgramName;
  request.headers = device_headers(program_, options_, tools_.scan);
  request.options = nvrtc_flags(program_, options_, architecture_, kind, tools_.scan);
  add_toolkit_folders(request.options, program_, options_, tools_.headers);
  switch (kind) {
    case CodeKind::LtoIr:
      request.output = toolchain::NvrtcOutput::LtoIr;
      break;
    case CodeKind::Ptx:
    case CodeKind::WholePtx:
      request.output = toolchain::NvrtcOutput::Ptx;
      break;
    case CodeKind::Object:
    case CodeKind::Cubin:
      request.output = toolchain::NvrtcOutput::Cubin;
      break;
  }
  return request;
}

toolchain::NvrtcResult DeviceCompiler::compile(NvrtcProgram request) const {
  const std::filesystem::path& folder = tools_.headers;
  const std::array<Exemption, 2> exemptions = {{
      // --diag-error of the caller's applies to the lines of graft and NVIDIA too.
      {makes_users_error,
       [&](const CompileMessage& message) { return message.is_own || is_nvidias(message.file, folder); }},
      // Functions in the toolkit's headers may lack a return.
      {[](std::string_view flag) { return flag == kReturnsRequired; },
       [&](const CompileMessage& message) { return lacks_return(message) && is_in(message.file, folder); }},
  }};
  return compile(std::move(request), exemptions);
}

// Compiles the program. If the compile fails because of lines that an exemption exempts, and only because of these,
// compiles again without the exemption's flag. If it also fails because of other lines, returns a failure with the
// messages about the other lines only.
toolchain::NvrtcResult DeviceCompiler::compile(NvrtcProgram request, std::span<const Exemption> exemptions) const {
  if (exemptions.empty()) {
    if (tools_.scan == nullptr) return tools_.nvrtc->compile(request);
    toolchain::NvrtcResult result = tools_.nvrtc->compile(with_scanned_headers(request, *tools_.scan));
    result.log = with_paths_of_files(std::move(result.log), *tools_.scan);
    return result;
  }
  const auto& [is_flag, is_exempt] = exemptions.front();
  toolchain::NvrtcResult result = compile(request, exemptions.subspan(1));
  if (result.ok || std::ranges::none_of(request.options, is_flag)) return result;
  bool has_exempt = false;
  bool has_others = false;
  std::string others;
  for (const CompileMessage& message : parsed(result.log)) {
    if (message.is_error() && is_exempt(message)) {
      has_exempt = true;
    } else {
      has_others |= message.is_error();
      others += message.text;
    }
  }
  if (!has_exempt) return result;
  if (has_others) {
    result.log = std::move(others);
    return result;
  }
  std::erase_if(request.options, is_flag);
  return compile(std::move(request), exemptions.subspan(1));
}

toolchain::NvrtcResult DeviceCompiler::run(const NvrtcProgram& request) const {
  toolchain::NvrtcResult result = compile(request);
  if (!result.ok) fail_compile(result.log);
  check_variables(request, result);
  return result;
}

void DeviceCompiler::fail_compile(const std::string& log) const {
  throw_refused_option(log, canonical_compiler_options(options_.compiler_options), architecture_,
                       tools_.nvrtc_version());
  const std::vector<CompileMessage> messages = parsed(log);
  errors_.throw_users_error(messages);
  errors_.check_uncertain_texts([this](const codegen::ProgramParts& parts) { return compile_alone(parts); });
  if (const std::string refused = assembler_error(log); !refused.empty())
    fail(ErrorCode::CompileFailed,
         base::format("{} does not compile: ptxas refuses the PTX of the callback: {}", program_.title, refused),
         kCorrectAssembly, log, errors_.versions());
  // ptxas names an undefined function if NVRTC compiles to a cubin.
  if (const std::string symbol = undefined_function(log); !symbol.empty())
    fail(ErrorCode::LinkFailed, undefined_message(program_.title, symbol), kDefineFunction, log, errors_.versions());
  errors_.throw_own_error(messages, log);
}

// NVRTC makes of an `extern` variable that the program does not define a variable that is 0, and warns of every such
// declaration, whether the variable is used or not. So if there is a warning, this compiles the program once more, as
// code for a linker, which declares the variables that it uses and does not define.
void DeviceCompiler::check_variables(const NvrtcProgram& program, const toolchain::NvrtcResult& result) const {
  const bool is_whole = std::ranges::find(program.options, "-rdc=true") == program.options.end();
  const bool may_hide_warnings = has_warnings_disabled(options_.compiler_options) &&
                                 program_.parts.callback_text.source().find("extern") != std::string::npos;
  if (!is_whole || !(may_hide_warnings || warns_of_extern(result.log))) return;
  const toolchain::NvrtcResult separate = compile(request(program.source, CodeKind::Ptx));
  if (!separate.ok) return;
  if (const auto variables = format::undefined_variables(base::as_text(separate.code)); !variables.empty())
    fail(ErrorCode::LinkFailed, undefined_message(program_.title, std::string(variables.front().name)), kDefineVariable,
         user_log(parsed(result.log)), errors_.versions());
}

std::vector<CompileMessage> DeviceCompiler::compile_alone(const codegen::ProgramParts& parts) const {
  NvrtcProgram wanted = request(codegen::text_alone(parts), CodeKind::LtoIr);
  wanted.options.emplace_back("-fdevice-syntax-only");
  const std::string log = compile(std::move(wanted)).log;
  const std::string end = base::format("{}({})", parts.callback_name, codegen::last_line(parts.callback_text.source()));
  return parsed(with_end_at(log, end));
}

Signature DeviceCompiler::signature_in(const toolchain::NvrtcResult& result) const {
  return read_signature(program_, options_, result.lowered_names, errors_.versions());
}

Compiled DeviceCompiler::probed(NvrtcProgram wanted) const {
  wanted.name_expressions = name_expressions(program_);
  toolchain::NvrtcResult result = run(wanted);
  const Signature signature = signature_in(result);
  return compiled(std::move(wanted), std::move(result), signature);
}

Compiled DeviceCompiler::general(std::string text, CodeKind kind) const {
  return probed(request(std::move(text), kind));
}

Signature DeviceCompiler::signature() const {
  NvrtcProgram wanted = request(families::of(program_.family).reading_text(program_), CodeKind::LtoIr);
  wanted.options.emplace_back("-fdevice-syntax-only");
  return probed(std::move(wanted)).signature;
}

std::optional<Compiled> DeviceCompiler::exact(std::string text, const Signature& signature, CodeKind kind) const {
  NvrtcProgram wanted = request(std::move(text), kind);
  toolchain::NvrtcResult result = compile(wanted);
  if (result.ok) {
    check_variables(wanted, result);
    return compiled(std::move(wanted), std::move(result), signature);
  }
  errors_.throw_users_error(parsed(result.log));
  return std::nullopt;
}

Compiled DeviceCompiler::known(std::string text, const Signature& signature, CodeKind kind) const {
  NvrtcProgram wanted = request(std::move(text), kind);
  toolchain::NvrtcResult result = run(wanted);
  return compiled(std::move(wanted), std::move(result), signature);
}

// For formats without an adapter, which have no signature.
Compiled DeviceCompiler::text_alone(CodeKind kind) const {
  return known(codegen::text_alone(program_.parts), {}, kind);
}

DeviceCompiler::Named DeviceCompiler::named(std::string text, std::vector<std::string> expressions,
                                            Extent extent) const {
  NvrtcProgram wanted = request(std::move(text), extent == Extent::Ptx     ? CodeKind::Ptx
                                                 : extent == Extent::Whole ? CodeKind::Cubin
                                                                           : CodeKind::LtoIr);
  if (extent == Extent::SyntaxOnly) wanted.options.emplace_back("-fdevice-syntax-only");
  if (extent == Extent::Whole && options_.max_registers != 0)
    wanted.options.push_back(base::format("-maxrregcount={}", options_.max_registers));
  wanted.name_expressions = std::move(expressions);
  toolchain::NvrtcResult result = run(wanted);
  std::vector<std::string> names = std::move(result.lowered_names);
  return {compiled(std::move(wanted), std::move(result), {}), std::move(names)};
}

base::Bytes DeviceCompiler::own(std::string text) const {
  return run(request(std::move(text), CodeKind::LtoIr)).code;
}

Compiled DeviceCompiler::entry(const Signature& signature) const {
  return known(codegen::entry_program_text(program_, signature), signature, CodeKind::Ptx);
}

base::Bytes DeviceCompiler::with_debug_info(std::string text) const {
  NvrtcProgram wanted = request(std::move(text), CodeKind::Object);
  wanted.options.emplace_back("-G");
  return run(wanted).code;
}

std::optional<Compiled> DeviceCompiler::entry_if_so(const Signature& seeming) const {
  NvrtcProgram wanted = request(codegen::entry_program_text(program_, seeming), CodeKind::Ptx);
  wanted.name_expressions = name_expressions(program_);
  toolchain::NvrtcResult result = compile(wanted);
  if (result.ok && signature_in(result) == seeming) return compiled(std::move(wanted), std::move(result), seeming);
  if (!result.ok) errors_.throw_users_error(parsed(result.log));
  return std::nullopt;
}

}  // namespace graft::compile
