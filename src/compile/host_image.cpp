// Compiles with g++ or clang++. As for NVRTC, CompileErrors converts the compiler's messages to graft's errors. A host
// compiler can also fail because the operating system refuses it a file, memory or a process (system_refusal.hpp).
#include "compile/host_image.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "base/memory_object.hpp"
#include "codegen/program_text.hpp"
#include "compile/compile_error.hpp"
#include "compile/compile_headers.hpp"
#include "compile/read_signature.hpp"
#include "compile/system_refusal.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "reflect/signature/probe.hpp"

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
// If a callback defines a function sinf, -fno-builtin-sinf keeps the compiler from treating the callback's function as
// the C library's sinf, and -Bsymbolic (in run()) keeps the loader from binding the callback's calls to the C library's
// sinf.
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

std::vector<CompileMessage> parsed_host(std::string_view log) {
  return parse_compile_log(log, Compiler::Host);
}

[[noreturn]] void throw_system_error(const codegen::SourceProgram& program, const std::string& what,
                                     const std::string& log, const std::vector<ToolVersion>& versions) {
  fail(ErrorCode::SystemFailed, base::format("{}: {}", program.title, what), std::string(kSystemRemedy), log, versions);
}

// Begins a program for the host compiler. graft/host.h, which comes first, declares CUDA's keywords, types and
// functions for the text.
codegen::ProgramText for_host(const std::string& text) {
  codegen::ProgramText program;
  program.include("graft/host.h");
  program.raw(text);
  return program;
}

// Compiles one program for the host route.
class HostCompile {
 public:
  HostCompile(const codegen::SourceProgram& program, const Options& options, const toolchain::HostCompiler& compiler,
              const std::vector<ToolVersion>& versions)
      : program_(program), options_(options), compiler_(compiler), errors_(program, Compiler::Host, versions) {}

  // Throws an Error if the lexical scan found no entry function (CompileErrors::check_doubt).
  void check_doubt() const {
    errors_.check_doubt([this](const codegen::ProgramParts& parts) { return compile_alone(parts); });
  }

  toolchain::HostCompilation run(const std::string& source, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = flags(program_, options_);
    all.emplace_back("-Wl,-Bsymbolic");
    all.insert(all.end(), more.begin(), more.end());
    toolchain::HostCompilation compiled = compiler_.compile({source, headers(program_, options_), std::move(all)});
    if (!compiled.ok) fail_compile(compiled);
    return compiled;
  }

 private:
  std::vector<CompileMessage> compile_alone(const codegen::ProgramParts& parts) const {
    std::vector<std::string> syntax = flags(program_, options_);
    syntax.emplace_back("-fsyntax-only");
    const std::string source = for_host(codegen::text_alone(parts)).take();
    return parsed_host(compiler_.compile({source, headers(program_, options_), std::move(syntax)}).log);
  }

  [[noreturn]] void fail_compile(const toolchain::HostCompilation& compiled) const {
    if (!compiled.system_failure.empty()) throw_system_error(program_, compiled.system_failure, {}, errors_.versions());
    const std::vector<CompileMessage> messages = parsed_host(compiled.log);
    errors_.throw_users_error(messages);
    if (const std::string refusal = system_refusal(compiled.log); !refusal.empty())
      throw_system_error(program_, "the operating system refused the compiler a file, memory or a process: " + refusal,
                         compiled.log, errors_.versions());
    if (compiled.timed_out)
      fail(ErrorCode::CompileFailed, base::format("{} does not compile: the compiler took too long", program_.title),
           "Compute less at compile time: fewer and shallower templates, shorter constant expressions.", compiled.log,
           errors_.versions());
    errors_.check_uncertain_texts([this](const codegen::ProgramParts& parts) { return compile_alone(parts); });
    errors_.throw_own_error(messages, compiled.log);  // without an error message, the compiler or its linker failed
  }

  const codegen::SourceProgram& program_;
  const Options& options_;
  const toolchain::HostCompiler& compiler_;
  CompileErrors errors_;
};

// Returns the symbol of the function that tells the full name of the probe. The shared object has one such function for
// each probe. A probe is a template whose arguments are the callback's type and facts about the type. So its full name
// is, for example, "graft_probe<float (float), Facts<...> >", from which graft reads the signature, as on the GPU.
std::string name_function(const WantedProbe& probe) {
  return "graft_host_" + probe.name;
}

// Calls the function that name_function() names, and returns the probe's name. Returns an empty name if the object
// lacks the function.
std::string name_of(const WantedProbe& probe, const base::MemoryObject& object) {
  const auto ask = object.function<const char*()>(name_function(probe).c_str());
  return ask != nullptr ? ask() : std::string();
}

// The loader writes "undefined symbol: w" if the shared object uses something that nothing defines.
std::string why_not_loaded(const std::string& failure) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (!failure.starts_with(kUndefined)) return "the host compiler's shared object cannot be loaded: " + failure;
  const std::string symbol = failure.substr(kUndefined.size());
  return base::format("`{}` is used, and nothing defines it", base::readable(symbol));
}

Signature signature_of_object(const codegen::SourceProgram& program, const Options& options, const base::Bytes& bytes,
                              const std::vector<ToolVersion>& versions) {
  const base::MemoryObject object(bytes);
  if (object.is_system_failure()) throw_system_error(program, object.failure(), {}, versions);
  std::vector<std::string> names;
  for (const WantedProbe& probe : wanted_probes(program)) names.push_back(name_of(probe, object));
  if (std::ranges::any_of(names, [](const std::string& name) { return reflect::parse_probe(name).facts.empty(); }))
    fail(ErrorCode::CompileFailed, base::format("{}: {}", program.title, why_not_loaded(object.failure())),
         "Define every function and variable that the callback uses, and use a compiler that compiles for this "
         "machine.",
         {}, versions);
  return read_signature(program, options, names, versions);
}

std::string host_program_text(const codegen::SourceProgram& program) {
  codegen::ProgramText text = for_host(families::of(program.family).host_text(program));
  for (const WantedProbe& probe : wanted_probes(program))
    text.line("GRAFT_EXPORT const char* {}() {{\n  return graft_name_of<graft_probe<{}>>();\n}}", name_function(probe),
              probe.arguments);
  return text.take();
}

}  // namespace

HostImage compile_host_image(const codegen::SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions) {
  const HostCompile compile(program, options, compiler, versions);
  compile.check_doubt();
  HostImage image;
  image.source = host_program_text(program);
  toolchain::HostCompilation compiled = compile.run(image.source);
  // Here and not by the flag -w, with which g++ and clang++ would also accept a function without a return statement.
  if (!has_warnings_disabled(options.compiler_options)) image.log = user_log(parsed_host(compiled.log));
  image.signature = signature_of_object(program, options, compiled.object, versions);
  image.object = std::move(compiled.object);
  return image;
}

base::Bytes compile_with_debug_info(const std::string& text, const codegen::SourceProgram& program,
                                    const Options& options, const toolchain::HostCompiler& compiler) {
  std::vector<std::string> flags = {"-gdwarf-2", "-gstrict-dwarf"};
  // Without this flag, clang++ describes a class only where its constructor is.
  if (compiler.version().find("clang") != std::string::npos) flags.emplace_back("-fstandalone-debug");
  const HostCompile compile(program, options, compiler, {{"host compiler", compiler.version()}});
  return compile.run(for_host(text).take(), flags).object;
}

}  // namespace graft::compile
