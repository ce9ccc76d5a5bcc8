// Contains the steps of a build that all routes share. Build::of_spelled does the steps in this order:
//
//     examine       what the callback's bytes contain
//     open          the tools, and choose a route that tools and callback allow
//     prepare       scan the callback's text or declaration
//     follow        the route: compile, link, fill image and report
//
// Two events make a build start over. If a declared signature with 64-bit integers does not link, its other spellings
// are tried, with `long` in place of `long long` or the reverse (wide_integers.hpp). If nvJitLink could not be opened
// while the callback was compiled, the route is chosen again.
#include "routes/builder.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>

#include "base/format.hpp"
#include "compile/nvvm_compile.hpp"
#include "compile/open_tools.hpp"
#include "compile/optimiser_check.hpp"
#include "compile/option_check.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "core/slots.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "link/callback_binary.hpp"
#include "link/lost_flags.hpp"
#include "plan/route.hpp"
#include "routes/best_body.hpp"
#include "routes/pack_contents.hpp"
#include "routes/routes.hpp"
#include "routes/stopwatch.hpp"
#include "routes/wide_integers.hpp"

namespace graft::routes {
namespace {

// Returns the remedy for the error of no_route(). If the request requires the host route and a tool is missing, this
// tool is the C++ compiler.
std::string remedy_for(const plan::RouteDecision& decision, const RouteChoice& asked, const plan::Tools& tools,
                       const plan::Material& material) {
  if (decision.lacks_tool && asked.required == Route::Host)
    return "Install a C++ compiler (g++ or clang++), or set GRAFT_CXX to the absolute path of one.";
  // If a version is known to be needed, a missing tool of an older version would not help.
  if (decision.lacks_tool && decision.wanted == Version{})
    return material.packed && !tools.nvjitlink.available
               ? plan::remedy_for_missing_linker(tools.driver, material.program || material.ptx)
               : plan::remedy_for_missing_tools(tools.driver);
  if (decision.lacks_newer) return plan::remedy_for_old_tools(tools.driver, decision.wanted);
  return "Allow another route in Options::routes, or give the callback in another form.";
}

// Returns the versions of the CUDA tools that were found.
std::vector<ToolVersion> versions_of(const plan::Tools& tools) {
  std::vector<ToolVersion> versions;
  const auto add = [&](const char* name, const plan::ToolState& tool) {
    if (tool.available) versions.push_back({name, tool.version.text()});
  };
  add("NVRTC", tools.nvrtc);
  add("nvJitLink", tools.nvjitlink);
  add("CUDA driver", tools.driver);
  return versions;
}

// Replaces all but the first occurrence of the long reason why a tool is missing ("no nvJitLink: looked for ...") by
// the words before its colon.
void shorten_repeats(std::string& message, const std::string& reason) {
  const std::size_t colon = reason.find(": ");
  const std::size_t first = message.find(reason);
  if (colon == reason.npos || first == message.npos) return;
  for (std::size_t at = first + reason.size(); (at = message.find(reason, at)) != message.npos; at += colon)
    message.replace(at, reason.size(), reason, 0, colon);
}

[[noreturn]] void no_route(const plan::RouteDecision& decision, const RouteChoice& asked, const plan::Tools& tools,
                           const plan::Material& material) {
  std::string message = "no route to a kernel is left:";
  for (const Report::RouteNotTaken& other : decision.not_taken)
    message += base::format(" {}: {};", name(other.route), other.reason);
  message.pop_back();
  for (const plan::ToolState* tool : {&tools.nvrtc, &tools.nvjitlink, &tools.driver})
    if (!tool->available) shorten_repeats(message, tool->why_not);
  const ErrorCode code = decision.lacks_tool    ? ErrorCode::ToolMissing
                         : decision.lacks_newer ? ErrorCode::ToolTooOld
                                                : ErrorCode::RouteUnavailable;
  fail(code, std::move(message), remedy_for(decision, asked, tools, material), {}, versions_of(tools));
}

// Examines the callback's bytes, and records whether its signature is known without a compiler.
link::CallbackBinary examine_all(const Callback& callback, std::optional<Architecture> architecture,
                                 const Options& options) {
  link::CallbackBinary binary = link::examine(callback, architecture);
  binary.material.types_known = signature_without_compiler(callback, options).has_value();
  return binary;
}

// Set when NVRTC was found to optimise no longer, which never changes back.
std::atomic<bool> compiler_is_slow{false};

// Builds the image of one request.
class Build {
 public:
  Build(std::optional<Architecture> architecture, const Options& options, const compile::Toolbox& toolbox,
        const plan::HeaderScan* scan = nullptr)
      : architecture_(architecture), options_(options), toolbox_(toolbox), scan_(scan) {}

