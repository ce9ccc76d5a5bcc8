// The ptx route: the kernel (building block, adapter and tuning) is one PTX module, which is linked with the callback's
// PTX or machine code. The kernel makes a direct call for each element.
//
// A source callback is compiled to a module of its own, with a function `graft_entry` that has the callback's
// signature. The kernel's module contains nothing of the user's text. It uses stand-ins for the user's types. How a
// parameter is passed depends only on its size, alignment and kind, so a call with stand-ins is the same as a call with
// the user's types.
//
// A build compiles one or two modules and links them. Class CalleeMaker gets the callback's module, which it compiles
// if the callback is a source. Class PtxRoute then compiles the kernel, which calls the callback, and links both.
// best_body.hpp chooses the kernel's body.
#include "routes/routes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "codegen/separate_program.hpp"
#include "link/link_error.hpp"
#include "link/ptx_link.hpp"
#include "routes/best_body.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

// The callee is the callback, as the kernel's compile and link need it.
struct Callee {
  Signature signature = {};
  // False if only the declaration shows the signature, so that the compile of the kernel must confirm it.
  bool is_confirmed = true;
  std::vector<toolchain::LinkInput> inputs = {};
  // The callback's PTX if graft compiled it. `inputs` then has a view of these bytes.
  base::Bytes compiled = {};
  codegen::SourceProgram caller = {};  // the program whose adapter calls the callback
};

// Makes the callee. If the callback's text does not show the signature, the compiler reads the signature.
class CalleeMaker {
 public:
  CalleeMaker(const link::CallbackRequest& request, const compile::DeviceCompiler& compiler, Report& report,
              Stopwatch& watch)
      : request_(request), compiler_(compiler), report_(report), watch_(watch) {}

  Callee make() {
    if (request_.callback.form() == Form::Source) return of_source();
    const std::optional<Signature> shown = shown_by_declaration();
    return shown ? of_binary(*shown, false) : of_binary(read_signature(), true);
  }

  // Makes the callee again, with a signature read by the compiler. `was_compiled` is true if the kernel was compiled
  // with the declared signature, and the compiler contradicted this signature.
  Callee make_again(bool was_compiled) {
    if (was_compiled) report_.notes.emplace_back(compile::kCompiledTwice);
    return of_binary(read_signature(), true);
  }

 private:
  // Returns the signature that the declaration of a callback binary shows. Returns nothing if a macro or an #include
  // may give the declaration's words another meaning, because the signature is compared with the binary's prototype
  // before anything is compiled.
  std::optional<Signature> shown_by_declaration() const {
    if (!request_.options.defines.empty()) return std::nullopt;
    for (const std::string_view directive : {"#", "%:"})
      if (request_.callback.signature().find(directive) != std::string::npos) return std::nullopt;
    return codegen::shown_signature(request_.program, request_.options);
  }

  Signature read_signature() {
    Signature signature = compiler_.signature();
    watch_.step("read signature");
    return signature;
  }

  // Compiles the callback to PTX. If the callback's text shows the signature, the same compile confirms it; otherwise
  // another compile reads the signature first.
  Callee of_source() {
    const std::optional<Signature> shown = codegen::shown_signature(request_.program, request_.options);
    std::optional<compile::Compiled> entry;
    if (shown) {
      entry = compiler_.entry_if_so(*shown);
      watch_.step("compile");
      if (!entry) report_.notes.emplace_back(compile::kCompiledTwice);
    }
    if (!entry) {
      entry = compiler_.entry(read_signature());
      watch_.step("compile");
    }
    Callee callee{.signature = std::move(entry->signature), .compiled = std::move(entry->code)};
    link::check_link_inputs(callee.compiled, request_.binary, request_.program.title);
    callee.inputs = {{toolchain::LinkInputKind::Ptx, callee.compiled, request_.program.title}};
    callee.inputs.insert(callee.inputs.end(), request_.binary.inputs.begin(), request_.binary.inputs.end());
    callee.caller = codegen::stand_in_program(request_.program, callee.signature);
    return callee;
  }

  Callee of_binary(Signature signature, bool is_confirmed) {
    const codegen::SourceProgram& program = request_.program;
    Callee callee{.signature = std::move(signature),
                  .is_confirmed = is_confirmed,
                  .inputs = request_.binary.inputs,
                  .caller = program};
    std::vector<std::string> called;
    if (program.is_extern_c) called.push_back(program.parts.entry);
    else if (request_.callback.form() == Form::Composition) link::check_parts(request_.callback, request_.binary);
    else
      for (const std::string& symbol : request_.binary.functions)
        if (link::is_symbol_of(symbol, program.parts.entry)) called.push_back(symbol);
    // If the function is overloaded, there is nothing to check here: the linker finds the overload whose mangled name
    // has the declared types, or reports that there is none.
    if (called.size() == 1) link::check_prototype(request_.binary, called[0], callee.signature, program.title);
    return callee;
  }

