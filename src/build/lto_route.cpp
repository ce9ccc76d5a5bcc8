#include "build/lto_route.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/embedded.hpp"
#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/link_error.hpp"
#include "format/ltoir.hpp"
#include "plan/policy.hpp"

namespace graft::building {
namespace {

using plan::Policy;
using toolchain::LinkInputKind;
using toolchain::LinkOutput;

toolchain::LinkInput embedded_input(const std::string& file) {
  return {LinkInputKind::LtoIr, base::as_bytes(base::embedded_file(file)), file};
}

std::vector<toolchain::LinkInput> shipped_block(const Policy& policy) {
  return {embedded_input("transform.ltoir"),
          embedded_input(fmt::format("policy/vector_width_{}.ltoir", policy.vector_width)),
          embedded_input(fmt::format("policy/vectors_per_thread_{}.ltoir", policy.vectors_per_thread)),
          embedded_input(fmt::format("policy/body_{}.ltoir", static_cast<int>(policy.body)))};
}

// Whether nvJitLink takes the block as it was compiled with graft: it refuses newer LTO-IR, and NVIDIA promises nothing
// for that of another major version. The NVRTC at hand then compiles the block anew.
bool takes_shipped_block(const toolchain::Version& nvjitlink) {
  const auto block = format::read_ltoir(base::as_bytes(base::embedded_file("transform.ltoir")));
  if (!block) return false;
  const toolchain::Version shipped = block->producer();
  return shipped.major == nvjitlink.major && shipped <= nvjitlink;
}

// One link of callback, block and policy.
class Linker {
 public:
  Linker(const Compiled& compiled, const SourceProgram& program, const CallbackImage& callback,
         Architecture architecture, const Options& options, const OpenTools& tools)
      : compiler_(program, architecture, options, tools),
        compiled_(compiled),
        program_(program),
        callback_(callback),
        architecture_(architecture),
        kernel_(reflect::kernel_name(program.parts)),
        flags_(link_flags(options, architecture)),
        tools_(tools),
        rebuilds_block_(!takes_shipped_block(tools.nvjitlink->version())) {}

  bool rebuilds_block() const noexcept { return rebuilds_block_; }

  Linked link(const Policy& policy, LinkOutput output = LinkOutput::Cubin) const {
    toolchain::LinkRequest request;
    request.options = flags_;
    request.output = output;
    request.inputs = {{LinkInputKind::LtoIr, compiled_.code, program_.title}};
    base::Bytes rebuilt;
    if (rebuilds_block_) {
      rebuilt = compiler_.block(policy);
      request.inputs.push_back({LinkInputKind::LtoIr, rebuilt, "graft/transform.cu"});
    } else {
      const std::vector<toolchain::LinkInput> shipped = shipped_block(policy);
      request.inputs.insert(request.inputs.end(), shipped.begin(), shipped.end());
    }
    request.inputs.insert(request.inputs.end(), callback_.inputs.begin(), callback_.inputs.end());
    toolchain::LinkResult result = tools_.nvjitlink->link(request);
    if (!result.ok)
      throw link_error({program_,
                        callback_,
                        architecture_,
                        result.failure,
                        result.error_log + result.info_log,
                        {tools_.nvrtc_version(), tools_.nvjitlink_version()}});
    LinkFindings findings = parse_link_log(result.info_log, kernel_);
    return {std::move(result.code), std::move(result.info_log), std::move(findings)};
  }

 private:
  DeviceCompiler compiler_;
  const Compiled& compiled_;
  const SourceProgram& program_;
  const CallbackImage& callback_;
  Architecture architecture_;
  std::string kernel_;
  std::vector<std::string> flags_;
  const OpenTools& tools_;
  bool rebuilds_block_;
};

// A callback that the vector body would multiply into something slow to link: it is linked rolled first. An identity
// callback makes about 8 kB of LTO-IR. Size alone says little (an unrolled loop of sinf: 4.7 kB, 4 s), hence the
// pragma.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program, const Callback& callback) {
  constexpr std::size_t kLargeLtoIr = 40'000;
  const std::size_t binary = callback.form() == Form::Source ? 0 : callback.bytes().size();
  return program.scan.has_unroll_pragma || compiled.code.size() + binary > kLargeLtoIr;
}

}  // namespace

void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  const auto& [callback, binary, architecture, options] = request;
  Report& report = image.report;
  Stopwatch watch(report);
  const SourceProgram program = prepare_program(callback, options);
  watch.step("scan");
  Compiled compiled = DeviceCompiler(program, architecture, options, tools).ltoir();
  watch.step("compile");

  Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const Linker linker(compiled, program, binary, architecture, options, tools);
  const BodyRequest body = {looks_heavy(compiled, program, callback), options.policy.body.has_value()};
  Linked linked = make_best([&](const Policy& wanted) { return linker.link(wanted); }, body, "link", policy, watch);
  report.versions = {tools.nvrtc_version(), tools.nvjitlink_version()};
  if (linker.rebuilds_block())
    report.notes.push_back(fmt::format("NVRTC {} compiled the block anew: graft's own is of another CUDA version",
                                       tools.nvrtc->version().text()));
  report.compiler_log = std::move(compiled.log);
  report.source = std::move(compiled.source);
  fill_image(image, {program, compiled.signature, architecture, policy}, std::move(linked));
}

std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox) {
  const OpenTools tools = open_tools({}, toolbox);
  const SourceProgram program = prepare_program(callback, options);
  const CallbackImage binary = examine(callback, architecture);
  const Compiled compiled = DeviceCompiler(program, architecture, options, tools).ltoir();
  const Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const Linker linker(compiled, program, binary, architecture, options, tools);
  return std::string(base::as_text(linker.link(policy, LinkOutput::Ptx).code));
}

}  // namespace graft::building
