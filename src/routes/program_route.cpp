// The program route: NVRTC compiles callback, adapter, tuning and building block as one program, directly to a cubin.
// No linker is needed.
//
// The tuning is part of the program's text and depends on the signature. So the signature must be known before the text
// is written. If the callback's text does not show the signature, a compile that stops after the front end reads the
// signature first.
//
// Compiles the programs of the attempts (attempts.hpp) until one fits the callback.
#include "routes/routes.hpp"

#include <optional>
#include <string>
#include <utility>

#include "compile/optimiser_check.hpp"
#include "routes/attempts.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

using families::Code;
using families::Decided;

// Builds one kernel. Compiles the program for a signature, and compiles again if the first program does not fit the
// callback.
class ProgramRoute {
 public:
  ProgramRoute(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image)
      : request_(request),
        program_(request.program),
        attempts_(request.program, request.architecture, Route::Program, request.options),
        compiler_(request.program, request.architecture, request.options, tools),
        tools_(tools),
        image_(image),
        watch_(image.report) {}

  void build() {
    std::optional<Signature> read;
    for (bool is_second = false;;) {
      Attempt attempt = attempts_.next(read).value();
      if (attempt.kind == Attempt::Read) {
        read = compiler_.signature();
        watch_.step("read signature");
        continue;
      }
      if (attempt.kind == Attempt::General) return build_general(attempt.code);
      if (build(std::move(attempt))) return;
      if (!is_second) image_.report.notes.emplace_back(compile::kCompiledTwice);
      is_second = true;
    }
  }

 private:
  // Builds the kernel of this attempt. Returns false if the compile of the vector body or of the rolled body reports
  // errors outside of the user's lines, because the program then does not fit the callback.
  bool build(Attempt attempt) {
    Decided& decided = attempt.decided.value();
    const KernelSpec first = decided.kernel;
    bool is_fit = true;
    const auto make = [&](const KernelSpec& wanted) {
      std::optional<Code> code;
      if (is_fit) code = wanted == first ? attempt.code : attempts_.code(&wanted, attempt.types);
      std::optional<compile::Compiled> compiled;
      if (code && attempt.kind == Attempt::Exact)
        compiled = compiler_.exact(code->text, wanted.signature, compile::CodeKind::Cubin);
      else if (code) compiled = compiler_.known(code->text, wanted.signature, compile::CodeKind::Cubin);
      is_fit = compiled.has_value();
      return is_fit ? read(std::move(*compiled), wanted.name) : link::Linked();
    };
    const BodyRequest body = {request_.options.policy, program_.scan.has_unroll_pragma, "compile"};
    link::Linked linked = make_best(make, body, decided, watch_);
    if (is_fit) fill_image(image_, std::move(decided), program_, request_.options.policy, std::move(linked));
    return is_fit;
  }

  // Builds a program that is valid for every signature, and reads the callback's signature in the same compile.
  void build_general(const Code& code) {
    compile::Compiled compiled = compiler_.general(code.text, compile::CodeKind::Cubin);
    watch_.step("compile");
    Decided decided = attempts_.decide(compiled.signature, false);
    link::Linked linked = read(std::move(compiled), decided.kernel.name);
    fill_image(image_, std::move(decided), program_, request_.options.policy, std::move(linked));
  }

  link::Linked read(compile::Compiled compiled, const std::string& kernel) {
    if (!compile::is_optimised(base::as_text(compiled.ptx), kernel, *tools_.nvrtc, request_.architecture))
      image_.objection_to_storing = [] { return std::string(compile::kCompilerIsSlow); };
    image_.report.compiler_log = std::move(compiled.log);
    image_.report.source = std::move(compiled.source);
    link::Linked linked = link::read_linked(std::move(compiled.code), std::move(compiled.ptxas_log), kernel);
    if (image_.keeps_ptx) linked.ptx = {std::string(base::as_text(compiled.ptx))};
    return linked;
  }

  const link::CallbackRequest& request_;
  const codegen::SourceProgram& program_;
  Attempts attempts_;
  compile::DeviceCompiler compiler_;
  const compile::OpenTools& tools_;
  Image::Data& image_;
  Stopwatch watch_;
};

}  // namespace

void build_program(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  image.report.versions = {tools.nvrtc_version()};
  ProgramRoute(request, tools, image).build();
}

}  // namespace graft::routes
