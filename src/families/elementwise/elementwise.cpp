// Implements the interface of a family with these parts:
//
//     policy            chooses the tuning, and decides which requests a finished kernel serves
//     exact_program     writes the exact adapter: code for one kernel spec, through which the kernel calls the callback
//     general adapter   does the same with templates (building_blocks/adapter.h) for every signature and for
//                       compositions, and is linked with building_blocks/elementwise: transform.cu, tile.cu, and policy
//                       fragments, small functions that return the numbers of the tuning
//     indirect_ptx      the kernel of the indirect route, which calls through a pointer
//     launch_geometry,  check the arguments of a launch, compute its grid, and lay out the kernel's parameter
//     arguments
//     shapes            arrays of any shape: the form of a call, and the kernels for it
#include "families/elementwise/elementwise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/exact_program.hpp"
#include "families/elementwise/indirect_ptx.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "families/elementwise/measured.hpp"
#include "families/elementwise/policy.hpp"
#include "families/elementwise/shapes/best_kernel.hpp"
#include "families/elementwise/shapes/exact_views.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "families/elementwise/shapes/view_call.hpp"
#include "families/registry.hpp"

namespace graft::elementwise {
namespace {

using families::Choice;
using families::Code;
using families::CodeRequest;

class ElementwiseCaller final : public families::Caller {
 public:
  // `kernels` are those of the schedule. Those of a pack transpose no inputs.
  ElementwiseCaller(std::span<const KernelSpec* const> kernels, bool is_of_pack)
      : geometry_(make_geometry(*kernels.front())),
        signature_(kernels.front()->signature),
        is_of_pack_(is_of_pack),
        is_on_host_(kernels.front()->route == Route::Host) {
    for (std::size_t i = 1; i < kernels.size(); ++i) {
      ViewKernel& kernel = view_kernels_.emplace_back(
          ViewKernel{static_cast<unsigned>(i), kernel_of(kernels[i]->request).value(), make_geometry(*kernels[i])});
      kernel.units = static_cast<unsigned>(policy_of(*kernels[i]).vectors_per_thread);
      if (kernel.made_for.shapes == ShapeClass::Transposed)
        kernel.edge = edge_of_tiles(signature_, kernel.made_for.inputs);
      // Threads are numbered as if each had one element, and no alignment matters.
      kernel.geometry.has_tiles = false;
      kernel.geometry.words = 0;
      kernel.geometry.rest_bits = static_cast<std::uint32_t>(std::countr_zero(kernel.geometry.threads));
    }
    // The fastest that serves a call comes first: with many inputs crosswise, then strided.
    const auto rank = [](const ViewKernel& kernel) {
      return std::pair(kernel.made_for.shapes, std::popcount(kernel.made_for.inputs));
    };
    std::ranges::sort(view_kernels_, std::greater<>(), rank);
  }

  std::string title() const override { return geometry_.kernel_name; }

  void call(const Arguments& arguments, families::Runner& runner) const override {
    if (has_views(arguments)) [[unlikely]]
      return call_views(arguments, runner);
    run_flat(arguments, check(geometry_, arguments), nullptr, runner);
  }

  std::string method_for(const Arguments& arguments) const override {
    const KernelShapes best = best_kernel(geometry_, signature_, arguments);
    if (is_on_host_) return method_of(ShapeClass::Flat);
    return method_of(is_of_pack_ ? servable_by_pack(best) : best);
  }

  std::string describe(const Arguments& given) const override {
    const std::string best = method_for(given);
    const char* const by_first = is_on_host_ ? "; served on the host" : "; served by the flat kernel";
    if (!has_views(given)) return std::string("rank 1") + by_first;
    Arguments arguments = given;
    leave_state_out(geometry_, arguments);
    const ViewCall call(geometry_, arguments, ViewCall::Memory::None);
    if (call.count() == 0) return "no elements: nothing is launched";
    std::string text = call.text();
    if (best.empty()) return text + by_first;
    const auto serves = [&](const ViewKernel& kernel) {
      ViewCall trial = call;
      return arrange_for(kernel, trial);
    };
    const auto found = std::ranges::find_if(view_kernels_, serves);
    const bool is_served = found != view_kernels_.end();
    const std::string served = is_served ? method_of(found->made_for) : "";
    base::append(text, "; {}", is_served ? base::format("served by the kernel {}", served) : "no kernel serves it");
    if (served != best) base::append(text, "; the kernel {} would be fastest (prepare_shapes)", best);
    return text;
  }

