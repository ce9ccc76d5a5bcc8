#include "routes/slot_build.hpp"

#include <algorithm>
#include <utility>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "compile/flags.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "core/slots.hpp"
#include "graft/error.hpp"
#include "own_kernels/fit.hpp"
#include "own_kernels/packed.hpp"
#include "plan/agreement.hpp"
#include "plan/key.hpp"
#include "routes/slot_choice.hpp"
#include "routes/slot_parts.hpp"

namespace graft::routes {
namespace {

using compile::DeviceCompiler;
using format::PackPart;
using format::PackPartKind;
using toolchain::LinkInput;
using toolchain::LinkInputKind;

constexpr const char* kLtoOnly =
    "Give the kernel as source, as LTO-IR, or as a fatbin with LTO-IR: nvcc -fatbin -rdc=true -gencode "
    "arch=compute_90,code=lto_90. A kernel of PTX or machine code (KernelCode::ptx, KernelCode::object) calls its "
    "callbacks if Options::routes.required is Route::Ptx.";

}  // namespace

SlotBuild::SlotBuild(const Step& step, Architecture architecture, const Options& options,
                     const compile::Toolbox& toolbox, const plan::HeaderScan* scan)
    : parts_(step.callback.composition()->parts),
      code_(*parts_.front()),
      asked_(base::read_record<families::AskedKernels>(step.request).value()),
      architecture_(architecture),
      options_(options),
      toolbox_(toolbox),
      watch_(image_.report) {
  image_.report.kernel = {.family = step.family,
                          .architecture = architecture,
                          .request = step.request,
                          .floating_point = options.floating_point,
                          .max_registers = options.max_registers,
                          .compiler_options = canonical_compiler_options(options.compiler_options)};
  if (code_.form() == Form::Pack) pack_ = read_kernel_pack(code_.bytes(), code_.name());
  open();
  tools_.scan = scan;
  watch_.step("open tools");
}

const PackPart* SlotBuild::finished() const {
  if (!pack_ || !may_take(options_.routes, Route::Lto)) return nullptr;
  const KernelSpec& asked = image_.report.kernel;
  for (const PackPart& part : packed_kernel().parts) {
    if (part.kind != PackPartKind::Cubin || part.architecture != architecture_) continue;
    const KernelSpec spec = format::spec_of(packed_kernel(), part);
    const bool is_asked_for = spec.request == asked.request && spec.floating_point == asked.floating_point &&
                              spec.max_registers == asked.max_registers &&
                              spec.compiler_options == asked.compiler_options &&
                              packed_kernel().line_info == options_.line_info;
    return is_asked_for ? &part : nullptr;
  }
  return nullptr;
}

void SlotBuild::open() {
  if (finished() != nullptr) {
    tools_ = compile::open_tools({.required = Route::Lto}, toolbox_, compile::ToolNeeds::Nothing);
    return;
  }
  const bool compiles = !is_compiled_before();
  tools_ = compile::open_tools({.required = Route::Lto}, toolbox_,
                               compiles ? compile::ToolNeeds::All : compile::ToolNeeds::LinkerAlone);
  image_.report.toolkit = tools_.origin;
  choose_route();
  if (tools_.nvrtc && compiles) image_.report.versions.push_back(tools_.nvrtc_version());
  if (route() != Route::Program) image_.report.versions.push_back(tools_.nvjitlink_version());
}

void SlotBuild::choose_route() {
  SlotChoice choice = choose_slot_route(parts_, options_, tools_.states);
  image_.report.kernel.route = choice.route;
  image_.report.routes_not_taken = std::move(choice.not_taken);
  image_.depends_on_tools = choice.depends_on_tools;
}

// Whether the code, the callbacks and the constants come from packs, so that no compiler is needed. Compiled callbacks
// of other forms need one: for their types, and for the slot's function.
bool SlotBuild::is_compiled_before() const {
  if (code_.form() == Form::Source) return false;
  for (std::size_t i = 1; i < parts_.size(); ++i)
    if (parts_[i]->form() != Form::Pack) return false;
  if (asked_.constants.empty() && asked_.optional_slots.empty()) return true;
  return pack_.has_value();  // which has the usual values
}

compile::OpenTools SlotBuild::with_compiler(const std::string& for_what) const {
  if (tools_.nvrtc) return tools_;
  compile::OpenTools tools = compile::open_nvrtc_alone(toolbox_);
  if (tools.nvrtc) return tools;
  fail(ErrorCode::ToolMissing, base::format("{} must be compiled: {}", for_what, tools.states.nvrtc.why_not),
       plan::remedy_for_missing_tools(tools_.states.driver));
}

// ---- the code of the kernels ----

const own_kernels::CodeShape& SlotBuild::read(own_kernels::CodeCache* cache) {
  if (pack_) {
    read_packed();
    return read_->shape;
  }
  binary_ = link::examine(code_, architecture_);
  check_material();
  const auto make = [&] { return find_or_make_code(cache); };
  // What an #include finds may change, so that code is made anew.
  read_ = cache == nullptr || plan::can_include(code_, options_) ? std::make_shared<const own_kernels::ReadCode>(make())
                                                                 : cache->find_or_make(key(), make);
  code_inputs_ = inputs_with(read_->code);
  image_.report.source = read_->source;
  image_.report.compiler_log = read_->log;
  return read_->shape;
}

void SlotBuild::read_packed() {
  const std::string& name = code_.name();
  const auto parts = required_parts(packed_kernel(), PackPartKind::KernelLtoIr, architecture_, name);
  own_kernels::ReadCode read;
  for (const PackPart* const part : parts) {
    own_kernels::PackedCode code = required(own_kernels::read_packed_code(part->details), name);
    if (code.shape) read.shape = std::move(*code.shape);
    code_inputs_.push_back({code.input, part->bytes, name});
  }
  if (read.shape.entries.empty()) refuse_record(name);
  for (const Callback& input : code_.link_inputs())
    std::ranges::copy(link::examine(input, architecture_).inputs, std::back_inserter(code_inputs_));
  if (route() == Route::Ptx) read.code = linked_to_ptx(code_inputs_);
  read_ = std::make_shared<const own_kernels::ReadCode>(std::move(read));
  if (route() == Route::Ptx) code_inputs_ = {{LinkInputKind::Ptx, read_->code, name}};
}

Step SlotBuild::code_alone() const {
  return {with_slots(code_, {}), image_.report.kernel.family,
          base::write_record(families::AskedKernels{.entries = asked_.entries})};
}

// Names the code of the kernels, for what decides how it is compiled and read.
std::string SlotBuild::key() const {
  std::string key = plan::request_key(code_alone(), architecture_, options_, {});
  base::append(key, "\n{}", graft::name(route()));
  if (tools_.nvrtc) base::append(key, "\n{}", tools_.nvrtc->path().string());
  if (tools_.nvjitlink) base::append(key, "\n{}", tools_.nvjitlink->path().string());
  return key;
}

own_kernels::ReadCode SlotBuild::find_or_make_code(own_kernels::CodeCache* cache) {
  if (cache == nullptr) return make_code();
  const Step alone = code_alone();
  const own_kernels::CodeRequest request = {
      alone, architecture_, options_,
      base::format("NVRTC {}, nvJitLink {}, route {}", tools_.nvrtc ? tools_.nvrtc->version().text() : "none",
                   tools_.nvjitlink ? tools_.nvjitlink->version().text() : "none", graft::name(route())),
      tools_.scan};
  if (std::optional<own_kernels::ReadCode> found = cache->store().find_code(request)) {
    watch_.step("read cache");
    return std::move(*found);
  }
  own_kernels::ReadCode made = make_code();
  cache->store().keep_code(request, made);
  return made;
}

void SlotBuild::check_material() const {
  if (route() == Route::Ptx && binary_.link_input_count != 0)
    fail(ErrorCode::RouteUnavailable,
         base::format("{} has link inputs, which the route ptx does not take", code_.name()),
         "Leave KernelCode::with_link_input out, or leave Options::routes as it is.");
  if (code_.form() == Form::Source) return;
  if (!asked_.entries.empty())
    refuse(base::format("{} is {}, so its kernels are there already", code_.name(), name(code_.form())),
           "Leave KernelCode::with_entry out: instances of templates are made from source only.");
  const bool may_call = route() == Route::Ptx && (code_.form() == Form::Ptx || code_.form() == Form::Object);
  if (!may_call && !binary_.material.ltoir)
    fail(ErrorCode::RouteUnavailable,
         base::format("{} has no LTO-IR for {}, and nothing can be inlined into machine code or PTX", code_.name(),
                      architecture_.sm()),
         kLtoOnly);
}

std::vector<LinkInput> SlotBuild::inputs_with(const base::Bytes& code) const {
  if (route() == Route::Program) return {};
  if (route() == Route::Ptx && !code.empty()) return {{LinkInputKind::Ptx, code, code_.name()}};
  std::vector<LinkInput> inputs = binary_.inputs;
  if (code_.form() == Form::Source) inputs.insert(inputs.begin(), {LinkInputKind::LtoIr, code, code_.name()});
  return inputs;
}

std::vector<std::string> SlotBuild::entry_expressions() const {
  std::vector<std::string> expressions;
  for (const std::string& entry : asked_.entries) expressions.push_back("&" + entry);
  return expressions;
}

// Compiles the source of the kernels, with the instances of templates that are asked for. Returns also the symbols of
// these.
compile::DeviceCompiler::Named SlotBuild::compile_source() const {
  const codegen::SourceProgram program = codegen::prepare_text(code_, options_);
  const compile::OpenTools tools = with_compiler(code_.name());
  try {
    return DeviceCompiler(program, architecture_, options_, tools)
        .named(codegen::text_alone(program.parts), entry_expressions(),
               route() == Route::Lto ? DeviceCompiler::Extent::Code : DeviceCompiler::Extent::Ptx);
  } catch (const Error& error) {
    const bool is_ambiguous = error.code() == ErrorCode::AmbiguousEntry;
    if (!is_ambiguous && error.code() != ErrorCode::NoSuchEntry && error.code() != ErrorCode::UnsupportedParameter)
      throw;
    fail(is_ambiguous ? ErrorCode::AmbiguousEntry : ErrorCode::NoSuchEntry,
         base::format("{} has no kernel that {} names", code_.name(), base::join(asked_.entries, " or ")),
         "Name a __global__ function in KernelCode::with_entry, with its namespace and with all template arguments.",
         error.log(), error.versions());
  }
}

// Links the code alone. nvJitLink optimises it for that, as in every link: its option -O0 would make this four times as
// fast, and would change all later links of the process.
base::Bytes SlotBuild::linked_to_ptx(const std::vector<LinkInput>& inputs) const {
  toolchain::LinkResult result = tools_.nvjitlink->link({.inputs = inputs,
                                                         .options = compile::link_flags(options_, architecture_),
                                                         .output = toolchain::LinkOutput::Ptx,
                                                         .may_be_incomplete = true});
  if (!result.ok) fail_link(result, base::format("{} cannot be read", code_.name()));
  return std::move(result.code);
}

own_kernels::ReadCode SlotBuild::make_code() {
  own_kernels::ReadCode made;
  std::vector<std::string> symbols;
  if (code_.form() == Form::Source) {
    auto [compiled, lowered_names] = compile_source();
    made = {.code = std::move(compiled.code), .source = std::move(compiled.source), .log = std::move(compiled.log)};
    symbols = std::move(lowered_names);
    watch_.step("compile kernel");
    guessed_facts_ = std::async(std::launch::async, [this] { return guess_facts(); });  // while the code is read
  }
  if (code_.form() == Form::Object) {
    made.shape = own_kernels::read_machine_code_shape(code_.bytes(), code_.name());
    watch_.step("read kernel");
    return made;
  }
  base::Bytes ptx;
  if (code_.form() == Form::Ptx) ptx.assign(code_.bytes().begin(), code_.bytes().end());
  else if (code_.form() == Form::Source && route() != Route::Lto) ptx = std::exchange(made.code, {});
  else ptx = linked_to_ptx(inputs_with(made.code));
  made.shape = own_kernels::read_code_shape(base::as_text(ptx), code_.name());
  if (route() == Route::Ptx) made.code = std::move(ptx);
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (std::ranges::find(made.shape.entries, symbols[i], &KernelEntry::symbol) == made.shape.entries.end())
      fail(ErrorCode::NoSuchEntry, base::format("{} of {} is no kernel", asked_.entries[i], code_.name()),
           "Name __global__ functions in KernelCode::with_entry.");
  watch_.step("read kernel");
  if (code_.form() == Form::Source) {
    read_facts(made.shape);
    watch_.step("read types");
  }
  return made;
}

// Asks the compiler for what neither names nor PTX show: the lowered names of probes for slots. Returns nothing if one
// of them does not compile.
std::vector<std::string> SlotBuild::probe_facts(std::vector<std::string> probes) const {
  if (probes.empty()) return {};
  const codegen::SourceProgram program = codegen::prepare_text(code_, options_);
  const compile::OpenTools tools = with_compiler(code_.name());
  try {
    return DeviceCompiler(program, architecture_, options_, tools)
        .named(codegen::text_alone(program.parts) + own_kernels::facts_text(), std::move(probes),
               DeviceCompiler::Extent::SyntaxOnly)
        .lowered_names;
  } catch (const Error&) {
    return {};
  }
}

// Asks for the slots of the request, by the names in it, if their callbacks' types make it likely that read_facts()
// needs to know.
SlotBuild::Facts SlotBuild::guess_facts() const {
  std::vector<std::string> names, probes;
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    std::optional<std::string> probe = own_kernels::facts_probe(asked_.slots[i]);
    if (!probe || !begun_[i].valid()) continue;
    try {
      const own_kernels::CallbackType& type = begun_[i].get().type;
      if (type.result == "float" && (type.parameters.empty() || !own_kernels::passes_state(type.parameters.back())))
        continue;
    } catch (const Error&) {
      continue;  // fill() throws it
    }
    names.push_back(asked_.slots[i]);
    probes.push_back(std::move(*probe));
  }
  const std::vector<std::string> lowered_names = probe_facts(std::move(probes));
  Facts facts;
  for (std::size_t i = 0; i < lowered_names.size(); ++i) facts.emplace(names[i], lowered_names[i]);
  return facts;
}

