// Tries programs in this order: a program for the signature that the callback's text shows; a program for every
// signature, if the family has one without knowing the tuning; a program for the signature that the compiler reads;
// and, if no exact adapter fits the callback, a program with the code that the family has for this case. An exact
// adapter is code that graft writes for exactly one signature.
#include "routes/program_route.hpp"

#include <optional>
#include <string>
#include <utility>

#include "compile/device_compile.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

using families::Code;
using families::Decided;
using families::TypesFrom;

// Builds one kernel. Compiles the program for a signature, and compiles again if the first program does not fit the
// callback.
class ProgramRoute {
 public:
  ProgramRoute(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image)
      : request_(request),
        program_(request.program),
        family_(families::of(request.program.family)),
        compiler_(request.program, request.architecture, request.options, tools),
        image_(image),
        watch_(image.report) {}

  void build() {
    const std::optional<Signature> shown = codegen::shown_signature(program_, request_.options);
    if (shown && for_signature(*shown, TypesFrom::Text, true)) return;
    if (const std::optional<Code> code = family_.code({program_, nullptr, TypesFrom::Compiler, true}))
      return build_general(*code);
    const Signature signature = compiler_.signature();
    watch_.step("read signature");
    if (for_signature(signature, TypesFrom::Compiler, true)) return;
    for_signature(signature, TypesFrom::Compiler, false);
  }

 private:
  // Builds the kernel for this signature. Returns false if the compiler has to read the signature first. Also returns
  // false if the compile of the vector body or of the rolled body reports errors outside of the user's lines, because
  // the program then does not fit the callback.
  bool for_signature(const Signature& signature, TypesFrom types, bool writes_text) {
    Decided decided =
        families::decide({program_, signature, request_.architecture, Route::Program, request_.options, writes_text});
    const std::optional<Code> first = family_.code({program_, &decided.kernel, types, true});
    if (!first || (first->is_general && types == TypesFrom::Text)) return false;
    bool is_fit = true;
    const auto make = [&](const KernelSpec& wanted) {
      std::optional<Code> code;
      if (is_fit) code = wanted == decided.kernel ? first : family_.code({program_, &wanted, types, true});
      std::optional<compile::Compiled> compiled;
      if (code && writes_text && !code->is_general)
        compiled = compiler_.exact(code->text, signature, compile::CodeKind::Cubin);
      else if (code) compiled = compiler_.known(code->text, signature, compile::CodeKind::Cubin);
      is_fit = compiled.has_value();
      return is_fit ? read(std::move(*compiled), wanted.name) : link::Linked();
    };
    const BodyRequest body = {request_.options.policy, program_.scan.has_unroll_pragma, "compile"};
    link::Linked linked = make_best(make, body, decided, watch_);
    if (!is_fit) note_second_compile();
    else fill_image(image_, std::move(decided), program_, request_.options.policy, std::move(linked));
    return is_fit;
  }

  // Builds a program that is valid for every signature, and reads the callback's signature in the same compile.
  void build_general(const Code& code) {
    compile::Compiled compiled = compiler_.general(code.text, compile::CodeKind::Cubin);
    watch_.step("compile");
    Decided decided = families::decide(
        {program_, compiled.signature, request_.architecture, Route::Program, request_.options, false});
    link::Linked linked = read(std::move(compiled), decided.kernel.name);
    fill_image(image_, std::move(decided), program_, request_.options.policy, std::move(linked));
  }

  void note_second_compile() {
    if (!was_noted_) image_.report.notes.emplace_back(compile::kCompiledTwice);
    was_noted_ = true;
  }

  link::Linked read(compile::Compiled compiled, const std::string& kernel) {
    image_.report.compiler_log = std::move(compiled.log);
    image_.report.source = std::move(compiled.source);
    return link::read_linked(std::move(compiled.code), std::move(compiled.ptxas_log), kernel);
  }

  const link::CallbackRequest& request_;
  const codegen::SourceProgram& program_;
  const families::Family& family_;
  compile::DeviceCompiler compiler_;
  Image::Data& image_;
  Stopwatch watch_;
  bool was_noted_ = false;
};

}  // namespace

void build_program(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  image.report.versions = {tools.nvrtc_version()};
  ProgramRoute(request, tools, image).build();
}

}  // namespace graft::routes
