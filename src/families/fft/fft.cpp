// Implements the interface of a family with these parts:
//
//     request    what an FFT, and each of its kernels, is asked for
//     job        from the request of an FFT to the kernels of its plan
//     plan       how kernels compute an FFT: lengths, planner, block_planner, shared_places
//     program    writes the text of a kernel: text_thread, symbol
//     caller     checks a call and lays out its launches: arguments, batch, roots
//
// A callback of this family is a composition of the stages load, op and store, where the op is the callback between an
// FFT and its inverse. Each stage may be absent.
#include "families/fft/fft.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "core/fail.hpp"
#include "families/fft/caller.hpp"
#include "families/fft/difference.hpp"
#include "families/fft/exact_hooks.hpp"
#include "families/fft/job.hpp"
#include "families/fft/measured_plans.hpp"
#include "families/fft/program.hpp"
#include "families/fft/request.hpp"
#include "families/fft/tuned_plans.hpp"
#include "families/fft/words.hpp"
#include "reflect/callback/mistakes.hpp"

namespace graft::families::fft {
namespace {

KernelRequest request_of(std::span<const std::byte> bytes) {
  KernelRequest request;
  if (const std::string why = read(bytes, request); !why.empty())
    refuse(base::format("no FFT has the kernel that is asked for: {}", why), "Make FFTs with graft::Fft.");
  return request;
}

const Kernel& kernel_of(const KernelRequest& request, const Plan& plan) {
  return plan.kernels[static_cast<std::size_t>(request.kernel)];
}

class Fft final : public Family {
 public:
  std::string_view name() const noexcept override { return kFamily; }

  Face face() const noexcept override {
    return {"an FFT", "Load it with graft::Fft::load.", "Call graft::Fft::execute(graft::host, in, out)"};
  }

  Schedule schedule(const Job& job, std::optional<Architecture> architecture) const override {
    return schedule_of(job, architecture);
  }

  std::string title(const Job& job) const override { return title_of(job); }

  base::Bytes job_request(const KernelSpec& kernel) const override {
    KernelRequest request;
    read(kernel, request);
    return write(static_cast<const FftRequest&>(request));
  }

  base::Bytes tuned_request(const Job& job, const format::TuningFile& file) const override {
    FftRequest request;
    return read(job.request, request).empty() ? write(with_tuned_plans(std::move(request), file)) : job.request;
  }

  base::Bytes shipped_request(const base::Bytes& bytes) const override {
    FftRequest request;
    if (!read(bytes, request).empty()) return bytes;
    request.tuned = request.tuned_inverse = {};
    return write(request);
  }

  bool has_tuning_rows() const noexcept override { return true; }

  std::string objection_to_tuning(const format::TuningFile& file) const override {
    return objection_to_tuned_plans(file);
  }

  void upgrade(KernelSpec& kernel) const override {
    KernelRequest request;
    if (!kernel.request.empty() || !read(kernel, request).empty()) return;  // objection_to says what is wrong with it
    kernel.request = write(request);
    kernel.tuning = {};
  }

  std::vector<std::string> words_on(std::span<const std::byte> request) const override {
    return fft::words_on(request);
  }

  Choice choose(const Request& request) const override {
    const KernelRequest asked = request_of(request.program.request);
    // The limit of the closed mode is not the user's choice. The compiler ignores it, as the kernels have launch
    // bounds.
    if (request.options.max_registers != 0 && !request.options.closed)
      refuse("Options::max_registers has no effect on FFTs, whose plans decide how many registers a kernel has",
             "Leave Options::max_registers unset.");
    if (request.options.any_shape || !request.options.shapes.empty())
      refuse("Options::any_shape and Options::shapes have no effect on FFTs, whose plans say where elements are",
             "Leave them unset; FFTs with FftPlan::has_strides take views.");
    if (!request.options.baked_state.empty())
      refuse("the callbacks of an FFT cannot have a baked state", "Pass the state to each execute.");
    if (request.route != Route::Host) check_shared_memory(asked, request.architecture, request.options.shared_bytes);
    return {{}, reason_for(asked)};
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    KernelRequest request;
    if (std::string why = read(kernel, request); !why.empty()) return why;
    if (kernel.route == Route::Indirect) return "its route is indirect";
    // The plan of a kernel from a pack may be for an older architecture than the kernel. The facts that the kernels of
    // a pack share contain no architecture.
    const bool is_of_host = request.architecture.number == 0;
    const bool is_too_new = kernel.architecture.number != 0 && request.architecture.number > kernel.architecture.number;
    if (is_of_host != (kernel.route == Route::Host) || is_too_new)
      return base::format("its plan is for {}", is_of_host ? "the host" : request.architecture.sm());
    if (kernel.signature.outputs().size() != 1) return "its signature is not that of an FFT";
    return kernel.signature.in_outs().empty() ? "" : "it has in-out arrays";
  }

