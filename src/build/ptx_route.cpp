#include "build/ptx_route.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/link_error.hpp"
#include "build/ptx_link.hpp"
#include "build/stopwatch.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "reflect/separate_program.hpp"

namespace graft::building {
namespace {

// The callback's side of the link.
struct Callee {
  Signature signature = {};
  std::vector<toolchain::LinkInput> inputs = {};
  base::Bytes compiled = {};           // what an input may view
  reflect::SourceProgram caller = {};  // the program whose adapter calls it
};

// Asks the compiler for what the text does not show.
class CalleeMaker {
 public:
  CalleeMaker(const CallbackRequest& request, const DeviceCompiler& compiler, Report& report, Stopwatch& watch)
      : request_(request), compiler_(compiler), report_(report), watch_(watch) {}

  Callee make() { return request_.callback.form() == Form::Source ? of_source() : of_binary(); }

 private:
  Signature read_signature() {
    Signature signature = compiler_.signature();
    watch_.step("read signature");
    return signature;
  }

  // What its text shows is confirmed by the compile that makes its code.
  Callee of_source() {
    const std::optional<Signature> shown = reflect::shown_signature(request_.program, request_.options);
    std::optional<Compiled> entry;
    if (shown) {
      entry = compiler_.entry_if_so(*shown);
      watch_.step("compile");
      if (!entry) report_.notes.emplace_back(kCompiledTwice);
    }
    if (!entry) {
      entry = compiler_.entry(read_signature());
      watch_.step("compile");
    }
    Callee callee{.signature = std::move(entry->signature), .compiled = std::move(entry->code)};
    callee.inputs = {{toolchain::LinkInputKind::Ptx, callee.compiled, request_.program.title}};
    callee.caller = reflect::stand_in_program(request_.program, callee.signature);
    return callee;
  }

  Callee of_binary() {
    const reflect::SourceProgram& program = request_.program;
    Callee callee{.signature = read_signature(), .inputs = request_.binary.inputs, .caller = program};
    std::vector<std::string> called;
    if (program.is_extern_c) called.push_back(program.parts.entry);
    else if (request_.callback.form() == Form::Composition) check_parts(request_.callback, request_.binary);
    else
      for (const std::string& symbol : request_.binary.functions)
        if (is_symbol_of(symbol, program.parts.entry)) called.push_back(symbol);
    // Of overloads the linker finds the one whose name holds the declared types, or none.
    if (called.size() == 1) check_prototype(request_.binary, called[0], callee.signature, program.title);
    return callee;
  }

  const CallbackRequest& request_;
  const DeviceCompiler& compiler_;
  Report& report_;
  Stopwatch& watch_;
};

}  // namespace

Architecture ptx_architecture(Architecture wanted, const toolchain::Nvrtc& nvrtc) {
  const std::vector<int>& known = nvrtc.architectures();
  if (std::ranges::find(known, wanted.number) != known.end()) return wanted;
  Architecture newest = kOldestArchitecture;
  for (const int number : known)
    if (number <= wanted.number) newest = std::max(newest, Architecture(number));
  return newest;
}

void build_ptx(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  Report& report = image.report;
  const Options& options = request.options;
  Stopwatch watch(report);
  const Architecture compiled_for = ptx_architecture(request.architecture, *tools.nvrtc);
  const reflect::SourceProgram& program = request.program;
  const DeviceCompiler compiler(program, compiled_for, options, tools);
  const Callee callee = CalleeMaker(request, compiler, report, watch).make();
  const Signature& signature = callee.signature;
  families::Decided decided = families::decide({program, signature, request.architecture, Route::Ptx, options});
  const auto make = [&](const KernelSpec& wanted) {
    const std::optional<families::Code> code =
        decided.family().code({callee.caller, &wanted, families::TypesFrom::Compiler, true});
    Compiled kernel =
        DeviceCompiler(callee.caller, compiled_for, options, tools).known(code.value().text, signature, CodeKind::Ptx);
    watch.step("compile");
    PtxLinkRequest link = {.inputs = {{toolchain::LinkInputKind::Ptx, kernel.code, wanted.name}},
                           .program = program,
                           .callback = request.binary,
                           .kernel = wanted.name,
                           .architecture = request.architecture,
                           .options = options,
                           .made_by = tools.nvrtc->version()};
    link.inputs.insert(link.inputs.end(), callee.inputs.begin(), callee.inputs.end());
    Linked linked = link_ptx(link, tools);
    report.versions = {tools.nvrtc_version(), ptx_linker_version(link, tools)};
    report.compiler_log = std::move(kernel.log);
    report.source = std::move(kernel.source);
    return linked;
  };
  // Compiled apart, a callback cannot be too heavy to unroll: only its calls are multiplied.
  Linked linked = make_best(make, {options.policy}, decided, watch);
  list_call(linked.findings, program.parts.entry);
  fill_image(image, std::move(decided), program, options.policy, std::move(linked));
}

}  // namespace graft::building
