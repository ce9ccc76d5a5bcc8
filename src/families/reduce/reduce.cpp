// Implements the interface of a family with these parts:
//
//     job        from the callbacks of a graft::Reduce to the kernels
//     kernels    which there are
//     order      how the elements of a result are cut into chunks
//     checks     of the arrays of a call
//     views      calls with arrays of any shape: the kernel that serves them best, and its launches
//     caller     checks a call and gives the runner its launches
//     words      of refusals
//
// The code is in building_blocks/reduce. A callback of this family is a composition of the stages load, op and store,
// where load is the map callback, op combine, and store finish.
#include "families/reduce/reduce.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/reduce/arithmetic.hpp"
#include "families/reduce/caller.hpp"
#include "families/reduce/exact_text.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/words.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

class Reduction final : public Family {
 public:
  std::string_view name() const noexcept override { return kFamily; }

  Face face() const noexcept override {
    return {"a reduction", "Load it with graft::Reduce::load.", "Call graft::Reduce::execute(graft::host, in, out)"};
  }

  Schedule schedule(const Job& job, std::optional<Architecture> architecture) const override {
    return schedule_of(job, !architecture);
  }

  base::Bytes job_request(const KernelSpec& kernel) const override {
    std::string why;
    KernelRequest request = read_request(kernel.request, why).value();
    request.kind = KernelKind::Whole;
    return request_of(request);
  }

  std::string title(const Job&) const override { return "a reduction"; }

  std::vector<std::string> words_on(std::span<const std::byte> request) const override {
    std::string why;
    const std::optional<KernelRequest> read = read_request(request, why);
    if (!read) return {};
    std::vector<std::string> words = {base::format("order={}", GRAFT_REDUCE_ORDER)};
    if (read->kind != KernelKind::Whole) words.push_back(base::format("shapes={}", reduce::name(read->kind)));
    if (!read->initial.empty()) words.emplace_back("initial");
    return words;
  }

  Choice choose(const Request& request) const override {
    if (request.options.shared_bytes != 0)
      refuse("Options::shared_bytes is for load and store callbacks, which reductions do not have",
             "Leave Options::shared_bytes unset.");
    return {{}, "one rule for every length"};
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    std::string why;
    if (!read_request(kernel.request, why)) return why;
    if (kernel.route == Route::Indirect) return "its route is indirect";
    const Signature& signature = kernel.signature;
    if (signature.inputs().empty() || signature.outputs().empty()) return "it has no inputs or no outputs";
    if (!signature.accumulator()) return "it has no accumulator";
    if (signature.is_selective() || signature.further_inputs() > 0) return "its signature is not that of a reduction";
    for (const auto& types : {signature.inputs(), signature.outputs()})
      for (const ElementType& type : types)
        if (type.kind == ElementKind::Opaque || type.kind == ElementKind::Bit) return "it has arrays of no elements";
    return "";
  }

