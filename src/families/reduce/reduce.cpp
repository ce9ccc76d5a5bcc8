// Implements the interface of a family with these parts:
//
//     job      from the callbacks of a graft::Reduce to the kernel
//     order    how the elements are cut into chunks
//     caller   checks a call and lays out its launches
//     words    of refusals
//
// The code is in building_blocks/reduce. A callback of this family is a composition of the stages load, op and store,
// where load is the map callback, op combine, and store finish.
#include "families/reduce/reduce.hpp"

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/reduce/caller.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/words.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

class Reduction final : public Family {
 public:
  std::string_view name() const noexcept override { return kFamily; }

  Face face() const noexcept override { return {"a reduction", "Make it with graft::Reduce::create."}; }

  Schedule schedule(const Job& job, std::optional<Architecture>) const override { return schedule_of(job); }

  std::string title(const Job&) const override { return "a reduction"; }

  std::vector<std::string> words_on(std::span<const std::byte> request) const override {
    if (!objection_to_request(request).empty()) return {};
    return {base::format("order={}", GRAFT_REDUCE_ORDER)};
  }

  Choice choose(const Request& request) const override {
    if (!request.options.baked_state.empty())
      refuse("the callbacks of a reduction cannot have a baked state", "Pass the state to each execute.");
    if (request.options.shared_bytes != 0)
      refuse("Options::shared_bytes is for load and store callbacks, which reductions do not have",
             "Leave Options::shared_bytes unset.");
    return {{}, "one rule for every length"};
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    if (std::string why = objection_to_request(kernel.request); !why.empty()) return why;
    if (kernel.route == Route::Indirect) return "its route is indirect";
    const Signature& signature = kernel.signature;
    if (signature.inputs().empty() || signature.outputs().empty()) return "it has no inputs or no outputs";
    if (!signature.in_outs().empty() || signature.is_selective() || signature.further_inputs() > 0)
      return "its signature is not that of a reduction";
    for (const auto& types : {signature.inputs(), signature.outputs()})
      for (const ElementType& type : types)
        if (type.kind == ElementKind::Opaque || type.kind == ElementKind::Bit) return "it has arrays of no elements";
    return "";
  }

  std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec&) const override {
    std::vector<std::string> notes;
    for (const std::string& name : names_of(asked))
      notes.push_back(base::format("Options::policy.{} has no effect on reductions", name));
    return notes;
  }

  std::string describe(const KernelSpec&) const override {
    return base::format("order {}, {} lanes, one launch", GRAFT_REDUCE_ORDER, GRAFT_REDUCE_LANES);
  }

  bool stages_pass_large_values() const noexcept override { return true; }  // accumulators

  reflect::RefusalWords refusal(unsigned number) const override {
    return kRefusals.at(number - graft_adapter::kReduceMap);
  }

  std::optional<Code> code(const CodeRequest& request) const override {
    if (request.types == TypesFrom::Text) return std::nullopt;
    codegen::ProgramText text;
    text.raw(with_hooks(request.program, "graft/reduce/whole.h"));
    codegen::undefine_names_in_words(text);
    write_probe_types(text);
    const int registers = request.program.parts.max_registers;
    // Heavy callbacks need all registers: with fewer, they keep values in local memory.
    const char* const blocks = request.program.scan.mentions_long_math ? "2" : "graft_reduce_blocks<graft_hooks>";
    text.line(
        "extern \"C\" __global__ void {} {}(const __grid_constant__ graft_reduce_arguments<graft_hooks> graft_p) {{\n"
        "  graft_reduce_whole<graft_hooks>(graft_p);\n}}",
        registers > 0 ? base::format("__maxnreg__({})", registers)
                      : base::format("__launch_bounds__({}, {})", GRAFT_REDUCE_LANES, blocks),
        codegen::kernel_name(request.program.parts));
    return Code{text.take(), true};
  }

  // The texts contain everything but callbacks that are binaries, so there is nothing to link otherwise.
  bool is_sooner_whole(const codegen::SourceProgram&, const std::optional<Signature>&) const override { return true; }

  std::string reading_text(const codegen::SourceProgram& program) const override { return code({program})->text; }

  std::vector<std::string_view> headers() const override {
    return {"graft/reduce/refusals.h", "graft/reduce/order.h", "graft/reduce/hooks.h", "graft/reduce/whole.h",
            "graft/reduce/host.h"};
  }

  std::string host_text(const codegen::SourceProgram& program) const override {
    codegen::ProgramText text;
    text.raw(with_hooks(program, "graft/reduce/host.h"));
    write_probe_types(text);
    text.line(
        "GRAFT_EXPORT void graft_host_run(const void* graft_p, unsigned long long graft_begin, unsigned long long "
        "graft_end) {{\n"
        "  using graft_all = graft_reduce_arguments<graft_hooks>;\n"
        "  graft_reduce_on_host<graft_hooks>(*static_cast<const graft_all*>(graft_p), graft_begin, graft_end);\n}}");
    return text.take();
  }

  std::unique_ptr<const Caller> caller(const Job&, const Schedule&,
                                       std::span<const KernelSpec* const> kernels) const override {
    return make_caller(*kernels.front());
  }

 private:
  // The users' texts, behind the templates that call the callbacks.
  static std::string with_hooks(const codegen::SourceProgram& program, std::string_view code) {
    if (!program.parts.composition.starts_with("graft_staged<"))
      refuse("the callbacks of a reduction are not given as graft::Stages", "Make reductions with graft::Reduce.");
    codegen::ProgramParts parts = program.parts;
    codegen::ProgramText front;
    for (const std::string_view header :
         {std::string_view("graft/compose.h"), std::string_view("graft/reduce/refusals.h"),
          std::string_view("graft/reduce/order.h"), std::string_view("graft/reduce/hooks.h"), code})
      front.include(header);
    parts.front += front.take();
    return codegen::callback_section(parts) +
           base::format("using graft_hooks = graft_reduce_hooks<{}>;\n", program.parts.composition);
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