  std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec&) const override {
    std::vector<std::string> notes;
    for (const std::string& name : names_of(asked))
      notes.push_back(base::format("Options::policy.{} has no effect on FFTs", name));
    return notes;
  }

  // graft::Fft has no symbol(), with which Transform gives access to a variable.
  std::vector<std::string> notes_on_text(const codegen::SourceProgram& program) const override {
    std::vector<std::string> notes;
    for (const codegen::ProgramParts& part : program.parts.members)
      for (const std::string& name : reflect::unset_constants(part.callback_text))
        notes.push_back(
            base::format("`{}` is a __constant__ variable without a value in the callback's text, so it is "
                         "zero: cudaMemcpyToSymbol sets another variable of this name. Pass the values "
                         "through a state or caller_info",
                         name));
    return notes;
  }

  std::string describe(const KernelSpec& kernel) const override {
    KernelRequest request;
    read(kernel, request);
    const std::shared_ptr<const Plan> plan = plan_of(request);
    std::string text = base::format("kernel {} of {}, {}, ", request.kernel + 1, plan->kernels.size(),
                                    request.has_inverse               ? "forward and inverse"
                                    : request.is_inverse              ? "inverse"
                                    : serves_both_directions(request) ? "both directions"
                                                                      : "forward");
    // A kernel of real numbers may calculate with half as many points, and its plan says only these.
    if (request.is_real) base::append(text, "{}, ", title_of(request));
    if (request.scaling != Scaling::None) base::append(text, "scaling {}, ", fft::words_on(request.scaling));
    if (request.is_of_columns) text += "columns, ";
    return text + fft::describe(*plan);
  }

  std::optional<FixedRegisters> fixed_registers() const override {
    return FixedRegisters{"an FFT",
                          "use another length or precision: the plan of an FFT decides how many registers its kernels "
                          "need, and a bound does not change the plan"};
  }

  std::string_view taker_of_cufft_callbacks() const noexcept override { return "graft::FftCallbacks"; }

  reflect::RefusalWords refusal(unsigned number) const override {
    return kRefusals.at(number - graft_adapter::kFftLoad);
  }

  std::string_view stage_word(std::size_t stage) const override { return kStages.at(stage); }

  // A Position is wrong wherever it stands.
  std::string difference(const codegen::SourceProgram& program, unsigned number,
                         const RefusedCallback& callback) const override {
    KernelRequest request;
    if (number == graft_adapter::kFftPosition || !read(program.request, request).empty()) return {};
    return difference_of(request, callback);
  }

  std::span<const base::Phrase> c_words() const override { return kCWords; }

  std::optional<Code> code(const CodeRequest& request) const override {
    if (request.types == TypesFrom::Text)
      if (std::optional<std::string> exact = exact_text(request.program)) return Code{std::move(*exact), false};
    codegen::ProgramText behind;
    codegen::undefine_names_in_words(behind);
    behind.raw(device_text(program_request(request.program)));
    write_probe_types(behind);
    return Code{with_hooks(request.program) + behind.take(), true};
  }

  std::optional<Signature> shown_signature(const codegen::SourceProgram& program, const Options&) const override {
    const std::optional<ExactHooks> hooks = exact_hooks(program, request_of(program.request));
    return hooks ? std::optional(hooks->signature) : std::nullopt;
  }

  // The texts contain everything but callbacks that are binaries, so there is nothing to link otherwise.
  bool is_sooner_whole(const codegen::SourceProgram&, const std::optional<Signature>&) const override { return true; }

  // What the stages of a composition must take and return is known to the FFT only.
  std::string reading_text(const codegen::SourceProgram& program) const override { return code({program})->text; }

  std::vector<std::string_view> headers() const override { return {"graft/fft/refusals.h", "graft/fft/hooks.h"}; }

  std::string host_text(const codegen::SourceProgram& program) const override {
    const ProgramRequest request = program_request(program);
    codegen::ProgramText text;
    text.raw(with_hooks(program));
    text.raw(fft::host_text(request));
    write_probe_types(text);
    text.line(
        "GRAFT_EXPORT void graft_host_run("
        "const void* graft_parameter, unsigned long long graft_begin, unsigned long long graft_end) "
        "{{ {}(graft_parameter, graft_begin, graft_end); }}",
        request.name);
    return text.take();
  }

  std::unique_ptr<const Caller> caller(const Job& job, const Schedule& schedule,
                                       std::span<const KernelSpec* const> kernels) const override {
    return make_caller(job, schedule, kernels);
  }

  base::Bytes constants(const KernelSpec& kernel) const override { return constants_of(kernel); }

  std::uint32_t most_shared_bytes(const KernelSpec& kernel) const override { return shared_bytes_of(kernel); }

