#include "build/lto_route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/embedded.hpp"
#include "build/flags.hpp"
#include "build/link_log.hpp"
#include "build/lto_compile.hpp"
#include "build/stopwatch.hpp"
#include "graft/error.hpp"
#include "plan/policy.hpp"

namespace graft::building {
namespace {

using plan::Policy;
using toolchain::LinkInputKind;
using toolchain::LinkOutput;

struct OpenTools {
  std::shared_ptr<const toolchain::Nvrtc> nvrtc;
  std::shared_ptr<const toolchain::NvJitLink> nvjitlink;
  std::vector<ToolVersion> versions;
};

[[noreturn]] void missing(const std::string& why) {
  throw Error(ErrorCode::ToolMissing,
              {.message = why,
               .remedy = "Install the CUDA toolkit (or NVIDIA's wheels nvidia-cuda-nvrtc and nvidia-nvjitlink), or set "
                         "GRAFT_CUDA_PATH to where it is.",
               .log = {},
               .versions = {}});
}

OpenTools open_tools(const Toolbox& tools) {
  OpenTools open;
  std::string why;
  open.nvrtc = tools.toolkit().nvrtc(why);
  if (!open.nvrtc) missing(why);
  open.nvjitlink = tools.toolkit().nvjitlink(why);
  if (!open.nvjitlink) missing(why);
  open.versions = {{"NVRTC", open.nvrtc->version().text()}, {"nvJitLink", open.nvjitlink->version().text()}};
  return open;
}

void check_architecture(Architecture architecture, const OpenTools& tools) {
  if (architecture < kOldestArchitecture)
    throw Error(ErrorCode::InvalidArgument, {.message = fmt::format("{} is older than graft's oldest architecture, {}",
                                                                    architecture.sm(), kOldestArchitecture.sm()),
                                             .remedy = "Use a GPU of compute capability 7.5 or newer.",
                                             .log = {},
                                             .versions = tools.versions});
  const std::vector<int>& known = tools.nvrtc->architectures();
  if (std::find(known.begin(), known.end(), architecture.number) == known.end())
    throw Error(ErrorCode::ToolTooOld, {.message = fmt::format("NVRTC {} does not compile for {}",
                                                               tools.nvrtc->version().text(), architecture.sm()),
                                        .remedy = "Install a newer CUDA toolkit, or point GRAFT_CUDA_PATH to one.",
                                        .log = {},
                                        .versions = tools.versions});
}

toolchain::LinkInput embedded_input(const std::string& file) {
  return {LinkInputKind::LtoIr, base::as_bytes(base::embedded_file(file)), file};
}

struct Linked {
  toolchain::LinkResult result;
  LinkFindings findings;
};

// One link of callback, block and policy.
class Linker {
 public:
  Linker(const Compiled& compiled, const SourceProgram& program, Architecture architecture, const Options& options,
         const OpenTools& tools)
      : compiled_(compiled),
        program_(program),
        kernel_(reflect::kernel_name(program.parts)),
        flags_(link_flags(options, architecture)),
        tools_(tools) {}

  Linked link(const Policy& policy, LinkOutput output = LinkOutput::Cubin) const {
    toolchain::LinkRequest request;
    request.options = flags_;
    request.output = output;
    request.inputs = {{LinkInputKind::LtoIr, compiled_.ltoir, program_.title},
                      embedded_input("transform.ltoir"),
                      embedded_input(fmt::format("policy/vector_width_{}.ltoir", policy.vector_width)),
                      embedded_input(fmt::format("policy/vectors_per_thread_{}.ltoir", policy.vectors_per_thread)),
                      embedded_input(fmt::format("policy/body_{}.ltoir", static_cast<int>(policy.body)))};
    Linked linked{tools_.nvjitlink->link(request), {}};
    if (!linked.result.ok) throw_link_error(linked.result);
    linked.findings = parse_link_log(linked.result.info_log, kernel_);
    return linked;
  }

 private:
  [[noreturn]] void throw_link_error(const toolchain::LinkResult& result) const {
    const bool undefined = result.error_log.find("Unresolved extern") != std::string::npos ||
                           result.error_log.find("undefined") != std::string::npos;
    throw Error(ErrorCode::LinkFailed,
                {.message = fmt::format("{} does not link: {}", program_.title, result.failure),
                 .remedy = undefined ? "Define every function that the callback calls in its source or its headers."
                                     : "The linker's words say why.",
                 .log = result.error_log + result.info_log,
                 .versions = tools_.versions});
  }

