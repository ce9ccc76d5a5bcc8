// Compiles with g++ or clang++, and treats errors as device_compile.cpp does: graft reports errors in the user's lines
// unchanged, and errors in graft's lines mean that the callback does not fit the adapter. A host compiler can also fail
// because the operating system refuses it a file, memory or a process (system_refusal.hpp).
#include "compile/host_image.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/memory_object.hpp"
#include "codegen/compose.hpp"
#include "compile/compile_headers.hpp"
#include "compile/host_log.hpp"
#include "compile/signature_check.hpp"
#include "compile/system_refusal.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "reflect/probe.hpp"

namespace graft::compile {
namespace {

std::vector<std::pair<std::string, std::string>> headers(const codegen::SourceProgram& program,
                                                         const Options& options) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const auto& header : host_headers(program, options)) list.emplace_back(header.name, header.text);
  return list;
}

// The flags turn off floating-point contraction and omit -march, so that every machine computes the same results. They
// turn off strict aliasing, because the adapter clears and moves elements as words. They hide symbols, because a
// compiler can inline hidden functions in a shared object.
//
// If a callback defines a function sinf, -fno-builtin-sinf keeps the compiler from treating it as the C library's sinf,
// and -Bsymbolic (in run()) keeps the loader from binding its calls to the C library's sinf.
std::vector<std::string> flags(const codegen::SourceProgram& program, const Options& options) {
  std::vector<std::string> list = {"-O2",
                                   "-ffp-contract=off",
                                   "-fno-strict-aliasing",
                                   "-fvisibility=hidden",
                                   "-fno-diagnostics-color",
                                   "-Wno-unknown-pragmas",
                                   "-Werror=return-type",
                                   base::format("-std=c++{}", static_cast<int>(options.standard))};
  if (options.line_info) list.emplace_back("-g");
  for (const std::string& path : options.include_paths) list.push_back("-I" + path);
  std::set<std::string> defined;
  const auto note = [&](const reflect::SourceScan& scan) {
    for (const reflect::FunctionFound& function : scan.functions)
      if (function.name.find(':') == std::string::npos) defined.insert("-fno-builtin-" + function.name);
  };
  note(program.scan);
  for (const codegen::ProgramParts& member : program.parts.members) note(reflect::scan(member.callback_text));
  list.insert(list.end(), defined.begin(), defined.end());
  return list;
}

std::string remedy_on_host(const std::string& log) {
  if (log.find("No such file or directory") != std::string::npos || log.find("file not found") != std::string::npos)
    return "Give the header in Options::headers, or its folder in Options::include_paths.";
  if (log.find("not declared") != std::string::npos || log.find("undeclared identifier") != std::string::npos)
    return "Correct the lines that the compiler names. The host has most of CUDA's math functions, but no textures, "
           "threads, atomics or shared memory.";
  return "Correct the lines that the compiler names.";
}

// Throws the error for a callback that does not fit the adapter. To be called if none of the compiler's errors is in
// the user's lines. Phrases in the messages of g++ and clang++ decide which error is thrown.
[[noreturn]] void throw_misfit(const codegen::SourceProgram& program, const std::string& own,
                               const std::vector<ToolVersion>& versions) {
  const codegen::ProgramParts& parts = program.parts;
  // The line of the first error. Other errors follow from the first error. In `own`, lines that say where the file was
  // included may precede this line.
  const std::size_t error = std::min(own.find("error:"), own.size());
  const std::size_t begin = own.rfind('\n', error) + 1;
  const std::string_view first = std::string_view(own).substr(begin, own.find('\n', error) - begin);
  auto mentions = [&](std::string_view words) { return first.find(words) != std::string::npos; };
  auto fail = [&](ErrorCode code, std::string message, std::string remedy) {
    return Error(code, {std::move(message), std::move(remedy), own, versions});
  };
  if (mentions(std::string(codegen::kDeclaredLines) + ":"))
    throw fail(
        ErrorCode::SignatureMismatch,
        base::format("{}: the declared signature \"{}\" is not a function type here", program.title, parts.declared),
        "Write it like \"float(float, const Scale&)\", with types that the callback's source declares.");
  if (parts.pick_overload && (mentions("no matches converting") || mentions("overload")))
    throw fail(
        ErrorCode::SignatureMismatch,
        base::format("{}: no overload of `{}` has the signature \"{}\"", program.title, parts.entry, parts.declared),
        "Declare the signature of one that the source defines.");
  if (mentions("overloaded") || mentions("template") || mentions("ambiguous"))
    throw fail(ErrorCode::AmbiguousEntry, base::format("{}: `{}` names several functions", program.title, parts.entry),
               "Name one instance (\"scale<float>\"), or declare the signature with Callback::with_signature.");
  if (mentions("not been declared") || mentions("not declared") || mentions("not a member") ||
      mentions("no member named"))
    throw fail(ErrorCode::NoSuchEntry, base::format("{} has no function `{}`", parts.callback_name, parts.entry),
               "Check the spelling of Options::entry, with its namespace.");
  throw fail(ErrorCode::UnsupportedParameter, base::format("{} cannot be called as a callback", program.title),
             "Make it a __device__ function, or a function object with one call operator.");
}