// Slots that cannot be asked for, such as those in classes that the text does not show, stay as they are.
void SlotBuild::read_facts(own_kernels::CodeShape& shape) {
  Facts guessed;
  std::vector<own_kernels::Slot*> slots;
  std::vector<std::string> probes;
  for (own_kernels::Slot& slot : shape.slots) {
    // The calls show floats, which most slots return.
    const bool is_clear =
        !slot.result || (slot.result->number == format::PtxParameter::Float && slot.result->size == sizeof(float));
    const bool has_state = slot.types && !slot.types->empty() && own_kernels::passes_state(slot.types->back()) &&
                           slot.types->back() != "const void*";
    if (is_clear && !has_state) continue;
    if (guessed_facts_.valid()) guessed = guessed_facts_.get();
    const auto guess = guessed.find(slot.name);
    if (guess != guessed.end() && own_kernels::read_slot_facts(guess->second, slot)) continue;
    if (std::optional<std::string> probe = own_kernels::facts_probe(slot)) {
      slots.push_back(&slot);
      probes.push_back(std::move(*probe));
    }
  }
  const std::vector<std::string> lowered_names = probe_facts(std::move(probes));
  for (std::size_t i = 0; i < lowered_names.size(); ++i) own_kernels::read_slot_facts(lowered_names[i], *slots[i]);
}

