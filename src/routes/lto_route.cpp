// The lto route: NVRTC compiles callback and adapter to LTO-IR, and nvJitLink links them with graft's building blocks
// and with small LTO-IR files that define the constants of the tuning. The callback is inlined. For a callback binary,
// the adapter is compiled against the callback's declaration, and the binary is linked beside it.
//
// Compiles the callback in the first way that fits it (attempts.hpp), then links the kernel with the body that
// best_body.hpp chooses.
#include "routes/routes.hpp"

#include <optional>
#include <utility>

#include "base/format.hpp"
#include "link/lto_link.hpp"
#include "routes/attempts.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

// Returns nothing if the code does not fit the callback.
std::optional<compile::Compiled> compile_attempt(const Attempt& attempt, const compile::DeviceCompiler& compiler) {
  constexpr compile::CodeKind kKind = compile::CodeKind::LtoIr;
  if (attempt.kind == Attempt::General) return compiler.general(attempt.code.text, kKind);
  const Signature& signature = attempt.decided.value().kernel.signature;
  if (attempt.kind == Attempt::Exact) return compiler.exact(attempt.code.text, signature, kKind);
  return compiler.known(attempt.code.text, signature, kKind);
}

}  // namespace

Adapted adapt(const link::CallbackRequest& request, const compile::OpenTools& tools, Stopwatch& watch) {
  const compile::DeviceCompiler compiler(request.program, request.architecture, request.options, tools);
  Attempts attempts(request.program, request.architecture, Route::Lto, request.options);
  std::optional<Signature> read;
  for (bool is_second = false;;) {
    Attempt attempt = attempts.next(read).value();
    if (attempt.kind == Attempt::Read) {
      read = compiler.signature();
      watch.step("read signature");
      continue;
    }
    std::optional<compile::Compiled> compiled = compile_attempt(attempt, compiler);
    watch.step("compile");
    if (compiled) {
      if (attempt.kind == Attempt::General) attempt.decided = attempts.decide(compiled->signature, false);
      return {std::move(*compiled), std::move(*attempt.decided), is_second};
    }
    is_second = true;
  }
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
  const auto make = [&](const KernelSpec& wanted) {
    link::Linked linked = linker.link(wanted);
    if (image.keeps_ptx)
      linked.ptx = {std::string(base::as_text(linker.link(wanted, toolchain::LinkOutput::Ptx).code))};
    return linked;
  };
  link::Linked linked = make_best(make, body, adapted.decided, watch);
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
