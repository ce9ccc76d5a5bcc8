// Tests the generated text as text: a whole small kernel as a golden file, and what symbols and indices turn into.
#include "families/fft/program.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "families/fft/symbol.hpp"
#include "families/fft/text_thread.hpp"

namespace graft::families::fft {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProgramRequest request_for(std::int64_t length, Precision precision = Precision::Single) {
  ProgramRequest request;
  request.plan = estimated_plan(length, precision, 90);
  request.name = "fft";
  return request;
}

// Change kernel_16.txt when a change of the text is intended. A failure prints the whole new text.
TEST(Program, IsAsTheGoldenTextSays) {
  std::ifstream file(GRAFT_SOURCE_DIR "/tests/families/fft/kernel_16.txt");
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(device_text(request_for(16)), golden.str());
}

TEST(Program, NamesOfUsersCannotMeetItsOwn) {
  // Every word of the text is a keyword, a name of CUDA's, or begins with graft_.
  std::string text = device_text(request_for(5000, Precision::Double)), word;
  std::set<std::string> others;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 && word.rfind("graft_", 0) != 0)
        others.insert(word);
      word.clear();
    }
  }
  EXPECT_THAT(others, ::testing::ElementsAreArray({"C",
                                                   "__align__",
                                                   "__device__",
                                                   "__forceinline__",
                                                   "__global__",
                                                   "__grid_constant__",
                                                   "__launch_bounds__",
                                                   "__ldg",
                                                   "__shared__",
                                                   "__syncthreads",
                                                   "auto",
                                                   "blockIdx",
                                                   "char",
                                                   "const",
                                                   "double",
                                                   "double2",
                                                   "extern",
                                                   "fft",
                                                   "long",
                                                   "memcpy",
                                                   "nullptr",
                                                   "reinterpret_cast",
                                                   "return",
                                                   "sizeof",
                                                   "static",
                                                   "static_cast",
                                                   "struct",
                                                   "threadIdx",
                                                   "unsigned",
                                                   "void",
                                                   "x"}));
}

TEST(Program, BoundsItsRegistersOnlyIfThePlanSaysSo) {
  ProgramRequest request = request_for(64);
  EXPECT_THAT(device_text(request), HasSubstr(" __launch_bounds__(128) fft("));
  request.plan.kernels[0].block.resident_blocks = 8;
  EXPECT_THAT(device_text(request), HasSubstr(" __launch_bounds__(128, 8) fft("));
}

TEST(Program, TellsCallbacksThatArraysAreShort) {
  ProgramRequest request = request_for(131072);
  EXPECT_THAT(device_text(request), Not(HasSubstr("__builtin_assume")));
  request.hooks = "hooks";
  EXPECT_THAT(device_text(request), HasSubstr("__builtin_assume(graft_offset < 4294967296ull);"));
  EXPECT_THAT(host_text(request), Not(HasSubstr("__builtin_assume")));
  request.has_long_arrays = true;
  EXPECT_THAT(device_text(request), Not(HasSubstr("__builtin_assume")));
}

TEST(Program, OnlyEndsOfAnInverseExchangeParts) {
  ProgramRequest request = request_for(131072);
  request.is_inverse = true;
  request.scale = 0.5;
  const std::string first = device_text(request);
  EXPECT_THAT(first, HasSubstr("return graft_swapped("));
  EXPECT_THAT(first, Not(HasSubstr("graft_value = graft_swapped(graft_value)")));
  EXPECT_THAT(first, Not(HasSubstr("graft_value.graft_x *= 0.5f")));
  request.kernel = 1;
  const std::string second = device_text(request);
  EXPECT_THAT(second, Not(HasSubstr("return graft_swapped(")));
  EXPECT_THAT(second, HasSubstr("graft_value = graft_swapped(graft_value)"));
  EXPECT_THAT(second, HasSubstr("graft_value.graft_x *= 0.5f"));
}

TEST(Program, HasAsManyBlocksAsTheBatchNeeds) {
  const Plan small = make_plan(16, Precision::Single, 90);  // 32 FFTs in a block
  EXPECT_EQ(launch_blocks(small.kernels[0], 0), 0);
  EXPECT_EQ(launch_blocks(small.kernels[0], 32), 1);
  EXPECT_EQ(launch_blocks(small.kernels[0], 33), 2);
  const Plan large = estimated_plan(131072, Precision::Single, 90);  // 1024 columns, 16 in a block
  EXPECT_EQ(launch_blocks(large.kernels[0], 3), 192);
}

TEST(Symbols, WriteSumsAndKeepProducts) {
  Statements statements;
  const Symbol a(statements, "a"), b(statements, "b");
  EXPECT_EQ((a * b).expression(), "a * b");
  EXPECT_EQ((a + Symbol(0.5) * b).expression(), "graft_s0");
  EXPECT_EQ((a - (-b)).expression(), "graft_s1");
  EXPECT_EQ(statements.text, "  const float graft_s0 = a + 0.5f * b;\n  const float graft_s1 = a - (-b);\n");
}

TEST(Symbols, WriteConstantsWithAllTheirDigits) {
  EXPECT_EQ(literal(1, false), "1.0f");
  EXPECT_EQ(literal(-0.1, true), "(-0.1)");
  EXPECT_EQ(std::strtod(literal(1.0 / 3, true).c_str(), nullptr), 1.0 / 3);
  EXPECT_EQ(std::strtof(literal(1.0 / 3, false).c_str(), nullptr), 1.0F / 3);
  EXPECT_EQ(std::strtof(literal(1e-7, false).c_str(), nullptr), 1e-7F);
}

TEST(Indices, LeaveOutNeutralElements) {
  const IndexText x("x"), y("y");
  EXPECT_EQ((x * IndexText(1) + IndexText(0)).text(), "x");
  EXPECT_EQ((x % IndexText(1)).text(), "0u");
  EXPECT_EQ((x / IndexText(1) * IndexText(0) + y).text(), "y");
  EXPECT_EQ(((x + y) * IndexText(3) % y).text(), "((x + y) * 3u) % y");
}

}  // namespace
}  // namespace graft::families::fft
