#include "build/host_image.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/memory_object.hpp"
#include "build/compile_headers.hpp"
#include "build/host_log.hpp"
#include "build/signature_check.hpp"
#include "build/system_refusal.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "reflect/compose.hpp"
#include "reflect/probe.hpp"

namespace graft::building {
namespace {

std::vector<std::pair<std::string, std::string>> headers(const SourceProgram& program, const Options& options) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& header : host_headers(program, options)) list.emplace_back(header.name, header.text);
  return list;
}

// Without contraction and without the machine's own instructions, so that every machine computes the same. The adapter
// clears and moves elements as words, hence no strict aliasing. Hidden symbols can be inlined in a shared object.
std::vector<std::string> flags(const Options& options) {
  std::vector<std::string> list = {"-O2",
                                   "-ffp-contract=off",
                                   "-fno-strict-aliasing",
                                   "-fvisibility=hidden",
                                   "-fno-diagnostics-color",
                                   "-Wno-unknown-pragmas",
                                   fmt::format("-std=c++{}", static_cast<int>(options.standard))};
  if (options.line_info) list.emplace_back("-g");
  for (const Define& define : options.defines) list.push_back(fmt::format("-D{}={}", define.name, define.value));
  for (const std::string& path : options.include_paths) list.push_back("-I" + path);
  return list;
}

std::string remedy_for(const std::string& log) {
  if (log.find("No such file or directory") != std::string::npos || log.find("file not found") != std::string::npos)
    return "Give the header in Options::headers, or its folder in Options::include_paths.";
  if (log.find("not declared") != std::string::npos || log.find("undeclared identifier") != std::string::npos)
    return "Correct the lines that the compiler names. The host has most of CUDA's math functions, and no textures, "
           "threads, atomics or shared memory.";
  return "Correct the lines that the compiler names.";
}

// No message is about the user's own lines: the adapter could not fit the entry. The words are those of g++ and clang.
[[noreturn]] void throw_misfit(const SourceProgram& program, const std::string& own,
                               const std::vector<ToolVersion>& versions) {
  const reflect::ProgramParts& parts = program.parts;
  const std::string_view first = std::string_view(own).substr(0, own.find('\n'));  // the others follow from it
  auto mentions = [&](std::string_view words) { return first.find(words) != std::string::npos; };
  auto fail = [&](ErrorCode code, std::string message, std::string remedy) {
    return Error(code, {std::move(message), std::move(remedy), own, versions});
  };
  if (mentions(std::string(reflect::kDeclaredLines) + ":"))
    throw fail(ErrorCode::SignatureMismatch,
               fmt::format("{}: the declared signature \"{}\" is no function type here", program.title, parts.declared),
               "Write it like \"float(float, const Scale&)\", with types that the callback's source knows.");
  if (parts.pick_overload && (mentions("no matches converting") || mentions("overload")))
    throw fail(
        ErrorCode::SignatureMismatch,
        fmt::format("{}: no overload of `{}` has the signature \"{}\"", program.title, parts.entry, parts.declared),
        "Declare the signature of one that the source defines.");
  if (mentions("overloaded") || mentions("template") || mentions("ambiguous"))
    throw fail(ErrorCode::AmbiguousEntry, fmt::format("{}: `{}` names several functions", program.title, parts.entry),
               "Name one instance (\"scale<float>\"), or declare the signature with Callback::with_signature.");
  if (mentions("not been declared") || mentions("not declared") || mentions("not a member") ||
      mentions("no member named"))
    throw fail(ErrorCode::NoSuchEntry, fmt::format("{} has no function `{}`", parts.callback_name, parts.entry),
               "Check the spelling of Options::entry, with its namespace.");
  throw fail(ErrorCode::UnsupportedParameter, fmt::format("{}: it cannot be called as a callback", program.title),
             "Make it a plain __device__ function, or a function object with one call operator.");
}

[[noreturn]] void throw_system_error(const SourceProgram& program, const std::string& what, const std::string& log,
                                     const std::vector<ToolVersion>& versions) {
  fail(ErrorCode::SystemFailed, fmt::format("{}: {}", program.title, what), std::string(kSystemRemedy), log, versions);
}

