// Kernels of the application's own, in the C interface.
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "c/ahead.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "c/launch.hpp"
#include "core/fail.hpp"
#include "graft/kernel.hpp"

struct graft_kernel_code {
  graft::KernelCode value;
};

struct graft_kernel {
  graft::Kernel value;
};

namespace graft::c {
namespace {

// The most arguments of a launch. The driver passes at most 32,764 bytes of them.
constexpr std::size_t kMostArguments = 256;

KernelCode code_from_bytes(graft_form form, std::span<const std::byte> bytes, const char* name) {
  const auto named = [&](const char* usual) { return std::string(name == nullptr ? usual : name); };
  switch (form) {
    case GRAFT_FORM_SOURCE:
      return KernelCode::source({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, named("kernel.cu"));
    case GRAFT_FORM_LTOIR:
      return KernelCode::ltoir(bytes, named("kernel.ltoir"));
    case GRAFT_FORM_FATBIN:
      return KernelCode::fatbin(bytes, named("kernel.fatbin"));
    case GRAFT_FORM_PTX:
      return KernelCode::ptx({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, named("kernel.ptx"));
    case GRAFT_FORM_OBJECT:
      return KernelCode::object(bytes, named("kernel.cubin"));
    case GRAFT_FORM_PACK:
      return KernelCode::pack(bytes, named("kernel.graft"));
    default:
      refuse(base::format("{} is not the number of a form that kernels have", form),
             "Use GRAFT_FORM_SOURCE, GRAFT_FORM_LTOIR, GRAFT_FORM_FATBIN, GRAFT_FORM_PTX, GRAFT_FORM_OBJECT or "
             "GRAFT_FORM_PACK.");
  }
}

// Replaces the code of a handle by what `make` makes of it. If `make` throws, the code is unchanged.
template <class Change>
graft_error* change_code(graft_kernel_code* code, Change make) noexcept {
  return guarded([&] {
    graft_kernel_code& handle = checked(code, "the kernel's code");
    handle.value = make(std::as_const(handle.value));
  });
}

SlotCallback slot_of(const graft_slot& slot) {
  return {checked_text(slot.name, "the name of a slot"), checked(slot.callback, "the callback of a slot").value};
}

KernelCallbacks callbacks_of(const graft_slot* slots, std::size_t slot_count, const graft_constant* constants,
                             std::size_t constant_count) {
  KernelCallbacks callbacks;
  if (slot_count != 0) checked(slots, "the list of slots");
  for (std::size_t i = 0; i < slot_count; ++i) callbacks.slots.push_back(slot_of(slots[i]));
  if (constant_count != 0) checked(constants, "the list of constants");
  for (std::size_t i = 0; i < constant_count; ++i)
    callbacks.constants.push_back({checked_text(constants[i].name, "the name of a constant"), constants[i].value});
  return callbacks;
}

Dim3 size_of(const std::uint32_t (&size)[3]) {
  return {size[0], size[1] == 0 ? 1 : size[1], size[2] == 0 ? 1 : size[2]};
}

KernelLaunch launch_of(const graft_kernel_launch_config& given) {
  const auto& more = given.reserved_more;
  check_reserved("graft_kernel_launch_config", given.reserved, more[0], more[1], more[2], more[3]);
  KernelLaunch launch = {.grid = size_of(given.grid),
                         .block = size_of(given.block),
                         .shared_bytes = given.shared_bytes,
                         .stream = static_cast<CUstream_st*>(given.stream),
                         .cooperative = given.is_cooperative != 0};
  if (given.cluster[0] != 0) launch.cluster = size_of(given.cluster);
  return launch;
}

void launch(const Kernel& kernel, const graft_kernel_launch_config& how, const void* const* arguments,
            const std::size_t* sizes, std::size_t count) {
  if (count > kMostArguments)
    refuse(base::format("{} arguments were given", count), base::format("Give at most {} arguments.", kMostArguments));
  if (count != 0) {
    checked(arguments, "the list of arguments");
    checked(sizes, "the sizes of the arguments");
  }
  std::array<KernelArgument, kMostArguments> all;
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i] == nullptr) refuse_null("an argument");
    all[i] = KernelArgument(arguments[i], sizes[i]);
  }
  kernel.launch_arguments(launch_of(how), std::span(all).first(count));
}

std::string json_of(const KernelShape& shape) {
  nlohmann::json json = {{"entries", nlohmann::json::array()}, {"slots", nlohmann::json::array()}};
  for (const KernelEntry& entry : shape.entries)
    json["entries"].push_back(
        {{"name", entry.name}, {"symbol", entry.symbol}, {"parameters", entry.parameters}, {"types", entry.types}});
  for (const KernelSlot& slot : shape.slots)
    json["slots"].push_back({{"name", slot.name}, {"declaration", slot.declaration}, {"symbol", slot.symbol}});
  json["constants"] = shape.constants;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Inlining inlining_of(std::int32_t number) {
  if (number < 0 || number > static_cast<std::int32_t>(Inlining::Never))
    refuse(base::format("inlining is {}", number), "Give 0 (automatically), 1 (always) or 2 (never).");
  return static_cast<Inlining>(number);
}

}  // namespace
}  // namespace graft::c