[[noreturn]] void throw_system_error(const codegen::SourceProgram& program, const std::string& what,
                                     const std::string& log, const std::vector<ToolVersion>& versions) {
  fail(ErrorCode::SystemFailed, base::format("{}: {}", program.title, what), std::string(kSystemRemedy), log, versions);
}

// Throws CompileFailed if a message is an error in the user's lines.
void throw_users_host_error(const std::vector<CompileMessage>& messages, const std::vector<ToolVersion>& versions) {
  const auto users = std::ranges::find_if(messages, [](const CompileMessage& message) {
    return message.is_error && !message.is_own && !is_system_refusal(message);
  });
  if (users == messages.end()) return;
  const std::string log = user_log(messages);
  const bool lacks_return = users->text.find("-Werror=return-type") != std::string::npos ||
                            users->text.find("-Werror,-Wreturn-type") != std::string::npos;
  fail(ErrorCode::CompileFailed, base::format("{} does not compile: line {}", users->file, users->line),
       lacks_return ? kReturnAValue : remedy_on_host(log), log, versions);
}

// Compiles one program for the host route.
class HostCompile {
 public:
  HostCompile(const codegen::SourceProgram& program, const Options& options, const toolchain::HostCompiler& compiler,
              const std::vector<ToolVersion>& versions)
      : program_(program), options_(options), compiler_(compiler), versions_(versions) {}

  // If the lexical scan found no entry function but may be wrong (SourceProgram::doubt is set), throws an Error: the
  // compiler's errors in the user's source if there are any, and SourceProgram::doubt otherwise.
  void check_doubt() const {
    if (!program_.doubt) return;
    check_uncertain_texts();
    throw *program_.doubt;
  }

  toolchain::HostCompilation run(const std::string& source) const {
    std::vector<std::string> all = flags(program_, options_);
    all.emplace_back("-Wl,-Bsymbolic");
    toolchain::HostCompilation compiled = compiler_.compile({source, headers(program_, options_), std::move(all)});
    if (!compiled.ok) fail_compile(compiled);
    return compiled;
  }

 private:
  void check_uncertain_texts() const {
    for (const codegen::ProgramParts* parts : codegen::uncertain_texts(program_)) {
      std::vector<std::string> syntax = flags(program_, options_);
      syntax.emplace_back("-fsyntax-only");
      const std::string source = "#include \"graft/host.h\"\n" + codegen::text_alone(*parts);
      const std::string log = compiler_.compile({source, headers(program_, options_), std::move(syntax)}).log;
      throw_users_host_error(parse_host_log(log), versions_);
    }
  }

