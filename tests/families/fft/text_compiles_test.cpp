// Compiles the generated texts with NVRTC, for every architecture that graft has measured or that differs in its plans.
// The kernels must be one function without local memory: an array of registers that a kernel indexes with a variable,
// or more registers than there are, would show as a stack frame.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "families/fft/compile_text.hpp"
#include "families/fft/measured_plans.hpp"
#include "families/fft/text_cases.hpp"
#include "format/cubin.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

using families::fft::Precision;

// The kernels that keep a few bytes in local memory because they need all registers.
struct Spill {
  int architecture;
  std::int64_t length;  // of the plan
  Precision precision;
  std::size_t kernel;
  std::uint32_t bytes = 8;
};
constexpr Spill kSpills[] = {
    {80, 50, Precision::Single, 0, 32},   {80, 4096, Precision::Single, 0, 104}, {80, 64, Precision::Double, 0},
    {80, 8400, Precision::Double, 0, 48}, {90, 32, Precision::Single, 0, 32},    {90, 720, Precision::Double, 2},
    {90, 2000, Precision::Double, 0},     {100, 700, Precision::Single, 1},      {100, 8400, Precision::Double, 0, 24},
    {120, 15, Precision::Double, 0},      {120, 96, Precision::Single, 0},       {120, 432, Precision::Single, 0},
    {120, 8400, Precision::Double, 0},    {90, 31, Precision::Double, 0, 24},    {90, 144, Precision::Single, 0},
    {100, 961, Precision::Double, 0, 16}, {100, 29, Precision::Double, 0},       {120, 961, Precision::Double, 0},
    {120, 9, Precision::Double, 0},       {120, 31, Precision::Double, 0, 40},   {90, 14, Precision::Single, 0},
    {90, 46, Precision::Single, 0},       {90, 50, Precision::Single, 0, 24},    {90, 4096, Precision::Single, 0, 56},
    {100, 256, Precision::Double, 0},     {120, 29, Precision::Double, 0, 120},  {120, 1000, Precision::Double, 0},
    {80, 250, Precision::Single, 0},      {100, 450, Precision::Double, 1},      {100, 480, Precision::Double, 0},
    {90, 1800, Precision::Single, 2},     {90, 15, Precision::Double, 0},        {90, 185, Precision::Single, 0},
    {90, 444, Precision::Single, 1}};

std::uint32_t bytes_of_spill(const families::fft::ProgramRequest& request, int architecture) {
  for (const Spill& known : kSpills)
    if (known.architecture == architecture && known.length == request.plan.length &&
        known.precision == request.plan.precision && known.kernel == request.kernel)
      return known.bytes;
  return 0;
}

void expect_good_code(const TextCase& of_case, int architecture, std::uint32_t most_local_bytes = 0) {
  for (std::size_t kernel = 0; kernel < of_case.request.plan.kernels.size(); ++kernel) {
    families::fft::ProgramRequest request = of_case.request;
    request.kernel = kernel;
    const std::uint32_t local_bytes = std::max(bytes_of_spill(request, architecture), most_local_bytes);
    const toolchain::NvrtcResult result =
        compile_text(kIncludes + of_case.callbacks + families::fft::device_text(request), architecture);
    ASSERT_TRUE(result.ok) << result.log;
    EXPECT_EQ(result.log, "");
    const auto elf = format::read_elf(result.code);
    ASSERT_TRUE(elf);
    const format::Cubin cubin = format::read_cubin(*elf);
    SCOPED_TRACE(base::format("sm_{}, kernel {} of {}", architecture, kernel, describe(request.plan)));
    ASSERT_EQ(cubin.functions.size(), 1U);
    EXPECT_TRUE(cubin.functions[0].is_kernel);
    EXPECT_LE(cubin.functions[0].frame_bytes, local_bytes);
    ASSERT_TRUE(cubin.functions[0].stack_bytes);
    EXPECT_LE(*cubin.functions[0].stack_bytes, local_bytes);
  }
}

families::fft::Plan planned(std::int64_t length, Precision precision, bool has_inverse, int architecture) {
  return has_inverse ? families::fft::make_plan_with_inverse(length, precision, Architecture(architecture)).value()
                     : families::fft::make_plan(length, precision, Architecture(architecture));
}

constexpr std::array kArchitectures = {75, 80, 90, 100, 120};

