// FFTs of the C interface.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "c/ahead.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "c/launch.hpp"
#include "core/fail.hpp"

struct graft_fft {
  graft::Fft value;
};

namespace graft::c {
namespace {

// Returns the number as an enumerator. Throws Error(InvalidArgument) if it is not one of 0 to `last`.
template <class Enum>
Enum enumerator(std::int32_t number, Enum last, const char* what) {
  if (number < 0 || number > static_cast<std::int32_t>(last))
    refuse(base::format("{} is {}", what, number),
           base::format("Give a number from 0 to {}; graft.h says what they mean.", static_cast<int>(last)));
  return static_cast<Enum>(number);
}

bool flag(std::int32_t number, const char* what) {
  enum class Flag : std::uint8_t { No, Yes };
  return enumerator(number, Flag::Yes, what) == Flag::Yes;
}

FftPlan plan_of(const graft_fft_plan* plan) {
  const graft_fft_plan& given = checked(plan, "the plan");
  std::vector<std::int64_t> shape(std::begin(given.shape), std::end(given.shape));
  while (!shape.empty() && shape.back() == 0) shape.pop_back();
  const auto& more = given.reserved_more;
  check_reserved("graft_fft_plan", given.reserved, more[0], more[1], more[2]);
  return {.length = given.length,
          .precision = flag(given.is_double, "is_double") ? FftPrecision::F64 : FftPrecision::F32,
          .directions = enumerator(given.directions, FftDirections::Inverse, "directions"),
          .scaling = enumerator(given.scaling, FftScaling::Unitary, "scaling"),
          .has_strides = flag(given.has_strides, "has_strides"),
          .has_long_arrays = flag(given.has_long_arrays, "has_long_arrays"),
          .batch = given.batch,
          .shape = std::move(shape),
          .kind = flag(given.is_real, "is_real") ? FftKind::Real : FftKind::Complex,
          .storage_in = enumerator(given.storage_in, FftStorage::BF16, "storage_in"),
          .storage_out = enumerator(given.storage_out, FftStorage::BF16, "storage_out")};
}

FftCallbacks callbacks_of(const graft_fft_plan& plan, const graft_callback* load, const graft_callback* between,
                          const graft_callback* store) {
  const auto value_of = [](const graft_callback* callback) {
    return callback != nullptr ? std::optional(callback->value) : std::nullopt;
  };
  FftCallbacks all = {.load = value_of(load), .between = value_of(between), .store = value_of(store), .inverse = {}};
  if (flag(plan.has_inverse_callbacks, "has_inverse_callbacks"))
    all.inverse = FftSideCallbacks{.load = value_of(plan.inverse_load), .store = value_of(plan.inverse_store)};
  else if (plan.inverse_load != nullptr || plan.inverse_store != nullptr)
    refuse("the plan has a callback of the inverse direction, but has_inverse_callbacks is 0",
           "Set has_inverse_callbacks to 1, or leave inverse_load and inverse_store null.");
  return all;
}

FftLayout layout_of(std::size_t stride, std::size_t distance) {
  return {.stride = stride == 0 ? 1 : stride, .distance = distance};
}

FftLaunch launch_of(const graft_fft_launch* launch) {
  if (launch == nullptr) return {};
  const auto& more = launch->reserved_more;
  check_reserved("graft_fft_launch", launch->reserved, more[0], more[1]);
  if (launch->axis_count < 0 || launch->axis_count > 3)
    refuse(base::format("axis_count is {}", launch->axis_count), "Give up to 3 axes.");
  FftLaunch made;
  if (flag(launch->has_batch, "has_batch")) made.batch = launch->batch;
  made.in = layout_of(launch->in_stride, launch->in_distance);
  made.out = layout_of(launch->out_stride, launch->out_distance);
  made.workspace = launch->workspace;
  made.workspace_bytes = launch->workspace_bytes;
  made.state = state_of(launch->state, launch->state_type);
  made.info = {launch->load_info, launch->store_info};
  made.axes.assign(launch->axes, launch->axes + launch->axis_count);
  return made;
}

template <class Run>
graft_error* execute_fft(const graft_fft* fft, const graft_array* in, size_t in_count, const graft_array* out,
                         graft_direction direction, const graft_fft_launch* launch, Run run) noexcept {
  return guarded([&] {
    const ArrayList inputs(in, in_count, "inputs");
    const ArrayList output(out, 1, "the output");
    run(checked(fft, "the FFT").value, inputs.refs(), output.refs(),
        enumerator(direction, Direction::Inverse, "the direction"), launch_of(launch));
  });
}

// The reports as a JSON array.
std::string json_of(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) text += (text.empty() ? "" : ",\n") + in_c_words(report).to_json();
  return "[" + text + "]";
}

}  // namespace
}  // namespace graft::c