 private:
  struct ViewKernel {
    unsigned place;  // in the schedule
    KernelShapes made_for;
    LaunchGeometry geometry;
    unsigned edge = 0;   // of tiles; 0: it is strided
    unsigned units = 1;  // that a thread of a strided kernel handles, if there are many
  };

  [[gnu::noinline]] void call_views(const Arguments& given, families::Runner& runner) const {
    ViewCall call(geometry_, given);
    const bool is_flat = call.count() == 0 || call.is_flat();
    if (is_flat || is_on_host_) {
      check_grid(geometry_, call.count());  // the call checked everything else
      graft_view view;
      if (!is_flat) view = call.for_host();
      run_flat(call.arguments(), call.count(), is_flat ? nullptr : &view, runner);
    } else {
      run_views(call, runner);
    }
  }

  void run_flat(const Arguments& arguments, std::size_t count, const graft_view* view, families::Runner& runner) const {
    families::ParameterBytes parameter;
    const Grid grid =
        count == 0 ? Grid{0, geometry_.threads} : lay_out_arguments(geometry_, arguments, count, parameter.bytes);
    runner.launch({.grid = grid,
                   .programmatic = geometry_.programmatic,
                   .shared_bytes = geometry_.shared_bytes,
                   .parameter = parameter.bytes,
                   .parameter_bytes = geometry_.parameter_bytes,
                   .items = count,
                   .view = view});
  }

  void run_views(ViewCall& call, families::Runner& runner) const {
    for (const ViewKernel& kernel : view_kernels_)
      if (arrange_for(kernel, call))
        return call.in_parts([&](const ViewCall& part) { return divide_for(kernel, part); },
                             [&](const ViewCall& part, const ViewCall::Division& division) {
                               launch_views(kernel, part, division, runner);
                             });
    refuse_call(
        geometry_, ErrorCode::NotPrepared, base::format("there is no kernel for arrays of this form, {}", call.text()),
        "Call prepare_shapes with arrays of these shapes first, or create the transform with Options::any_shape, or "
        "with an example in Options::shapes. Without them, a call on the GPU may have views only if they lie in memory "
        "like one dimension, in the same order in all arrays.");
  }

  // Brings the dimensions into the order that the kernel wants. Returns false if the kernel does not serve the call.
  static bool arrange_for(const ViewKernel& kernel, ViewCall& call) {
    if (kernel.edge == 0) {
      call.bring_channels_together();
      return true;
    }
    const unsigned dimension = call.crosswise_dimension(kernel.made_for.inputs);
    if (dimension != 0) call.bring_to_second(dimension);
    return dimension != 0;
  }

  static ViewCall::Division divide_for(const ViewKernel& kernel, const ViewCall& call) {
    return kernel.edge == 0 ? call.in_units(kernel.geometry.width, kernel.units) : call.in_tiles(kernel.edge);
  }

  static void launch_views(const ViewKernel& kernel, const ViewCall& call, const ViewCall::Division& division,
                           families::Runner& runner) {
    const LaunchGeometry& geometry = kernel.geometry;
    families::ParameterBytes parameter;
    const Grid grid = lay_out_arguments(geometry, call.arguments(), division.threads, parameter.bytes);
    std::byte* const end = call.lay_out_shape(division, parameter.bytes + geometry.parameter_bytes);
    runner.launch({.kernel = kernel.place,
                   .grid = grid,
                   .programmatic = geometry.programmatic,
                   .shared_bytes = geometry.shared_bytes,
                   .parameter = parameter.bytes,
                   .parameter_bytes = static_cast<std::uint32_t>(end - parameter.bytes),
                   .items = call.count()});
  }

