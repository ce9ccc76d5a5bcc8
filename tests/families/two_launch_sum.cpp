// Implements the family of two_launch_sum.hpp in three parts: the launcher, which prepares two launches; the generated
// texts of the device kernel and the host program, which share the parameter's struct; and the checks of signatures and
// tunings.
#include "families/two_launch_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"

namespace graft::test {
namespace {

constexpr int kMostBlocks = 1024;
constexpr int kMostThreads = 1024;

// Must match the struct graft_sum in the generated text.
struct Parameter {
  const void* in;
  void* out;
  unsigned long long count;
  unsigned long long blocks;
};

bool is_power_of_two(std::int64_t value, int most) {
  return value >= 1 && value <= most && std::has_single_bit(static_cast<std::uint64_t>(value));
}

// Both the device text and the host text begin with these types: the element's type, and the parameter.
constexpr std::string_view kTypes =
    "template <class graft_F> struct graft_sum_of;\n"
    "template <class graft_T> struct graft_sum_of<graft_T(graft_T, graft_T)> { typedef graft_T graft_type; };\n"
    "typedef graft_sum_of<graft_function>::graft_type graft_T;\n"
    "struct graft_sum { const graft_T* graft_in; graft_T* graft_out; unsigned long long graft_count, graft_blocks; "
    "};\n";

std::string front_of(const codegen::SourceProgram& program) {
  codegen::ProgramParts parts = program.parts;
  parts.is_without_kernel = true;
  return codegen::reading_text(parts) + std::string(kTypes);
}

class SumLauncher final : public families::Launcher {
 public:
  explicit SumLauncher(const KernelSpec& kernel)
      : kernel_(kernel),
        blocks_(static_cast<unsigned>(kernel.tuning["blocks"])),
        threads_(static_cast<unsigned>(kernel.tuning["threads"])) {}

  std::size_t workspace_bytes() const noexcept override { return std::size_t{blocks_} * element().size; }

  void lay_out(const families::Arguments& arguments, void* workspace, families::Call& call) const override {
    const ArrayRef& in = check(arguments);
    void* const out = arguments.outputs[0].pointer;
    const auto shares = static_cast<unsigned>(std::min<std::size_t>(blocks_, (in.count + threads_ - 1) / threads_));
    call.count = shares == 1 ? 1 : 2;
    put(call, 0, {in.pointer, shares == 1 ? out : workspace, in.count, shares}, threads_);
    if (shares > 1) put(call, 1, {workspace, out, shares, 1}, std::min(threads_, std::bit_ceil(shares)));
  }

 private:
  const ElementType& element() const { return kernel_.signature.outputs()[0]; }

  const ArrayRef& check(const families::Arguments& arguments) const {
    const auto refuse = [&](const char* what) {
      fail(ErrorCode::CountMismatch, base::format("{}: {}", kernel_.name, what),
           "Pass an array with elements as the input, and an array of one element as the output.");
    };
    if (arguments.inputs.size() != 1 || arguments.outputs.size() != 1)
      refuse("it takes one input array and one output array");
    if (arguments.outputs[0].count != 1) refuse("its output must have exactly one element");
    if (arguments.inputs[0].count == 0) refuse("an array without elements has no sum");
    for (const ArrayRef& array : {arguments.inputs[0], arguments.outputs[0]})
      if (!interchangeable(array.type, element()))
        fail(ErrorCode::TypeMismatch,
             base::format("{}: it sums elements of type {}", kernel_.name, to_string(element())),
             "Pass arrays of this type.");
    return arguments.inputs[0];
  }

  static void put(families::Call& call, unsigned place, const Parameter& parameter, unsigned threads) {
    const auto at = static_cast<std::uint32_t>(place * 64);
    std::memcpy(call.parameters + at, &parameter, sizeof parameter);
    call.launches[place] = {.grid = {static_cast<unsigned>(parameter.blocks), threads},
                            .programmatic = false,
                            .shared_bytes = 0,
                            .parameter = at,
                            .parameter_bytes = sizeof parameter,
                            .items = parameter.blocks};
  }

  KernelSpec kernel_;
  unsigned blocks_;
  unsigned threads_;
};

class TwoLaunchSum final : public families::Family {
 public:
  std::string_view name() const noexcept override { return kTwoLaunchSum; }

  families::Choice choose(const families::Request& request) const override {
    if (std::string why = objection_to(request.signature); !why.empty())
      fail(ErrorCode::UnsupportedParameter, base::format("{}: {}", request.program.title, why),
           "Write `T f(T, T)`, which combines two values.");
    return {request.program.asked, "as asked for"};
  }

