#include "fft_cubins.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "compile/compile_headers.hpp"
#include "compile/open_tools.hpp"
#include "families/fft/program.hpp"
#include "in_parallel.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

const char* real_of(Precision precision) {
  return precision == Precision::Single ? "float" : "double";
}

constexpr const char* kHeaders =
    "#include \"graft/device.h\"\n#include \"graft/contract.h\"\n#include \"graft/cells.h\"\n"
    "#include \"graft/adapter.h\"\n"
    "#include \"graft/behind.h\"\n#include \"graft/compose.h\"\n"
    "#include \"graft/fft/refusals.h\"\n#include \"graft/fft/hooks.h\"\n";

PointTypes point_types(const fft::Plan& plan) {
  return {plan.kernels.front().in.has_numbers(), plan.kernels.back().out.has_numbers()};
}

std::string callbacks_text(const fft::Plan& plan, Calls calls) {
  if (calls == Calls::Filter)
    return kHeaders + filter_text(plan.precision) + "GRAFT_PART(user_filter_part, user_filter)\n";
  const fft::Layout& in = plan.kernels.front().in;
  const CallbackTexts callbacks =
      callback_texts(plan.precision, in.count > 0 ? in.count : plan.length, point_types(plan));
  return kHeaders + callbacks.load + callbacks.store +
         "GRAFT_PART(user_load_part, user_load)\nGRAFT_PART(user_store_part, user_store)\n";
}

toolchain::NvrtcResult compile_text(const std::string& text, int architecture) {
  static const compile::Toolbox toolbox({}, {}, 0);
  static const compile::OpenTools tools = compile::open_nvrtc_alone(toolbox);
  if (!tools.nvrtc) throw std::runtime_error(tools.states.nvrtc.why_not);
  codegen::SourceProgram of_family;
  of_family.family = "fft";
  const Options options;
  toolchain::NvrtcProgram program;
  program.headers = compile::device_headers(of_family, options);
  program.source = text;
  program.name = "fft.cu";
  program.output = toolchain::NvrtcOutput::Cubin;
  program.options =
      toolchain::nvrtc_options({fmt::format("-arch=sm_{}", architecture), "-std=c++17"}, tools.nvrtc->version());
  return tools.nvrtc->compile(program);
}

}  // namespace

CallbackTexts callback_texts(Precision precision, std::int64_t length, PointTypes types) {
  const auto scale = [](bool is_number) {
    return is_number ? "value *= factor;" : "value.x *= factor; value.y *= factor;";
  };
  const auto type = [&](bool is_number) { return fmt::format("{}{}", real_of(precision), is_number ? "" : "2"); };
  return {fmt::format("__device__ {2} user_load(void* data, unsigned long long offset, void* info, void*) {{\n"
                      "  {2} value = (({2}*)data)[offset];\n"
                      "  const {0} factor = ((const {0}*)info)[offset % {1}ull];\n"
                      "  {3}\n  return value;\n}}\n",
                      real_of(precision), length, type(types.loads_numbers), scale(types.loads_numbers)),
          fmt::format("__device__ void user_store(void* data, unsigned long long offset, {1} value, void* info, void*) "
                      "{{\n  const {0} factor = *(const {0}*)info;\n"
                      "  {2}\n  (({1}*)data)[offset] = value;\n}}\n",
                      real_of(precision), type(types.stores_numbers), scale(types.stores_numbers))};
}

std::string filter_text(Precision precision) {
  return fmt::format(
      "struct UserFilter {{ const {0}2* values; }};\n"
      "__device__ {0}2 user_filter({0}2 z, graft::Index k, const UserFilter& filter) {{\n"
      "  const {0}2 h = filter.values[k];\n"
      "  return make_{0}2(z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x);\n}}\n",
      real_of(precision));
}

std::string filter_store_text(Precision precision, std::int64_t length) {
  return fmt::format(
      "__device__ void user_filter_store(void* data, unsigned long long offset, {0}2 z, void* info, void*) {{\n"
      "  const {0}2 h = ((const {0}2*)info)[offset % {1}ull];\n"
      "  (({0}2*)data)[offset] = make_{0}2(z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x);\n}}\n",
      real_of(precision), length);
}

std::string kernel_text(const fft::Plan& plan, std::size_t kernel, Calls calls) {
  fft::ProgramRequest request;
  request.plan = plan;
  request.kernel = kernel;
  request.name = "fft";
  const PointTypes types = point_types(plan);
  request.is_inverse = types.stores_numbers && !types.loads_numbers;
  if (calls == Calls::Nothing) return fft::device_text(request);
  const char* const stages = calls == Calls::Filter ? "graft_no_stage, user_filter_part, graft_no_stage"
                                                    : "user_load_part, graft_no_stage, user_store_part";
  const auto point = [&](bool is_number) { return is_number ? real_of(plan.precision) : "graft_complex"; };
  request.hooks = fmt::format("graft_fft_hooks<graft_staged<{}>, graft_complex, {}, {}>", stages,
                              point(types.loads_numbers), point(types.stores_numbers));
  return callbacks_text(plan, calls) + fft::device_text(request);
}

void Cubins::compile(const std::set<std::string>& texts) {
  std::vector<decltype(results_)::iterator> added;
  for (const std::string& text : texts)
    if (const auto [at, is_new] = results_.try_emplace(text); is_new) added.push_back(at);
  for_each_in_parallel(added, [this](const auto& at) {
    try {
      at->second = compile_text(at->first, architecture_);
    } catch (const std::exception& error) {  // jobs of a pool must not throw
      at->second.log = error.what();
    }
  });
}

const base::Bytes& Cubins::of(const std::string& text) {
  compile({text});
  const toolchain::NvrtcResult& result = results_.at(text);
  if (!result.ok) throw std::runtime_error(result.log);
  return result.code;
}

}  // namespace graft::bench
