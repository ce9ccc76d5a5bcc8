// Implements the family of column_extremes.hpp in four parts: the requests; the caller; the generated text, which the
// device kernels and the host programs share; and the face.
#include "families/column_extremes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "base/format.hpp"
#include "base/record.hpp"
#include "codegen/program.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "engine/taken_options.hpp"
#include "families/registry.hpp"

namespace graft::test {

template <class Codec, base::Is<ColumnsRequest> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.shares);
  codec.field(2, request.threads);
}

namespace {

constexpr int kKernels = 4;
constexpr std::array<const char*, kKernels> kKernelWords = {"maxima of shares", "maxima of columns", "minima of shares",
                                                            "minima of columns"};
constexpr std::array<const char*, 2> kMethods = {"maxima", "minima"};  // in the order of Extreme

struct KernelRequest {
  ColumnsRequest job;
  int kernel = 0;  // 0 to 3, as the head of column_extremes.hpp says

  bool is_minimum() const { return kernel >= 2; }
  bool calls_back() const { return kernel % 2 == 0; }  // the second kernel of a method reads results of the first
};

template <class Codec, base::Is<KernelRequest> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.job);
  codec.field(2, request.kernel);
}

// A record that cannot be read gives a request that objection_to() refuses.
KernelRequest read(std::span<const std::byte> request) {
  return base::read_record<KernelRequest>(request).value_or(KernelRequest{{0, 0}, 0});
}

std::string objection_to(const KernelRequest& request) {
  const auto& [shares, threads] = request.job;
  if (shares < 1 || shares > 1024) return base::format("{} shares are not 1 to 1024", shares);
  if (threads < 32 || threads > 1024 || threads % 32 != 0)
    return base::format("{} threads per block are not a multiple of 32 up to 1024", threads);
  if (request.kernel < 0 || request.kernel >= kKernels) return base::format("there is no kernel {}", request.kernel);
  return {};
}

std::string objection_to(const Signature& signature) {
  const bool is_of_one_type = signature.parameters().size() == 1 && signature.inputs().size() == 1 &&
                              signature.outputs().size() == 1 && signature.result().role == Role::Output &&
                              signature.inputs()[0] == signature.outputs()[0];
  if (!is_of_one_type) return "its callback does not take one value and return one of the same type";
  const ElementType& type = signature.inputs()[0];
  const bool is_number = type.kind == ElementKind::Signed || type.kind == ElementKind::Unsigned ||
                         (type.kind == ElementKind::Float && type.size >= 4);
  return is_number ? "" : "its elements are no integers, floats or doubles";
}

// Must match the struct graft_columns in the generated text.
struct Parameter {
  const void* in;
  void* out;
  unsigned long long rows, columns, shares;
};

struct ColumnsArguments : families::Arguments {
  Extreme extreme;
};

class ColumnsCaller final : public families::Caller {
 public:
  ColumnsCaller(const families::Schedule& schedule, std::span<const KernelSpec* const> kernels)
      : name_(kernels.front()->name),
        element_(kernels.front()->signature.inputs()[0]),
        request_(read(kernels.front()->request).job) {
    for (const KernelSpec* const kernel : kernels)
      if (kernel->signature != kernels.front()->signature)
        fail(ErrorCode::ImageRefused, base::format("the kernels of {} are of different callbacks", name_),
             "Load the kernels that were made together.");
    for (std::size_t i = 0; i < kMethods.size(); ++i)
      if (const families::Method* const method = schedule.find(kMethods[i]))
        kernels_[i] = {static_cast<unsigned>(method->kernels[0]), static_cast<unsigned>(method->kernels[1])};
  }

  std::string title() const override { return name_; }

  std::size_t workspace_bytes(std::uint64_t columns) const override {
    if (request_.shares == 1) return 0;
    const std::size_t one = static_cast<std::size_t>(request_.shares) * element_.size;
    if (columns > std::numeric_limits<std::size_t>::max() / one)
      refuse(base::format("{}: no memory holds the workspace of {} columns", name_, columns), "Ask for fewer columns.");
    return columns * one;
  }

