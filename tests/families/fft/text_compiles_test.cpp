// Compiles the generated texts with NVRTC, for every architecture that graft has measured or that differs in its plans.
// The kernels must be one function without local memory: an array of registers that a kernel indexes with a variable,
// or more registers than there are, would show as a stack frame.
#include <gmock/gmock.h>

#include "families/fft/compile_text.hpp"
#include "families/fft/text_cases.hpp"
#include "format/cubin.hpp"

namespace graft::test {
namespace {

void expect_good_code(const TextCase& of_case, int architecture) {
  for (std::size_t kernel = 0; kernel < of_case.request.plan.kernels.size(); ++kernel) {
    families::fft::ProgramRequest request = of_case.request;
    request.kernel = kernel;
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
    EXPECT_EQ(cubin.functions[0].frame_bytes, 0U);
    EXPECT_EQ(cubin.functions[0].stack_bytes, 0U);
  }
}

// One precision of each length for each architecture; both precisions, all callbacks and strides come up.
void expect_good_code_for(int architecture, int first) {
  std::vector<TextCase> cases = text_cases();
  for (std::size_t i = 0; i + 1 < cases.size(); i += 2) {
    TextCase& of_case = cases[i + (i / 2 + static_cast<std::size_t>(first)) % 2];
    families::fft::ProgramRequest& request = of_case.request;
    const auto [length, precision] = std::pair(request.plan.length, request.plan.precision);
    const families::fft::Choices same_kernels = {.factors = choices_of(request.plan).factors};
    request.plan =
        request.plan.kernels.back().is_of_inverse
            ? families::fft::make_plan_with_inverse(length, precision, Architecture(architecture), same_kernels).value()
            : families::fft::make_plan(length, precision, Architecture(architecture));
    expect_good_code(of_case, architecture);
  }
}

TEST(TextCompiles, WithoutLocalMemoryForSm75) {
  expect_good_code_for(75, 0);
}
TEST(TextCompiles, WithoutLocalMemoryForSm80) {
  expect_good_code_for(80, 1);
}
TEST(TextCompiles, WithoutLocalMemoryForSm90) {
  expect_good_code_for(90, 0);
}
TEST(TextCompiles, WithoutLocalMemoryForSm100) {
  expect_good_code_for(100, 1);
}
TEST(TextCompiles, WithoutLocalMemoryForSm120) {
  expect_good_code_for(120, 0);
}

}  // namespace
}  // namespace graft::test
