// Parses logs that nvJitLink 13.0 wrote. Tests that registers, stack size and the functions that a kernel still calls
// are found.
#include "link/link_log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::link {
namespace {

TEST(LinkLog, HasTheKernelsResources) {
  const LinkFindings found = parse_link_log(
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

// Without link-time optimisation, the log first has the lines of ptxas for each input. The linker's own line comes
// last. The numbers in this line cover the kernel together with the functions that it calls.
TEST(LinkLog, OfPtxEndsWithTheLinkersOwnLine) {
  const LinkFindings found = parse_link_log(
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

TEST(LinkLog, MayBeEmpty) {
  const LinkFindings found = parse_link_log("", "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 0);
  EXPECT_TRUE(found.remaining_calls.empty());
}

}  // namespace
}  // namespace graft::link