using graft::c::checked;
using graft::c::engine_of;
using graft::c::guarded;
using graft::c::make_handle;
using graft::c::options_of;

extern "C" {

graft_error* graft_fft_create(graft_engine* engine, const graft_fft_plan* plan, const graft_callback* load,
                              const graft_callback* between, const graft_callback* store, const graft_options* options,
                              graft_fft** result) {
  return make_handle(result, [&] {
    const graft::FftPlan made = graft::c::plan_of(plan);
    return graft::Fft::create(engine_of(engine), made, graft::c::callbacks_of(*plan, load, between, store),
                              options_of(options));
  });
}

graft_error* graft_fft_precompile(graft_engine* engine, const graft_fft_plan* plan, const graft_callback* load,
                                  const graft_callback* between, const graft_callback* store,
                                  const char* const* architectures, size_t count, graft_format format,
                                  const graft_options* options, graft_bytes** result) {
  return make_handle(result, [&] {
    const graft::FftPlan made = graft::c::plan_of(plan);
    return graft::c::text_of(graft::precompile(
        engine_of(engine), made, graft::c::callbacks_of(*plan, load, between, store),
        graft::c::architectures_of(architectures, count), graft::c::format_of(format), options_of(options)));
  });
}

graft_error* graft_fft_load(graft_engine* engine, const void* pack, size_t size, size_t batch,
                            const graft_options* options, graft_fft** result) {
  return make_handle(result, [&] {
    const auto* const first = &checked(static_cast<const std::byte*>(pack), "the pack");
    return graft::Fft::load(engine_of(engine), std::span(first, size), batch, options_of(options));
  });
}

graft_error* graft_fft_execute(const graft_fft* fft, void* stream, const graft_array* in, size_t in_count,
                               const graft_array* out, graft_direction direction, const graft_fft_launch* launch) {
  return graft::c::execute_fft(fft, in, in_count, out, direction, launch,
                               [&](const graft::Fft& ready, const auto&... arguments) {
                                 ready.execute(static_cast<CUstream_st*>(stream), arguments...);
                               });
}

graft_error* graft_fft_execute_host(const graft_fft* fft, const graft_array* in, size_t in_count,
                                    const graft_array* out, graft_direction direction, const graft_fft_launch* launch) {
  return graft::c::execute_fft(
      fft, in, in_count, out, direction, launch,
      [](const graft::Fft& ready, const auto&... arguments) { ready.execute(graft::host, arguments...); });
}

graft_error* graft_fft_prepare(graft_fft* fft, int32_t device) {
  return guarded([&] { checked(fft, "the FFT").value.prepare(device); });
}

graft_error* graft_fft_prepare_current(graft_fft* fft) {
  return guarded([&] { checked(fft, "the FFT").value.prepare_current(); });
}

size_t graft_fft_workspace_bytes(const graft_fft* fft, size_t batch) {
  if (fft == nullptr) return 0;
  try {
    return fft->value.workspace_bytes(batch);
  } catch (const graft::Error&) {
    return SIZE_MAX;
  }
}

graft_error* graft_fft_report(const graft_fft* fft, graft_bytes** json) {
  return make_handle(json, [&] { return graft::c::json_of(checked(fft, "the FFT").value.reports()); });
}

void graft_fft_destroy(graft_fft* fft) {
  delete fft;
}

}  // extern "C"
