// Kernels of the user's own: their code and the callbacks of their slots, each as LTO-IR, linked to one image.
//
//     compile   the code, if it is source
//     read      its kernels and slots, in the PTX of a link without callbacks
//     fill      for each slot: the callback's type, whether it fits, and the slot's function as LTO-IR
//     link      all of them
//
// Nothing of graft's is in the image.
#include <algorithm>
#include <future>
#include <set>

#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "compile/device_compile.hpp"
#include "compile/flags.hpp"
#include "compile/optimiser_check.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "link/link_error.hpp"
#include "link/linked.hpp"
#include "own_kernels/code_shape.hpp"
#include "own_kernels/fit.hpp"
#include "own_kernels/slot_program.hpp"
#include "routes/routes.hpp"

namespace graft::routes {
namespace {

using compile::DeviceCompiler;
using toolchain::LinkInput;
using toolchain::LinkInputKind;

constexpr const char* kLtoOnly =
    "Give the kernel as source, as LTO-IR, or as a fatbin with LTO-IR: nvcc -fatbin -rdc=true -gencode "
    "arch=compute_90,code=lto_90.";

// The LTO-IR of one part of the image, and what the report says about it.
struct Part {
  base::Bytes code;
  std::vector<LinkInput> binaries;  // of a compiled callback, and link inputs
  std::string log;
  std::string note;
};

class SlotBuild {
 public:
  SlotBuild(const Step& step, Architecture architecture, const Options& options, const compile::Toolbox& toolbox,
            const plan::HeaderScan* scan)
      : parts_(step.callback.composition()->parts),
        code_(*parts_.front()),
        asked_(base::read_record<families::AskedKernels>(step.request).value()),
        architecture_(architecture),
        options_(options),
        toolbox_(toolbox),
        watch_(image_.report) {
    image_.report.kernel = {.family = step.family,
                            .route = Route::Lto,
                            .architecture = architecture,
                            .request = step.request,
                            .floating_point = options.floating_point,
                            .max_registers = options.max_registers,
                            .compiler_options = canonical_compiler_options(options.compiler_options)};
    tools_ = open();
    tools_.scan = scan;
    watch_.step("open tools");
  }

  own_kernels::CodeShape read() {
    compile_code();
    return read_code();
  }

  Image::Data build() {
    const std::future<void> look = std::async(std::launch::async, [check = check()] { check.look(); });
    const own_kernels::CodeShape shape = read();
    fill(shape);
    link(shape);
    look.wait();
    if (std::string known = check().known_objection(); !known.empty()) image_.report.notes.push_back(std::move(known));
    image_.objection_to_storing = [check = check(), linked = compile::OptimiserCheck::Clock::now()] {
      return check.objection(linked);
    };
    return std::move(image_);
  }

 private:
  compile::OptimiserCheck check() const { return {tools_, architecture_}; }

  compile::OpenTools open() {
    compile::OpenTools tools = compile::open_tools({.required = Route::Lto}, toolbox_);
    image_.report.toolkit = tools.origin;
    const bool compiles = std::ranges::any_of(parts_, [](const auto& part) { return part->form() == Form::Source; });
    for (const auto& [state, is_needed] : {std::pair(&tools.states.nvjitlink, true), {&tools.states.nvrtc, compiles}})
      if (is_needed && !state->available)
        fail(ErrorCode::ToolMissing, base::format("{} cannot be linked: {}", code_.name(), state->why_not),
             plan::remedy_for_missing_tools(tools.states.driver));
    if (tools.nvrtc && compiles) image_.report.versions.push_back(tools.nvrtc_version());
    image_.report.versions.push_back(tools.nvjitlink_version());
    return tools;
  }

  // ---- the code of the kernels ----

  void compile_code() {
    binary_ = link::examine(code_, architecture_);
    inputs_ = binary_.inputs;
    if (code_.form() != Form::Source) {
      if (!asked_.entries.empty())
        refuse(base::format("{} is {}, so its kernels are there already", code_.name(), name(code_.form())),
               "Leave KernelCode::with_entry out: instances of templates are made from source only.");
      if (!binary_.material.ltoir)
        fail(ErrorCode::RouteUnavailable,
             base::format("{} has no LTO-IR for {}, and nothing can be inlined into machine code or PTX", code_.name(),
                          architecture_.sm()),
             kLtoOnly);
      return;
    }
    const codegen::SourceProgram program = codegen::prepare_text(code_, options_);
    const DeviceCompiler compiler(program, architecture_, options_, tools_);
    std::vector<std::string> expressions;
    for (const std::string& entry : asked_.entries) expressions.push_back("&" + entry);
    DeviceCompiler::Named made =
        compiler.named(codegen::text_alone(program.parts), expressions, DeviceCompiler::Extent::Code);
    code_bytes_ = std::move(made.compiled.code);
    image_.report.source = std::move(made.compiled.source);
    image_.report.compiler_log = std::move(made.compiled.log);
    inputs_.insert(inputs_.begin(), {LinkInputKind::LtoIr, code_bytes_, code_.name()});
    watch_.step("compile kernel");
  }

  // nvJitLink makes PTX of the code alone. It optimises the code for that, as in every link: its option -O0 would make
  // this four times as fast, and would change all later links of the process.
  own_kernels::CodeShape read_code() {
    const toolchain::LinkRequest request{.inputs = inputs_,
                                         .options = compile::link_flags(options_, architecture_),
                                         .output = toolchain::LinkOutput::Ptx,
                                         .may_be_incomplete = true};
    const toolchain::LinkResult result = tools_.nvjitlink->link(request);
    if (!result.ok) fail_link(result, base::format("{} cannot be read", code_.name()));
    own_kernels::CodeShape shape = own_kernels::read_code_shape(base::as_text(result.code), code_.name());
    watch_.step("read kernel");
    return shape;
  }