  void keep_ptx() { image_.keeps_ptx = true; }

  // Builds a callback of any form.
  Image::Data of_any(const Step& step) {
    if (step.callback.form() == Form::Pack) return of_pack(step);
    if (compile::has_nvvm(step.callback)) return of_nvvm(step);
    return of(step);
  }

  // Builds the callback. A declared signature may have several spellings (wide_integers.hpp), which are tried until one
  // links. If none links, throws the error of the first spelling.
  Image::Data of(const Step& step) {
    const Image::Data before = image_;
    std::optional<Error> first;
    for (const Callback& spelling : spellings_of(step.callback, architecture_, options_)) {
      image_ = before;
      try {
        return of_spelled({spelling, step.family, step.request});
      } catch (const Error& error) {
        if (!first) first = error;
        if (!may_be_spelled_otherwise(*first)) break;
      }
    }
    throw *first;
  }

  Image::Data of_spelled(const Step& step) {
    const Callback& callback = step.callback;
    family_ = &families::of(step.family);
    link::CallbackBinary binary = examine_all(callback, architecture_, options_);
    const codegen::SourceProgram program = prepare(step);
    binary.material.program_first = is_sooner_as_program(program);
    const bool can_wait = binary.material.source && architecture_ && options_.routes.required != Route::Host;
    const compile::OpenTools tools =
        open(binary.material, can_wait ? compile::ToolNeeds::Compiler : compile::ToolNeeds::All);
    const bool are_open = tools.nvjitlink || !tools.states.nvjitlink.available;
    const link::CallbackRequest request = {callback, program, binary, architecture_.value_or(Architecture()), options_};
    if (are_open || route_ == Route::Program) follow(request, tools);
    else if (route_ == Route::Lto) compile_while_the_linker_opens(request, tools);
    else follow(request, open(binary.material, compile::ToolNeeds::All));
    for (std::string& note : link::unconfirmed_types(callback, binary, options_))
      image_.report.notes.push_back(std::move(note));
    if (route_ == Route::Lto)
      for (std::string& note : link::lost_flags(binary.inputs, request.architecture, options_.floating_point))
        image_.report.notes.push_back(std::move(note));
    return std::move(image_);
  }

  Image::Data of_pack(const Step& step) {
    PackContents contents = open_pack(step.callback, architecture_, options_);
    family_ = &families::of(contents.kernel.spec.family);
    // A kernel of the same callback that the pack does not hold can still call the callback.
    const bool is_another = contents.kernel.spec.request.empty() && !step.request.empty();
    if (is_another && family_->indirect() != nullptr) keep_callback_alone(contents, step.request);
    const bool is_finished = contents.finished && !is_unwanted(contents.finished->facts->route);
    const compile::ToolNeeds linker =
        family_->links_blocks() ? compile::ToolNeeds::Linker : compile::ToolNeeds::LinkerAlone;
    const compile::OpenTools tools = open(contents.material, is_finished ? compile::ToolNeeds::Nothing : linker);
    const bool links = !is_finished && route_ == Route::Lto;
    const std::future<void> look = links ? compile::look_at_linker(tools, architecture_.value()) : std::future<void>();
    build_from_pack({contents, route_, architecture_.value(), with_own(contents.kernel, options_)}, tools, image_);
    if (links) compile::examine_before_storing(tools, architecture_.value(), look, image_);
    return std::move(image_);
  }

