// Reductions of the C interface.
#include <cstdint>
#include <span>

#include "c/ahead.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "c/launch.hpp"
#include "core/fail.hpp"

struct graft_reduce {
  graft::Reduce value;
};

namespace graft::c {
namespace {

ReduceCallbacks callbacks_of(const graft_reduce_callbacks* callbacks) {
  const graft_reduce_callbacks& given = checked(callbacks, "the callbacks");
  check_reserved("graft_reduce_callbacks", given.reserved[0], given.reserved[1], given.reserved[2]);
  ReduceCallbacks all = {.combine = checked(given.combine, "the combine callback").value};
  if (given.map != nullptr) all.map.emplace(given.map->value);
  if (given.finish != nullptr) all.finish.emplace(given.finish->value);
  if (given.initial != nullptr) {
    const ElementType type = element_of(given.initial_type);
    all.initial.emplace(std::span(static_cast<const std::byte*>(given.initial), type.size), type);
  }
  return all;
}

StateRef state_alone(const graft_launch* launch) {
  if (launch == nullptr) return {};
  const auto& more = launch->reserved;
  check_reserved("graft_launch", more[0], more[1], more[2], more[3]);
  if (launch->count != 0 || launch->load_info != nullptr || launch->store_info != nullptr)
    refuse("count, load_info or store_info of a graft_launch is set, which a reduction does not have",
           "Leave these members zero.");
  return state_of(launch->state, launch->state_type);
}

ReduceShard shard_of(const graft_reduce_shard* shard) {
  const graft_reduce_shard& given = checked(shard, "the shard");
  return {given.elements, given.begin, given.count, given.first_chunk, given.chunks, given.all_chunks};
}

// `where` is a stream, or the host.
template <class Where>
graft_error* execute(const graft_reduce* reduce, Where where, const graft_array* in, size_t in_count,
                     const graft_array* offsets, const graft_array* out, size_t out_count,
                     const graft_launch* launch) noexcept {
  return guarded([&] {
    const Reduce& ready = checked(reduce, "the reduction").value;
    const ArrayList inputs(in, in_count, "inputs"), outputs(out, out_count, "outputs");
    const StateRef state = state_alone(launch);
    if (offsets == nullptr) return ready.execute(where, inputs.refs(), outputs.refs(), state);
    const ArrayList bounds(offsets, 1, "offsets");
    ready.execute_segments(where, inputs.refs(), bounds.refs().span()[0], outputs.refs(), state);
  });
}

template <class Where>
graft_error* partials(const graft_reduce* reduce, Where where, const graft_array* in, size_t in_count,
                      const graft_reduce_shard* shard, void* to, const graft_launch* launch) noexcept {
  return guarded([&] {
    const ArrayList inputs(in, in_count, "inputs");
    checked(reduce, "the reduction").value.partials(where, inputs.refs(), shard_of(shard), to, state_alone(launch));
  });
}

template <class Where>
graft_error* finish(const graft_reduce* reduce, Where where, const void* partials, uint64_t elements,
                    const graft_array* out, size_t out_count, const graft_launch* launch) noexcept {
  return guarded([&] {
    const ArrayList outputs(out, out_count, "outputs");
    checked(reduce, "the reduction").value.finish(where, partials, elements, outputs.refs(), state_alone(launch));
  });
}

CUstream_st* stream_of(void* stream) {
  return static_cast<CUstream_st*>(stream);
}

}  // namespace
}  // namespace graft::c

using graft::c::checked;
using graft::c::engine_of;
using graft::c::guarded;
using graft::c::make_handle;
using graft::c::options_of;
using graft::c::stream_of;