  // ---- the slots ----

  void fill(const own_kernels::CodeShape& shape) {
    std::vector<const own_kernels::Slot*> filled;
    for (const std::string& name : asked_.slots) {
      const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, name, code_.name());
      if (std::ranges::find(filled, slot) != filled.end())
        refuse(base::format("the slot {} of {} is filled twice", slot->name, code_.name()),
               "Give one callback for each slot.");
      filled.push_back(slot);
    }
    std::vector<std::string> empty;
    for (const own_kernels::Slot& slot : shape.slots)
      if (std::ranges::find(filled, &slot) == filled.end()) empty.push_back(slot.declaration);
    if (!empty.empty())
      fail(ErrorCode::SlotEmpty,
           base::format("{} calls {}, and nothing defines {}", code_.name(), base::join(empty, ", "),
                        empty.size() == 1 ? "it" : "them"),
           "Give a callback for each slot. A function that is no slot must be defined in the kernel's code, or in a "
           "link input.");
    filled_ = base::results_in_parallel(filled.size(), [&](std::size_t i) { return fill(*filled[i], *parts_[i + 1]); });
    for (std::size_t i = 0; i < filled.size(); ++i) {
      const Part& part = filled_[i];
      inputs_.push_back({LinkInputKind::LtoIr, part.code, parts_[i + 1]->name()});
      inputs_.insert(inputs_.end(), part.binaries.begin(), part.binaries.end());
      image_.report.compiler_log += part.log;
    }
    slots_ = std::move(filled);
    watch_.step("compile");
  }

  Part fill(const own_kernels::Slot& slot, const Callback& callback) const {
    const codegen::SourceProgram program = own_kernels::prepare_callback(callback, options_);
    const std::string& title = program.members.front().title;
    const DeviceCompiler compiler(program, architecture_, options_, tools_);
    const DeviceCompiler::Named probed =
        compiler.named(own_kernels::type_text(program), {own_kernels::kTypeProbe}, DeviceCompiler::Extent::SyntaxOnly);
    const own_kernels::CallbackType type = own_kernels::read_type(probed.lowered_names.at(0), title);
    own_kernels::check_fit(slot, type, title, code_.name());
    DeviceCompiler::Named made =
        compiler.named(own_kernels::slot_text(program, type, slot), {}, DeviceCompiler::Extent::Code);
    return {.code = std::move(made.compiled.code),
            .binaries = link::examine(callback, architecture_).inputs,
            .log = std::move(made.compiled.log),
            .note = title};
  }

  // ---- the link ----

  void link(const own_kernels::CodeShape& shape) {
    toolchain::LinkResult result =
        tools_.nvjitlink->link({.inputs = inputs_, .options = compile::link_flags(options_, architecture_)});
    if (!result.ok || link::reports_mismatch(result.error_log))
      fail_link(result, base::format("{} and its callbacks cannot be linked", code_.name()));
    watch_.step("link");
    Report& report = image_.report;
    report.kernel.name = shape.entries.front().symbol;
    std::set<std::string> calls, helpers;
    for (const KernelEntry& entry : shape.entries) {
      if (&entry != &shape.entries.front()) report.kernel.further_entries.push_back(entry.symbol);
      const link::LinkFindings found = link::read_linked(result.code, result.info_log, entry.symbol).findings;
      if (&entry == &shape.entries.front()) report.resources = found.resources;
      else
        report.notes.push_back(base::format("{} needs {} registers and {} bytes of local memory", entry.name,
                                            found.resources.registers, found.resources.local_bytes));
      calls.insert(found.remaining_calls.begin(), found.remaining_calls.end());
      helpers.insert(found.cuda_helpers.begin(), found.cuda_helpers.end());
    }
    report.remaining_calls.assign(calls.begin(), calls.end());
    report.cuda_helpers.assign(helpers.begin(), helpers.end());
    for (std::size_t i = 0; i < slots_.size(); ++i)
      report.notes.push_back(base::format("slot {} is filled by {}", slots_[i]->declaration, filled_[i].note));
    report.linker_log = std::move(result.info_log);
    report.image_bytes = result.code.size();
    image_.bytes = std::move(result.code);
  }

  [[noreturn]] void fail_link(const toolchain::LinkResult& result, const std::string& message) const {
    fail(ErrorCode::LinkFailed, base::format("{}: {}", message, result.failure),
         "Compile the kernel and its callbacks for this architecture, with tools no newer than this nvJitLink, and "
         "define each function once.",
         result.error_log + result.info_log, image_.report.versions);
  }

  const std::vector<std::optional<Callback>>& parts_;
  const Callback& code_;
  const families::AskedKernels asked_;
  const Architecture architecture_;
  const Options& options_;
  const compile::Toolbox& toolbox_;
  Image::Data image_;
  Stopwatch watch_;
  compile::OpenTools tools_;
  link::CallbackBinary binary_;
  base::Bytes code_bytes_;
  std::vector<LinkInput> inputs_;
  std::vector<const own_kernels::Slot*> slots_;
  std::vector<Part> filled_;
};

}  // namespace

Image::Data build_slots(const Step& step, Architecture architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan) {
  return SlotBuild(step, architecture, options, toolbox, scan).build();
}

KernelShape read_slots(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox) {
  return SlotBuild(step, architecture, options, toolbox, nullptr).read().described();
}

}  // namespace graft::routes