  Image::Data of_nvvm(const Step& step) {
    Stopwatch watch(image_.report);
    compile::CompiledNvvm compiled =
        compile::compile_nvvm(step.callback, architecture_.value_or(kOldestArchitecture), options_, toolbox_);
    watch.step("compile NVVM IR");
    Image::Data image = of({compiled.callback, step.family, step.request});
    image.report.versions.insert(image.report.versions.begin(), std::move(compiled.version));
    image.report.compiler_log.insert(0, compiled.log);
    return image;
  }

 private:
  codegen::SourceProgram prepare(const Step& step) {
    Stopwatch watch(image_.report);
    const auto was_found = [this](const std::string& path) { return scan_->found(path); };
    codegen::SourceProgram program = scan_ == nullptr ? families::prepare_program(step, options_)
                                                      : families::prepare_program(step, options_, was_found);
    watch.step("scan");
    return program;
  }

  // Builds by the lto route, which was chosen because nvJitLink's file exists. Opening nvJitLink takes 6 of the 70 ms
  // of a build in a new process, so it happens while the callback is compiled. Until nvJitLink is open, its version is
  // assumed to be NVRTC's. Then another thread looks whether nvJitLink optimises. If nvJitLink cannot be loaded, or is
  // too old, the route is chosen again.
  void compile_while_the_linker_opens(const link::CallbackRequest& request, const compile::OpenTools& compiler) {
    const auto linker = std::async(std::launch::async, [this] {
                          std::string why;
                          return toolbox_.toolkit().nvjitlink(why);
                        }).share();
    const std::future<void> look = std::async(std::launch::async, [&, linker] {
      compile::OpenTools with_linker = compiler;
      with_linker.nvjitlink = linker.get();
      if (with_linker.nvjitlink) compile::OptimiserCheck(with_linker, *architecture_).look();
    });
    Stopwatch watch(image_.report);
    Adapted adapted = adapt(request, compiler, watch);
    linker.wait();
    watch.step("open tools");
    const compile::OpenTools tools = open(request.binary.material, compile::ToolNeeds::All);
    if (route_ == Route::Lto && tools.choice == compiler.choice) {
      link_lto(request, tools, std::move(adapted), image_);
      return compile::examine_before_storing(tools, architecture_.value(), look, image_);
    }
    image_.report.notes.emplace_back(
        "the callback was compiled again: nvJitLink could not be loaded, or is not of the version that was expected");
    follow(request, tools);
  }

  void follow(const link::CallbackRequest& request, const compile::OpenTools& tools) {
    switch (route_) {
      case Route::Lto: {
        const std::future<void> look = compile::look_at_linker(tools, architecture_.value());
        build_lto(request, tools, image_);
        return compile::examine_before_storing(tools, architecture_.value(), look, image_);
      }
      case Route::Program:
        return build_by_compiler(request, tools);
      case Route::Ptx:
        return build_ptx(request, tools, image_);
      case Route::Indirect:
        return build_indirect(request, tools, image_);
      case Route::Host:
        return build_host_route(request.program, options_, tools, image_);
    }
  }

  // Whether to make the kernel by NVRTC alone rather than by NVRTC and nvJitLink. By NVRTC alone, a callback whose
  // vector body turns out to be too heavy takes a second compile in place of a second link, so it should show no sign
  // of that.
  bool is_sooner_as_program(const codegen::SourceProgram& program) const {
    std::size_t bytes = program.parts.callback_text.source().size();
    for (const codegen::ProgramParts& member : program.parts.members) bytes += member.callback_text.source().size();
    for (const Header& header : options_.headers) bytes += header.text.size();
    return !compiler_is_slow && !program.scan.has_unroll_pragma && !program.includes_files &&
           bytes <= kLongestLightText && family_->is_sooner_whole(program, family_->shown_signature(program, options_));
  }

  // Builds by the program route. If that shows that NVRTC no longer optimises, builds by the lto route, which is not
  // affected, unless this is impossible.
  void build_by_compiler(const link::CallbackRequest& request, const compile::OpenTools& tools) {
    const Image::Data before = image_;
    build_program(request, tools, image_);
    if (!image_.objection_to_storing) return;
    compiler_is_slow = true;
    Image::Data built = std::exchange(image_, before);
    plan::Material material = request.binary.material;
    material.program_first = false;
    const compile::OpenTools with_linker = open(material, compile::ToolNeeds::All);
    if (route_ == Route::Lto) follow(request, with_linker);
    else image_ = std::move(built);
    image_.report.notes.emplace_back(compile::kCompilerIsSlow);
  }

