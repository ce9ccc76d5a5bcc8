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
#include "core/slots.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "link/link_error.hpp"
#include "link/linked.hpp"
#include "own_kernels/code_cache.hpp"
#include "own_kernels/fit.hpp"
#include "own_kernels/slot_program.hpp"
#include "plan/key.hpp"
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
  base::Bytes code = {};
  std::vector<LinkInput> binaries = {};  // of a compiled callback, and link inputs
  std::string log = {};
  std::string note = {};
};

// A callback is called as one function if more PTX instructions than these would be inlined. A link takes a millisecond
// for each 1.5 to 10 of them: 40 sinf, inlined at 72 calls, linked for 116 s, and ran slower than the called function.
constexpr std::size_t kMostInlinedInstructions = 20'000;
// The bytes of LTO-IR from which instructions are counted. A function of a few lines has 1,800.
constexpr std::size_t kLeastCounted = 3'000;

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

  // Compiles and reads the code of the kernels, or takes what another build made of it.
  const own_kernels::CodeShape& read(own_kernels::CodeCache* cache) {
    binary_ = link::examine(code_, architecture_);
    require_ltoir();
    const auto make = [this] { return make_code(); };
    // What an #include finds may change, so that code is made anew.
    read_ = cache == nullptr || plan::can_include(code_, options_)
                ? std::make_shared<const own_kernels::ReadCode>(make())
                : cache->find_or_make(key(), make);
    inputs_ = inputs_of(read_->ltoir);
    image_.report.source = read_->source;
    image_.report.compiler_log = read_->log;
    return read_->shape;
  }

  Image::Data build(own_kernels::CodeCache* cache) {
    const std::future<void> look = compile::look_at_linker(tools_, architecture_);
    const own_kernels::CodeShape& shape = read(cache);
    fill(shape);
    link(shape);
    compile::examine_before_storing(tools_, architecture_, look, image_);
    return std::move(image_);
  }

 private:
  compile::OpenTools open() {
    compile::OpenTools tools = compile::open_tools({.required = Route::Lto}, toolbox_);
    image_.report.toolkit = tools.origin;
    // Compiled callbacks need a compiler too: for their types, and for the slot's function.
    const bool compiles = code_.form() == Form::Source || parts_.size() > 1 || !asked_.optional_slots.empty() ||
                          !asked_.constants.empty();
    for (const auto& [state, is_needed] : {std::pair(&tools.states.nvjitlink, true), {&tools.states.nvrtc, compiles}})
      if (is_needed && !state->available)
        fail(ErrorCode::ToolMissing, base::format("{} cannot be linked: {}", code_.name(), state->why_not),
             plan::remedy_for_missing_tools(tools.states.driver));
    if (tools.nvrtc && compiles) image_.report.versions.push_back(tools.nvrtc_version());
    image_.report.versions.push_back(tools.nvjitlink_version());
    return tools;
  }

  // ---- the code of the kernels ----

  // Names the code of the kernels, for what decides how it is compiled and read.
  std::string key() const {
    const Step alone{with_slots(code_, {}), image_.report.kernel.family,
                     base::write_record(families::AskedKernels{.entries = asked_.entries})};
    std::string key = plan::request_key(alone, architecture_, options_, {});
    if (tools_.nvrtc) base::append(key, "\n{}", tools_.nvrtc->path().string());
    base::append(key, "\n{}", tools_.nvjitlink->path().string());
    return key;
  }

  void require_ltoir() const {
    if (code_.form() == Form::Source) return;
    if (!asked_.entries.empty())
      refuse(base::format("{} is {}, so its kernels are there already", code_.name(), name(code_.form())),
             "Leave KernelCode::with_entry out: instances of templates are made from source only.");
    if (!binary_.material.ltoir)
      fail(ErrorCode::RouteUnavailable,
           base::format("{} has no LTO-IR for {}, and nothing can be inlined into machine code or PTX", code_.name(),
                        architecture_.sm()),
           kLtoOnly);
  }

  std::vector<LinkInput> inputs_of(const base::Bytes& ltoir) const {
    std::vector<LinkInput> inputs = binary_.inputs;
    if (code_.form() == Form::Source) inputs.insert(inputs.begin(), {LinkInputKind::LtoIr, ltoir, code_.name()});
    return inputs;
  }

  own_kernels::ReadCode make_code() {
    own_kernels::ReadCode made;
    if (code_.form() == Form::Source) {
      const codegen::SourceProgram program = codegen::prepare_text(code_, options_);
      std::vector<std::string> expressions;
      for (const std::string& entry : asked_.entries) expressions.push_back("&" + entry);
      compile::Compiled compiled =
          DeviceCompiler(program, architecture_, options_, tools_)
              .named(codegen::text_alone(program.parts), expressions, DeviceCompiler::Extent::Code)
              .compiled;
      made = {.ltoir = std::move(compiled.code), .source = std::move(compiled.source), .log = std::move(compiled.log)};
      watch_.step("compile kernel");
    }
    // nvJitLink makes PTX of the code alone. It optimises the code for that, as in every link: its option -O0 would
    // make this four times as fast, and would change all later links of the process.
    const toolchain::LinkResult result =
        tools_.nvjitlink->link({.inputs = inputs_of(made.ltoir),
                                .options = compile::link_flags(options_, architecture_),
                                .output = toolchain::LinkOutput::Ptx,
                                .may_be_incomplete = true});
    if (!result.ok) fail_link(result, base::format("{} cannot be read", code_.name()));
    made.shape = own_kernels::read_code_shape(base::as_text(result.code), code_.name());
    watch_.step("read kernel");
    return made;
  }

  // ---- the slots ----

  struct Filled {
    const own_kernels::Slot* slot;
    const Callback* callback;
    Inlining inlining;
  };

  void fill(const own_kernels::CodeShape& shape) {
    const std::vector<Filled> filled = match(shape);
    filled_ = base::results_in_parallel(filled.size(), [&](std::size_t i) { return fill(filled[i], i); });
    for (std::size_t i = 0; i < filled.size(); ++i) {
      const Part& part = filled_[i];
      if (!part.code.empty()) inputs_.push_back({LinkInputKind::LtoIr, part.code, filled[i].callback->name()});
      for (const LinkInput& binary : part.binaries)  // each once, also if it fills several slots
        if (std::ranges::none_of(inputs_, [&](const LinkInput& one) {
              return one.kind == binary.kind && std::ranges::equal(one.bytes, binary.bytes);
            }))
          inputs_.push_back(binary);
      image_.report.compiler_log += part.log;
    }
    define_constants(shape, filled);
    watch_.step("compile");
  }

  // Finds the slot of each callback: those of the request, and then the defaults of slots that are empty.
  std::vector<Filled> match(const own_kernels::CodeShape& shape) const {
    std::vector<Filled> filled;
    const auto is_filled = [&](const own_kernels::Slot* slot) {
      return std::ranges::find(filled, slot, &Filled::slot) != filled.end();
    };
    const std::size_t given = asked_.slots.size() - static_cast<std::size_t>(asked_.defaults);
    for (std::size_t i = 0; i < asked_.slots.size(); ++i) {
      const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, asked_.slots[i], code_.name());
      if (!is_filled(slot)) filled.push_back({slot, &*parts_[i + 1], Inlining::Automatic});
      else if (i < given)
        refuse(base::format("the slot {} of {} is filled twice", slot->name, code_.name()),
               "Give one callback for each slot.");
    }
    for (const auto& [names, wish] :
         {std::pair(&asked_.always_inlined, Inlining::Always), std::pair(&asked_.never_inlined, Inlining::Never)})
      for (const std::string& name : *names) {
        const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, name, code_.name());
        for (Filled& one : filled)
          if (one.slot == slot) one.inlining = wish;
      }
    std::vector<const own_kernels::Slot*> optional;
    for (const std::string& name : asked_.optional_slots)
      optional.push_back(&own_kernels::find_slot(shape, name, code_.name()));
    std::vector<std::string> empty;
    for (const own_kernels::Slot& slot : shape.slots)
      if (!is_filled(&slot) && std::ranges::find(optional, &slot) == optional.end()) empty.push_back(slot.declaration);
    if (!empty.empty())
      fail(ErrorCode::SlotEmpty,
           base::format("{} calls {}, and nothing defines {}", code_.name(), base::join(empty, ", "),
                        empty.size() == 1 ? "it" : "them"),
           "Give a callback for each slot. A function that is no slot must be defined in the kernel's code, or in a "
           "link input.");
    return filled;
  }

  Part fill(const Filled& filled, std::size_t number) const {
    const own_kernels::Slot& slot = *filled.slot;
    const codegen::SourceProgram program = own_kernels::prepare_callback(*filled.callback, options_);
    const std::string& title = program.members.front().title;
    const DeviceCompiler compiler(program, architecture_, options_, tools_);
    // The symbol of a compiled callback, too, which may be the slot's.
    const codegen::ProgramParts& member = program.parts.members.front();
    std::vector<std::string> expressions = {own_kernels::kTypeProbe};
    if (member.is_declaration) expressions.push_back(own_kernels::name_probe(program, number));
    const DeviceCompiler::Named probed =
        compiler.named(own_kernels::type_text(program, number), expressions, DeviceCompiler::Extent::SyntaxOnly);
    const own_kernels::CallbackType type = own_kernels::read_type(probed.lowered_names.at(0), title);
    own_kernels::check_fit(slot, type, title, code_.name());
    if (member.is_declaration && own_kernels::has_name_of(probed.lowered_names.at(1), slot))
      return {.binaries = link::examine(*filled.callback, architecture_).inputs,
              .note = base::format("slot {} is filled by {}, which has its name", slot.declaration, title)};
    const auto compile = [&](Inlining inlining, DeviceCompiler::Extent extent = DeviceCompiler::Extent::Code) {
      return compiler.named(own_kernels::slot_text(program, number, type, slot, inlining), {}, extent).compiled;
    };
    compile::Compiled compiled = compile(filled.inlining);
    Part part{.binaries = link::examine(*filled.callback, architecture_).inputs,
              .note = base::format("slot {} is filled by {}", slot.declaration, title)};
    // Small callbacks are not counted, because to count takes a compile, and neither are compiled ones.
    if (filled.inlining == Inlining::Automatic && slot.call_sites > 1 && compiled.code.size() >= kLeastCounted) {
      const base::Bytes ptx = compile(Inlining::Automatic, DeviceCompiler::Extent::Ptx).code;
      const std::size_t instructions =
          static_cast<std::size_t>(slot.call_sites) * own_kernels::count_instructions(base::as_text(ptx));
      if (instructions > kMostInlinedInstructions) {
        compiled = compile(Inlining::Never);
        base::append(part.note, ", which is called as one function: inlined at {} calls it would be {} instructions",
                     slot.call_sites, instructions);
      }
    }
    if (filled.inlining == Inlining::Never) part.note += ", which is called as one function";
    part.code = std::move(compiled.code);
    part.log = std::move(compiled.log);
    return part;
  }

  // Compiles the constants: whether optional slots are filled, and those of the request.
  void define_constants(const own_kernels::CodeShape& shape, const std::vector<Filled>& filled) {
    std::vector<own_kernels::Value> values;
    const auto define = [&](const std::string& name, std::int64_t value) {
      const own_kernels::Variable* const variable = &own_kernels::find_variable(shape, name, value, code_.name());
      if (std::ranges::find(values, variable, &own_kernels::Value::variable) != values.end())
        refuse(base::format("the constant {} of {} has two values", variable->name, code_.name()),
               "Give no value for a constant that says whether a slot is filled, and one for each other.");
      values.push_back({variable, value});
    };
    for (std::size_t i = 0; i < asked_.optional_slots.size(); ++i) {
      const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, asked_.optional_slots[i], code_.name());
      define(asked_.optional_constants[i], std::ranges::find(filled, slot, &Filled::slot) != filled.end() ? 1 : 0);
    }
    for (std::size_t i = 0; i < asked_.constants.size(); ++i)
      define(asked_.constants[i], static_cast<std::int64_t>(asked_.values[i]));
    std::vector<std::string> missing;
    for (const own_kernels::Variable& variable : shape.variables)
      if (std::ranges::find(values, &variable, &own_kernels::Value::variable) == values.end())
        missing.push_back(variable.name);
    if (!missing.empty())
      fail(ErrorCode::SlotEmpty,
           base::format("{} uses {}, and nothing defines {}", code_.name(), base::join(missing, ", "),
                        missing.size() == 1 ? "it" : "them"),
           "Give a value for each constant: graft::KernelCallbacks({{\"metric\", callback}}, {{\"tile\", 8}}). Any "
           "other variable must be defined in the kernel's code.");
    if (values.empty()) return;
    const codegen::SourceProgram program = codegen::prepare_text(Callback::source("", "constants"), options_);
    constants_ = DeviceCompiler(program, architecture_, options_, tools_).own(own_kernels::constants_text(values));
    inputs_.push_back({LinkInputKind::LtoIr, constants_, "constants"});
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
    for (const Part& part : filled_) report.notes.push_back(part.note);
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
  own_kernels::CodeCache::Pointer read_;
  std::vector<LinkInput> inputs_;
  std::vector<Part> filled_;
  base::Bytes constants_;
};

}  // namespace

Image::Data build_slots(const Step& step, Architecture architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan, own_kernels::CodeCache* cache) {
  return SlotBuild(step, architecture, options, toolbox, scan).build(cache);
}

KernelShape read_slots(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox) {
  return SlotBuild(step, architecture, options, toolbox, nullptr).read(nullptr).described();
}

}  // namespace graft::routes
