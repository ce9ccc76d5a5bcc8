// Callbacks of the C interface. A graft::Callback is immutable, so the functions that change a handle replace the
// handle's callback by a changed copy.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "c/handles.hpp"
#include "core/fail.hpp"
#include "graft/generic.hpp"

namespace graft::c {
namespace {

constexpr const char* default_name(graft_form form) {
  switch (form) {
    case GRAFT_FORM_LTOIR:
      return "callback.ltoir";
    case GRAFT_FORM_FATBIN:
      return "callback.fatbin";
    case GRAFT_FORM_PTX:
      return "callback.ptx";
    case GRAFT_FORM_OBJECT:
      return "callback.o";
    case GRAFT_FORM_PACK:
      return "callback.graft";
    case GRAFT_FORM_NVVM:
    case GRAFT_FORM_NVVM_WITH_LIBDEVICE:
      return "callback.bc";
    default:
      return "callback.cu";
  }
}

Callback from_bytes(graft_form form, std::span<const std::byte> bytes, std::string name) {
  const auto text = [&] { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); };
  switch (form) {
    case GRAFT_FORM_SOURCE:
      return Callback::source(text(), std::move(name));
    case GRAFT_FORM_LTOIR:
      return Callback::ltoir(bytes, std::move(name));
    case GRAFT_FORM_FATBIN:
      return Callback::fatbin(bytes, std::move(name));
    case GRAFT_FORM_PTX:
      return Callback::ptx(text(), std::move(name));
    case GRAFT_FORM_OBJECT:
      return Callback::object(bytes, std::move(name));
    case GRAFT_FORM_PACK:
      return Callback::pack(bytes, std::move(name));
    case GRAFT_FORM_NVVM:
      return Callback::nvvm(bytes, Libdevice::Without, std::move(name));
    case GRAFT_FORM_NVVM_WITH_LIBDEVICE:
      return Callback::nvvm(bytes, Libdevice::With, std::move(name));
    default:
      refuse(base::format("{} is not the number of a form", form), "Use a constant GRAFT_FORM_... of graft.h.");
  }
}

std::optional<Callback> stage_of(const graft_callback* callback) {
  return callback == nullptr ? std::nullopt : std::optional(callback->value);
}

std::vector<Callback> parts_of(const graft_callback* const* parts, size_t count) {
  std::vector<Callback> all;
  for (size_t i = 0; i < count; ++i) all.push_back(checked(parts[i], "a part of the chain").value);
  return all;
}

// Replaces the callback of a handle by the one that `make` makes of it. If `make` throws, the callback is unchanged.
template <class Change>
graft_error* change(graft_callback* callback, Change make) noexcept {
  return guarded([&] {
    graft_callback& handle = checked(callback, "the callback");
    handle.value = make(std::as_const(handle.value));
  });
}

}  // namespace
}  // namespace graft::c

using graft::checked_text;
using graft::c::change;
using graft::c::make_handle;

extern "C" {

graft_error* graft_callback_from_source(const char* text, const char* name, graft_callback** result) {
  return make_handle(result, [&] {
    return graft::Callback::source(checked_text(text, "the source"), name == nullptr ? "callback.cu" : name);
  });
}

graft_error* graft_callback_from_formula(const char* text, graft_callback** result) {
  return make_handle(result, [&] { return graft::formula(checked_text(text, "the formula")); });
}

graft_error* graft_callback_from_ready_made(const char* name, graft_callback** result) {
  return make_handle(result, [&] { return graft::Callback::ready_made(name); });
}

graft_error* graft_callback_from_bytes(graft_form form, const void* bytes, size_t size, const char* name,
                                       graft_callback** result) {
  return make_handle(result, [&] {
    const auto* const first = static_cast<const std::byte*>(bytes);
    if (size != 0) graft::c::checked(first, "the pointer to the bytes");
    return graft::c::from_bytes(form, {first, size}, name == nullptr ? graft::c::default_name(form) : name);
  });
}

graft_error* graft_callback_from_file(const char* path, graft_callback** result) {
  return make_handle(result, [&] { return graft::Callback::file(path); });
}

graft_error* graft_callback_chain(const graft_callback* const* parts, size_t count, graft_callback** result) {
  return make_handle(result, [&] {
    if (count != 0) graft::c::checked(parts, "the list of parts");
    return graft::chain(graft::c::parts_of(parts, count));
  });
}

graft_error* graft_callback_stages(const graft_callback* load, const graft_callback* op, const graft_callback* store,
                                   graft_callback** result) {
  return make_handle(result, [&] {
    return graft::Callback(graft::Stages{
        .load = graft::c::stage_of(load), .op = graft::c::stage_of(op), .store = graft::c::stage_of(store)});
  });
}

graft_error* graft_callback_set_entry(graft_callback* callback, const char* entry) {
  return change(callback, [&](const graft::Callback& given) { return given.with_entry(entry); });
}

graft_error* graft_callback_set_signature(graft_callback* callback, const char* signature) {
  return change(callback, [&](const graft::Callback& given) { return given.with_signature(signature); });
}

graft_error* graft_callback_set_folder(graft_callback* callback, const char* folder) {
  return change(callback,
                [&](const graft::Callback& given) { return given.with_folder(checked_text(folder, "the folder")); });
}

graft_error* graft_callback_set_types(graft_callback* callback, const char* types) {
  return change(callback, [&](const graft::Callback& given) {
    return graft::GenericCallback(given).instance(graft::types(checked_text(types, "the types")));
  });
}

graft_error* graft_callback_add_link_input(graft_callback* callback, const graft_callback* binary) {
  return change(callback, [&](const graft::Callback& given) {
    return given.with_link_input(graft::c::checked(binary, "the binary").value);
  });
}

void graft_callback_destroy(graft_callback* callback) {
  delete callback;
}

}  // extern "C"
