// Implements the family of two_launch_sum.hpp in four parts: the caller, which makes two launches; the generated texts
// of the device kernel and the host program, which share the parameter's struct; the checks of signatures and requests;
// and the face.
#include "families/two_launch_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "base/format.hpp"
#include "base/record.hpp"
#include "codegen/program.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"

namespace graft::test {

template <class Codec, base::Is<SumRequest> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.blocks);
  codec.field(2, request.threads);
}

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

SumRequest read(std::span<const std::byte> request) {
  return base::read_record<SumRequest>(request).value_or(SumRequest{0, 0});
}

bool is_power_of_two(int value, int most) {
  return value >= 1 && value <= most && std::has_single_bit(static_cast<unsigned>(value));
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

class SumCaller final : public families::Caller {
 public:
  explicit SumCaller(const KernelSpec& kernel)
      : name_(kernel.name),
        element_(kernel.signature.outputs()[0]),
        blocks_(static_cast<unsigned>(read(kernel.request).blocks)),
        threads_(static_cast<unsigned>(read(kernel.request).threads)) {}

  std::string title() const override { return name_; }

  std::size_t workspace_bytes(std::uint64_t) const override { return std::size_t{blocks_} * element_.size; }

  void call(const families::Arguments& arguments, families::Runner& runner) const override {
    const ArrayRef& in = check(arguments);
    void* const out = arguments.outputs[0].pointer;
    const auto shares = static_cast<unsigned>(std::min<std::size_t>(blocks_, (in.count + threads_ - 1) / threads_));
    void* const parts = shares == 1 ? out : runner.workspace(workspace_bytes(1));
    launch({in.pointer, parts, in.count, shares}, threads_, runner);
    if (shares > 1) launch({parts, out, shares, 1}, std::min(threads_, std::bit_ceil(shares)), runner);
  }

 private:
  const ArrayRef& check(const families::Arguments& arguments) const {
    const auto refuse = [&](const char* what) {
      fail(ErrorCode::CountMismatch, base::format("{}: {}", name_, what),
           "Pass an array with elements as the input, and an array of one element as the output.");
    };
    if (arguments.outputs[0].count != 1) refuse("its output must have exactly one element");
    if (arguments.inputs[0].count == 0) refuse("an array without elements has no sum");
    for (const ArrayRef& array : {arguments.inputs[0], arguments.outputs[0]})
      if (!interchangeable(array.type, element_))
        fail(ErrorCode::TypeMismatch, base::format("{}: it sums elements of type {}", name_, to_string(element_)),
             "Pass arrays of this type.");
    return arguments.inputs[0];
  }

  static void launch(const Parameter& parameter, unsigned threads, families::Runner& runner) {
    families::ParameterBytes bytes;
    std::memcpy(bytes.bytes, &parameter, sizeof parameter);
    runner.launch({.grid = {static_cast<unsigned>(parameter.blocks), threads},
                   .parameter = bytes.bytes,
                   .parameter_bytes = sizeof parameter,
                   .items = parameter.blocks});
  }

  std::string name_;
  ElementType element_;
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
    return {{}, "as asked for"};
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    if (std::string why = objection_to(kernel.signature); !why.empty()) return why;
    if (!is_power_of_two(read(kernel.request).blocks, kMostBlocks)) return "it has an impossible number of blocks";
    if (!is_power_of_two(read(kernel.request).threads, kMostThreads)) return "it has an impossible number of threads";
    return {};
  }

  std::string describe(const KernelSpec& kernel) const override {
    const SumRequest request = read(kernel.request);
    return base::format("{} blocks of {} threads, then one", request.blocks, request.threads);
  }

  void check(const Callback::Composition&) const override {
    refuse("a sum takes no chain or stages", "Write one function that calls the others.");
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
        request.kernel->name, read(request.kernel->request).threads, codegen::call_expression(request.program.parts));
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

  std::unique_ptr<const families::Caller> caller(const families::Job&, const families::Schedule&,
                                                 std::span<const KernelSpec* const> kernels) const override {
    return std::make_unique<SumCaller>(*kernels.front());
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

engine::JobKernels sum_of(const Callback& combine, SumRequest request) {
  return engine::JobKernels(
      {.family = kTwoLaunchSum, .request = base::write_record(request), .callbacks = {{"combine", combine}}});
}

Image build(const engine::JobKernels& sum, Architecture architecture, const Options& options) {
  return engine::build(Engine::Impl::of(Engine::shared()), sum, architecture, options).front();
}

std::vector<std::byte> precompile(const engine::JobKernels& sum, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format) {
  return engine::precompile(Engine::Impl::of(Engine::shared()), sum, architectures, format, {});
}

Sum::Sum(const engine::JobKernels& kernels, const Options& options)
    : job_(std::make_shared<LoadedJob>(Engine::Impl::of(Engine::shared()), kernels, options)) {
  job_->prepare_chosen();
}

Sum Sum::load(std::span<const std::byte> pack) {
  return Sum(engine::JobKernels::of_pack(kTwoLaunchSum, pack, 1));
}

void Sum::execute(CUstream_st* stream, const ArrayRef& in, const ArrayRef& out) const {
  job_->execute(stream, {.inputs = {&in, 1}, .outputs = {&out, 1}, .state_type = {}});
}

void Sum::execute(HostTag, const ArrayRef& in, const ArrayRef& out) const {
  job_->execute_on_host({.inputs = {&in, 1}, .outputs = {&out, 1}, .state_type = {}});
}

}  // namespace graft::test
