// Tests that the header of LTO-IR is read: the architecture, and the CUDA release that wrote it.
#include "format/ltoir.hpp"

#include <gtest/gtest.h>

#include "format/samples.hpp"
#include "toolchain/fixtures.hpp"

namespace graft::format {
namespace {

TEST(LtoIr, SaysArchitectureAndProducer) {
  struct Row {
    const char* name;
    Architecture architecture;
    Version producer;
  };
  const Row rows[] = {{"nvcc_75.ltoir", {75}, {13, 0}},
                      {"nvcc_90a.ltoir", {90, 'a'}, {13, 0}},
                      {"nvrtc_12_9_sm90.ltoir", {90}, {12, 9}},
                      {"nvrtc_13_5_sm120.ltoir", {120}, {13, 5}}};
  for (const Row& row : rows) {
    const std::string bytes = sample(row.name);
    const Outcome<LtoIr> read = read_ltoir(base::as_bytes(bytes));
    ASSERT_TRUE(read) << row.name << ": " << read.error().message;
    EXPECT_EQ(read->architecture, row.architecture) << row.name;
    EXPECT_EQ(read->producer(), row.producer) << row.name;
  }
}

TEST(LtoIr, KnowsReleasesBetweenAndBeyondTheKnownOnes) {
  struct Row {
    Version nvvm;
    Version producer;
  };
  const Row rows[] = {{{2, 0x10}, {12, 0}}, {{2, 0x33}, {12, 0}}, {{2, 0x58}, {12, 4}},
                      {{2, 0x61}, {12, 9}}, {{2, 0x62}, {13, 0}}, {{3, 0}, {13, 5}}};
  for (const Row& row : rows) EXPECT_EQ((LtoIr{{}, {}, row.nvvm}).producer(), row.producer) << row.nvvm.text();

  EXPECT_EQ(oldest_producer({1, 0x39}), (Version{12, 0}));
  EXPECT_EQ(oldest_producer({1, 0x40}), (Version{12, 8}));
  EXPECT_EQ(oldest_producer({1, 0x41}), (Version{13, 0}));
  EXPECT_EQ(oldest_producer({1, 0x43}), (Version{13, 3}));
  EXPECT_EQ(oldest_producer({9, 0}), (Version{13, 3}));
}

TEST(LtoIr, OfTheNvrtcAtHandIsRead) {
  toolchain::NvrtcProgram program;
  program.source = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
  program.name = "relu.cu";
  program.options = {"-arch=sm_90a", "-dlto", "-rdc=true"};
  const toolchain::NvrtcResult result = toolchain::real_nvrtc().compile(program);
  ASSERT_TRUE(result.ok) << result.log;
  const Outcome<LtoIr> read = read_ltoir(result.code);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->architecture, Architecture(90, 'a'));
  EXPECT_EQ(read->producer().major, toolchain::real_nvrtc().version().major);
}

TEST(LtoIr, IsRefusedWhenItsHeaderIsDamaged) {
  struct Row {
    std::size_t offset;
    char value;
    Flaw flaw;
  };
  const Row rows[] = {{0, 0, Flaw::Unknown},
                      {12, 3, Flaw::Damaged},
                      {16, 4, Flaw::Damaged},
                      {17, 99, Flaw::Truncated},
                      {24, 7, Flaw::Damaged} /* no architecture */};
  for (const Row& row : rows) {
    std::string bytes = sample("nvcc_75.ltoir");
    bytes[row.offset] = row.value;
    const Outcome<LtoIr> read = read_ltoir(base::as_bytes(bytes));
    ASSERT_FALSE(read) << row.offset;
    EXPECT_EQ(read.error().flaw, row.flaw) << read.error().message;
  }
}

TEST(LtoIr, TakesDamage) {
  read_damaged(sample("nvcc_90a.ltoir"), [](const Guarded& bytes) {
    const Outcome<LtoIr> read = read_ltoir(bytes.bytes());
    if (!was_read(read)) return;
    EXPECT_GT(read->architecture.number, 0);
  });
}

}  // namespace
}  // namespace graft::format
