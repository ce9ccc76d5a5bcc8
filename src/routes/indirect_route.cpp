// The indirect route: the kernel calls the callback through a function pointer, once per element.
//
// Three modules are linked: a PTX building block that was compiled when graft was built, PTX that graft writes for the
// signature (the kernel, and the thunk that loads an element, calls the callback and stores the result), and the
// callback. If the callback is a binary whose types graft knows, only the driver is needed.
//
// The kernel calls the callback through a thunk, a small device function that loads a thread's element, calls the
// callback and stores the result. This file determines which function the thunk calls, lets the family write the
// kernel's PTX, and links the kernel, the building block, the adapter if there is one, and the callback. For a source,
// a composition, or a binary that hides its symbols, NVRTC compiles an adapter, which is the thunk. For any other
// binary, the thunk calls the callback's symbol.
#include "routes/routes.hpp"

#include <utility>

#include "link/ptx_link.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/known_types.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

// The facts on which the thunk depends: the signature, and the function to call.
struct Parts {
  Signature signature;
  std::string thunk_target;   // the callback's symbol; empty if a compiled adapter is the thunk
  compile::Compiled adapter;  // the compiled adapter, if there is one
  bool used_nvrtc = false;
};

Parts parts_of(const link::CallbackRequest& request, const families::Family& family, const compile::OpenTools& tools) {
  const codegen::SourceProgram& program = request.program;
  Parts parts;
  const auto compiler = [&] {
    parts.used_nvrtc = true;
    return compile::DeviceCompiler(program, ptx_architecture(request.architecture, *tools.nvrtc), request.options,
                                   tools);
  };
  // Some binaries hide the names of their functions. A compiled adapter can call the declared function in such a binary
  // too, because NVRTC makes the function's symbol from the declaration.
  const bool hides_symbol = !request.binary.lists_all_functions && !program.is_extern_c && tools.nvrtc != nullptr;
  if (request.callback.form() == Form::Composition) link::check_parts(request.callback, request.binary);
  if (request.callback.form() == Form::Source || request.callback.form() == Form::Composition || hides_symbol) {
    parts.adapter = compiler().general(family.indirect()->adapter(program), compile::CodeKind::Ptx);
    parts.signature = parts.adapter.signature;
    return parts;
  }
  const std::optional<Signature> known = signature_without_compiler(request.callback, request.options);
  parts.signature = known ? *known : compiler().signature();
  parts.thunk_target = program.is_extern_c
                           ? program.parts.entry
                           : link::find_symbol(request.binary, program, parts.signature, request.callback.name());
  link::check_prototype(request.binary, parts.thunk_target, parts.signature, program.title);
  return parts;
}

}  // namespace

std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options) {
  if (callback.form() == Form::Source || callback.form() == Form::Composition) return std::nullopt;
  if (callback.typed_signature()) return callback.typed_signature();
  const std::string& entry = options.entry.empty() ? callback.entry() : options.entry;
  return reflect::known_signature(
      reflect::declare_function(callback.signature(), entry, callback.name()).function_type);
}

void build_indirect(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  const codegen::SourceProgram& program = request.program;
  const families::Family& family = families::of(program.family);
  Parts parts = parts_of(request, family, tools);
  if (parts.used_nvrtc) watch.step("compile");

  families::Decided decided =
      families::decide({program, parts.signature, request.architecture, Route::Indirect, request.options});
  const std::string& name = decided.kernel.name;
  const std::string block = family.indirect()->block(decided.kernel);
  const std::string kernel = family.indirect()->kernel(decided.kernel, parts.thunk_target);
  link::PtxLinkRequest link = {.inputs = {{toolchain::LinkInputKind::Ptx, base::as_bytes(block), "graft"},
                                          {toolchain::LinkInputKind::Ptx, base::as_bytes(kernel), name}},
                               .program = program,
                               .callback = request.binary,
                               .kernel = name,
                               .architecture = request.architecture,
                               .options = request.options};
  if (!parts.adapter.code.empty()) {
    link::check_link_inputs(parts.adapter.code, request.binary, program.title);
    link.inputs.push_back({toolchain::LinkInputKind::Ptx, parts.adapter.code, program.title});
    link.made_by = tools.nvrtc->version();
  }
  link.inputs.insert(link.inputs.end(), request.binary.inputs.begin(), request.binary.inputs.end());
  link::Linked linked = link::link_ptx(link, tools);
  if (image.keeps_ptx) linked.ptx = ptx_in(link.inputs);
  watch.step("link");

  if (parts.used_nvrtc) report.versions.push_back(tools.nvrtc_version());
  report.versions.push_back(link::ptx_linker_version(link, tools));
  report.compiler_log = std::move(parts.adapter.log);
  report.source = std::move(parts.adapter.source);
  list_call(linked.findings, program.parts.entry);
  fill_image(image, std::move(decided), program, request.options.policy, std::move(linked));
}

}  // namespace graft::routes