  LaunchGeometry geometry_;
  Signature signature_;
  bool is_of_pack_;
  bool is_on_host_;
  std::vector<ViewKernel> view_kernels_;
};

// Provides the code of the indirect route. The building block is PTX that was compiled when graft was built. The
// adapter defines graft_element and no kernel.
class ElementwiseIndirect final : public families::IndirectCode {
 public:
  std::string block(const KernelSpec& kernel) const override {
    const char* const block = !kernel.request.empty()             ? "elementwise/indirect_views.ptx"
                              : count_masks(kernel.signature) > 0 ? "elementwise/indirect_bits.ptx"
                                                                  : "elementwise/indirect.ptx";
    return as_oldest_version(base::embedded_file(block));
  }
  std::string kernel(const KernelSpec& kernel, const std::string& callback) const override {
    const bool is_for_views = !kernel.request.empty();
    if (is_for_views && callback.empty())
      fail(ErrorCode::RouteUnavailable,
           "the route indirect has kernels for arrays of any shape for binaries whose types graft knows, and for packs",
           "Take another route, which has them for every callback, or make the transform for arrays of one dimension.");
    return indirect_ptx({kernel.name, kernel.signature, kernel.max_registers, callback, is_for_views});
  }
  std::string adapter(const codegen::SourceProgram& program) const override {
    codegen::ProgramParts parts = program.parts;
    parts.is_without_kernel = true;
    codegen::ProgramText text;
    text.define("GRAFT_ELEMENT");
    text.raw(codegen::program_text(parts));
    return text.take();
  }
};

// What the C interface has in place of members of graft::Transform.
constexpr std::array kCWords = {
    base::Phrase{"Call execute(graft::host, in, out) with host memory. Streams",
                 "Call graft_transform_execute_host with host memory. Streams"},
    base::Phrase{"Load it with graft::Transform", "Load it with graft_transform_load"},
    base::Phrase{"a graft::view", "an array with a shape"},
    base::Phrase{"given as graft::view", "given with shapes"},
    base::Phrase{"graft::view an array of any shape", "a shape an array of several dimensions"},
};

// families/family.hpp says what each function does, and lists them in the same groups.
class Elementwise final : public families::Family {
 public:
  std::string_view name() const noexcept override { return kElementwise; }

  // ---- jobs ----

  // There are many kernels, so the schedule has those that the job names. The host's kernel serves every shape. A job
  // that names no methods has the flat kernel alone, as images and packs do.
  families::Schedule schedule(const families::Job& job, std::optional<Architecture> architecture) const override {
    families::Schedule schedule = Family::schedule(job, architecture);
    for (const std::string& method : job.methods) {
      const std::optional<KernelShapes> shapes = kernel_of(method);
      if (!shapes || *shapes == ShapeClass::Flat) continue;
      if (architecture) {
        Step kernel = schedule.kernels.front();
        kernel.request = request_of(*shapes);
        schedule.kernels.push_back(std::move(kernel));
      }
      schedule.methods.push_back({method, {schedule.kernels.size() - 1}});
    }
    return schedule;
  }

  // The flat kernel, the first of every job, has no request, so an image that has one is none of a whole job.
  base::Bytes job_request(const KernelSpec&) const override { return {}; }

  std::vector<std::string> words_on(std::span<const std::byte> request) const override {
    const std::optional<KernelShapes> shapes = kernel_of(request);
    if (!shapes || *shapes == ShapeClass::Flat) return {};
    std::string word = base::format("shapes={}", elementwise::name(shapes->shapes));
    const char* before = ":";
    for (unsigned k = 0; k < GRAFT_MAX_INPUTS; ++k) {
      if ((shapes->inputs >> k & 1) == 0) continue;
      base::append(word, "{}{}", before, k);
      before = ",";
    }
    return {word};
  }

  // ---- kernel specs ----

  Choice choose(const families::Request& request) const override {
    if (request.route == Route::Host) return {.tuning = {}, .reason = "the host route runs a loop over the elements"};
    if (is_for_views(request.program)) return choose_for_views(request);
    const Policy policy = request.route == Route::Indirect ? indirect_policy() : chosen_policy(request);
    return {.tuning = tuning_of(policy), .reason = policy.reason};
  }

  std::optional<MeasuredPolicy> measured(const Step& step, const Options& options,
                                         const format::TuningFile& file) const override {
    if (made_for(step.request).shapes != ShapeClass::Flat || !families::names_of(options.policy).empty())
      return std::nullopt;
    const codegen::SourceProgram program = families::prepare_program(step, options);
    const std::optional<Signature> signature = shown_signature(program, options);
    return signature ? find_measured(*signature, program.scan.mentions_long_math, file) : std::nullopt;
  }

  std::string objection_to_tuning(const format::TuningFile& file) const override {
    for (const format::MeasuredRow& row : file.elementwise)
      if (std::string why = elementwise::objection_to(row); !why.empty()) return why;
    return {};
  }