  void call(const families::Arguments& arguments, families::Runner& runner) const override {
    const Extreme extreme = static_cast<const ColumnsArguments&>(arguments).extreme;
    const auto& kernels = kernels_[static_cast<std::size_t>(extreme)];
    if (!kernels)
      fail(ErrorCode::NotPrepared, base::format("{}: its {} are not ready", name_, kMethods[std::size_t(extreme)]),
           "Name this method when you create it, or call add().");
    const ArrayRef& in = arguments.inputs[0];
    const ArrayRef& out = arguments.outputs[0];
    check(in, out);
    if (out.count == 0) return;
    const unsigned long long rows = in.count / out.count;
    const unsigned long long shares = std::min<unsigned long long>(static_cast<unsigned>(request_.shares), rows);
    const auto threads = static_cast<unsigned>(request_.threads);
    if ((shares * out.count - 1) / threads >= std::numeric_limits<int>::max())
      refuse(base::format("{}: no grid is large enough for {} columns", name_, out.count), "Pass fewer columns.");
    void* const found = shares == 1 ? out.pointer : runner.workspace(workspace_bytes(out.count));
    launch((*kernels)[0], {in.pointer, found, rows, out.count, shares}, threads, runner);
    if (shares > 1) launch((*kernels)[1], {found, out.pointer, shares, out.count, 1}, threads, runner);
  }

 private:
  void check(const ArrayRef& in, const ArrayRef& out) const {
    const auto refuse_call = [&](ErrorCode code, const std::string& what) {
      fail(code, base::format("{}: {}", name_, what),
           "Pass whole rows as the input, and another array of one element for each column as the output.");
    };
    const bool has_rows = out.count == 0 ? in.count == 0 : in.count != 0 && in.count % out.count == 0;
    if (!has_rows)
      refuse_call(ErrorCode::CountMismatch,
                  base::format("{} elements are no rows of {} columns, of which there must be at least one", in.count,
                               out.count));
    for (const ArrayRef& array : {in, out}) {
      if (!interchangeable(array.type, element_))
        refuse_call(ErrorCode::TypeMismatch, base::format("its elements are of type {}", to_string(element_)));
      if (array.count != 0 && array.pointer == nullptr)
        refuse_call(ErrorCode::InvalidArgument, "an array is a null pointer");
      if (reinterpret_cast<std::uintptr_t>(array.pointer) % element_.alignment != 0)
        refuse_call(ErrorCode::Misaligned, base::format("an array is not aligned to {} bytes", element_.alignment));
    }
    const auto begins = reinterpret_cast<std::uintptr_t>(in.pointer);
    const auto results = reinterpret_cast<std::uintptr_t>(out.pointer);
    if (begins < results + out.count * element_.size && results < begins + in.count * element_.size)
      refuse_call(ErrorCode::Overlap, "the output overlaps the input");
  }

  static void launch(unsigned kernel, const Parameter& parameter, unsigned threads, families::Runner& runner) {
    families::ParameterBytes bytes;
    std::memcpy(bytes.bytes, &parameter, sizeof parameter);
    const unsigned long long items = parameter.shares * parameter.columns;
    runner.launch({.kernel = kernel,
                   .grid = {static_cast<unsigned>((items + threads - 1) / threads), threads},
                   .parameter = bytes.bytes,
                   .parameter_bytes = sizeof parameter,
                   .items = items});
  }

  std::string name_;
  ElementType element_;
  ColumnsRequest request_;
  std::array<std::optional<std::array<unsigned, 2>>, 2> kernels_;  // of each method: their places in the schedule
};

