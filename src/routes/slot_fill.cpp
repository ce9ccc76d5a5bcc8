// How SlotBuild fills slots: which callback fills which slot, its type, whether it fits, and the slot's function.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/phrases.hpp"
#include "compile/device_compile.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "own_kernels/closed_slot.hpp"
#include "own_kernels/fit.hpp"
#include "own_kernels/packed.hpp"
#include "own_kernels/slot_template.hpp"
#include "plan/agreement.hpp"
#include "routes/pack_contents.hpp"
#include "routes/pack_entry.hpp"
#include "routes/slot_build.hpp"
#include "routes/slot_parts.hpp"

namespace graft::routes {
namespace {

using compile::DeviceCompiler;
using format::PackedKernel;
using format::PackPart;
using format::PackPartKind;

// A callback is called as one function if more PTX instructions than these would be inlined. A link takes a millisecond
// for each 1.5 to 10 of them: 40 sinf, inlined at 72 calls, linked for 116 s, and ran slower than the called function.
constexpr std::size_t kMostInlinedInstructions = 20'000;

}  // namespace

std::vector<SlotBuild::Filled> SlotBuild::match(const own_kernels::CodeShape& shape) const {
  std::vector<Filled> filled;
  const auto is_filled = [&](const own_kernels::Slot* slot) {
    return std::ranges::find(filled, slot, &Filled::slot) != filled.end();
  };
  const std::size_t given = asked_.slots.size() - static_cast<std::size_t>(asked_.defaults);
  for (std::size_t i = 0; i < asked_.slots.size(); ++i) {
    const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, asked_.slots[i], code_.name());
    if (!is_filled(slot)) filled.push_back({slot, &*parts_[i + 1], Inlining::Automatic, i >= given, i});
    else if (i < given)
      refuse(base::format("the slot {} of {} is filled twice", slot->name, code_.name()),
             "Give one callback for each slot.");
  }
  for (const auto& [names, wish] :
       {std::pair(&asked_.always_inlined, Inlining::Always), std::pair(&asked_.never_inlined, Inlining::Never)})
    for (const std::string& name : *names) {
      const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, name, code_.name());
      for (Filled& one : filled)
        if (one.slot == slot) one.inlining = wish;
    }
  return filled;
}

std::vector<std::string> SlotBuild::empty_slots(const own_kernels::CodeShape& shape,
                                                const std::vector<Filled>& filled) const {
  std::vector<const own_kernels::Slot*> optional;
  for (const std::string& name : asked_.optional_slots)
    optional.push_back(&own_kernels::find_slot(shape, name, code_.name()));
  std::vector<std::string> empty, uncalled;
  for (const own_kernels::Slot& slot : shape.slots) {
    if (std::ranges::find(filled, &slot, &Filled::slot) != filled.end()) continue;
    const bool may_be_empty = std::ranges::find(optional, &slot) != optional.end();
    // Each call stays in machine code.
    if (!may_be_empty || code_.form() == Form::Object) empty.push_back(slot.declaration);
    else uncalled.push_back(slot.symbol);
  }
  if (empty.empty()) return uncalled;
  fail(ErrorCode::SlotEmpty,
       base::format("{} calls {}, and nothing defines {}", code_.name(), base::join(empty, ", "),
                    empty.size() == 1 ? "it" : "them"),
       "Give a callback for each slot. A function that is no slot must be defined in the kernel's code, or in a "
       "link input.");
}

void SlotBuild::define_empty(const std::vector<std::string>& symbols) {
  if (symbols.empty()) return;
  with_empty_slots_ = own_kernels::with_empty_functions(base::as_text(read_->code), symbols);
  code_inputs_ = {{toolchain::LinkInputKind::Ptx, base::as_bytes(with_empty_slots_), code_.name()}};
}