  std::optional<families::LighterKernel> lighter(const KernelSpec& kernel,
                                                 const PolicyOverrides& asked) const override {
    const Policy policy = policy_of(kernel);
    if (asked.body || policy.body == Body::Rolled) return std::nullopt;
    families::LighterKernel lighter{
        .kernel = kernel,
        .name = "rolled",
        .calls_for_one = kernel.request.empty() ? policy.elements_per_thread() : policy.vector_width + 1};
    lighter.kernel.tuning = tuning_of(rolled(policy));
    return lighter;
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    const std::optional<KernelShapes> shapes = kernel_of(kernel.request);
    if (!shapes) return "it asks for something that elementwise kernels do not have";
    if (*shapes != ShapeClass::Flat && count_masks(kernel.signature) > 0) return "it is for views, and has bit arrays";
    if (kernel.signature.further_inputs() > 0) return "it has further inputs of a store callback";
    if (in_tiles(kernel.signature, shapes->inputs, static_cast<std::uint32_t>(kernel.shared_bytes)) != shapes->inputs)
      return "it is for transposed inputs that have no tiles";
    std::string why;
    const std::optional<Policy> policy = policy_of(kernel, why);
    if (policy && *shapes != ShapeClass::Flat && !fits(*policy, *shapes, kernel.signature))
      return "it is for views, and handles other numbers of elements than such kernels do";
    return why;
  }

  std::optional<Tuning> serve(const KernelSpec& finished, const PolicyOverrides& asked,
                              std::string& why) const override {
    const Policy policy = policy_of(finished);
    why = misfit(policy, asked);
    if (!why.empty()) return std::nullopt;
    return finished.route == Route::Indirect ? finished.tuning : tuning_of(launched(policy, asked));
  }

  std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec& kernel) const override {
    std::vector<std::string> notes;
    if (kernel.route == Route::Indirect || kernel.route == Route::Host) {
      for (const std::string& name : families::names_of(asked))
        notes.push_back(
            base::format("Options::policy.{} has no effect on the {} route", name, graft::name(kernel.route)));
      return notes;
    }
    const Policy policy = policy_of(kernel);
    notes = notes_on_words(kernel.signature, policy);
    for (const std::string& name : without_effect(asked, policy))
      notes.push_back(base::format(
          "Options::policy.{} has no effect on a rolled kernel: each of its threads handles one element at a time",
          name));
    return notes;
  }

  std::string describe(const KernelSpec& kernel) const override {
    return kernel.route == Route::Host ? std::string() : policy_of(kernel).text();
  }

  // ---- callbacks ----

  void check(const Callback::Composition& composition) const override {
    if (composition.kind != Callback::Composition::Staged) return;
    const std::optional<Callback>&load = composition.parts[0], &store = composition.parts[2];
    if (!load && !store)
      refuse("graft::Stages has neither a load nor a store callback", "Create the transform from the op alone.");
    for (const std::optional<Callback>& stage : {load, store})
      if (stage && stage->composition() != nullptr)
        refuse("a load or store callback of graft::Stages is itself a composition", "Give a single callback.");
  }

  bool stages_need_cufft_signature() const noexcept override { return true; }

  std::string_view stages_word() const noexcept override { return "stages"; }

  std::string_view taker_of_cufft_callbacks() const noexcept override { return "graft::Stages"; }

  std::string_view kernel_word() const noexcept override { return "transform"; }

  std::span<const base::Phrase> c_words() const override { return kCWords; }

  // ---- code ----

  std::optional<Code> code(const CodeRequest& request) const override {
    if (request.kernel == nullptr) {
      if (request.is_whole || can_be_exact(request.program)) return std::nullopt;  // the tuning must be known first
      return general_code(request);
    }
    const Policy policy = policy_of(*request.kernel);
    if (!policy.exact) return general_code(request);
    const Signature& signature = request.kernel->signature;
    if (is_for_views(request.program))
      return Code{.text = exact_views_text(request.program, signature, request.types, policy,
                                           made_for(request.kernel->request))};
    return Code{.text = exact_program_text(request.program, signature, request.types, policy, request.is_whole)};
  }

  // Bit arrays have no exact program, and a general one would need the signature first.
  bool is_sooner_whole(const codegen::SourceProgram& program, const std::optional<Signature>& shown) const override {
    return can_be_exact(program) && !(shown && count_masks(*shown) > 0);
  }