class TextCompiles : public testing::TestWithParam<std::size_t> {};

// Every case is compiled for one architecture or for all (support/rotation.hpp). Both precisions, all callbacks and
// strides come up on each.
TEST_P(TextCompiles, WithoutLocalMemory) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  const int architecture = kArchitectures.at(GetParam());
  std::size_t number = 0;
  for (TextCase& of_case : text_cases()) {
    if (!is_turn_of(GetParam(), number++, kArchitectures.size())) continue;
    of_case.request.plan = of_case.make_plan(Architecture(architecture));
    expect_good_code(of_case, architecture);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, TextCompiles, testing::Range(std::size_t{0}, kArchitectures.size()),
                         [](const auto& place) { return "Sm" + std::to_string(kArchitectures.at(place.param)); });

// The callbacks with which the table's plans were measured: a window, a filter and a scaling.
std::string measured_callbacks(const families::fft::Plan& plan) {
  return base::format(R"(typedef {0} user_real;
typedef {0}2 user_complex;
__device__ user_complex user_load(void* data, unsigned long long offset, void* info, void*) {{
  user_complex z = ((user_complex*)data)[offset];
  const user_real factor = ((const user_real*)info)[offset % {1}ull];
  z.x *= factor, z.y *= factor;
  return z;
}}
struct UserFilter {{ const user_complex* values; }};
__device__ user_complex user_between(user_complex z, graft::Index k, const UserFilter& filter) {{
  const user_complex h = filter.values[k], product = {{z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x}};
  return product;
}}
__device__ void user_store(void* data, unsigned long long offset, user_complex z, void* info, void*) {{
  const user_real factor = *(const user_real*)info;
  z.x *= factor, z.y *= factor;
  ((user_complex*)data)[offset] = z;
}}
__device__ user_real user_load_number(void* data, unsigned long long offset, void* info, void*) {{
  return ((user_real*)data)[offset] * ((const user_real*)info)[offset % {1}ull];
}}
__device__ void user_store_number(void* data, unsigned long long offset, user_real x, void* info, void*) {{
  ((user_real*)data)[offset] = x * *(const user_real*)info;
}}
GRAFT_PART(user_load_part, user_load)
GRAFT_PART(user_between_part, user_between)
GRAFT_PART(user_store_part, user_store)
GRAFT_PART(user_load_number_part, user_load_number)
GRAFT_PART(user_store_number_part, user_store_number)
)",
                      plan.precision == families::fft::Precision::Double ? "double" : "float", plan.length);
}

// The plans of the table were measured on one architecture, and serve all. For some of them, the fastest number of
// resident blocks leaves so few registers that four numbers move to local memory.
TEST(MeasuredPlans, CompileWithoutLocalMemory) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  std::size_t number = 0;
  for (const families::fft::MeasuredPlan& measured : families::fft::measured_plans()) {
    if (!is_turn_of(0, number++, 3)) continue;
    const int architecture = kArchitectures.at(number % kArchitectures.size());
    TextCase of_case;
    families::fft::ProgramRequest& request = of_case.request;
    request.plan = measured.half ? families::fft::make_plan_of_half(measured.length, measured.precision,
                                                                    Architecture(architecture), *measured.half)
                                       .value()
                                 : planned(measured.length, measured.precision, measured.has_inverse, architecture);
    request.name = "measured";
    request.has_unit_stride_in = request.has_unit_stride_out = true;
    of_case.callbacks = measured_callbacks(request.plan);
    const auto load = request.plan.kernels.front().in.has_numbers() ? "user_load_number_part" : "user_load_part";
    const auto store = request.plan.kernels.back().out.has_numbers() ? "user_store_number_part" : "user_store_part";
    const auto point = [](const families::fft::Layout& side) {
      return side.has_numbers() ? "user_real" : "graft_complex";
    };
    request.hooks = base::format("graft_fft_hooks<graft_staged<{}>, graft_complex, {}, {}>",
                                 measured.has_inverse ? "graft_no_stage, user_between_part, graft_no_stage"
                                                      : base::format("{}, graft_no_stage, {}", load, store),
                                 point(request.plan.kernels.front().in), point(request.plan.kernels.back().out));
    expect_good_code(of_case, architecture, 16);
  }
}

}  // namespace
}  // namespace graft::test