  [[noreturn]] void fail_compile(const toolchain::HostCompilation& compiled) const {
    if (!compiled.system_failure.empty()) throw_system_error(program_, compiled.system_failure, {}, versions_);
    const std::vector<CompileMessage> messages = parse_host_log(compiled.log);
    throw_users_host_error(messages, versions_);
    if (const std::string refusal = system_refusal(compiled.log); !refusal.empty())
      throw_system_error(program_, "the compiler could not work: " + refusal, compiled.log, versions_);
    if (compiled.timed_out)
      fail(ErrorCode::CompileFailed, base::format("{} does not compile: the compiler took too long", program_.title),
           "Compute less at compile time: fewer and shallower templates, shorter constant expressions.", compiled.log,
           versions_);
    check_uncertain_texts();
    if (std::ranges::none_of(messages, &CompileMessage::is_error))  // the compiler or its linker failed
      fail(ErrorCode::CompileFailed, base::format("{} does not compile", program_.title),
           "The compiler's log says why.", compiled.log, versions_);
    std::string own;
    for (const CompileMessage& message : messages) own += message.text;
    throw_misfit(program_, own, versions_);
  }

  const codegen::SourceProgram& program_;
  const Options& options_;
  const toolchain::HostCompiler& compiler_;
  const std::vector<ToolVersion>& versions_;
};

// Reads a probe. `question` is the name of a function of the object that returns the probe's text. The text is the same
// as that of the probe variable on the GPU: "graft_probe<float (float), Facts<...> >".
reflect::Probe probe(const base::MemoryObject& object, const char* question) {
  const auto ask = object.function<const char*()>(question);
  return ask != nullptr ? reflect::parse_probe(ask()) : reflect::Probe{};
}

Signature read_signature(const codegen::SourceProgram& program, const base::Bytes& bytes,
                         const std::vector<ToolVersion>& versions) {
  const base::MemoryObject object(bytes);
  if (object.is_system_failure()) throw_system_error(program, object.failure(), {}, versions);
  const reflect::Probe found = probe(object, "graft_host_probe");
  if (found.facts.empty())
    fail(ErrorCode::CompileFailed,
         base::format("{}: the host compiler's shared object cannot be loaded: {}", program.title, object.failure()),
         "Define every function that the callback calls, and use a compiler that compiles for this "
         "machine.",
         {}, versions);
  for (std::size_t i = 0; i < program.members.size(); ++i) {
    const codegen::SourceProgram::Member& member = program.members[i];
    const reflect::Probe part = probe(object, base::format("graft_host_member_probe_{}", i).c_str());
    if (member.is_op) reflect::to_signature(part, member.title);
    if (codegen::is_declared(program.parts.members[i]))
      check_declared(part, probe(object, base::format("graft_host_declared_member_probe_{}", i).c_str()), member.title,
                     versions);
  }
  Signature signature = reflect::to_signature(found, program.title);
  if (!program.parts.declared.empty())
    check_declared(found, probe(object, "graft_host_declared_probe"), program.title, versions);
  return signature;
}

}  // namespace

std::string host_program_text(const codegen::SourceProgram& program) {
  const codegen::ProgramParts& parts = program.parts;
  std::string text = "#include \"graft/host.h\"\n" + families::of(program.family).host_text(program);
  const auto answer = [&](const std::string& question, std::string_view probe) {
    text +=
        base::format("GRAFT_EXPORT const char* graft_host_{}() {{\n  return graft_name_of<graft_probe<{}>>();\n}}\n",
                     question, probe);
  };
  answer("probe", "graft_function, graft_facts");
  if (!parts.declared.empty()) answer("declared_probe", "graft_declared, graft_declared_facts");
  for (std::size_t i = 0; i < parts.members.size(); ++i) {
    answer(base::format("member_probe_{}", i), codegen::member_probe(i));
    if (codegen::is_declared(parts.members[i]))
      answer(base::format("declared_member_probe_{}", i), codegen::declared_member_probe(i));
  }
  return text;
}

HostImage compile_host_image(const codegen::SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions) {
  const HostCompile compile(program, options, compiler, versions);
  compile.check_doubt();
  HostImage image;
  image.source = host_program_text(program);
  toolchain::HostCompilation compiled = compile.run(image.source);
  image.log = user_log(parse_host_log(compiled.log));
  image.signature = bake_state(read_signature(program, compiled.object, versions), options, program.title);
  image.object = std::move(compiled.object);
  return image;
}

}  // namespace graft::compile