// Returns the callback, and behind it a function that computes item `graft_item` of a launch: the extreme of one share
// of one column. A share has each graft_shares-th row. Neighbouring items are of neighbouring columns, so that
// neighbouring threads read neighbouring elements. A NaN is the only value that differs from itself.
std::string text_of(const codegen::SourceProgram& program, const KernelRequest& request) {
  codegen::ProgramParts parts = program.parts;
  parts.is_without_kernel = true;
  std::string text = codegen::reading_text(parts);
  base::append(text,
               "template <class graft_F> struct graft_element_of;\n"
               "template <class graft_T> struct graft_element_of<graft_T(graft_T)> {{ typedef graft_T graft_type; }};\n"
               "typedef graft_element_of<graft_function>::graft_type graft_T;\n"
               "struct graft_columns {{ const graft_T* graft_in; graft_T* graft_out;\n"
               "  unsigned long long graft_row_count, graft_column_count, graft_shares; }};\n"
               "__device__ inline void graft_find(const graft_columns& graft_p, unsigned long long graft_item) {{\n"
               "  const unsigned long long graft_column = graft_item % graft_p.graft_column_count;\n"
               "  unsigned long long graft_row = graft_item / graft_p.graft_column_count;\n"
               "  graft_T graft_best = {0}(graft_p.graft_in[graft_row * graft_p.graft_column_count + graft_column]);\n"
               "  while ((graft_row += graft_p.graft_shares) < graft_p.graft_row_count) {{\n"
               "    const graft_T graft_next =\n"
               "        {0}(graft_p.graft_in[graft_row * graft_p.graft_column_count + graft_column]);\n"
               "    if (graft_next {1} graft_best || graft_next != graft_next) graft_best = graft_next;\n"
               "  }}\n"
               "  graft_p.graft_out[graft_item] = graft_best;\n"
               "}}\n",
               request.calls_back() ? codegen::call_expression(parts) : "", request.is_minimum() ? "<" : ">");
  return text;
}

class Columns final : public families::Family {
 public:
  std::string_view name() const noexcept override { return kColumnExtremes; }

  families::Schedule schedule(const families::Job& job, std::optional<Architecture>) const override {
    const auto asked = base::read_record<ColumnsRequest>(job.request).value_or(ColumnsRequest{0, 0});
    const Callback value = job.callbacks.empty() ? Callback("") : job.callbacks.front().callback;
    families::Schedule schedule;
    for (int kernel = 0; kernel < kKernels; ++kernel)
      schedule.kernels.emplace_back(value, kColumnExtremes, base::write_record(KernelRequest{asked, kernel}));
    schedule.methods = {{kMethods[0], {0, 1}}, {kMethods[1], {2, 3}}};
    return schedule;
  }

  base::Bytes job_request(const KernelSpec& kernel) const override {
    return base::write_record(read(kernel.request).job);
  }

  std::vector<std::string> words_on(std::span<const std::byte> bytes) const override {
    const auto request = base::read_record<KernelRequest>(bytes);
    if (!request) return {};
    return {base::format("shares={}", request->job.shares), base::format("threads={}", request->job.threads),
            base::format("kernel={}", request->kernel)};
  }

  families::Choice choose(const families::Request& request) const override {
    if (std::string why = test::objection_to(read(request.program.request)); !why.empty())
      refuse(base::format("{}: {}", request.program.title, why), "Correct the ColumnsRequest.");
    if (std::string why = test::objection_to(request.signature); !why.empty())
      fail(ErrorCode::UnsupportedParameter, base::format("{}: {}", request.program.title, why),
           "Write `T f(T)` for an integer or floating-point type T.");
    return {{}, "as asked for"};
  }

  std::string objection_to(const KernelSpec& kernel) const override {
    if (std::string why = test::objection_to(kernel.signature); !why.empty()) return why;
    return test::objection_to(read(kernel.request));
  }

  std::string describe(const KernelSpec& kernel) const override {
    const KernelRequest request = read(kernel.request);
    return base::format("{}, at most {} shares, {} threads per block",
                        kKernelWords[static_cast<std::size_t>(request.kernel)], request.job.shares,
                        request.job.threads);
  }

  void check(const Callback::Composition&) const override {
    refuse("extremes of columns take no chain or stages", "Write one function that calls the others.");
  }

