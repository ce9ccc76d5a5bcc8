// If a compile fails with an error in the user's lines, graft reports the compiler's message unchanged. If all errors
// are in graft's lines, the callback does not fit the adapter. The words of the first error then say why, and
// throw_misfit throws NoSuchEntry, AmbiguousEntry, SignatureMismatch or UnsupportedParameter accordingly.
//
// graft reads signatures from the lowered names of probes in the program (reflect/probe.hpp).
#include "compile/device_compile.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/lines.hpp"
#include "codegen/separate_program.hpp"
#include "compile/compile_headers.hpp"
#include "compile/compile_log.hpp"
#include "compile/signature_check.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "reflect/probe.hpp"

namespace graft::compile {
namespace {

using toolchain::NvrtcProgram;

// The name expressions of all probes, in the order in which read_signature reads their lowered names.
std::vector<std::string> probes(const codegen::SourceProgram& program) {
  std::vector<std::string> expressions;
  for (std::size_t i = 0; i < program.members.size(); ++i) {
    expressions.push_back(base::format("&graft_probe<{}>", codegen::member_probe(i)));
    if (codegen::is_declared(program.parts.members[i]))
      expressions.push_back(base::format("&graft_probe<{}>", codegen::declared_member_probe(i)));
  }
  expressions.emplace_back(codegen::kProbe);
  if (!program.parts.declared.empty()) expressions.emplace_back(codegen::kDeclaredProbe);
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

std::string remedy_for(const std::string& log) {
  if (log.find("thrust/complex.h") != std::string::npos)
    return "NVRTC does not compile thrust/complex.h: use cuda::std::complex of <cuda/std/complex>, or graft::complex. "
           "Arrays of thrust::complex fit both.";
  if (log.find("cannot open source file") != std::string::npos)
    return "Give the header in Options::headers, or its folder in Options::include_paths.";
  if (log.find("without execution space annotations") != std::string::npos)
    return "Mark the function __device__, like everything that a callback calls.";
  return "Correct the lines that the compiler names.";
}

// The part of a composition that a message about graft's lines is about. The message contains the name of the part's
// namespace.
const codegen::ProgramParts& part_named_in(std::string_view text, const codegen::SourceProgram& program) {
  for (std::size_t i = 0; i < program.parts.members.size(); ++i)
    if (text.find(base::format("{}{}", codegen::kTextName, i)) != std::string_view::npos)
      return program.parts.members[i];
  return program.parts;
}

// Throws the error for a callback that does not fit the adapter. Call if no error is about the user's lines.
[[noreturn]] void throw_misfit(const codegen::SourceProgram& program, const std::string& text, Error::Details details) {
  const codegen::ProgramParts& parts = part_named_in(text, program);
  const std::string& entry = parts.entry;
  const std::string_view first = std::string_view(text).substr(
      0, text.find('\n'));  // the first line has the first error; other errors follow from it
  auto mentions = [&](std::string_view words) { return first.find(words) != std::string::npos; };
  if (mentions("graft_declared_signature(")) {
    details.message =
        base::format("{}: the declared signature \"{}\" is not a function type here", program.title, parts.declared);
    details.remedy = "Write it like \"float(float, const Scale&)\", with types that the callback's source declares.";
    throw Error(ErrorCode::SignatureMismatch, std::move(details));
  }
  if (parts.pick_overload && mentions("overload")) {
    details.message =
        base::format("{}: no overload of `{}` has the signature \"{}\"", program.title, entry, parts.declared);
    details.remedy = "Declare the signature of one that the source defines.";
    throw Error(ErrorCode::SignatureMismatch, std::move(details));
  }
  if (mentions("overloaded") || mentions("template") || mentions("ambiguous")) {
    details.message = base::format("{}: `{}` names several functions", program.title, entry);
    details.remedy = "Name one instance (\"scale<float>\"), or declare the signature with Callback::with_signature.";
    throw Error(ErrorCode::AmbiguousEntry, std::move(details));
  }
  if (mentions("is undefined") || mentions("has no member") || mentions("not a type name") ||
      mentions("must be a class or namespace name")) {
    details.message = base::format("{} has no function `{}`", parts.callback_name, entry);
    details.remedy = "Check the spelling of Options::entry, with its namespace.";
    throw Error(ErrorCode::NoSuchEntry, std::move(details));
  }
  details.message = base::format("{} cannot be called as a callback", program.title);
  details.remedy = "Make it a __device__ function, or a function object with one call operator.";
  throw Error(ErrorCode::UnsupportedParameter, std::move(details));
}

// Throws CompileFailed if a message is an error in the user's lines.
void throw_users_error(const std::vector<CompileMessage>& messages, const std::vector<ToolVersion>& versions) {
  const auto users =
      std::ranges::find_if(messages, [](const CompileMessage& message) { return message.is_error && !message.is_own; });
  if (users == messages.end()) return;
  const std::string log = user_log(messages);
  fail(ErrorCode::CompileFailed, base::format("{} does not compile: line {}", users->file, users->line),
       lacks_return(*users) ? kReturnAValue : remedy_for(log), log, versions);
}

[[noreturn]] void throw_own_error(const codegen::SourceProgram& program, const std::vector<CompileMessage>& messages,
                                  const std::string& raw_log, const std::vector<ToolVersion>& versions) {
  std::string own;
  for (const CompileMessage& message : messages) own += message.text;
  if (!undefined_function(raw_log).empty())  // ptxas reports undefined functions of a whole program
    fail(ErrorCode::LinkFailed, base::format("{} calls a function that nothing defines", program.title),
         "Define every function that the callback calls in its source or its headers.", raw_log, versions);
  if (messages.empty())  // the compiler itself failed
    fail(ErrorCode::CompileFailed, base::format("{} does not compile", program.title), "The compiler's log says why.",
         raw_log, versions);
  throw_misfit(program, own, {.message = {}, .remedy = {}, .log = own, .versions = versions});
}

Compiled compiled(NvrtcProgram program, toolchain::NvrtcResult result, const Signature& signature) {
  const auto [compiler_log, ptxas_log] = split_ptxas_log(result.log);
  return {std::move(result.code), signature, std::move(program.source), user_log(parse_compile_log(compiler_log)),
          ptxas_log};
}

}  // namespace

std::vector<std::string> nvrtc_flags(const codegen::SourceProgram& program, const Options& options,
                                     Architecture architecture, CodeKind kind) {
  const bool minimal = !program.scan.mentions_textures && !includes_others(program, options);
  return compile_flags(options, architecture, minimal, kind);
}

DeviceCompiler::DeviceCompiler(const codegen::SourceProgram& program, Architecture architecture, const Options& options,
                               const OpenTools& tools)
    : program_(program),
      architecture_(architecture),
      options_(options),
      tools_(tools),
      versions_({tools.nvrtc_version()}) {
  if (!program.doubt) return;
  check_uncertain_texts();
  throw *program.doubt;
}

NvrtcProgram DeviceCompiler::request(std::string text, CodeKind kind) const {
  NvrtcProgram request;
  request.source = std::move(text);
  request.name = kProgramName;
  request.headers = device_headers(program_, options_);
  request.options = nvrtc_flags(program_, options_, architecture_, kind);
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

// Compiles the program. If the compile fails because a function in the toolkit's headers lacks a return, which is not
// the user's mistake, compiles again without the flag kReturnsRequired. If the first compile also found other errors,
// returns a failure with the other errors only.
toolchain::NvrtcResult DeviceCompiler::compile(NvrtcProgram request) const {
  toolchain::NvrtcResult result = tools_.nvrtc->compile(request);
  if (result.ok || tools_.headers.empty()) return result;
  const std::string folder = tools_.headers.string() + '/';
  const auto is_toolkits = [&](const CompileMessage& message) {
    return lacks_return(message) && message.file.starts_with(folder);
  };
  const std::vector<CompileMessage> messages = parse_compile_log(result.log);
  if (std::ranges::none_of(messages, is_toolkits)) return result;
  std::erase(request.options, kReturnsRequired);
  toolchain::NvrtcResult lenient = tools_.nvrtc->compile(request);
  if (!lenient.ok) return lenient;
  const auto is_users = [&](const CompileMessage& message) { return message.is_error && !is_toolkits(message); };
  if (std::ranges::none_of(messages, is_users)) return lenient;
  result.log.clear();
  for (const CompileMessage& message : messages)
    if (!is_toolkits(message)) result.log += message.text;
  return result;
}

toolchain::NvrtcResult DeviceCompiler::run(const NvrtcProgram& request) const {
  toolchain::NvrtcResult result = compile(request);
  if (!result.ok) fail_compile(result.log);
  return result;
}

void DeviceCompiler::fail_compile(const std::string& log) const {
  const std::vector<CompileMessage> messages = parse_compile_log(log);
  throw_users_error(messages, versions_);
  check_uncertain_texts();
  throw_own_error(program_, messages, log, versions_);
}

void DeviceCompiler::check_uncertain_texts() const {
  for (const codegen::ProgramParts* parts : codegen::uncertain_texts(program_)) {
    NvrtcProgram wanted = request(codegen::text_alone(*parts), CodeKind::LtoIr);
    wanted.options.emplace_back("-fdevice-syntax-only");
    const toolchain::NvrtcResult result = compile(std::move(wanted));
    if (result.ok) continue;
    const std::string end = base::format("{}({})", parts->callback_name, codegen::last_line(parts->callback_text));
    throw_users_error(parse_compile_log(with_end_at(result.log, end)), versions_);
  }
}

Signature DeviceCompiler::read_signature(const toolchain::NvrtcResult& result) const {
  std::size_t answered = 0;
  const auto next = [&] { return reflect::parse_probe(result.lowered_names.at(answered++)); };
  // Check the parts first, because an error about a part says more than the error about the composition that follows
  // from it.
  for (std::size_t i = 0; i < program_.members.size(); ++i) {
    const codegen::SourceProgram::Member& member = program_.members[i];
    const reflect::Probe found = next();
    if (member.is_op) reflect::to_signature(found, member.title);
    if (codegen::is_declared(program_.parts.members[i])) check_declared(found, next(), member.title, versions_);
  }
  const reflect::Probe probe = next();
  Signature signature = reflect::to_signature(probe, program_.title);
  if (!program_.parts.declared.empty()) check_declared(probe, next(), program_.title, versions_);
  return bake_state(signature, options_, program_.title);
}

Compiled DeviceCompiler::probed(NvrtcProgram wanted) const {
  wanted.name_expressions = probes(program_);
  toolchain::NvrtcResult result = run(wanted);
  Signature signature = read_signature(result);
  return {std::move(result.code),
          std::move(signature),
          std::move(wanted.source),
          user_log(parse_compile_log(result.log)),
          {}};
}

Compiled DeviceCompiler::general(std::string text, CodeKind kind) const {
  return probed(request(std::move(text), kind));
}

Signature DeviceCompiler::signature() const {
  // Compile a composition with the whole adapter, because the adapter joins the parts into one function.
  const std::string front = program_.members.empty() ? "#define GRAFT_READING\n" : "";
  NvrtcProgram wanted = request(front + codegen::program_text(program_.parts), CodeKind::LtoIr);
  wanted.options.emplace_back("-fdevice-syntax-only");
  return probed(std::move(wanted)).signature;
}

std::optional<Compiled> DeviceCompiler::exact(std::string text, const Signature& signature, CodeKind kind) const {
  NvrtcProgram wanted = request(std::move(text), kind);
  toolchain::NvrtcResult result = compile(wanted);
  if (result.ok) return compiled(std::move(wanted), std::move(result), signature);
  throw_users_error(parse_compile_log(result.log), versions_);
  return std::nullopt;
}

Compiled DeviceCompiler::known(std::string text, const Signature& signature, CodeKind kind) const {
  NvrtcProgram wanted = request(std::move(text), kind);
  toolchain::NvrtcResult result = run(wanted);
  return compiled(std::move(wanted), std::move(result), signature);
}

Compiled DeviceCompiler::text_alone(CodeKind kind) const {
  return known(codegen::text_alone(program_.parts), {}, kind);
}

base::Bytes DeviceCompiler::own(std::string text) const {
  return run(request(std::move(text), CodeKind::LtoIr)).code;
}

Compiled DeviceCompiler::entry(const Signature& signature) const {
  return known(codegen::entry_program_text(program_, signature), signature, CodeKind::Ptx);
}

std::optional<Compiled> DeviceCompiler::entry_if_so(const Signature& shown) const {
  NvrtcProgram wanted = request(codegen::entry_program_text(program_, shown), CodeKind::Ptx);
  wanted.name_expressions = probes(program_);
  toolchain::NvrtcResult result = compile(wanted);
  if (result.ok && read_signature(result) == shown) return compiled(std::move(wanted), std::move(result), shown);
  if (!result.ok) throw_users_error(parse_compile_log(result.log), versions_);
  return std::nullopt;
}

}  // namespace graft::compile