  std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec& kernel) const override {
    std::vector<std::string> notes;
    for (const std::string& name : names_of(asked))
      notes.push_back(base::format("Options::policy.{} has no effect on reductions", name));
    notes.push_back(base::format("the bits of results are the same in each run, on each stream and for each layout; {}",
                                 promise_elsewhere(kernel)));
    if (const ElementType& accumulator = *kernel.signature.accumulator();
        accumulator.size <= 2 && accumulator.kind != ElementKind::Class && accumulator.kind != ElementKind::Bool)
      notes.push_back(base::format(
          "the accumulator is {}: sums of many elements do not fit into it, or lose what is small. Let map return a "
          "wider type",
          to_string(accumulator)));
    return notes;
  }

  std::string describe(const KernelSpec& kernel) const override {
    std::string why;
    const std::optional<KernelRequest> request = read_request(kernel.request, why);
    if (!request) return "";
    return base::format("kernel {}, order {}, {} lanes{}", reduce::name(request->kind), GRAFT_REDUCE_ORDER,
                        GRAFT_REDUCE_LANES, request->initial.empty() ? "" : ", with an initial accumulator");
  }

  bool stages_pass_large_values() const noexcept override { return true; }  // accumulators

  reflect::RefusalWords refusal(unsigned number) const override {
    return kRefusals.at(number - graft_adapter::kReduceMap);
  }

  std::span<const base::Phrase> c_words() const override { return kCWords; }

  std::optional<Code> code(const CodeRequest& request) const override {
    std::string why;
    const KernelKind kind = read_request(request.program.request, why).value().kind;
    codegen::ProgramText text;
    std::optional<ExactText> exact;
    if (request.types == TypesFrom::Text) exact = exact_text(request.program);
    if (request.types == TypesFrom::Text && !exact) return std::nullopt;
    text.raw(exact ? exact->text : with_hooks(request.program, device_headers(kind)));
    if (!exact) {
      codegen::undefine_names_in_words(text);
      write_probe_types(text);
    }
    const int registers = request.program.parts.max_registers;
    // Heavy callbacks need all registers: with fewer, they keep values in local memory.
    const bool has_segments = kind == KernelKind::ShortSegments || kind == KernelKind::LongSegments;
    const char* const blocks = request.program.scan.mentions_long_math ? "2"
                               : has_segments                          ? "graft_reduce_blocks<graft_hooks, true>"
                                                                       : "graft_reduce_blocks<graft_hooks>";
    text.line(
        "extern \"C\" __global__ void {0} {1}(const __grid_constant__ graft_reduce_{2}arguments<graft_hooks> graft_p) "
        "{{\n  graft_reduce_{3}<graft_hooks>(graft_p);\n}}",
        registers > 0 ? base::format("__maxnreg__({})", registers)
                      : base::format("__launch_bounds__({}, {})", GRAFT_REDUCE_LANES, blocks),
        codegen::kernel_name(request.program.parts), kind == KernelKind::Whole ? "" : "view_", reduce::name(kind));
    return Code{text.take(), !exact};
  }

  std::optional<Signature> shown_signature(const codegen::SourceProgram& program, const Options&) const override {
    std::optional<ExactText> exact = exact_text(program);
    return exact ? std::optional(std::move(exact->signature)) : std::nullopt;
  }

  // The texts contain everything but callbacks that are binaries, so there is nothing to link otherwise.
  bool is_sooner_whole(const codegen::SourceProgram&, const std::optional<Signature>&) const override { return true; }

  std::string reading_text(const codegen::SourceProgram& program) const override { return code({program})->text; }

  std::vector<std::string_view> headers() const override {
    return {"graft/reduce/refusals.h", "graft/reduce/order.h",  "graft/reduce/hooks.h",  "graft/reduce/loads.h",
            "graft/reduce/lanes.h",    "graft/reduce/arrays.h", "graft/reduce/exact.h",  "graft/reduce/whole.h",
            "graft/reduce/places.h",   "graft/reduce/groups.h", "graft/reduce/warps.h",  "graft/reduce/tiny.h",
            "graft/reduce/short.h",    "graft/reduce/long.h",   "graft/reduce/chunks.h", "graft/reduce/columns.h",
            "graft/reduce/host.h"};
  }

  std::string host_text(const codegen::SourceProgram& program) const override {
    codegen::ProgramText text;
    text.raw(with_hooks(program, {"graft/reduce/places.h", "graft/reduce/host.h"}));
    write_probe_types(text);
    text.line(
        "GRAFT_EXPORT void graft_host_run(const void* graft_p, unsigned long long graft_begin, unsigned long long "
        "graft_end) {{\n"
        "  using graft_all = graft_reduce_view_arguments<graft_hooks>;\n"
        "  graft_reduce_on_host<graft_hooks>(*static_cast<const graft_all*>(graft_p), graft_begin, graft_end);\n}}");
    return text.take();
  }

  std::unique_ptr<const Caller> caller(const Job&, const Schedule&,
                                       std::span<const KernelSpec* const> kernels) const override {
    return make_caller(kernels);
  }

 private:
  // What holds for other GPUs and the host, and why.
  static std::string promise_elsewhere(const KernelSpec& kernel) {
    const auto is_integer = [](const ElementType& type) {
      return type.kind == ElementKind::Bool || type.kind == ElementKind::Signed || type.kind == ElementKind::Unsigned;
    };
    const Signature& signature = kernel.signature;
    if (is_integer(*signature.accumulator()) && std::ranges::all_of(signature.inputs(), is_integer))
      return "on other GPUs and on the host too, because elements and accumulators are integers";
    if (kernel.floating_point.fast_math)
      return "other GPUs and the host may compute other ones, because fast_math is on";
    std::string why;
    const std::string function = read_request(kernel.request, why).value_or(KernelRequest()).inexact_function;
    if (!function.empty() && function != kUnknownFunctions)
      return base::format("other GPUs and the host may compute other ones, because the callbacks' texts call {}",
                          function);
    if (kernel.floating_point.contraction)
      return "other kernels, GPUs and the host may round a product and a sum once or twice, unless "
             "Options::floating_point.contraction is off";
    if (function.empty())
      return "on other GPUs and on the host too, because the callbacks' texts call no functions as exp, log and sin, "
             "and contraction is off";
    return "on other GPUs and on the host too, as far as the compiled callbacks and included headers use + - * /, "
           "sqrt, fma and comparisons and no functions as exp, log and sin";
  }

  static std::vector<std::string_view> device_headers(KernelKind kind) {
    std::vector<std::string_view> headers = {"graft/reduce/loads.h", "graft/reduce/lanes.h"};
    if (kind != KernelKind::Whole) headers.emplace_back("graft/reduce/places.h");
    switch (kind) {
      case KernelKind::Whole:
        headers.insert(headers.end(), {"graft/reduce/arrays.h", "graft/reduce/whole.h"});
        break;
      case KernelKind::Tiny:
        headers.insert(headers.end(), {"graft/reduce/groups.h", "graft/reduce/tiny.h"});
        break;
      case KernelKind::Short:
      case KernelKind::ShortSegments:
        headers.insert(headers.end(), {"graft/reduce/groups.h", "graft/reduce/warps.h", "graft/reduce/short.h"});
        break;
      case KernelKind::Long:
      case KernelKind::LongSegments:
        headers.insert(headers.end(), {"graft/reduce/groups.h", "graft/reduce/long.h"});
        break;
      case KernelKind::Chunks:
        headers.insert(headers.end(), {"graft/reduce/groups.h", "graft/reduce/warps.h", "graft/reduce/chunks.h"});
        break;
      case KernelKind::Columns:
        headers.emplace_back("graft/reduce/columns.h");
        break;
    }
    return headers;
  }

  // The users' texts, behind the templates that call the callbacks.
  static std::string with_hooks(const codegen::SourceProgram& program, std::vector<std::string_view> code) {
    if (!program.parts.composition.starts_with("graft_staged<"))
      refuse("the callbacks of a reduction are not given as graft::Stages", "Make reductions with graft::Reduce.");
    codegen::ProgramParts parts = program.parts;
    codegen::ProgramText front;
    std::string why;
    const KernelRequest request = read_request(program.request, why).value();
    write_initial(front, request);
    if (request.kind != KernelKind::Whole) front.define("GRAFT_REDUCE_VIEWS");
    code.insert(code.begin(),
                {"graft/compose.h", "graft/reduce/refusals.h", "graft/reduce/order.h", "graft/reduce/hooks.h"});
    for (const std::string_view header : code) front.include(header);
    parts.front += front.take();
    return codegen::callback_section(parts) +
           base::format("using graft_hooks = graft_reduce_hooks<{}>;\n", program.parts.composition);
  }

  static void write_initial(codegen::ProgramText& text, const KernelRequest& request) {
    if (request.initial.empty()) return;
    std::string bytes;
    for (const std::byte byte : request.initial)
      base::append(bytes, "{}{}", bytes.empty() ? "" : ",", static_cast<unsigned>(byte));
    text.line("#define GRAFT_REDUCE_INITIAL {}\n#define GRAFT_REDUCE_INITIAL_KIND {}u", bytes,
              static_cast<unsigned>(request.initial_kind));
  }

  static void write_probe_types(codegen::ProgramText& text) {
    text.line("using graft_function = graft_hooks::graft_function;");
    text.line("using graft_facts = graft_facts_of_composition<graft_hooks>;");
  }
};

}  // namespace

const Family& family() {
  static const Reduction one;
  return one;
}

}  // namespace graft::families::reduce