  bool links_blocks() const noexcept override { return true; }

  std::vector<std::string> blocks(const KernelSpec& kernel) const override {
    const Policy policy = policy_of(kernel);
    const bool is_flat = kernel.request.empty();
    if (policy.exact && !is_flat) return {};  // the adapter is the whole kernel
    std::vector<std::string> files = {is_flat ? "elementwise/transform.ltoir"
                                              : base::format("elementwise/{}{}.ltoir", block_for_views(kernel),
                                                             kernel.signature.is_selective() ? "_selective" : "")};
    if (is_flat && !policy.exact)
      files.push_back(base::format("elementwise/tile{}{}.ltoir", count_masks(kernel.signature) > 0 ? "_bits" : "",
                                   kernel.signature.is_selective() ? "_selective" : ""));
    for (const Tuning::Decision& answer : answers(policy))
      files.push_back(base::format("elementwise/policy/{}_{}.ltoir", answer.name, answer.value));
    return files;
  }

  std::string building_block_text(const KernelSpec& kernel) const override {
    codegen::ProgramText text;
    text.include("graft/contract.h");
    write_building_block(text, kernel, policy_of(kernel));
    return text.take();
  }

  std::vector<std::string_view> headers() const override {
    return {"graft/elementwise/transform.cu",  "graft/elementwise/tile.cu",  "graft/elementwise/strided.cu",
            "graft/elementwise/transposed.cu", "graft/elementwise/places.h", "graft/elementwise/units.h",
            "graft/elementwise/tiles.h",       "graft/elementwise/bits.h",   "graft/elementwise/host_loop.h"};
  }

  const families::IndirectCode* indirect() const noexcept override { return &indirect_; }

  std::string host_text(const codegen::SourceProgram& program) const override {
    codegen::ProgramParts parts = program.parts;
    codegen::ProgramText front;
    front.include("graft/elementwise/host_loop.h");
    parts.front += front.take();
    return codegen::program_text(parts);
  }

  // ---- calls ----

  std::unique_ptr<const families::Caller> caller(const families::Job& job, const families::Schedule&,
                                                 std::span<const KernelSpec* const> kernels) const override {
    const bool is_of_pack = !job.callbacks.empty() && job.callbacks.front().callback.form() == graft::Form::Pack;
    return std::make_unique<ElementwiseCaller>(kernels, is_of_pack);
  }

 private:
  static Policy chosen_policy(const families::Request& request) {
    Policy policy = choose_policy(request.signature, request.architecture, request.options.policy,
                                  request.program.scan.mentions_long_math);
    if (request.options.measured && families::names_of(request.options.policy).empty())
      policy = with_measured(std::move(policy), *request.options.measured, request.signature);
    policy.exact =
        request.writes_text && can_be_exact(request.program) && fits_exact_program(request.signature, policy);
    if (!policy.exact) policy.single_below = 0;  // the general adapter has no tiles of one vector per thread
    // A callback that declares __shared__ memory may leave too little of it for the adapter.
    const bool has_own = request.program.scan.mentions_shared_memory;
    // Threads that store through shared memory wait for each other, and a selective callback's threads may have nothing
    // to store.
    const bool may_stage = policy.exact && !has_own && !request.signature.is_selective();
    policy.words_through_shared = may_stage ? GRAFT_WORDS_THROUGH_SHARED : 0;
    return policy;
  }

  static KernelShapes made_for(std::span<const std::byte> request) {
    return kernel_of(request).value_or(KernelShapes());
  }

  static bool is_for_views(const codegen::SourceProgram& program) {
    return made_for(program.request).shapes != ShapeClass::Flat;
  }