// ---- the constants ----

std::vector<own_kernels::Value> SlotBuild::values(const own_kernels::CodeShape& shape,
                                                  const std::vector<Filled>& filled) const {
  std::vector<own_kernels::Value> values;
  const auto define = [&](const std::string& name, std::int64_t value, bool is_default = false) {
    const own_kernels::Variable* const variable = &own_kernels::find_variable(shape, name, value, code_.name());
    if (std::ranges::find(values, variable, &own_kernels::Value::variable) == values.end())
      values.push_back({variable, value});
    else if (!is_default)
      refuse(base::format("the constant {} of {} has two values", variable->name, code_.name()),
             "Give no value for a constant that says whether a slot is filled, and one for each other.");
  };
  for (std::size_t i = 0; i < asked_.optional_slots.size(); ++i) {
    const own_kernels::Slot* const slot = &own_kernels::find_slot(shape, asked_.optional_slots[i], code_.name());
    define(asked_.optional_constants[i], std::ranges::find(filled, slot, &Filled::slot) != filled.end() ? 1 : 0);
  }
  for (std::size_t i = 0; i < asked_.constants.size(); ++i)
    define(asked_.constants[i], static_cast<std::int64_t>(asked_.values[i]),
           i >= asked_.constants.size() - static_cast<std::size_t>(asked_.default_values));
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
  return values;
}