  std::optional<families::Code> code(const families::CodeRequest& request) const override {
    if (request.kernel == nullptr) return std::nullopt;
    const KernelRequest asked = read(request.kernel->request);
    const int registers = request.kernel->max_registers;
    std::string text = text_of(request.program, asked);
    base::append(text,
                 "extern \"C\" __global__ void {}({}) {}(const __grid_constant__ graft_columns graft_p) {{\n"
                 "  const unsigned long long graft_item = blockIdx.x * {}ull + threadIdx.x;\n"
                 "  if (graft_item < graft_p.graft_shares * graft_p.graft_column_count)\n"
                 "    graft_find(graft_p, graft_item);\n"
                 "}}\n",
                 registers == 0 ? "__launch_bounds__" : "__maxnreg__", registers == 0 ? asked.job.threads : registers,
                 request.kernel->name, asked.job.threads);
    return families::Code{std::move(text)};
  }

  std::string host_text(const codegen::SourceProgram& program) const override {
    return text_of(program, read(program.request)) +
           "GRAFT_EXPORT void graft_host_run(\n"
           "    const void* graft_parameter, unsigned long long graft_begin, unsigned long long graft_end) {\n"
           "  for (; graft_begin < graft_end; ++graft_begin)\n"
           "    graft_find(*static_cast<const graft_columns*>(graft_parameter), graft_begin);\n"
           "}\n";
  }

  std::unique_ptr<const families::Caller> caller(const families::Job&, const families::Schedule& schedule,
                                                 std::span<const KernelSpec* const> kernels) const override {
    return std::make_unique<ColumnsCaller>(schedule, kernels);
  }
};

const std::shared_ptr<Engine::Impl>& engine() {
  return Engine::Impl::of(Engine::shared());
}

Options taken(const engine::JobKernels& kernels, const Options& options) {
  return engine::TakenOptions(kernels.callbacks(), options).get();
}

}  // namespace

void add_column_extremes() {
  static const Columns columns;
  static std::once_flag once;
  std::call_once(once, [] { families::add(columns); });
}

engine::JobKernels kernels_of(const ColumnsJob& job) {
  return engine::JobKernels({.family = kColumnExtremes,
                             .request = base::write_record(job.request),
                             .callbacks = {{"value", job.value}},
                             .methods = job.methods,
                             .capacity = job.most_columns});
}

std::vector<Image> build(const ColumnsJob& job, Architecture architecture, const Options& options) {
  const engine::JobKernels kernels = kernels_of(job);
  return engine::build(engine(), kernels, architecture, taken(kernels, options));
}

std::vector<std::byte> precompile(const ColumnsJob& job, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format) {
  return engine::precompile(engine(), kernels_of(job), architectures, format, {});
}

ColumnExtremes::ColumnExtremes(const engine::JobKernels& kernels, const Options& options)
    : job_(std::make_shared<LoadedJob>(engine(), kernels, taken(kernels, options))) {
  job_->prepare_chosen();
}

ColumnExtremes ColumnExtremes::create(const ColumnsJob& job, const Options& options) {
  return {kernels_of(job), options};
}

ColumnExtremes ColumnExtremes::load(std::span<const std::byte> pack, std::size_t most_columns, const Options& options) {
  return {engine::JobKernels::of_pack(kColumnExtremes, pack, most_columns), options};
}

ColumnExtremes ColumnExtremes::load(const std::vector<Image>& images, std::size_t most_columns,
                                    const Options& options) {
  return {engine::JobKernels::of_images(kColumnExtremes, images, most_columns), options};
}

void ColumnExtremes::add(Extreme extreme) {
  job_->add_methods({kMethods[static_cast<std::size_t>(extreme)]});
}

void ColumnExtremes::execute(CUstream_st* stream, Extreme extreme, const ArrayRef& in, const ArrayRef& out) const {
  job_->execute(stream, ColumnsArguments{{.inputs = {&in, 1}, .outputs = {&out, 1}, .state_type = {}}, extreme});
}

void ColumnExtremes::execute(HostTag, Extreme extreme, const ArrayRef& in, const ArrayRef& out) const {
  job_->execute_on_host(ColumnsArguments{{.inputs = {&in, 1}, .outputs = {&out, 1}, .state_type = {}}, extreme});
}

}  // namespace graft::test
