// Makes packs of own kernels: of their code, with open slots, and of callbacks that were compiled for a slot.
#include <algorithm>
#include <deque>
#include <utility>

#include "base/format.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "graft/version.hpp"
#include "routes/pack_contents.hpp"
#include "routes/slot_build.hpp"

namespace graft::routes {
namespace {

using format::PackPartKind;
using toolchain::LinkInput;
using toolchain::LinkInputKind;

// A pack with one kernel, and the bytes of its parts.
class Packing {
 public:
  Packing(const Step& step, const Options& options) {
    kernel_.spec.family = step.family;
    kernel_.spec.floating_point = options.floating_point;
    kernel_.spec.max_registers = options.max_registers;
    kernel_.spec.compiler_options = canonical_compiler_options(options.compiler_options);
    kernel_.standard = options.standard;
    kernel_.line_info = options.line_info;
    kernel_.tools = {{"graft", GRAFT_VERSION_STRING}};
  }

  void add(PackPartKind kind, Architecture architecture, std::span<const std::byte> bytes, base::Bytes details) {
    bytes_.emplace_back(bytes.begin(), bytes.end());
    kernel_.parts.push_back(
        {.kind = kind, .architecture = architecture, .bytes = bytes_.back(), .details = std::move(details)});
  }

  void add_tools(const Report& report) {
    for (const ToolVersion& tool : report.versions)
      if (std::ranges::find(kernel_.tools, tool) == kernel_.tools.end()) kernel_.tools.push_back(tool);
  }

  format::PackedKernel& kernel() { return kernel_; }

  // The request of a job is that of its kernels. Without one, the kernel stands for itself.
  base::Bytes take(const std::string& title, base::Bytes job_request) {
    return pack_of({.family = kernel_.spec.family, .request = std::move(job_request), .kernels = {std::move(kernel_)}},
                   title);
  }

 private:
  format::PackedKernel kernel_;
  std::deque<base::Bytes> bytes_;
};

void add_constants(const SlotBuild& build, const own_kernels::CodeShape& shape, const own_kernels::PackedWishes& wishes,
                   Architecture architecture, Packing& packing) {
  const auto add = [&](const std::string& name, std::int64_t value) {
    const own_kernels::Variable& variable = own_kernels::find_variable(shape, name, value, build.code().name());
    packing.add(PackPartKind::ConstantLtoIr, architecture, build.compile({{&variable, value}}),
                own_kernels::write(own_kernels::PackedConstant{variable.symbol, value}));
  };
  for (const KernelCode::Optional& one : wishes.optionals)
    for (const std::int64_t is_filled : {0, 1}) add(one.constant, is_filled);
  for (const KernelCode::Constant& one : wishes.constants)
    for (const std::int64_t value : one.values) add(one.name, value);
}

}  // namespace

base::Bytes precompile_code(const Step& step, const own_kernels::PackedWishes& wishes,
                            const std::vector<Architecture>& architectures, const Options& options,
                            const compile::Toolbox& toolbox) {
  Packing packing(step, options);
  std::string title;
  for (const Architecture architecture : architectures) {
    SlotBuild build(step, architecture, options, toolbox, nullptr);
    title = build.code().name();
    const own_kernels::CodeShape& shape = build.read(nullptr);
    packing.kernel().spec.name = shape.entries.front().symbol;
    bool is_first = true;
    for (const LinkInput& input : build.code_inputs()) {
      own_kernels::PackedCode code{.input = input.kind};
      if (std::exchange(is_first, false)) code.shape = shape;
      packing.add(PackPartKind::KernelLtoIr, architecture, input.bytes, own_kernels::write(code));
    }
    // Names of slots that do not exist are refused here, and not when the pack is used.
    build.match(shape);
    for (const KernelCode::Optional& one : wishes.optionals) own_kernels::find_slot(shape, one.slot, title);
    for (const std::string& slot : wishes.thread_words) own_kernels::find_slot(shape, slot, title);
    add_constants(build, shape, wishes, architecture, packing);
    packing.add_tools(build.image().report);
  }
  packing.kernel().details = own_kernels::write(wishes);
  packing.kernel().spec.request = step.request;
  return packing.take(title, step.request);
}

base::Bytes precompile_slot(const Step& step, const std::vector<Architecture>& architectures, const Options& options,
                            const compile::Toolbox& toolbox) {
  Packing packing(step, options);
  std::string title;
  for (const Architecture architecture : architectures) {
    SlotBuild build(step, architecture, options, toolbox, nullptr);
    const SlotBuild::Filled filled = build.match(build.read(nullptr)).front();
    const SlotBuild::Part part = build.fill(filled, 0);
    title = part.title;
    packing.kernel().spec.name = filled.slot->symbol;
    own_kernels::PackedSlot packed{.slot = *filled.slot, .title = part.title, .how = part.how};
    const auto add = [&](LinkInputKind kind, std::span<const std::byte> bytes) {
      packed.input = kind;
      packing.add(PackPartKind::SlotLtoIr, architecture, bytes, own_kernels::write(packed));
      packed.slot.reset();
    };
    if (!part.code.empty()) add(LinkInputKind::LtoIr, part.code);
    for (const LinkInput& binary : part.binaries) add(binary.kind, binary.bytes);
    packing.add_tools(build.image().report);
  }
  packing.kernel().spec.request = base::write_record(families::AskedKernels{});
  return packing.take(title, {});
}

}  // namespace graft::routes
