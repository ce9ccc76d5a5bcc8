// Builds kernels from packs. The pack already contains what each route would compile for a source, so only the link is
// left:
//
//     lto        LTO-IR of callback and adapter, with the building blocks and the tuning for the request's architecture
//     program    PTX of the whole kernel, which the linker assembles
//     ptx        PTX of the kernel, with PTX of the callback
//     indirect   the prebuilt PTX building block, PTX that graft writes for the signature, and PTX of the callback
//
// If the pack has a finished kernel for exactly this architecture, that kernel is used unchanged, whichever route made
// it.
//
// Class PackBuild has one function per route. Each function puts the parts that its route needs into a link
// request. All of them write the kernel and the report in the same way.
#include "routes/routes.hpp"

#include <utility>

#include "base/format.hpp"
#include "link/lto_link.hpp"
#include "link/ptx_link.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

using toolchain::LinkInput;
using toolchain::LinkInputKind;

LinkInput ptx_input(const format::PackPart& part, const std::string& name) {
  return {LinkInputKind::Ptx, part.bytes, name};
}

// Builds one kernel from a pack, by any route.
class PackBuild {
 public:
  PackBuild(const PackRequest& request, const compile::OpenTools& tools, Image::Data& image)
      : contents_(request.contents),
        packed_(request.contents.kernel),
        route_(request.route),
        architecture_(request.architecture),
        options_(request.options),
        tools_(tools),
        image_(image),
        report_(image.report),
        watch_(image.report),
        program_(packed_program(packed_, contents_.material.name)) {
    callback_.material = contents_.material;
  }

  void take_finished() {
    const format::PackPart& cubin = *contents_.finished;
    link::Linked linked;
    linked.code.assign(cubin.bytes.begin(), cubin.bytes.end());
    linked.findings = {cubin.facts->resources, cubin.facts->remaining_calls, cubin.facts->cuda_helpers};
    report_.versions = packed_.tools;
    report_.notes.push_back(
        base::format("the pack holds this kernel for {}: nothing was compiled or linked", architecture_.sm()));
    fill(launched(cubin), std::move(linked));
  }

  void link_ltoir() {
    const link::LtoLinker linker({contents_.ltoir, program_, callback_, architecture_, options_}, tools_);
    families::Decided decided = contents_.exact ? launched(*contents_.exact) : decide(Route::Lto);
    link::Linked linked = make_best([&](const KernelSpec& wanted) { return linker.link(wanted); },
                                    {options_.policy, packed_.is_heavy}, decided, watch_);
    linker.describe(report_, decided.kernel);
    fill(std::move(decided), std::move(linked));
  }

  void link_program() { link({ptx_input(*contents_.program, program_.title)}, launched(*contents_.program)); }

  void link_ptx_pair() {
    link({ptx_input(*contents_.adapter_ptx, packed_.spec.name), ptx_input(*contents_.callback_ptx, program_.title)},
         launched(*contents_.adapter_ptx));
  }

  void link_indirect() {
    const families::IndirectCode& indirect = *families::of(program_.family).indirect();
    families::Decided decided = decide(Route::Indirect);
    KernelSpec called = decided.kernel;
    called.signature = without_baked(packed_.spec.signature);
    const std::string block = indirect.block(called);
    const std::string kernel = indirect.kernel(called, packed_.symbol);
    link({{LinkInputKind::Ptx, base::as_bytes(block), "graft"},
          {LinkInputKind::Ptx, base::as_bytes(kernel), packed_.spec.name},
          ptx_input(*contents_.callback_ptx, program_.title)},
         std::move(decided));
  }

 private:
  families::Decided decide(Route route) const {
    return families::decide({program_, packed_.spec.signature, architecture_, route, options_});
  }

  // Returns the kernel of a part, with the architecture, route and tuning of this request.
  families::Decided launched(const format::PackPart& part) const {
    KernelSpec kernel = format::spec_of(packed_, part);
    kernel.architecture = architecture_;
    kernel.route = route_;
    std::string why;
    if (auto tuning = families::of(kernel.family).serve(kernel, options_.policy, why))
      kernel.tuning = std::move(*tuning);
    return {std::move(kernel), "chosen when the pack was made"};
  }

  // Returns the signature with which to call the function in the pack. A baked state is part of the function's code, so
  // it is not an argument.
  static Signature without_baked(const Signature& signature) {
    std::vector<Parameter> parameters;
    for (const Parameter& parameter : signature.parameters())
      if (parameter.role != Role::Baked) parameters.push_back(parameter);
    return Signature(signature.result(), std::move(parameters));
  }

  void link(std::vector<LinkInput> inputs, families::Decided decided) {
    const link::PtxLinkRequest request = {.inputs = std::move(inputs),
                                          .program = program_,
                                          .callback = callback_,
                                          .kernel = packed_.spec.name,
                                          .architecture = architecture_,
                                          .options = options_,
                                          .made_by = contents_.material.ptx_made_by};
    link::Linked linked = link::link_ptx(request, tools_);
    watch_.step("link");
    report_.versions = {link::ptx_linker_version(request, tools_)};
    if (route_ != Route::Program) list_call(linked.findings, packed_.entry);
    fill(std::move(decided), std::move(linked));
  }

  void fill(families::Decided decided, link::Linked linked) {
    fill_image(image_, std::move(decided), program_, options_.policy, std::move(linked));
  }

  const PackContents& contents_;
  const format::PackedKernel& packed_;
  Route route_;
  Architecture architecture_;
  const Options& options_;
  const compile::OpenTools& tools_;
  Image::Data& image_;
  Report& report_;
  Stopwatch watch_;
  codegen::SourceProgram program_;
  link::CallbackBinary callback_;  // describes the callback in messages
};

}  // namespace

void build_from_pack(const PackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  PackBuild build(request, tools, image);
  const std::string& unused = request.contents.finished_misfit;
  if (!unused.empty()) image.report.notes.push_back(base::format("the finished kernel was not used: {}", unused));
  if (request.contents.material.finished == request.route) return build.take_finished();
  switch (request.route) {
    case Route::Lto:
      return build.link_ltoir();
    case Route::Program:
      return build.link_program();
    case Route::Ptx:
      return build.link_ptx_pair();
    case Route::Indirect:
      return build.link_indirect();
    case Route::Host:
      break;
  }
}

}  // namespace graft::routes