void SlotBuild::begin_to_read_types() {
  const std::size_t given = asked_.slots.size() - static_cast<std::size_t>(asked_.defaults);
  begun_.resize(parts_.size() - 1);
  for (std::size_t i = 0; i < given; ++i) {
    const Callback& callback = *parts_[i + 1];
    if (callback.form() == Form::Pack || own_kernels::takes_types(callback)) continue;
    begun_[i] = std::async(std::launch::async, [this, &callback, i] { return read_types(callback, i); });
  }
}

namespace {

// The entry of a callback is that of the callback alone.
codegen::SourceProgram prepared(const Callback& callback, const Options& options) {
  try {
    return own_kernels::prepare_callback(callback, options);
  } catch (const Error& error) {
    throw with_remedy(error, base::with_phrase(error.remedy(), "Options::entry", "Callback::with_entry"));
  }
}

}  // namespace

SlotBuild::Typed SlotBuild::read_types(const Callback& callback, std::size_t number) const {
  std::shared_ptr<const own_kernels::HeadersApart> apart;
  // One program includes a header once, for the kernel and its callbacks.
  if (route() != Route::Program && keeps_headers_apart_)
    apart = own_kernels::headers_apart(callback, number, options_, tools_.scan);
  if (apart) {
    try {
      return read_types(callback, number, apart);
    } catch (const Error&) {
      // If the reason is another than the namespace around the headers, the next compile tells it.
    }
  }
  return read_types(callback, number, nullptr);
}

SlotBuild::Typed SlotBuild::read_types(const Callback& callback, std::size_t number,
                                       std::shared_ptr<const own_kernels::HeadersApart> apart) const {
  const Options& options = apart ? apart->options : options_;
  const compile::OpenTools tools = tools_for(callback, apart.get());
  Typed read{prepared(callback, options), {}};
  // The symbol of a compiled callback, too, which may be the slot's.
  const bool is_compiled = read.program.parts.members.front().is_declaration;
  std::vector<std::string> expressions = {own_kernels::kTypeProbe};
  if (is_compiled) expressions.push_back(own_kernels::name_probe(read.program, number));
  const DeviceCompiler::Named probed =
      DeviceCompiler(read.program, architecture_, options, tools)
          .named(own_kernels::type_text(read.program, number), expressions, DeviceCompiler::Extent::Ptx);
  read.type = own_kernels::read_type(probed.lowered_names.at(0), read.program.title);
  read.instructions = own_kernels::count_instructions(base::as_text(probed.compiled.code));
  if (is_compiled) read.symbol_probe = probed.lowered_names.at(1);
  read.apart = std::move(apart);
  return read;
}

compile::OpenTools SlotBuild::tools_for(const Callback& callback, const own_kernels::HeadersApart* apart) const {
  compile::OpenTools tools = with_compiler(callback.name());
  if (apart != nullptr && apart->files) tools.scan = &*apart->files;
  return tools;
}

SlotBuild::Typed SlotBuild::types_for(const Filled& filled) {
  try {
    return compiled_types_for(filled);
  } catch (const Error& error) {
    own_kernels::check_types_are_known(*filled.slot, error, *filled.callback, code_.name(), options_.headers);
    throw;
  }
}

SlotBuild::Typed SlotBuild::compiled_types_for(const Filled& filled) {
  if (const auto typed = own_kernels::with_types_of(*filled.callback, *filled.slot, code_.name())) {
    Typed read = read_types(typed->callback, filled.number);
    read.program.title = base::format("{} in {}", typed->name, filled.callback->name());
    return read;
  }
  if (filled.number < begun_.size() && begun_[filled.number].valid()) return begun_[filled.number].get();
  return read_types(*filled.callback, filled.number);
}

