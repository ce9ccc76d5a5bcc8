#include "build/indirect_route.hpp"

#include <utility>

#include "base/embedded.hpp"
#include "build/device_compile.hpp"
#include "build/indirect_ptx.hpp"
#include "build/kernel_report.hpp"
#include "build/ptx_link.hpp"
#include "build/ptx_route.hpp"
#include "build/stopwatch.hpp"
#include "contract.h"
#include "core/image_data.hpp"
#include "reflect/declared_function.hpp"
#include "reflect/known_types.hpp"

namespace graft::building {
namespace {

// What is linked with the block: the kernel that graft writes, and the callback.
struct Parts {
  Signature signature;
  std::string thunk_target;  // the callback's symbol; empty where a compiled adapter is the thunk
  Compiled adapter;          // of a source
  bool used_nvrtc = false;
};

Parts parts_of(const CallbackRequest& request, const SourceProgram& program, const OpenTools& tools) {
  Parts parts;
  const auto compiler = [&] {
    parts.used_nvrtc = true;
    return DeviceCompiler(program, ptx_architecture(request.architecture, *tools.nvrtc), request.options, tools);
  };
  // Where a binary does not show its functions, the compiler still knows how to call the one that is declared.
  const bool hides_symbol = !request.binary.shows_functions && !program.is_extern_c && tools.nvrtc != nullptr;
  if (request.callback.form() == Form::Composition) check_parts(request.callback, request.binary);
  if (request.callback.form() == Form::Source || request.callback.form() == Form::Composition || hides_symbol) {
    const DeviceCompiler nvrtc = compiler();
    parts.adapter = nvrtc.adapter_ptx();
    parts.signature = parts.adapter.signature;
    return parts;
  }
  const std::optional<Signature> known = signature_without_compiler(request.callback, request.options);
  parts.signature = known ? *known : compiler().signature();
  parts.thunk_target = program.is_extern_c
                           ? program.parts.entry
                           : find_symbol(request.binary, program, parts.signature, request.callback.name());
  check_prototype(request.binary, parts.thunk_target, parts.signature, program.title);
  return parts;
}

}  // namespace

kernel::Policy indirect_policy() {
  kernel::Policy policy;
  policy.vectors_per_thread = GRAFT_INDIRECT_ELEMENTS;
  policy.body = Body::Rolled;
  policy.few_tiles = kernel::kFewTiles;
  policy.reason = "the indirect route's block reads sizes at run time";
  return policy;
}

std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options) {
  if (callback.form() == Form::Source || callback.form() == Form::Composition) return std::nullopt;
  if (callback.typed_signature()) return callback.typed_signature();
  const std::string& entry = options.entry.empty() ? callback.entry() : options.entry;
  return reflect::known_signature(
      reflect::declare_function(callback.signature(), entry, callback.name()).function_type);
}

void build_indirect(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  const SourceProgram& program = request.program;
  Parts parts = parts_of(request, program, tools);
  if (parts.used_nvrtc) watch.step("compile");

  const std::string name = reflect::kernel_name(program.parts);
  const std::string block = as_oldest_version(base::embedded_file("indirect.ptx"));
  const std::string kernel = indirect_ptx({name, parts.signature, request.options.max_registers, parts.thunk_target});
  PtxLinkRequest link = {.inputs = {{toolchain::LinkInputKind::Ptx, base::as_bytes(block), "indirect.ptx"},
                                    {toolchain::LinkInputKind::Ptx, base::as_bytes(kernel), name}},
                         .program = program,
                         .callback = request.binary,
                         .kernel = name,
                         .architecture = request.architecture,
                         .options = request.options};
  if (!parts.adapter.code.empty()) {
    link.inputs.push_back({toolchain::LinkInputKind::Ptx, parts.adapter.code, program.title});
    link.made_by = tools.nvrtc->version();
  }
  link.inputs.insert(link.inputs.end(), request.binary.inputs.begin(), request.binary.inputs.end());
  Linked linked = link_ptx(link, tools);
  watch.step("link");

  if (parts.used_nvrtc) report.versions.push_back(tools.nvrtc_version());
  report.versions.push_back(ptx_linker_version(link, tools));
  report.compiler_log = std::move(parts.adapter.log);
  report.source = std::move(parts.adapter.source);
  list_call(linked.findings, program.parts.entry);
  note_policy_without_effect(request.options.policy, report);
  fill_image(image, {program, parts.signature, request.architecture, indirect_policy(), request.options},
             std::move(linked));
}

}  // namespace graft::building