base::Bytes SlotBuild::compile(const std::vector<own_kernels::Value>& values) const {
  const own_kernels::Value& first = values.front();
  const compile::OpenTools tools =
      with_compiler(base::format("{} = {} of {}", first.variable->name, first.value, code_.name()));
  const codegen::SourceProgram program = codegen::prepare_text(Callback::source("", "constants"), options_);
  return DeviceCompiler(program, architecture_, options_, tools).own(own_kernels::constants_text(values));
}

std::optional<LinkInput> SlotBuild::packed(const own_kernels::Value& value) const {
  if (!pack_) return std::nullopt;
  for (const PackPart* const part : newest_parts(packed_kernel(), PackPartKind::ConstantLtoIr, architecture_)) {
    const own_kernels::PackedConstant one = required(own_kernels::read_packed_constant(part->details), code_.name());
    if (one.symbol == value.variable->symbol && one.value == value.value)
      return LinkInput{LinkInputKind::LtoIr, part->bytes, value.variable->name};
  }
  return std::nullopt;
}

void SlotBuild::fail_link(const toolchain::LinkResult& result, const std::string& message) const {
  constexpr std::string_view kUnresolved = "Unresolved extern function '";
  if (const std::size_t at = result.error_log.find(kUnresolved); at != std::string::npos) {
    const std::string_view rest = std::string_view(result.error_log).substr(at + kUnresolved.size());
    fail(
        ErrorCode::LinkFailed,
        base::format("{}: nothing defines {}", message, base::readable(rest.substr(0, rest.find('\'')))),
        "Define the function in the text that calls it, or link it by Callback::with_link_input. An optional slot must "
        "only be called where its constant is true. A compiled callback must be declared as it is.",
        result.error_log + result.info_log, image_.report.versions);
  }
  fail(ErrorCode::LinkFailed, base::format("{}: {}", message, result.failure),
       "Compile the kernel and its callbacks for this architecture, with tools no newer than this nvJitLink, and "
       "define each function once.",
       result.error_log + result.info_log, image_.report.versions);
}

}  // namespace graft::routes
