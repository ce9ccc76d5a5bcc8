// Each add_...() function compiles one kind of content and adds it to the pack. Code that depends on the architecture
// (LTO-IR, finished kernels) is made for each architecture. PTX is made only for the oldest architecture and serves the
// newer ones.
#include "routes/pack_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "codegen/separate_program.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "graft/error.hpp"
#include "graft/version.hpp"
#include "link/callback_binary.hpp"
#include "link/ptx_text.hpp"
#include "reflect/callback/generic.hpp"
#include "routes/best_body.hpp"
#include "routes/builder.hpp"
#include "routes/pack_contents.hpp"
#include "routes/routes.hpp"

namespace graft::routes {
namespace {

using format::PackPartKind;
using format::PartFacts;

PartFacts planned_facts(const KernelSpec& kernel) {
  return {.route = kernel.route, .tuning = kernel.tuning};
}

}  // namespace

PartFacts facts_of(const Report& report) {
  return {.route = report.kernel.route,
          .tuning = report.kernel.tuning,
          .resources = report.resources,
          .remaining_calls = report.remaining_calls,
          .cuda_helpers = report.cuda_helpers};
}

PackBuilder::PackBuilder(const Step& step, const std::vector<Architecture>& architectures, const Options& options,
                         const compile::Toolbox& toolbox)
    : step_(step),
      callback_(step.callback),
      architectures_(architectures),
      options_(options),
      toolbox_(toolbox),
      tools_(compile::open_compiler(toolbox, architectures)),
      program_(families::prepare_program(step, options)) {}

base::Bytes PackBuilder::build(bool with_cubins) {
  const Form form = callback_.form();
  const bool is_text = form == Form::Source || form == Form::Composition;
  const link::CallbackBinary binaries =
      link::examine(callback_, architectures_.front());  // for a composition, the binaries of its parts
  const bool links_ltoir = std::ranges::all_of(
      binaries.inputs, [](const toolchain::LinkInput& input) { return input.kind == toolchain::LinkInputKind::LtoIr; });
  const char* const what_else = binaries.link_input_count == 0   ? ""
                                : is_text || form == Form::LtoIr ? " with link inputs that are not all LTO-IR"
                                                                 : " with link inputs";
  const bool has_ltoir = (is_text || form == Form::LtoIr) && links_ltoir;
  const bool is_ptx_alone = form == Form::Ptx && binaries.link_input_count == 0;
  if (!has_ltoir && !is_ptx_alone && !with_cubins)
    refuse(base::format("{} is {}{}: a pack of it can only hold finished kernels", callback_.name(), name(form),
                        what_else),
           "Ask for a pack with cubins, or give source or LTO-IR, and link inputs as LTO-IR, or PTX without link "
           "inputs.");
  kernel_.spec.signature = learn_signature(has_ltoir);
  fill_shared_facts();
  if (has_ltoir) add_ltoir();
  if (is_text && binaries.inputs.empty()) add_whole_program();
  if (form == Form::Source && binaries.inputs.empty()) add_source_pair();
  if (is_ptx_alone) add_ptx_pair();
  if (with_cubins) add_cubins();
  return pack_of({.family = program_.family, .kernels = {std::move(kernel_)}}, program_.title);
}

// Determines the callback's signature. If the family has general code, the compile that makes the LTO-IR confirms the
// signature that the text shows, or reads the signature. Otherwise a compile that makes no code reads the signature.
Signature PackBuilder::learn_signature(bool has_ltoir) {
  const Architecture oldest = architectures_.front();
  if (!has_ltoir) return compiler(program_, oldest).signature();
  const families::Family& family = families::of(program_.family);
  const std::optional<Signature> shown = codegen::shown_signature(program_, options_);
  std::optional<KernelSpec> kernel;
  if (shown) kernel = families::decide({program_, *shown, oldest, Route::Lto, options_}).kernel;
  std::optional<families::Code> code = family.code({program_, kernel ? &*kernel : nullptr});
  if (!code || !code->is_general) return compiler(program_, oldest).signature();
  compile::Compiled compiled = compiler(program_, oldest).general(std::move(code->text), compile::CodeKind::LtoIr);
  Signature signature = compiled.signature;
  if (!shown || signature == *shown) oldest_ltoir_ = std::move(compiled);
  return signature;
}

void PackBuilder::fill_shared_facts() {
  kernel_.entry = reflect::called_function(program_.parts.entry);
  kernel_.spec.family = program_.family;
  kernel_.spec.request = program_.request;
  kernel_.spec.name = codegen::kernel_name(program_.parts);
  kernel_.spec.floating_point = options_.floating_point;
  kernel_.spec.max_registers = options_.max_registers;
  kernel_.spec.shared_bytes = options_.shared_bytes;
  kernel_.spec.compiler_options = canonical_compiler_options(options_.compiler_options);
  kernel_.standard = options_.standard;
  kernel_.line_info = options_.line_info;
  kernel_.is_heavy = program_.scan.has_unroll_pragma;
  kernel_.has_long_math = program_.scan.mentions_long_math;
  kernel_.thread_words = program_.thread_words;
  kernel_.tools = {{"graft", GRAFT_VERSION_STRING}, tools_.nvrtc_version()};
}

compile::DeviceCompiler PackBuilder::compiler(const codegen::SourceProgram& program, Architecture architecture) const {
  return compile::DeviceCompiler(program, architecture, options_, tools_);
}

families::Decided PackBuilder::decide(Architecture architecture, Route route) const {
  return families::decide({program_, kernel_.spec.signature, architecture, route, options_});
}

base::Bytes PackBuilder::best_ptx(const codegen::SourceProgram& caller, KernelSpec& kernel,
                                  compile::CodeKind kind) const {
  const families::Family& family = families::of(kernel.family);
  const auto compile = [&](const KernelSpec& wanted) {
    const auto code = family.code({.program = caller, .kernel = &wanted, .is_whole = true});
    return compiler(caller, kernel.architecture).known(code.value().text, wanted.signature, kind).code;
  };
  base::Bytes full = compile(kernel);
  const std::uint64_t frame = link::ptx_frame_bytes(base::as_text(full));
  const auto lighter = frame == 0 ? std::nullopt : family.lighter(kernel, options_.policy);
  if (!lighter) return full;
  base::Bytes other = compile(lighter->kernel);
  if (!needs_less_memory(link::ptx_frame_bytes(base::as_text(other)), frame)) return full;
  kernel = lighter->kernel;
  return other;
}

void PackBuilder::add(PackPartKind kind, Architecture architecture, base::Bytes bytes, std::optional<PartFacts> facts) {
  bytes_.push_back(std::move(bytes));
  kernel_.parts.push_back({kind, architecture, bytes_.back(), std::move(facts)});
}

void PackBuilder::add_ltoir() {
  const families::Family& family = families::of(program_.family);
  for (const Architecture architecture : architectures_) {
    const KernelSpec kernel = decide(architecture, Route::Lto).kernel;
    const families::Code code = family.code({program_, &kernel}).value();
    const compile::DeviceCompiler compile = compiler(program_, architecture);
    std::optional<compile::Compiled> made = std::exchange(oldest_ltoir_, std::nullopt);
    if (!made || !code.is_general)
      made = code.is_general ? compile.general(code.text, compile::CodeKind::LtoIr)
                             : compile.known(code.text, kernel.signature, compile::CodeKind::LtoIr);
    compile::Compiled& compiled = *made;
    kernel_.is_heavy |= looks_heavy(compiled, program_, callback_);
    add(PackPartKind::LtoIr, architecture, std::move(compiled.code),
        code.is_general ? std::nullopt : std::optional(planned_facts(kernel)));
    for (const toolchain::LinkInput& input : link::examine(callback_, architecture).inputs)
      add(PackPartKind::LtoIr, architecture, {input.bytes.begin(), input.bytes.end()});
  }
}

void PackBuilder::add_whole_program() {
  const Architecture oldest = architectures_.front();
  KernelSpec kernel = decide(oldest, Route::Program).kernel;
  // This PTX has either the vector body or the rolled body, and the application that loads the pack cannot change it.
  // So a callback that looks heavy (looks_heavy) gets the rolled body here.
  if (kernel_.is_heavy)
    if (auto lighter = families::of(kernel.family).lighter(kernel, options_.policy))
      kernel = std::move(lighter->kernel);
  base::Bytes ptx = best_ptx(program_, kernel, compile::CodeKind::WholePtx);
  link::check_defined(ptx, program_.title);
  add(PackPartKind::Program, oldest, std::move(ptx), planned_facts(kernel));
}

void PackBuilder::add_source_pair() {
  const Architecture oldest = architectures_.front();
  KernelSpec kernel = decide(oldest, Route::Ptx).kernel;
  const codegen::SourceProgram caller = codegen::stand_in_program(program_, kernel_.spec.signature);
  add(PackPartKind::CallbackPtx, oldest, compiler(program_, oldest).entry(kernel_.spec.signature).code);
  base::Bytes ptx = best_ptx(caller, kernel, compile::CodeKind::Ptx);
  add(PackPartKind::AdapterPtx, oldest, std::move(ptx), planned_facts(kernel));
  kernel_.symbol = codegen::kEntry;
}

void PackBuilder::add_ptx_pair() {
  const Architecture oldest = architectures_.front();
  KernelSpec kernel = decide(oldest, Route::Ptx).kernel;
  const link::CallbackBinary image = link::examine(callback_, oldest);
  kernel_.symbol = program_.is_extern_c ? program_.parts.entry
                                        : link::find_symbol(image, program_, kernel_.spec.signature, callback_.name());
  link::check_prototype(image, kernel_.symbol, kernel_.spec.signature, program_.title);
  add(PackPartKind::CallbackPtx, oldest, {callback_.bytes().begin(), callback_.bytes().end()});
  base::Bytes ptx = best_ptx(program_, kernel, compile::CodeKind::Ptx);
  add(PackPartKind::AdapterPtx, oldest, std::move(ptx), planned_facts(kernel));
}

void PackBuilder::add_cubins() {
  for (const Architecture architecture : architectures_) {
    Image::Data image = build_image(step_, architecture, options_, toolbox_);
    check_storable(image, program_.title);
    add_tools(image.report, kernel_);
    add(PackPartKind::Cubin, architecture, std::move(image.bytes), facts_of(image.report));
  }
}

void add_tools(const Report& report, format::PackedKernel& kernel) {
  for (const ToolVersion& tool : report.versions)
    if (std::ranges::find(kernel.tools, tool) == kernel.tools.end()) kernel.tools.push_back(tool);
}

void check_storable(const Image::Data& image, const std::string& title) {
  const std::string why = image.objection_to_storing ? image.objection_to_storing() : std::string();
  if (!why.empty())
    fail(ErrorCode::LinkFailed,
         base::format("{}: the kernel for {} is not put into a pack: {}", title, image.report.kernel.architecture.sm(),
                      why),
         "Make the pack in another process (`graft precompile`), or set GRAFT_PRIVATE_LINKER=1 before this process "
         "starts.",
         {}, image.report.versions);
}

}  // namespace graft::routes