 private:
  static ProgramRequest program_request(const codegen::SourceProgram& program) {
    const KernelRequest asked = request_of(program.request);
    if (!program.parts.composition.starts_with("graft_staged<"))
      refuse("the callbacks of an FFT are not given as graft::Stages", "Make FFTs with graft::Fft.");
    ProgramRequest request;
    request.plan = *plan_of(asked);
    request.kernel = static_cast<std::size_t>(asked.kernel);
    request.name = codegen::kernel_name(program.parts);
    request.is_inverse = asked.is_inverse;
    request.scale = serves_both_directions(asked) ? 1 : scale_of(asked, asked.is_inverse);
    request.callback_shared_bytes = program.parts.shared_bytes;
    request.has_unit_stride_in = request.has_unit_stride_out = !asked.has_strides;
    request.has_long_arrays = asked.has_long_arrays;
    const char* const real = asked.precision == Precision::Double ? "double" : "float";
    const auto point = [&](bool is_number) { return is_number ? real : "graft_complex"; };
    request.hooks = base::format("graft_fft_hooks<{}, graft_complex", program.parts.composition);
    if (asked.is_real)
      base::append(request.hooks, ", {}, {}", point(asked.loads_numbers()), point(asked.stores_numbers()));
    request.hooks += '>';
    return request;
  }

  // The program without the adapter's templates. Nothing, if the callbacks need them.
  static std::optional<std::string> exact_text(const codegen::SourceProgram& program) {
    ProgramRequest request = program_request(program);
    const std::optional<ExactHooks> hooks = exact_hooks(program, request_of(program.request));
    if (!hooks) return std::nullopt;
    request.hooks = kExactHooks;
    codegen::ProgramParts parts = program.parts;
    parts.front += hooks->front;
    codegen::ProgramText text;
    text.include("graft/device.h");
    codegen::write_preamble(text, parts);
    codegen::write_plain_members(text, parts);
    codegen::undefine_names_in_words(text);
    text.raw(hooks->behind);
    text.raw(device_text(request));
    return text.take();
  }

  // The users' texts, between the templates that call the callbacks and the types of the probe.
  static std::string with_hooks(const codegen::SourceProgram& program) {
    codegen::ProgramParts parts = program.parts;
    parts.shared_bytes = 0;  // the kernel gives the callbacks their shared memory
    codegen::ProgramText front;
    front.include("graft/compose.h");
    front.include("graft/fft/refusals.h");
    front.include("graft/fft/hooks.h");
    parts.front += front.take();
    codegen::ProgramText text;
    text.raw(codegen::callback_section(parts));
    return text.take();
  }

  static void write_probe_types(codegen::ProgramText& text) {
    text.line("using graft_function = graft_hooks::graft_function;");
    text.line("using graft_facts = graft_facts_of_composition<graft_hooks>;");
  }

  static bool has_half_kernel(const KernelRequest& asked) {
    const std::vector<Kernel>& kernels = plan_of(asked)->kernels;
    return !kernels.empty() && kernels.front().block.has_half();
  }

  static std::string reason_for(const KernelRequest& asked) {
    if (tuned_choices(asked) != nullptr) return "tuned on this GPU by graft tune";
    const bool has_several = std::ranges::count_if(asked.shape, [](std::int64_t extent) { return extent > 1; }) > 1;
    const Choices* const measured =
        has_several ? nullptr
        : has_half_kernel(asked)
            ? measured_choices(asked.length / 2, asked.precision, asked.has_inverse, half_of(asked))
            : measured_choices(asked.length, asked.precision, asked.has_inverse);
    if (measured == nullptr || choices_of(*plan_of(asked)) != *measured)
      return "estimated from registers, shared memory and accesses to it";
    std::string reason =
        base::format("the table of measured plans has this plan for the length, measured on {}", kMeasuredOn);
    if (asked.architecture != kMeasuredArchitecture)
      base::append(reason, " and not on {}", asked.architecture.number == 0 ? "a CPU" : asked.architecture.sm());
    return reason;
  }

  static void check_shared_memory(const KernelRequest& asked, Architecture architecture, int callback_bytes) {
    const std::shared_ptr<const Plan> plan = plan_of(asked);
    const int bytes = shared_bytes(kernel_of(asked, *plan), callback_bytes);
    if (bytes > limits_of(architecture).shared_bytes_of_block)
      refuse(base::format(
                 "an FFT of {} needs {} bytes of shared memory with the {} of Options::shared_bytes, but {} has {}",
                 points_text(asked.length, asked.shape), bytes, callback_bytes, architecture.sm(),
                 limits_of(architecture).shared_bytes_of_block),
             "Ask for less shared memory for the callbacks.");
  }
};

}  // namespace

const Family& family() {
  static const Fft one;
  return one;
}

}  // namespace graft::families::fft