  static Choice choose_for_views(const families::Request& request) {
    const KernelShapes shapes = made_for(request.program.request);
    const bool is_transposed = shapes.shapes == ShapeClass::Transposed;
    if (request.route == Route::Indirect && is_transposed)
      fail(ErrorCode::RouteUnavailable, "kernels that transpose inputs need the route lto, program or ptx",
           "Make the transform with Options::any_shape, whose kernel serves every shape. The other routes need NVRTC, "
           "and packs have this one alone.");
    const auto shared_bytes = static_cast<std::uint32_t>(request.options.shared_bytes);
    if (in_tiles(request.signature, shapes.inputs, shared_bytes) != shapes.inputs)
      refuse(base::format("the kernel {} is wanted, and not all of these inputs of the callback can be in tiles",
                          method_of(shapes)),
             "Name the kernel that Transform::describe_shapes names, or strided.");
    if (count_masks(request.signature) > 0)
      refuse("a kernel for arrays of any shape is wanted, and the callback takes bit arrays, which have one dimension",
             "Leave Options::any_shape and Options::shapes out, or take the words as an array of integers.");
    const std::string reason = base::format("for arrays of any shape: {}", method_of(shapes));
    if (request.route == Route::Indirect) {
      Policy policy = indirect_policy();
      policy.vectors_per_thread = 1;
      return {.tuning = tuning_of(policy), .reason = reason};
    }
    const bool has_long_math = request.program.scan.mentions_long_math;
    const PolicyOverrides asked = {.programmatic_launch = request.options.policy.programmatic_launch};
    const Policy of_flat = choose_policy(request.signature, request.architecture, asked, has_long_math);
    Policy policy = rolled(of_flat);
    if (request.options.policy.body != Body::Rolled) {
      policy.body = Body::Vector;
      policy.vector_width = width_of_units(request.signature);
      if (has_long_math && !is_transposed) policy.vectors_per_thread = of_flat.vectors_per_thread;
    }
    policy.exact = request.writes_text && can_be_exact(request.program) && fits_exact_views(request.signature, policy);
    policy.block_threads =
        is_transposed ? GRAFT_TILE_THREADS : request.options.policy.block_threads.value_or(policy.block_threads);
    return {.tuning = tuning_of(policy), .reason = reason};
  }

  static const char* block_for_views(const KernelSpec& kernel) {
    return made_for(kernel.request).shapes == ShapeClass::Transposed ? "transposed" : "strided";
  }

  // Whether a finished kernel for views can be launched as this family does.
  static bool fits(const Policy& policy, const KernelShapes& shapes, const Signature& signature) {
    if (policy.exact && !fits_exact_views(signature, policy)) return false;
    return (policy.vector_width == width_of_units(signature) || policy.elements_per_thread() == 1) &&
           (shapes.shapes != ShapeClass::Transposed || policy.block_threads == GRAFT_TILE_THREADS);
  }

  static Code general_code(const CodeRequest& request) {
    codegen::ProgramParts parts = request.program.parts;
    codegen::ProgramText front;
    if (is_for_views(request.program)) front.define("GRAFT_VIEWS");
    if (const std::uint32_t inputs = made_for(request.program.request).inputs; inputs != 0)
      front.define("GRAFT_TRANSPOSED", base::format("{}u", inputs));
    if (request.is_whole) write_building_block(front, *request.kernel, policy_of(*request.kernel));
    parts.front += front.take();
    return Code{.text = codegen::program_text(parts), .is_general = true};
  }

  // Writes the text of the building block. This text comes in front of the user's text, out of reach of the user's
  // macros, and in a namespace, so that its names do not clash with the user's. The functions through which building
  // block and adapter call each other are extern "C", and therefore the same functions in every namespace.
  static void write_building_block(codegen::ProgramText& text, const KernelSpec& kernel, const Policy& policy) {
    for (const Tuning::Decision& answer : answers(policy))
      text.line("GRAFT_ANSWER int graft_{}() {{ return {}; }}", answer.name, answer.value);
    text.line("namespace graft_block {{");
    if (kernel.request.empty()) text.include("graft/elementwise/transform.cu");
    if (!policy.exact && kernel.signature.is_selective()) text.define("GRAFT_SELECTIVE", "true");
    if (!policy.exact && count_masks(kernel.signature) > 0) {
      text.define("GRAFT_HAS_BITS", "true");
      text.include("graft/elementwise/bits.h");
    }
    if (!policy.exact) text.include("graft/elementwise/tile.cu");
    if (!kernel.request.empty()) {
      text.include("graft/elementwise/places.h");
      text.include("graft/elementwise/units.h");
      text.include("graft/elementwise/tiles.h");
      text.include(base::format("graft/elementwise/{}.cu", block_for_views(kernel)));
    }
    text.line("}}");
  }

  ElementwiseIndirect indirect_;
};

}  // namespace

const families::Family& family() {
  static const Elementwise one;
  return one;
}

}  // namespace graft::elementwise