[[noreturn]] void throw_compile_error(const SourceProgram& program, const toolchain::HostCompilation& compiled,
                                      const std::vector<ToolVersion>& versions) {
  if (!compiled.system_failure.empty()) throw_system_error(program, compiled.system_failure, {}, versions);
  const std::string& raw_log = compiled.log;
  const std::vector<CompileMessage> messages = parse_host_log(raw_log);
  const auto is_error = [](const CompileMessage& message) { return message.is_error; };
  const auto users = std::find_if(messages.begin(), messages.end(), [](const CompileMessage& message) {
    return message.is_error && !message.is_own && !is_system_refusal(message);
  });
  if (users != messages.end()) {
    const std::string log = user_log(messages);
    fail(ErrorCode::CompileFailed, fmt::format("{} does not compile: line {}", users->file, users->line),
         remedy_for(log), log, versions);
  }
  if (const std::string refusal = system_refusal(raw_log); !refusal.empty())
    throw_system_error(program, "the compiler could not work: " + refusal, raw_log, versions);
  if (compiled.timed_out)
    fail(ErrorCode::CompileFailed, fmt::format("{} does not compile: the compiler took too long", program.title),
         "Compute less at compile time: fewer and shallower templates, shorter constant expressions.", raw_log,
         versions);
  if (std::none_of(messages.begin(), messages.end(), is_error))  // the compiler or its linker failed
    fail(ErrorCode::CompileFailed, fmt::format("{} does not compile", program.title), "The compiler's words say why.",
         raw_log, versions);
  std::string own;
  for (const CompileMessage& message : messages) own += message.text;
  throw_misfit(program, own, versions);
}

// The probe's type has the same mangled text as the GPU's variable: "graft_probe<float (float), Facts<...> >".
reflect::Probe probe(const base::MemoryObject& object, const char* question) {
  const auto ask = object.function<const char*()>(question);
  return ask != nullptr ? reflect::parse_probe(ask()) : reflect::Probe{};
}

Signature read_signature(const SourceProgram& program, const base::Bytes& bytes,
                         const std::vector<ToolVersion>& versions) {
  const base::MemoryObject object(bytes);
  if (object.is_system_failure()) throw_system_error(program, object.failure(), {}, versions);
  const reflect::Probe found = probe(object, "graft_host_probe");
  if (found.facts.empty())
    fail(ErrorCode::CompileFailed,
         fmt::format("{}: what the host compiler made cannot be loaded: {}", program.title, object.failure()),
         "Define every function that the callback calls, and use a compiler that compiles for this "
         "machine.",
         {}, versions);
  for (std::size_t i = 0; i < program.members.size(); ++i) {
    const SourceProgram::Member& member = program.members[i];
    const reflect::Probe part = probe(object, fmt::format("graft_host_member_probe_{}", i).c_str());
    if (member.is_op) reflect::to_signature(part, member.title);
    if (reflect::is_declared(program.parts.members[i]))
      check_declared(part, probe(object, fmt::format("graft_host_declared_member_probe_{}", i).c_str()), member.title,
                     versions);
  }
  Signature signature = reflect::to_signature(found, program.title);
  if (!program.parts.declared.empty())
    check_declared(found, probe(object, "graft_host_declared_probe"), program.title, versions);
  return signature;
}

}  // namespace

std::string host_program_text(const reflect::ProgramParts& parts) {
  std::string text = "#include \"graft/host.h\"\n" + reflect::callback_section(parts) + reflect::kernel_section(parts) +
                     "#include \"graft/host_loop.h\"\n";
  const auto answer = [&](const std::string& question, std::string_view probe) {
    text += fmt::format("GRAFT_EXPORT const char* graft_host_{}() {{\n  return typeid(graft_probe<{}>).name();\n}}\n",
                        question, probe);
  };
  if (!parts.declared.empty()) answer("declared_probe", "graft_declared, graft_declared_facts");
  for (std::size_t i = 0; i < parts.members.size(); ++i) {
    answer(fmt::format("member_probe_{}", i), reflect::member_probe(i));
    if (reflect::is_declared(parts.members[i]))
      answer(fmt::format("declared_member_probe_{}", i), reflect::declared_member_probe(i));
  }
  return text;
}

HostImage compile_host_image(const SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions) {
  HostImage image;
  image.source = host_program_text(program.parts);
  toolchain::HostCompilation compiled = compiler.compile({image.source, headers(program, options), flags(options)});
  if (!compiled.ok) throw_compile_error(program, compiled, versions);
  image.log = user_log(parse_host_log(compiled.log));
  image.signature =
      bake_state(read_signature(program, compiled.object, versions), options.baked_state.size(), program.title);
  image.object = std::move(compiled.object);
  return image;
}

}  // namespace graft::building
