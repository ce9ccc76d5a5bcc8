// Engines, images, packs and transforms of the C interface.
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "c/ahead.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "c/launch.hpp"
#include "core/fail.hpp"

namespace graft::c {
namespace {

std::string counters_text(const Counters& counters) {
  return nlohmann::json{{"creates", counters.creates},
                        {"memory_hits", counters.memory_hits},
                        {"layer_hits", counters.layer_hits},
                        {"disk_hits", counters.disk_hits},
                        {"misses", counters.misses},
                        {"builds", counters.builds},
                        {"failed_builds", counters.failed_builds},
                        {"waits", counters.waits},
                        {"process_waits", counters.process_waits},
                        {"loads", counters.loads},
                        {"rejected_entries", counters.rejected_entries},
                        {"bytes_read", counters.bytes_read},
                        {"bytes_written", counters.bytes_written}}
      .dump(2);
}

// Calls `run` with the arrays, or with the count of a callback without arrays.
template <class Run>
graft_error* execute(const graft_transform* transform, const graft_array* in, size_t in_count, const graft_array* out,
                     size_t out_count, const graft_launch* launch, Run run) noexcept {
  return guarded([&] {
    const Transform& checked_transform = checked(transform, "the transform").value;
    static constexpr graft_launch kPlain = {};
    const graft_launch& given = launch == nullptr ? kPlain : *launch;
    check_reserved("graft_launch", given.reserved[0], given.reserved[1], given.reserved[2], given.reserved[3]);
    const ArrayList inputs(in, in_count, "inputs");
    const ArrayList outputs(out, out_count, "outputs");
    const StateRef state = state_of(given.state, given.state_type);
    if (inputs.size() + outputs.size() == 0) return run(checked_transform, count(given.count), state);
    if (given.count != 0)
      refuse("graft_launch has a count, and arrays were given", "Leave `count` zero: the arrays contain the count.");
    run(checked_transform, inputs.refs(), outputs.refs(), state, CallerInfo{given.load_info, given.store_info});
  });
}

// Returns the type at a place in a list of a signature, or 0.
graft_type type_at(const std::vector<ElementType>& types, size_t index) noexcept {
  return index < types.size() ? type_of(types[index]) : 0;
}

const Signature* signature_of(const graft_transform* transform) noexcept {
  return transform == nullptr ? nullptr : &transform->value.signature();
}

}  // namespace

}  // namespace graft::c

using graft::c::checked;
using graft::c::engine_of;
using graft::c::guarded;
using graft::c::make_handle;
using graft::c::options_of;