  bool is_unwanted(Route route) const {
    const RouteChoice& choice = options_.routes;
    return (choice.required && *choice.required != route) ||
           std::ranges::find(choice.forbidden, route) != choice.forbidden.end();
  }

  // Opens the tools, and chooses a route that the tools and the callback allow. Throws Error if there is none.
  compile::OpenTools open(const plan::Material& material, compile::ToolNeeds needs) {
    Report& report = image_.report;
    Stopwatch watch(report);
    compile::OpenTools tools = compile::open_tools(options_.routes, toolbox_, needs);
    tools.scan = scan_;
    plan::RouteDecision decision = plan::choose_route({.choice = options_.routes,
                                                       .material = material,
                                                       .architecture = architecture_,
                                                       .bakes_state = !options_.baked_state.empty(),
                                                       .has_indirect = family_->indirect() != nullptr,
                                                       .links_blocks = family_->links_blocks()},
                                                      tools.states);
    if (!decision.route) no_route(decision, options_.routes, tools.states, material);
    route_ = report.kernel.route = *decision.route;
    image_.depends_on_tools = decision.depends_on_tools;
    report.routes_not_taken = std::move(decision.not_taken);
    report.toolkit = tools.origin;
    watch.step("open tools");
    if (decision.from_other_major)
      report.notes.push_back(
          base::format("the LTO-IR of {} was made by CUDA {}: nvJitLink {} links it, but NVIDIA "
                       "does not promise that this works across major versions",
                       material.newest_ltoir.empty() ? material.name : material.newest_ltoir,
                       material.ltoir_made_by.text(), tools.nvjitlink->version().text()));
    return tools;
  }

  std::optional<Architecture> architecture_;
  const Options& options_;
  const compile::Toolbox& toolbox_;
  const plan::HeaderScan* const scan_;
  Image::Data image_;
  Route route_ = Route::Lto;
  const families::Family* family_ = nullptr;
};

}  // namespace

void check_architecture(std::optional<Architecture> architecture) {
  if (!architecture || *architecture >= kOldestArchitecture) return;
  refuse(base::format("{} is older than graft's oldest architecture, {}", architecture->sm(), kOldestArchitecture.sm()),
         "Use a GPU of compute capability 7.5 or newer.");
}

Step spelled_as_linked(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox) {
  const std::vector<Callback> spellings = spellings_of(step.callback, architecture, options);
  for (const Callback& spelling : spellings) {
    Step spelled{spelling, step.family, step.request};
    if (spellings.size() == 1) return spelled;
    try {
      Build(architecture, options, toolbox).of_spelled(spelled);
      return spelled;
    } catch (const Error&) {
      continue;  // either the spelling is wrong, or this machine cannot link at all
    }
  }
  return {spellings.front(), step.family, step.request};
}

Image::Data build_image(const Step& step, std::optional<Architecture> architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan, own_kernels::CodeCache* codes) {
  compile::check_options(options);
  check_architecture(architecture);
  if (has_slots(step.callback)) return build_slots(step, architecture.value(), options, toolbox, scan, codes);
  return Build(architecture, options, toolbox, scan).of_any(step);
}

std::string kernel_ptx(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox) {
  compile::check_options(options);
  check_architecture(architecture);
  if (has_slots(step.callback))
    fail(ErrorCode::RouteUnavailable, "graft keeps no PTX of kernels of your own",
         "Compile their source to PTX with nvcc --ptx, or look at the machine code.");
  Build build(architecture, options, toolbox);
  build.keep_ptx();
  const Image::Data image = build.of_any(step);
  if (image.ptx.empty())
    fail(ErrorCode::RouteUnavailable,
         base::format("{} has no PTX: {}", image.kernel().name,
                      step.callback.form() == Form::Pack ? "it is made from a pack" : "it is a kernel for the CPU"),
         "Give the callback's source and a route for GPUs, or look at the machine code.");
  return base::format("{}", base::join(image.ptx, "\n"));
}

}  // namespace graft::routes