  const Compiled& compiled_;
  const SourceProgram& program_;
  std::string kernel_;
  std::vector<std::string> flags_;
  const OpenTools& tools_;
};

// A callback that the vector body would multiply into something slow to link: it is linked rolled first. An identity
// callback makes about 8 kB of LTO-IR. Size alone says little (an unrolled loop of sinf: 4.7 kB, 4 s), hence the
// pragma.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program) {
  constexpr std::size_t kLargeLtoIr = 40'000;
  return program.scan.has_unroll_pragma || compiled.ltoir.size() > kLargeLtoIr;
}

bool spills(const Linked& linked) {
  return linked.findings.resources.spill_store_bytes > 0;
}

// Links in the body that runs best: the vector body unless it spills where the rolled body does not, or would take too
// long to link. `policy` says afterwards what was taken and why.
Linked link_best(const Linker& linker, Policy& policy, bool heavy, bool body_is_given, Stopwatch& watch) {
  constexpr double kQuickLink = 100;    // ms: a link of an ordinary callback takes 20 to 60
  constexpr double kLongestLink = 600;  // ms, guessed from the rolled link
  Policy rolled = policy;
  rolled.body = Body::Rolled;
  if (body_is_given || (policy.vector_width * policy.vectors_per_thread == 1 && !heavy)) {
    Linked linked = linker.link(policy);
    watch.step("link");
    return linked;
  }
  std::optional<Linked> first;
  if (heavy) {
    first = linker.link(rolled);
    watch.step("link rolled");
    const double guess = watch.milliseconds_of_last() * policy.vector_width * policy.vectors_per_thread;
    if (watch.milliseconds_of_last() > kQuickLink && guess > kLongestLink) {
      policy = rolled;
      policy.reason =
          fmt::format("the callback is heavy: the rolled link took {:.0f} ms", watch.milliseconds_of_last());
      return std::move(*first);
    }
  }
  Linked vector = linker.link(policy);
  watch.step("link");
  if (!spills(vector)) return vector;
  if (!first) {
    first = linker.link(rolled);
    watch.step("link rolled");
  }
  if (spills(*first)) return vector;
  rolled.reason = fmt::format("unrolled, the callback spills {} bytes", vector.findings.resources.spill_store_bytes);
  policy = rolled;
  return std::move(*first);
}

}  // namespace

void build_lto(const Callback& callback, Architecture architecture, const Options& options, const Toolbox& tools,
               Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  const OpenTools open = open_tools(tools);
  check_architecture(architecture, open);
  report.versions = open.versions;
  report.toolkit = tools.toolkit().origin();
  const SourceProgram program = prepare_source(callback, options);
  watch.step("scan");
  Compiled compiled =
      compile_ltoir(program, architecture, options, *open.nvrtc, tools.toolkit().include_folder(), open.versions);
  watch.step("compile");

  Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const Linker linker(compiled, program, architecture, options, open);
  Linked linked = link_best(linker, policy, looks_heavy(compiled, program), options.policy.body.has_value(), watch);

  report.kernel_name = reflect::kernel_name(program.parts);
  report.signature = compiled.signature;
  report.architecture = architecture;
  report.vector_width = policy.vector_width;
  report.vectors_per_thread = policy.vectors_per_thread;
  report.body = policy.body;
  report.policy_reason = policy.reason;
  report.resources = linked.findings.resources;
  report.remaining_calls = linked.findings.remaining_calls;
  report.cuda_helpers = linked.findings.cuda_helpers;
  if (!report.inlined())
    report.notes.emplace_back("a function of the callback was not inlined: each element pays for a call");
  report.compiler_log = std::move(compiled.log);
  report.linker_log = std::move(linked.result.info_log);
  report.source = std::move(compiled.source);
  image.bytes = std::move(linked.result.code);
  report.image_bytes = image.bytes.size();
}

std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& tools) {
  const OpenTools open = open_tools(tools);
  const SourceProgram program = prepare_source(callback, options);
  const Compiled compiled =
      compile_ltoir(program, architecture, options, *open.nvrtc, tools.toolkit().include_folder(), open.versions);
  const Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const Linker linker(compiled, program, architecture, options, open);
  return std::string(base::as_text(linker.link(policy, LinkOutput::Ptx).result.code));
}

}  // namespace graft::building
