// Tests `graft inspect --ptx --sass -o`: the code of kernels by each route.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "cli/program.hpp"
#include "format/file_kind.hpp"
#include "toolchain/disassembler.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRelu = "'__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }'";

bool has_disassembler() {
  std::string why;
  return toolchain::Disassembler::find(why).has_value();
}

TEST(InspectCode, PtxByEveryRouteOfGpus) {
  for (const char* route : {"lto", "program", "ptx", "indirect"}) {
    const Result run = Program().run(std::string("inspect ") + kRelu + " --arch 90 --ptx --json --route " + route);
    ASSERT_EQ(run.exit_code, 0) << route << run.err;
    const std::string ptx = json::parse(run.out).at("ptx");
    EXPECT_THAT(ptx, AllOf(HasSubstr(".version"), HasSubstr(".entry graft_transform_relu"))) << route;
    EXPECT_EQ(ptx.find('\0'), ptx.npos) << route;
  }
}

TEST(InspectCode, TextFollowsTheReport) {
  const Result run = Program().run(std::string("inspect ") + kRelu + " --ptx");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("program for sm_75"));
  EXPECT_LT(run.out.find("\n  resources"), run.out.find("\nPTX\n"));
}

TEST(InspectCode, SassIsThatOfTheArchitecture) {
  if (!has_disassembler()) GTEST_SKIP() << "no nvdisasm (set GRAFT_NVDISASM)";
  const Result run = Program().run(std::string("inspect ") + kRelu + " --arch 90 --sass");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("\nSASS\n"), HasSubstr("sm_90"), HasSubstr("LDG.E.128"), HasSubstr("EXIT")));
  const Result fft = Program().run("inspect --fft 64 --arch 80 --json --sass");
  for (const json& kernel : json::parse(fft.out).at("kernels")) {
    EXPECT_THAT(kernel.at("sass").get<std::string>(), HasSubstr("sm_80"));
    EXPECT_GT(kernel.at("shared_memory_bytes").get<int>(), 0);
  }
}

// ptxas and nvJitLink say different numbers of one kernel in their logs, or none.
TEST(InspectCode, SharedMemoryIsThatOfTheCode) {
  const Program graft;
  graft.write("turn.cu",
              "__device__ float turn(float x) {\n  __shared__ float all[64];\n  all[threadIdx.x % 64] = x;\n"
              "  __syncthreads();\n  return all[(threadIdx.x + 1) % 64];\n}");
  for (const char* route : {"lto", "program", "ptx", "indirect"})
    for (const char* architecture : {"75", "80", "90", "120"}) {
      const Result run = graft.run(std::string("inspect turn.cu --allow-thread-words --json --arch ") + architecture +
                                   " --route " + route);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(json::parse(run.out).at("shared_memory_bytes"), 256) << route << " for sm_" << architecture;
    }
  const Result none = graft.run(std::string("inspect ") + kRelu + " --arch 90 --json");
  EXPECT_EQ(json::parse(none.out).at("shared_memory_bytes"), 0);
}

TEST(InspectCode, ACompiledFileIsDisassembledWithItsSignature) {
  if (!has_disassembler()) GTEST_SKIP() << "no nvdisasm (set GRAFT_NVDISASM)";
  const Program graft;
  graft.write("relu.cu", "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }");
  ASSERT_EQ(graft.run("precompile relu.cu --arch 75 -o relu.graft").exit_code, 0);
  EXPECT_THAT(graft.run("inspect relu.graft --arch 86 --sass").out, HasSubstr("sm_86"));
  EXPECT_THAT(graft.run("inspect relu.graft --arch 86 --ptx").err, HasSubstr("made from a pack"));
  ASSERT_EQ(graft.run("precompile relu.cu --arch 75 --format ltoir -o relu.ltoir").exit_code, 0);
  EXPECT_EQ(graft.run("inspect relu.ltoir --arch 75 --sass").exit_code, 1) << "the signature is missing";
  EXPECT_THAT(graft.run("inspect relu.ltoir --arch 75 --sass --signature 'float relu(float)'").out, HasSubstr("SASS"));
}

TEST(InspectCode, TheCubinIsTheImageOfTheReport) {
  const Program graft;
  const Result run = graft.run(std::string("inspect ") + kRelu + " --arch 90 -o relu.cubin --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string cubin = graft.read("relu.cubin");
  const auto kind = format::file_kind(base::as_bytes(cubin));
  ASSERT_TRUE(kind);
  EXPECT_EQ(*kind, format::FileKind::Cubin);
  EXPECT_EQ(json::parse(run.out).at("report").at("image_bytes"), cubin.size());
  EXPECT_EQ(json::parse(run.out).at("cubin"), "relu.cubin");
  const Result two = graft.run("inspect --fft 64 --arch 90 -o fft.cubin");
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_THAT(two.err, HasSubstr("this request has 2"));
  EXPECT_FALSE(graft.has("fft.cubin"));
  EXPECT_EQ(graft.run("inspect --fft 64 --arch 90 --directions forward -o fft.cubin").exit_code, 0);
  EXPECT_TRUE(graft.has("fft.cubin"));
}

TEST(InspectCode, RefusesKernelsWithoutSuchCode) {
  for (const char* option : {"--ptx", "--sass", "-o k.cubin"}) {
    const Result run = Program().run(std::string("inspect ") + kRelu + " --route host " + option);
    EXPECT_EQ(run.exit_code, 1) << option;
    EXPECT_THAT(run.err, HasSubstr("this one is for the CPU")) << option;
  }
  EXPECT_EQ(Program().run(std::string("inspect ") + kRelu + " --closed --ptx").exit_code, 2);
}

TEST(InspectCode, WithoutNvdisasmTheMessageSaysWhatToInstall) {
  const Result run = Program().run(std::string("inspect ") + kRelu + " --arch 90 --sass", "GRAFT_NVDISASM=nvdisasm");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("not the absolute path of a program"), HasSubstr("[ToolMissing]"),
                             HasSubstr("Install nvdisasm")));
  const Result broken =
      Program().run(std::string("inspect ") + kRelu + " --arch 90 --sass", "GRAFT_NVDISASM=/bin/false");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.err,
              AllOf(HasSubstr("/bin/false cannot disassemble"), HasSubstr("[ToolTooOld]"), Not(HasSubstr("SASS"))));
}

TEST(InspectCode, WhatStopsNvdisasmHasItsOwnCode) {
  const Program graft;
  const auto by = [&](const std::string& text) {
    graft.write("nvdisasm", text);
    return graft.shell("chmod +x nvdisasm; GRAFT_NVDISASM=$PWD/nvdisasm graft inspect " + std::string(kRelu) +
                       " --arch 90 --sass");
  };
  const Result killed = by("#!/bin/sh\nkill -KILL $$");
  EXPECT_EQ(killed.exit_code, 1);
  EXPECT_THAT(killed.err, AllOf(HasSubstr("nvdisasm was ended by signal 9"), HasSubstr("[SystemFailed]")));
  const Result text = by("no program");
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.err, AllOf(HasSubstr("nvdisasm: Exec format error"), HasSubstr("[ToolMissing]")));
}

}  // namespace
}  // namespace graft::test