extern "C" {

graft_error* graft_engine_create(const graft_engine_options* options, graft_engine** result) {
  return graft::c::give(result,
                        [&] { return new graft_engine(options == nullptr ? graft::EngineOptions() : options->value); });
}

graft_error* graft_engine_counters(graft_engine* engine, graft_bytes** json) {
  return make_handle(json, [&] { return graft::c::counters_text(engine_of(engine).counters()); });
}

graft_error* graft_engine_describe_tools(graft_engine* engine, graft_bytes** text) {
  return make_handle(text, [&] { return engine_of(engine).describe_tools(); });
}

graft_error* graft_engine_release_unused(graft_engine* engine, size_t* kernels_unloaded) {
  return graft::c::give(kernels_unloaded, [&] { return engine_of(engine).release_unused(); });
}

void graft_engine_destroy(graft_engine* engine) {
  delete engine;
}

graft_error* graft_image_build(graft_engine* engine, const graft_callback* callback, const char* architecture,
                               const graft_options* options, graft_image** result) {
  return make_handle(result, [&] {
    const graft::Architecture wanted =
        graft::Architecture::parse(graft::checked_text(architecture, "the architecture"));
    return graft::build(engine_of(engine), checked(callback, "the callback").value, wanted, options_of(options));
  });
}

const void* graft_image_data(const graft_image* image) {
  return image == nullptr ? nullptr : image->value.bytes().data();
}

size_t graft_image_size(const graft_image* image) {
  return image == nullptr ? 0 : image->value.bytes().size();
}

graft_error* graft_image_report(const graft_image* image, graft_bytes** json) {
  return make_handle(json, [&] { return graft::c::in_c_words(checked(image, "the image").value.report()).to_json(); });
}

void graft_image_destroy(graft_image* image) {
  delete image;
}

graft_error* graft_precompile(graft_engine* engine, const graft_callback* callback, const char* const* architectures,
                              size_t count, graft_format format, const graft_options* options, graft_bytes** result) {
  return make_handle(result, [&] {
    return graft::c::text_of(graft::precompile(engine_of(engine), checked(callback, "the callback").value,
                                               graft::c::architectures_of(architectures, count),
                                               graft::c::format_of(format), options_of(options)));
  });
}

graft_error* graft_precompile_several(graft_engine* engine, const graft_callback* const* callbacks,
                                      const char* const* names, size_t callback_count, const char* const* architectures,
                                      size_t architecture_count, graft_format format, const graft_options* options,
                                      graft_bytes** result) {
  return make_handle(result, [&] {
    return graft::c::text_of(graft::precompile_several(engine_of(engine),
                                                       graft::c::entries_of(callbacks, names, callback_count),
                                                       graft::c::architectures_of(architectures, architecture_count),
                                                       graft::c::format_of(format), options_of(options)));
  });
}

graft_error* graft_transform_create(graft_engine* engine, const graft_callback* callback, const graft_options* options,
                                    graft_transform** result) {
  return make_handle(result, [&] {
    return graft::Transform::create(engine_of(engine), checked(callback, "the callback").value, options_of(options));
  });
}

graft_error* graft_transform_load(graft_engine* engine, const graft_image* image, const graft_options* options,
                                  graft_transform** result) {
  return make_handle(result, [&] {
    return graft::Transform::load(engine_of(engine), checked(image, "the image").value, options_of(options));
  });
}

graft_error* graft_transform_execute(const graft_transform* transform, void* stream, const graft_array* in,
                                     size_t in_count, const graft_array* out, size_t out_count,
                                     const graft_launch* launch) {
  return graft::c::execute(transform, in, in_count, out, out_count, launch,
                           [&](const graft::Transform& ready, auto&&... arguments) {
                             ready.execute(static_cast<CUstream_st*>(stream), arguments...);
                           });
}

graft_error* graft_transform_execute_host(const graft_transform* transform, const graft_array* in, size_t in_count,
                                          const graft_array* out, size_t out_count, const graft_launch* launch) {
  return graft::c::execute(
      transform, in, in_count, out, out_count, launch,
      [](const graft::Transform& ready, auto&&... arguments) { ready.execute(graft::host, arguments...); });
}

graft_error* graft_transform_prepare(graft_transform* transform, int32_t device) {
  return guarded([&] { checked(transform, "the transform").value.prepare(device); });
}

graft_error* graft_transform_prepare_current(graft_transform* transform) {
  return guarded([&] { checked(transform, "the transform").value.prepare_current(); });
}

graft_error* graft_transform_prepare_shapes(graft_transform* transform, const graft_array* in, size_t in_count,
                                            const graft_array* out, size_t out_count) {
  return guarded([&] {
    graft::Transform& ready = checked(transform, "the transform").value;
    ready.prepare_shapes(graft::c::ArrayList(in, in_count, "inputs").refs(),
                         graft::c::ArrayList(out, out_count, "outputs").refs());
  });
}

size_t graft_transform_input_count(const graft_transform* transform) {
  const graft::Signature* const signature = graft::c::signature_of(transform);
  return signature == nullptr ? 0 : signature->inputs().size();
}

size_t graft_transform_output_count(const graft_transform* transform) {
  const graft::Signature* const signature = graft::c::signature_of(transform);
  return signature == nullptr ? 0 : signature->outputs().size();
}

graft_type graft_transform_input_type(const graft_transform* transform, size_t index) {
  const graft::Signature* const signature = graft::c::signature_of(transform);
  return signature == nullptr ? 0 : graft::c::type_at(signature->inputs(), index);
}

graft_type graft_transform_output_type(const graft_transform* transform, size_t index) {
  const graft::Signature* const signature = graft::c::signature_of(transform);
  return signature == nullptr ? 0 : graft::c::type_at(signature->outputs(), index);
}

graft_type graft_transform_state_type(const graft_transform* transform) {
  const graft::Signature* const signature = graft::c::signature_of(transform);
  return signature == nullptr || !signature->state() ? 0 : graft::c::type_of(*signature->state());
}

graft_error* graft_transform_report(const graft_transform* transform, graft_bytes** json) {
  return make_handle(
      json, [&] { return graft::c::in_c_words(checked(transform, "the transform").value.report()).to_json(); });
}

graft_error* graft_transform_image(const graft_transform* transform, graft_image** result) {
  return make_handle(result, [&] { return checked(transform, "the transform").value.image(); });
}

graft_error* graft_transform_symbol(const graft_transform* transform, const char* name, void** pointer, size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return graft::c::give(pointer, [&] {
    size_t& size = checked(bytes, "the pointer to the size");
    const graft::DeviceSymbol symbol =
        checked(transform, "the transform").value.symbol(graft::checked_text(name, "the variable's name"));
    size = symbol.bytes;
    return symbol.pointer;
  });
}

void graft_transform_destroy(graft_transform* transform) {
  delete transform;
}

}  // extern "C"