  // Also checks the kernel spec that all kernels of a pack share. That spec contains only the tuning that the caller
  // set, which here is the whole tuning.
  std::string objection_to(const KernelSpec& kernel) const override {
    if (std::string why = objection_to(kernel.signature); !why.empty()) return why;
    if (!is_power_of_two(kernel.tuning["blocks"], kMostBlocks)) return "it has an impossible number of blocks";
    if (!is_power_of_two(kernel.tuning["threads"], kMostThreads)) return "it has an impossible number of threads";
    return {};
  }

  std::string describe(const KernelSpec& kernel) const override {
    return base::format("{} blocks of {} threads, then one", kernel.tuning["blocks"], kernel.tuning["threads"]);
  }

  std::optional<families::Code> code(const families::CodeRequest& request) const override {
    if (request.kernel == nullptr) return std::nullopt;
    std::string text = front_of(request.program);
    base::append(
        text,
        "extern \"C\" __global__ void __launch_bounds__({1}) {0}(const __grid_constant__ graft_sum graft_p) {{\n"
        "  __shared__ graft_T graft_parts[{1}];\n"
        "  const unsigned long long graft_stride = graft_p.graft_blocks * blockDim.x;\n"
        "  const unsigned long long graft_first = blockIdx.x * (unsigned long long)blockDim.x;\n"
        "  unsigned long long graft_i = graft_first + threadIdx.x;\n"
        "  if (graft_i < graft_p.graft_count) {{\n"
        "    graft_T graft_s = graft_p.graft_in[graft_i];\n"
        "    while ((graft_i += graft_stride) < graft_p.graft_count)\n"
        "      graft_s = {2}(graft_s, graft_p.graft_in[graft_i]);\n"
        "    graft_parts[threadIdx.x] = graft_s;\n"
        "  }}\n"
        "  const unsigned long long graft_left = graft_p.graft_count - graft_first;\n"
        "  for (unsigned graft_half = blockDim.x / 2; graft_half > 0; graft_half /= 2) {{\n"
        "    __syncthreads();\n"
        "    if (threadIdx.x < graft_half && threadIdx.x + graft_half < graft_left)\n"
        "      graft_parts[threadIdx.x] = {2}(graft_parts[threadIdx.x], graft_parts[threadIdx.x + graft_half]);\n"
        "  }}\n"
        "  if (threadIdx.x == 0) graft_p.graft_out[blockIdx.x] = graft_parts[0];\n"
        "}}\n",
        request.kernel->name, request.kernel->tuning["threads"], codegen::call_expression(request.program.parts));
    return families::Code{std::move(text)};
  }

  std::string host_text(const codegen::SourceProgram& program) const override {
    std::string text = front_of(program);
    base::append(
        text,
        "GRAFT_EXPORT void graft_host_run(\n"
        "    const void* graft_parameter, unsigned long long graft_begin, unsigned long long graft_end) {{\n"
        "  const graft_sum& graft_p = *static_cast<const graft_sum*>(graft_parameter);\n"
        "  for (unsigned long long graft_b = graft_begin; graft_b < graft_end; ++graft_b) {{\n"
        "    graft_T graft_s = graft_p.graft_in[graft_b];\n"
        "    for (unsigned long long graft_i = graft_b + graft_p.graft_blocks; graft_i < graft_p.graft_count;\n"
        "         graft_i += graft_p.graft_blocks)\n"
        "      graft_s = {0}(graft_s, graft_p.graft_in[graft_i]);\n"
        "    graft_p.graft_out[graft_b] = graft_s;\n"
        "  }}\n"
        "}}\n",
        codegen::call_expression(program.parts));
    return text;
  }

  std::unique_ptr<const families::Launcher> launcher(const KernelSpec& kernel) const override {
    return std::make_unique<SumLauncher>(kernel);
  }

 private:
  static std::string objection_to(const Signature& signature) {
    const std::vector<ElementType> inputs = signature.inputs();
    const std::vector<ElementType> outputs = signature.outputs();
    const bool combines = inputs.size() == 2 && outputs.size() == 1 && signature.parameters().size() == 2 &&
                          inputs[0] == inputs[1] && inputs[0] == outputs[0];
    return combines ? "" : "its callback does not combine two values of one type";
  }
};

}  // namespace

void add_two_launch_sum() {
  static const TwoLaunchSum sum;
  static std::once_flag once;
  std::call_once(once, [] { families::add(sum); });
}

Callback sum_of(const Callback& combine, int blocks, int threads) {
  return combine.for_family(kTwoLaunchSum, Tuning({{"blocks", blocks}, {"threads", threads}}));
}

}  // namespace graft::test