using graft::checked_text;
using graft::c::change_code;
using graft::c::checked;
using graft::c::engine_of;
using graft::c::give;
using graft::c::guarded;
using graft::c::make_handle;
using graft::c::options_of;

extern "C" {

graft_error* graft_kernel_code_from_source(const char* text, const char* name, graft_kernel_code** result) {
  return make_handle(result, [&] {
    return graft::KernelCode::source(checked_text(text, "the source"), name == nullptr ? "kernel.cu" : name);
  });
}

graft_error* graft_kernel_code_from_bytes(graft_form form, const void* bytes, size_t size, const char* name,
                                          graft_kernel_code** result) {
  return make_handle(result, [&] {
    const auto* const first = static_cast<const std::byte*>(bytes);
    if (size != 0) checked(first, "the pointer to the bytes");
    return graft::c::code_from_bytes(form, {first, size}, name);
  });
}

graft_error* graft_kernel_code_from_file(const char* path, graft_kernel_code** result) {
  return make_handle(result, [&] { return graft::KernelCode::file(checked_text(path, "the path of a kernel")); });
}

graft_error* graft_kernel_code_add_entry(graft_kernel_code* code, const char* entry) {
  return change_code(
      code, [&](const graft::KernelCode& given) { return given.with_entry(checked_text(entry, "the entry")); });
}

graft_error* graft_kernel_code_set_default(graft_kernel_code* code, const char* slot, const graft_callback* callback) {
  return change_code(code, [&](const graft::KernelCode& given) {
    return given.with_default(checked_text(slot, "the slot"), checked(callback, "the callback").value);
  });
}

graft_error* graft_kernel_code_set_optional(graft_kernel_code* code, const char* slot, const char* constant) {
  return change_code(code, [&](const graft::KernelCode& given) {
    return given.with_optional(checked_text(slot, "the slot"), checked_text(constant, "the constant"));
  });
}

graft_error* graft_kernel_code_set_inlining(graft_kernel_code* code, const char* slot, int32_t inlining) {
  return change_code(code, [&](const graft::KernelCode& given) {
    return given.with_inlining(checked_text(slot, "the slot"), graft::c::inlining_of(inlining));
  });
}

graft_error* graft_kernel_code_set_constant(graft_kernel_code* code, const char* constant, const int64_t* values,
                                            size_t count) {
  return change_code(code, [&](const graft::KernelCode& given) {
    if (count != 0) checked(values, "the values of the constant");
    return given.with_constant(checked_text(constant, "the constant"),
                               count == 0 ? std::vector<std::int64_t>() : std::vector(values, values + count));
  });
}

graft_error* graft_kernel_code_add_header(graft_kernel_code* code, const char* name, const char* text) {
  return change_code(code, [&](const graft::KernelCode& given) {
    return given.with_header(checked_text(name, "the header's name"), checked_text(text, "the header's text"));
  });
}

graft_error* graft_kernel_code_allow_thread_words(graft_kernel_code* code, const char* slot) {
  return change_code(
      code, [&](const graft::KernelCode& given) { return given.with_thread_words(checked_text(slot, "the slot")); });
}

graft_error* graft_kernel_code_add_link_input(graft_kernel_code* code, const graft_callback* binary) {
  return change_code(code, [&](const graft::KernelCode& given) {
    return given.with_link_input(graft::c::checked(binary, "the binary").value);
  });
}

graft_error* graft_kernel_code_set_folder(graft_kernel_code* code, const char* folder) {
  return change_code(
      code, [&](const graft::KernelCode& given) { return given.with_folder(checked_text(folder, "the folder")); });
}

graft_error* graft_kernel_code_describe(graft_engine* engine, const graft_kernel_code* code, const char* architecture,
                                        const graft_options* options, graft_bytes** json) {
  return make_handle(json, [&] {
    const auto wanted = graft::Architecture::parse(checked_text(architecture, "the architecture"));
    return graft::c::json_of(
        graft::describe(engine_of(engine), checked(code, "the kernel's code").value, wanted, options_of(options)));
  });
}

void graft_kernel_code_destroy(graft_kernel_code* code) {
  delete code;
}

graft_error* graft_kernel_code_precompile(graft_engine* engine, const graft_kernel_code* code,
                                          const char* const* architectures, size_t count, graft_format format,
                                          const graft_options* options, graft_bytes** result) {
  return make_handle(result, [&] {
    return graft::c::text_of(checked(code, "the kernel's code")
                                 .value.precompile(engine_of(engine), graft::c::architectures_of(architectures, count),
                                                   graft::c::format_of(format), options_of(options)));
  });
}

graft_error* graft_kernel_code_precompile_for(graft_engine* engine, const graft_kernel_code* code,
                                              const graft_slot* slot, const char* const* architectures, size_t count,
                                              const graft_options* options, graft_bytes** result) {
  return make_handle(result, [&] {
    return graft::c::text_of(checked(code, "the kernel's code")
                                 .value.precompile_for(engine_of(engine), graft::c::slot_of(checked(slot, "the slot")),
                                                       graft::c::architectures_of(architectures, count),
                                                       options_of(options)));
  });
}

graft_error* graft_kernel_build(graft_engine* engine, const graft_kernel_code* code, const graft_slot* slots,
                                size_t slot_count, const graft_constant* constants, size_t constant_count,
                                const char* architecture, const graft_options* options, graft_image** result) {
  return make_handle(result, [&] {
    const auto wanted = graft::Architecture::parse(checked_text(architecture, "the architecture"));
    return graft::build(engine_of(engine), checked(code, "the kernel's code").value,
                        graft::c::callbacks_of(slots, slot_count, constants, constant_count), wanted,
                        options_of(options));
  });
}

graft_error* graft_kernel_create(graft_engine* engine, const graft_kernel_code* code, const graft_slot* slots,
                                 size_t slot_count, const graft_constant* constants, size_t constant_count,
                                 const graft_options* options, graft_kernel** result) {
  return make_handle(result, [&] {
    return graft::Kernel::create(engine_of(engine), checked(code, "the kernel's code").value,
                                 graft::c::callbacks_of(slots, slot_count, constants, constant_count),
                                 options_of(options));
  });
}

graft_error* graft_kernel_entry(const graft_kernel* kernel, const char* name, graft_kernel** result) {
  return make_handle(
      result, [&] { return checked(kernel, "the kernel").value.entry(checked_text(name, "the name of an entry")); });
}

graft_error* graft_kernel_launch(const graft_kernel* kernel, const graft_kernel_launch_config* how,
                                 const void* const* arguments, const size_t* sizes, size_t count) {
  return guarded([&] {
    graft::c::launch(checked(kernel, "the kernel").value, checked(how, "the launch"), arguments, sizes, count);
  });
}

graft_error* graft_kernel_function(const graft_kernel* kernel, void** function) {
  return give(function, [&]() -> void* { return checked(kernel, "the kernel").value.function(); });
}

graft_error* graft_kernel_handle(const graft_kernel* kernel, void** handle) {
  return give(handle, [&]() -> void* { return checked(kernel, "the kernel").value.handle(); });
}

graft_error* graft_kernel_blocks_per_multiprocessor(const graft_kernel* kernel, uint32_t threads, size_t shared_bytes,
                                                    int32_t* blocks) {
  return give(blocks,
              [&] { return checked(kernel, "the kernel").value.blocks_per_multiprocessor({threads}, shared_bytes); });
}

graft_error* graft_kernel_symbol(const graft_kernel* kernel, const char* name, void** pointer, size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return give(pointer, [&] {
    std::size_t& size = checked(bytes, "the pointer to the size");
    const graft::DeviceSymbol symbol = checked(kernel, "the kernel").value.symbol(checked_text(name, "the name"));
    size = symbol.bytes;
    return symbol.pointer;
  });
}

graft_error* graft_kernel_prepare(graft_kernel* kernel, int32_t device) {
  return guarded([&] { checked(kernel, "the kernel").value.prepare(device); });
}

graft_error* graft_kernel_prepare_current(graft_kernel* kernel) {
  return guarded([&] { checked(kernel, "the kernel").value.prepare_current(); });
}

graft_error* graft_kernel_report(const graft_kernel* kernel, graft_bytes** json) {
  return make_handle(json,
                     [&] { return graft::c::in_c_words(checked(kernel, "the kernel").value.report()).to_json(); });
}

void graft_kernel_destroy(graft_kernel* kernel) {
  delete kernel;
}

}  // extern "C"
