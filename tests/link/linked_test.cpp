// Tests what graft finds out about a linked kernel (its registers, its stack size, and the functions that it still
// calls) from logs that nvJitLink 13.0 wrote and from machine code.
#include "link/linked.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/samples.hpp"

namespace graft::link {
namespace {

LinkFindings of_log(std::string log, std::string_view kernel) {
  return read_linked({}, std::move(log), kernel).findings;
}

TEST(Linked, HasTheKernelsResources) {
  const LinkFindings found = of_log(
      "ptxas info    : 24 bytes gmem\n"
      "ptxas info    : Compiling entry function 'graft_transform_relu' for 'sm_90'\n"
      "ptxas info    : Function properties for graft_transform_relu\n"
      "ptxas         .     32 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 0 barriers, 32 bytes cumulative stack size\n"
      "ptxas info    : Compile time = 95.921 ms\n"
      "ptxas info    : Function properties for _Z4slowf\n"
      "ptxas         .     64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Function properties for __internal_trig_reduction_slowpathd\n",
      "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 30);
  EXPECT_EQ(found.resources.stack_bytes, 32u);
  EXPECT_EQ(found.resources.spill_store_bytes, 8u);
  EXPECT_EQ(found.resources.spill_load_bytes, 4u);
  EXPECT_EQ(found.resources.local_bytes, 32u);
  EXPECT_EQ(found.remaining_calls, std::vector<std::string>{"slow(float)"});
  EXPECT_EQ(found.cuda_helpers, std::vector<std::string>{"__internal_trig_reduction_slowpathd"});
}

// Without link-time optimisation, the log first has the lines of ptxas for each input. The linker's own line follows;
// its numbers cover the kernel together with the functions that it calls.
TEST(Linked, TakesThePtxLinkersOwnLineLast) {
  const LinkFindings found = of_log(
      "ptxas info    : Function properties for graft_transform_relu\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 0 barriers\n"
      "ptxas info    : Function properties for graft_input_size\n"
      "ptxas info    : Function properties for relu\n"
      "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "info    : 0 bytes gmem\n"
      "info    : Function properties for 'graft_transform_relu':\n"
      "info    : used 26 registers, used 0 barriers, 8 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem\n",
      "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 26);
  EXPECT_EQ(found.resources.local_bytes, 8u);
  EXPECT_EQ(found.resources.constant_bytes, 536u);
  EXPECT_EQ(found.remaining_calls, std::vector<std::string>{"relu"});
}

TEST(Linked, MayHaveAnEmptyLog) {
  const LinkFindings found = of_log("", "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 0);
  EXPECT_TRUE(found.remaining_calls.empty());
}

TEST(Linked, ReadsTheMachineCode) {
  const std::string bytes = format::sample("nvcc_120_linked.cubin");
  const std::span<const std::byte> code = base::as_bytes(bytes);
  const Linked linked = read_linked({code.begin(), code.end()}, "", "_Z6kernelPf");
  EXPECT_EQ(base::as_text(linked.code), bytes);
  EXPECT_EQ(linked.findings.code_bytes, 256u);
  EXPECT_EQ(linked.findings.frame_bytes, 0u);
  EXPECT_TRUE(linked.findings.remaining_calls.empty());
  EXPECT_FALSE(linked.findings.calls_through_pointer);
}

}  // namespace
}  // namespace graft::link