extern "C" {

graft_error* graft_reduce_create(graft_engine* engine, const graft_reduce_callbacks* callbacks,
                                 const graft_options* options, graft_reduce** result) {
  return make_handle(result, [&] {
    return graft::Reduce::create(engine_of(engine), graft::c::callbacks_of(callbacks), options_of(options));
  });
}

graft_error* graft_reduce_precompile(graft_engine* engine, const graft_reduce_callbacks* callbacks,
                                     const char* const* architectures, size_t count, graft_format format,
                                     const graft_options* options, graft_bytes** result) {
  return make_handle(result, [&] {
    return graft::c::text_of(graft::precompile(engine_of(engine), graft::c::callbacks_of(callbacks),
                                               graft::c::architectures_of(architectures, count),
                                               graft::c::format_of(format), options_of(options)));
  });
}

graft_error* graft_reduce_load(graft_engine* engine, const void* pack, size_t size, const graft_options* options,
                               graft_reduce** result) {
  return make_handle(result, [&] {
    const auto* const first = &checked(static_cast<const std::byte*>(pack), "the pack");
    return graft::Reduce::load(engine_of(engine), std::span(first, size), options_of(options));
  });
}

graft_error* graft_reduce_execute(const graft_reduce* reduce, void* stream, const graft_array* in, size_t in_count,
                                  const graft_array* offsets, const graft_array* out, size_t out_count,
                                  const graft_launch* launch) {
  return graft::c::execute(reduce, stream_of(stream), in, in_count, offsets, out, out_count, launch);
}
graft_error* graft_reduce_execute_host(const graft_reduce* reduce, const graft_array* in, size_t in_count,
                                       const graft_array* offsets, const graft_array* out, size_t out_count,
                                       const graft_launch* launch) {
  return graft::c::execute(reduce, graft::host, in, in_count, offsets, out, out_count, launch);
}

graft_error* graft_reduce_cut(const graft_reduce* reduce, uint64_t elements, uint32_t part, uint32_t parts,
                              graft_reduce_shard* result) {
  return graft::c::give(result, [&]() -> graft_reduce_shard {
    const graft::ReduceShard shard = checked(reduce, "the reduction").value.shard(elements, part, parts);
    return {shard.elements, shard.begin, shard.count, shard.first_chunk, shard.chunks, shard.all_chunks};
  });
}

size_t graft_reduce_accumulator_bytes(const graft_reduce* reduce) {
  return reduce == nullptr ? 0 : reduce->value.accumulator_bytes();
}

graft_error* graft_reduce_partials(const graft_reduce* reduce, void* stream, const graft_array* in, size_t in_count,
                                   const graft_reduce_shard* shard, void* to, const graft_launch* launch) {
  return graft::c::partials(reduce, stream_of(stream), in, in_count, shard, to, launch);
}
graft_error* graft_reduce_partials_host(const graft_reduce* reduce, const graft_array* in, size_t in_count,
                                        const graft_reduce_shard* shard, void* to, const graft_launch* launch) {
  return graft::c::partials(reduce, graft::host, in, in_count, shard, to, launch);
}

graft_error* graft_reduce_finish(const graft_reduce* reduce, void* stream, const void* partials, uint64_t elements,
                                 const graft_array* out, size_t out_count, const graft_launch* launch) {
  return graft::c::finish(reduce, stream_of(stream), partials, elements, out, out_count, launch);
}
graft_error* graft_reduce_finish_host(const graft_reduce* reduce, const void* partials, uint64_t elements,
                                      const graft_array* out, size_t out_count, const graft_launch* launch) {
  return graft::c::finish(reduce, graft::host, partials, elements, out, out_count, launch);
}

graft_error* graft_reduce_prepare(graft_reduce* reduce, int32_t device) {
  return guarded([&] { checked(reduce, "the reduction").value.prepare(device); });
}
graft_error* graft_reduce_prepare_current(graft_reduce* reduce) {
  return guarded([&] { checked(reduce, "the reduction").value.prepare_current(); });
}
graft_error* graft_reduce_prepare_stream(const graft_reduce* reduce, void* stream) {
  return guarded([&] { checked(reduce, "the reduction").value.prepare(stream_of(stream)); });
}
graft_error* graft_reduce_prepare_shapes(graft_reduce* reduce, const graft_array* in, size_t in_count,
                                         const graft_array* out, size_t out_count) {
  return guarded([&] {
    graft::Reduce& ready = checked(reduce, "the reduction").value;
    ready.prepare_shapes(graft::c::ArrayList(in, in_count, "inputs").refs(),
                         graft::c::ArrayList(out, out_count, "outputs").refs());
  });
}
graft_error* graft_reduce_prepare_segments(graft_reduce* reduce) {
  return guarded([&] { checked(reduce, "the reduction").value.prepare_segments(); });
}

graft_error* graft_reduce_report(const graft_reduce* reduce, graft_bytes** json) {
  return make_handle(json,
                     [&] { return graft::c::in_c_words(checked(reduce, "the reduction").value.report()).to_json(); });
}

void graft_reduce_destroy(graft_reduce* reduce) {
  delete reduce;
}

}  // extern "C"