SlotBuild::Part SlotBuild::fill(const Filled& filled, own_kernels::SlotBody body) {
  if (filled.callback->form() == Form::Pack) return take_packed(filled);
  const own_kernels::Slot& slot = *filled.slot;
  Typed typed = types_for(filled);
  const own_kernels::CallbackType& type = typed.type;
  const std::string title = typed.program.title;
  own_kernels::check_fit(slot, type, title, code_.name());
  const bool has_state =
      slot.types && type.parameters.size() == slot.types->size() && own_kernels::passes_state(slot.types->back());
  const own_kernels::CallbackType::Layout state = has_state ? type.state : own_kernels::CallbackType::Layout();
  if (!typed.symbol_probe.empty() && own_kernels::has_name_of(typed.symbol_probe, slot))
    return {.binaries = link::examine(*filled.callback, architecture_).inputs, .title = title, .state = state};
  const compile::OpenTools tools = tools_for(*filled.callback, typed.apart.get());
  own_kernels::SlotFunction function = {std::move(typed.program), filled.number, std::move(typed.type), &slot,
                                        filled.inlining,          body};
  const DeviceCompiler compiler(function.program, architecture_, typed.apart ? typed.apart->options : options_, tools);
  const auto compile = [&](DeviceCompiler::Extent extent) {
    return compiler.named(own_kernels::slot_text(function), {}, extent).compiled;
  };
  if (options_.closed && !filled.is_default)
    own_kernels::check_closed_symbols(base::as_text(compile(DeviceCompiler::Extent::Ptx).code), slot, filled.number,
                                      *filled.callback);
  Part part{.binaries = link::examine(*filled.callback, architecture_).inputs, .title = title, .state = state};
  const std::size_t inlined_instructions = static_cast<std::size_t>(slot.call_sites) * typed.instructions;
  if (filled.inlining == Inlining::Automatic && slot.call_sites > 1 &&
      inlined_instructions > kMostInlinedInstructions) {
    function.inlining = Inlining::Never;
    part.how = base::format("called as one function: inlined at {} calls it would be {} instructions", slot.call_sites,
                            inlined_instructions);
  } else if (filled.inlining == Inlining::Never) {
    part.how = "called as one function, as its author wishes";
  }
  compile::Compiled compiled =
      compile(route() == Route::Program ? DeviceCompiler::Extent::Ptx : DeviceCompiler::Extent::Code);
  part.code = std::move(compiled.code);
  part.log = std::move(compiled.log);
  part.has_headers_apart = typed.apart != nullptr;
  part.function = std::move(function);
  return part;
}

// A callback that was compiled for a slot fills each slot of the same name and types.
SlotBuild::Part SlotBuild::take_packed(const Filled& filled) const {
  const std::string& name = filled.callback->name();
  const PackedKernel kernel = read_packed_kernel(filled.callback->bytes(), name);
  if (std::ranges::none_of(kernel.parts, [](const PackPart& part) { return part.kind == PackPartKind::SlotLtoIr; }))
    refuse(base::format("{} is the pack of a callback of elements, and was not compiled for a slot", name),
           "Compile the callback for the slot: KernelCode::precompile_for, or `graft precompile --for`.");
  const std::vector<const PackPart*> parts = required_parts(kernel, PackPartKind::SlotLtoIr, architecture_, name);
  if (const std::string own = plan::difference(kernel.spec.floating_point, options_.floating_point); !own.empty())
    refuse(base::format("{} was compiled with floating_point.{}, and {} is linked with {}", name, own, code_.name(),
                        plan::difference(options_.floating_point, kernel.spec.floating_point)),
           "Compile the callback with the kernel's floating-point options.");
  Part made;
  for (const PackPart* const part : parts) {
    const own_kernels::PackedSlot packed = required(own_kernels::read_packed_slot(part->details), name);
    made.binaries.push_back({packed.input, {}, name});
    if (!packed.slot) continue;
    own_kernels::check_same(*filled.slot, *packed.slot, packed.title, name, code_.name());
    made.title = base::format("{} of {}", packed.title, name);
    made.how = packed.how;
    made.state = {packed.state_bytes, packed.state_alignment};
  }
  if (made.title.empty()) refuse_record(name);
  // `kernel` has views of the callback's bytes, which outlive the build.
  for (std::size_t i = 0; i < parts.size(); ++i) made.binaries[i].bytes = parts[i]->bytes;
  return made;
}

}  // namespace graft::routes