  const link::CallbackRequest& request_;
  const compile::DeviceCompiler& compiler_;
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

std::vector<std::string> ptx_in(const std::vector<toolchain::LinkInput>& inputs) {
  std::vector<std::string> texts;
  for (const toolchain::LinkInput& input : inputs)
    if (input.kind == toolchain::LinkInputKind::Ptx) texts.emplace_back(base::as_text(input.bytes));
  return texts;
}

namespace {

// Compiles and links the kernel that calls the callee.
class PtxRoute {
 public:
  PtxRoute(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image)
      : request_(request),
        tools_(tools),
        compiled_for_(ptx_architecture(request.architecture, *tools.nvrtc)),
        image_(image),
        watch_(image.report) {}

  void build() {
    const compile::DeviceCompiler compiler(request_.program, compiled_for_, request_.options, tools_);
    CalleeMaker callees(request_, compiler, image_.report, watch_);
    if (!link(callees.make())) link(callees.make_again(was_compiled_));
  }

 private:
  // Compiles and links the kernel. Returns false if the callback does not have the callee's signature.
  bool link(const Callee& callee) {
    const codegen::SourceProgram& program = request_.program;
    families::Decided decided =
        families::decide({program, callee.signature, request_.architecture, Route::Ptx, request_.options});
    bool is_fit = true;
    const auto make = [&](const KernelSpec& wanted) {
      std::optional<compile::Compiled> kernel;
      if (is_fit) kernel = compile(callee, decided.family(), wanted);
      is_fit = kernel.has_value();
      return is_fit ? link(callee, std::move(*kernel), wanted.name) : link::Linked();
    };
    // A callback that is compiled separately cannot be too heavy to unroll, because unrolling multiplies only the calls
    // and not its code.
    link::Linked linked = make_best(make, {request_.options.policy}, decided, watch_);
    if (!is_fit) return false;
    list_call(linked.findings, program.parts.entry);
    fill_image(image_, std::move(decided), program, request_.options.policy, std::move(linked));
    return true;
  }

  std::optional<compile::Compiled> compile(const Callee& callee, const families::Family& family,
                                           const KernelSpec& wanted) {
    const compile::DeviceCompiler compiler(callee.caller, compiled_for_, request_.options, tools_);
    families::Code code = family.code({callee.caller, &wanted, families::TypesFrom::Compiler, true}).value();
    if (!callee.is_confirmed && !code.is_general) return std::nullopt;  // only a general adapter reads the signature
    compile::Compiled compiled = callee.is_confirmed
                                     ? compiler.known(std::move(code.text), callee.signature, compile::CodeKind::Ptx)
                                     : compiler.general(std::move(code.text), compile::CodeKind::Ptx);
    was_compiled_ = true;
    link::check_link_inputs(compiled.code, request_.binary, request_.program.title);
    watch_.step("compile");
    return compiled.signature == callee.signature ? std::optional(std::move(compiled)) : std::nullopt;
  }

  link::Linked link(const Callee& callee, compile::Compiled kernel, const std::string& name) {
    link::PtxLinkRequest link = {.inputs = {{toolchain::LinkInputKind::Ptx, kernel.code, name}},
                                 .program = request_.program,
                                 .callback = request_.binary,
                                 .kernel = name,
                                 .architecture = request_.architecture,
                                 .options = request_.options,
                                 .made_by = tools_.nvrtc->version()};
    link.inputs.insert(link.inputs.end(), callee.inputs.begin(), callee.inputs.end());
    link::Linked linked = link::link_ptx(link, tools_);
    if (image_.keeps_ptx) linked.ptx = ptx_in(link.inputs);
    Report& report = image_.report;
    report.versions = {tools_.nvrtc_version(), link::ptx_linker_version(link, tools_)};
    report.compiler_log = std::move(kernel.log);
    report.source = std::move(kernel.source);
    return linked;
  }

  const link::CallbackRequest& request_;
  const compile::OpenTools& tools_;
  Architecture compiled_for_;
  Image::Data& image_;
  Stopwatch watch_;
  bool was_compiled_ = false;
};

}  // namespace

void build_ptx(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image) {
  PtxRoute(request, tools, image).build();
}

}  // namespace graft::routes
