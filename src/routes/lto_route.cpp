// Compiles the callback in the first of these ways that is possible (class Adapting):
//
//     1. If the callback's text shows the signature, compile an exact adapter: code that graft writes for exactly this
//        signature. This compile confirms the signature.
//     2. If the family has a general adapter (templates for any signature) for the callback, compile the general
//        adapter. This compile also reads the signature.
//     3. Compile once only to read the signature, then compile an exact adapter for this signature.
//     4. If no exact adapter fits, compile the code that the family has for this case, such as the general adapter.
//        If this code does not compile, the compiler's errors say why the callback does not fit.
//
// Then links the kernel with the body that best_body.hpp chooses.
#include "routes/lto_route.hpp"

#include <utility>

#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "link/lto_link.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

using families::Code;
using families::Decided;
using families::TypesFrom;

// Compiles one callback together with its adapter.
class Adapting {
 public:
  Adapting(const link::CallbackRequest& request, const compile::OpenTools& tools, Stopwatch& watch)
      : request_(request),
        family_(families::of(request.program.family)),
        compiler_(request.program, request.architecture, request.options, tools),
        watch_(watch) {}

  Adapted adapt() {
    const std::optional<Signature> shown = codegen::shown_signature(request_.program, request_.options);
    if (shown)
      if (std::optional<Adapted> adapted = for_signature(*shown, TypesFrom::Text)) return std::move(*adapted);
    if (const std::optional<Code> code = family_.code({request_.program})) return general(*code);
    const Signature signature = compiler_.signature();
    watch_.step("read signature");
    if (std::optional<Adapted> adapted = for_signature(signature, TypesFrom::Compiler)) return std::move(*adapted);
    return fallback(signature);
  }

 private:
  Decided decide(const Signature& signature, bool writes_text) const {
    return families::decide(
        {request_.program, signature, request_.architecture, Route::Lto, request_.options, writes_text});
  }

  std::optional<Code> code_of(const Decided& decided, TypesFrom types) const {
    return family_.code({request_.program, &decided.kernel, types});
  }

  // Compiles for a known signature. Returns nothing if an exact adapter does not fit the callback, or if the compiler
  // has to read the signature first.
  std::optional<Adapted> for_signature(const Signature& signature, TypesFrom types) {
    Decided decided = decide(signature, true);
    const std::optional<Code> code = code_of(decided, types);
    if (!code) return std::nullopt;
    if (code->is_general) return general(*code);
    std::optional<compile::Compiled> compiled = compiler_.exact(code->text, signature, compile::CodeKind::LtoIr);
    watch_.step("compile");
    if (!compiled) {
      is_second_ = true;
      return std::nullopt;
    }
    return Adapted{std::move(*compiled), std::move(decided), is_second_};
  }

  // Step 4: compiles the code that the family has for a callback that no exact adapter fits, such as the general
  // adapter. If this code does not compile, throws the compiler's error, which tells the user why the callback does not
  // fit.
  Adapted fallback(const Signature& signature) {
    Decided decided = decide(signature, false);
    const Code code = code_of(decided, TypesFrom::Compiler).value();
    if (code.is_general) return general(code);
    return {compiler_.known(code.text, signature, compile::CodeKind::LtoIr), std::move(decided), is_second_};
  }

  Adapted general(const Code& code) {
    compile::Compiled compiled = compiler_.general(code.text, compile::CodeKind::LtoIr);
    watch_.step("compile");
    Decided decided = decide(compiled.signature, false);
    return {std::move(compiled), std::move(decided), is_second_};
  }

  const link::CallbackRequest& request_;
  const families::Family& family_;
  compile::DeviceCompiler compiler_;
  Stopwatch& watch_;
  bool is_second_ = false;
};

}  // namespace

Adapted adapt(const link::CallbackRequest& request, const compile::OpenTools& tools, Stopwatch& watch) {
  return Adapting(request, tools, watch).adapt();
}

// The limit, kLargestLightLtoIr, is 40 kB. The LTO-IR of an identity callback with its adapter has about 8 kB. The size
// alone is a weak sign (an unrolled loop of sinf has 4.7 kB and takes 4 s to link), so a callback with `#pragma unroll`
// in its source looks heavy too.
bool looks_heavy(const compile::Compiled& compiled, const codegen::SourceProgram& program, const Callback& callback) {
  const std::size_t binary = callback.form() == Form::Source ? 0 : callback.bytes().size();
  return program.scan.has_unroll_pragma || compiled.code.size() + binary > kLargestLightLtoIr;
}

void link_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Adapted adapted,
              Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  compile::Compiled& compiled = adapted.compiled;
  const PolicyOverrides& asked = request.options.policy;
  const link::LtoLinker linker(link::link_request(request, adapted.compiled.code), tools);
  const BodyRequest body = {asked, looks_heavy(compiled, request.program, request.callback)};
  link::Linked linked =
      make_best([&](const KernelSpec& wanted) { return linker.link(wanted); }, body, adapted.decided, watch);
  linker.describe(report, adapted.decided.kernel);
  if (adapted.is_second_compile) report.notes.emplace_back(compile::kCompiledTwice);
  report.compiler_log = std::move(compiled.log);
  report.source = std::move(compiled.source);
  fill_image(image, std::move(adapted.decided), request.program, asked, std::move(linked));
}

void build_lto(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  Stopwatch watch(image.report);
  Adapted adapted = adapt(request, tools, watch);
  link_lto(request, tools, std::move(adapted), image);
}

}  // namespace graft::routes
