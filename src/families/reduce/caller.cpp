#include "families/reduce/caller.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "contract.h"
#include "families/parameter.hpp"
#include "families/reduce/checks.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/launches.hpp"
#include "families/reduce/order.hpp"
#include "families/reduce/segments.hpp"
#include "families/reduce/views.hpp"
#include "graft/error.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

// The workspace of a stream begins with the counters of the thread blocks. The accumulators follow: of one result, as
// many as it has chunks, and of calls with views, as many as fit.
constexpr std::size_t kCounterBytes = GRAFT_REDUCE_COUNTERS * sizeof(unsigned int);
constexpr std::size_t kWholeBytes = std::size_t{GRAFT_REDUCE_MOST_CHUNKS} * GRAFT_MAX_ACCUMULATOR_BYTES;
constexpr std::size_t kViewBytes = std::size_t{1} << 20;
// The same on the host.
constexpr std::size_t kHostBytes = std::size_t{16} << 20;

// How many elements are worth a thread of the host, which takes tens of microseconds to start.
constexpr std::uint64_t kElementsOfThread = 65536;

class ReduceCaller final : public Caller {
 public:
  explicit ReduceCaller(std::span<const KernelSpec* const> kernels)
      : called_(kernels.front()->name, kernels.front()->signature, false),
        width_(group_width(called_.signature)),
        is_on_host_(kernels.front()->route == Route::Host),
        accumulator_bytes_(called_.signature.accumulator().value().size) {
    std::string why;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelRequest request = read_request(kernels[i]->request, why).value();
      places_[static_cast<std::size_t>(request.kind)] = static_cast<unsigned>(i);
      called_.has_initial = !request.initial.empty();  // in all kernels of a job the same
    }
  }

  std::string title() const override { return called_.name; }

  std::size_t stream_workspace_bytes() const override {
    if (is_on_host_) return 0;
    const bool has_chunks_of_views = place(KernelKind::Long) || place(KernelKind::Chunks) || place(KernelKind::Columns);
    return kCounterBytes + (has_chunks_of_views ? kViewBytes : kWholeBytes);
  }

  std::string method_for(const Arguments& arguments) const override {
    if (!has_views(arguments)) {
      check_lengths(called_, arguments);
      return "";
    }
    const ViewCall call(called_, arguments, ViewCall::Memory::None);
    return is_on_host_ || call.is_empty() ? "" : method_of(call.best());
  }

  std::string describe(const Arguments& arguments) const override {
    if (!has_views(arguments)) check_lengths(called_, arguments);
    const ViewCall call(called_, arguments, ViewCall::Memory::None);
    if (call.is_empty()) return call.text();
    if (is_on_host_) return base::format("{}; made on the host", call.text());
    const std::optional<KernelKind> kind = serving(call);
    std::string text = base::format("{}; {}", call.text(),
                                    kind ? base::format("made by the kernel {}", name(*kind)) : "no kernel makes them");
    if (kind != call.best()) base::append(text, "; the kernel {} would be fastest (prepare_shapes)", name(call.best()));
    return text;
  }

  void call(const Arguments& arguments, Runner& runner) const override {
    const auto& own = static_cast<const CallArguments&>(arguments);
    if (own.offsets != nullptr) [[unlikely]]
      return call_segments(arguments, *own.offsets, runner);
    if (own.step != GRAFT_REDUCE_STEP_ALL) [[unlikely]]
      return own.step == GRAFT_REDUCE_STEP_CHUNKS ? make_partials(own, runner) : finish(own, runner);
    if (has_views(arguments) || is_on_host_) [[unlikely]]
      return call_views(arguments, runner);
    run_whole(check_dense(called_, arguments), arguments, runner);
  }

 private:
  std::optional<unsigned> place(KernelKind kind) const { return places_[static_cast<std::size_t>(kind)]; }

  void run_whole(std::uint64_t count, const Arguments& arguments, Runner& runner) const {
    const Chunks chunks = cut(count, width_);
    graft_reduce_call call = {};
    call.count = count;
    call.chunk_groups = chunks.groups;
    call.chunks = chunks.count;
    for (std::size_t i = 0; i < arguments.outputs.size(); ++i) call.outputs[i] = arguments.outputs[i].pointer;
    if (chunks.count > 1) find_workspace(call, runner);
    launch_whole(call, arguments, chunks.count, runner);
  }

  void launch_whole(const graft_reduce_call& call, const Arguments& arguments, unsigned blocks, Runner& runner) const {
    ParameterBytes parameter;
    std::memcpy(parameter.bytes, &call, sizeof call);
    const std::size_t bytes =
        lay_out_arrays_and_state(sizeof call, arguments, called_.signature.state(), parameter.bytes);
    runner.launch({.grid = {blocks, GRAFT_REDUCE_LANES},
                   .programmatic = true,
                   .parameter = parameter.bytes,
                   .parameter_bytes = static_cast<std::uint32_t>(bytes)});
  }

  static void find_workspace(graft_reduce_call& call, Runner& runner) {
    call.accumulators = static_cast<std::byte*>(runner.stream_workspace()) + kCounterBytes;
  }

  [[gnu::noinline]] void call_views(const Arguments& arguments, Runner& runner) const {
    if (!has_views(arguments)) check_dense(called_, arguments);  // whose messages speak of arrays of one dimension
    const ViewCall call(called_, arguments);
    if (call.is_empty()) return;
    if (is_on_host_) return run_on_host(call, runner);
    const std::optional<KernelKind> kind = serving(call);
    if (!kind)
      refuse_call(called_, ErrorCode::NotPrepared,
                  base::format("there is no kernel for arrays of these shapes, {}", call.text()),
                  "Call prepare_shapes with arrays of these shapes first, or create the reduction with "
                  "Options::any_shape. Without them, a call on the GPU may have views only if it has one result, of "
                  "arrays that lie in memory like one dimension.");
    if (*kind == KernelKind::Whole) return run_whole(call.elements(), arguments, runner);
    graft_reduce_call head = {};
    const Workspace has = workspace();
    const Division division = call.divide(*kind, has);
    if (division.accumulators > 0) find_workspace(head, runner);
    in_parts(division, has, [&](const Part& part) {
      ParameterBytes parameter;
      launch(*kind, part, parameter, call.lay_out(*kind, division, part, head, parameter.bytes), runner);
    });
  }

  [[gnu::noinline]] void call_segments(const Arguments& arguments, const ArrayRef& offsets, Runner& runner) const {
    const SegmentCall call(called_, arguments, offsets, is_on_host_);
    if (call.is_empty()) return;
    ParameterBytes parameter;
    if (is_on_host_) {
      const Part all = {.first = 0, .pieces = call.results()};
      return launch_on_host(parameter, call.lay_out({}, all, {}, parameter.bytes), call.results(),
                            arguments.inputs[0].count / call.results(), runner);
    }
    const KernelKind kind = call.best();
    if (!place(kind))
      refuse_call(called_, ErrorCode::NotPrepared, "there are no kernels for segments", "Call prepare_segments first.");
    const Division division = call.divide(kind);
    in_parts(division, workspace(), [&](const Part& part) {
      launch(kind, part, parameter, call.lay_out(division, part, {}, parameter.bytes), runner);
    });
  }

  // The accumulators of the chunks of a shard.
  [[gnu::noinline]] void make_partials(const CallArguments& arguments, Runner& runner) const {
    check_partials(called_, arguments);
    const ReduceShard& shard = *arguments.shard;
    if (shard.count == 0) return;
    graft_reduce_call call = {};
    call.count = shard.count;
    call.chunk_groups = cut(shard.elements, width_).groups;
    call.chunks = static_cast<unsigned int>(shard.chunks);
    call.step = GRAFT_REDUCE_STEP_CHUNKS;
    call.accumulators = arguments.partials;
    call.first = shard.begin;
    launch_step(call, arguments, shard.chunks, runner);
  }

  [[gnu::noinline]] void finish(const CallArguments& arguments, Runner& runner) const {
    check_finish(called_, arguments);
    graft_reduce_call call = {};
    call.count = arguments.elements;
    call.chunks = arguments.elements == 0 ? 0 : cut(arguments.elements, width_).count;
    call.step = GRAFT_REDUCE_STEP_RESULTS;
    call.accumulators = arguments.partials;
    for (std::size_t i = 0; i < arguments.outputs.size(); ++i) call.outputs[i] = arguments.outputs[i].pointer;
    launch_step(call, arguments, 1, runner);
  }

  // A launch of the first kernel that does a part of a call.
  void launch_step(const graft_reduce_call& call, const CallArguments& arguments, std::uint64_t items,
                   Runner& runner) const {
    // The kernel has a pointer for each input, also where it reads none.
    const std::array<ArrayRef, GRAFT_MAX_INPUTS> none = {};
    Arguments all = arguments;
    if (all.inputs.empty()) all.inputs = std::span(none).first(called_.signature.inputs().size());
    if (!is_on_host_) return launch_whole(call, all, static_cast<unsigned>(items), runner);
    ParameterBytes parameter;
    launch_on_host(parameter, lay_out_dense(called_.signature, call, all, parameter.bytes), items, call.count / items,
                   runner);
  }

  Workspace workspace() const { return {kViewBytes / accumulator_bytes_, GRAFT_REDUCE_COUNTERS}; }

  // The kernel that serves the call: the best one, or another that was made.
  std::optional<KernelKind> serving(const ViewCall& call) const {
    for (const KernelKind kind : {call.best(), KernelKind::Whole, KernelKind::Columns, KernelKind::Tiny,
                                  KernelKind::Short, KernelKind::Chunks, KernelKind::Long})
      if (place(kind) && call.is_served_by(kind)) return kind;
    return std::nullopt;
  }

  void launch(KernelKind kind, const Part& part, ParameterBytes& parameter, std::uint32_t bytes, Runner& runner) const {
    runner.launch({.kernel = *place(kind),
                   .grid = part.grid,
                   .programmatic = true,
                   .parameter = parameter.bytes,
                   .parameter_bytes = bytes});
  }
  // `elements` is how many elements or accumulators an item combines.
  static void launch_on_host(ParameterBytes& parameter, std::uint32_t bytes, std::uint64_t items,
                             std::uint64_t elements, Runner& runner) {
    runner.launch({.grid = {1, 1},
                   .parameter = parameter.bytes,
                   .parameter_bytes = bytes,
                   .items = items,
                   .items_of_thread = std::max<std::uint64_t>(kElementsOfThread / (elements + 1), 1)});
  }

  // The accumulators of chunks first, if there are several.
  void run_on_host(const ViewCall& call, Runner& runner) const {
    const std::uint64_t chunks = call.chunks().count;
    const std::uint64_t most = chunks == 1 ? call.results() : kHostBytes / GRAFT_MAX_ACCUMULATOR_BYTES / chunks;
    graft_reduce_call head = {};
    if (chunks > 1) head.accumulators = runner.workspace(std::min(most, call.results()) * chunks * accumulator_bytes_);
    for (std::uint64_t first = 0; first < call.results(); first += most) {
      const std::uint64_t results = std::min(most, call.results() - first);
      for (const bool combines_chunks : {false, true}) {
        if (combines_chunks && chunks == 1) continue;
        ParameterBytes parameter;
        head.step = combines_chunks ? GRAFT_REDUCE_STEP_RESULTS : GRAFT_REDUCE_STEP_ALL;
        const std::uint32_t bytes =
            call.lay_out(KernelKind::Long, {}, Part{.first = first, .pieces = results}, head, parameter.bytes);
        if (combines_chunks) launch_on_host(parameter, bytes, results, chunks, runner);
        else launch_on_host(parameter, bytes, results * chunks, call.elements() / chunks, runner);
      }
    }
  }

  Called called_;
  unsigned width_;
  bool is_on_host_;
  std::size_t accumulator_bytes_;
  std::array<std::optional<unsigned>, kKinds.size()> places_;  // of the kernels in the schedule
};

}  // namespace

std::unique_ptr<const Caller> make_caller(std::span<const KernelSpec* const> kernels) {
  return std::make_unique<ReduceCaller>(kernels);
}

}  // namespace graft::families::reduce
