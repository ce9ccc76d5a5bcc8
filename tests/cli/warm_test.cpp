// Tests that programs find the kernels that `graft warm` cached, also on a machine where nothing can be compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRelu = "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n";
// These environment variables hide compiler and linker, so a request for a kernel that is not in the cache is an error.
constexpr const char* kNoTools = "GRAFT_CUDA_PATH=/nowhere GRAFT_CXX=/nowhere GRAFT_CACHE=forbid-compiling";

json warm_json(const Program& graft, const std::string& words, const std::string& environment = "") {
  return json::parse(graft.run("warm --json " + words, environment).out);
}

// A new process finds each kernel, because the command line and the library derive the same key from the same request.
TEST(Warm, WhatItLeavesIsFoundWithoutTools) {
  const Program graft;
  graft.write("relu.cu", kRelu);
  graft.write("scale.cu",
              "#include \"factor.h\"\n__device__ float scale(float x) { return FACTOR * x + ADD; }\n"
              "__device__ float other(float x) { return x; }\n");
  std::filesystem::create_directory(graft.path("headers"));
  graft.write("headers/factor.h", "#define FACTOR 3.0f\n");
  graft.write("list.txt",
              "relu.cu --arch 75,90\n"
              "scale.cu --entry scale -I headers -D ADD=1 --fast-math --max-registers 40\n"
              "'[](double x) { return 2 * x; }' --route program  # a text\n"
              "relu.cu --shapes strided --shapes 'transposed 1' --shapes strided\n");
  const Result run = graft.run("warm list.txt --arch 90 --jobs 1");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "built 6 kernels; already cached: 1\n");  // the flat kernel of relu.cu is in two lines
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(graft.run("warm list.txt --arch 90", "GRAFT_CUDA_PATH=/nowhere").out,
            "built 0 kernels; already cached: 7\n");

  for (const char* request :
       {"relu.cu --arch 75", "relu.cu --arch sm_90", "'[](double x) { return 2 * x; }' --route program --arch 90",
        "scale.cu --entry scale -I headers -D ADD=1 --fast-math --max-registers 40 --arch 90"}) {
    const Result hit = graft.run(std::string("inspect --json ") + request, kNoTools);
    ASSERT_EQ(hit.exit_code, 0) << request << hit.err;
    EXPECT_TRUE(json::parse(hit.out).at("report").at("from_cache").get<bool>()) << request;
  }
  const Result views = graft.run("inspect --json relu.cu --arch 90 --shapes strided --shapes 'transposed 1'", kNoTools);
  ASSERT_EQ(views.exit_code, 0) << views.err;
  const json reports = json::parse(views.out).at("reports");
  ASSERT_EQ(reports.size(), 3u);
  for (const json& report : reports) EXPECT_TRUE(report.at("from_cache").get<bool>());
  EXPECT_THAT(graft.run("inspect relu.cu --arch 80", kNoTools).err, HasSubstr("[CompilingForbidden]"));

  // The library finds the first kernel too, in the process of this test.
  EngineOptions options;
  options.cuda_path = "/nowhere";
  options.cache.folder = graft.path("own-cache");
  options.cache.policy = CachePolicy::ForbidCompiling;
  Engine engine(options);
  EXPECT_TRUE(build(engine, Callback::source(kRelu), Architecture(90)).report().from_cache);
  EXPECT_EQ(engine.counters().disk_hits, 1u);
  EXPECT_EQ(engine.counters().builds, 0u);
}

TEST(Warm, BadItemsAreToldByTheirLinesAndStopNoOther) {
  const Program graft;
  graft.write("relu.cu", kRelu);
  graft.write("bad.cu", "__device__ float f(float x)\n{ return y; }\n");
  graft.write("damaged.fatbin", std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8) + std::string(200, '\x7f'));
  graft.write("list.txt",
              "bad.cu --arch 90\nrelu.cu --arch 90\nmissing.cu --arch 90\n--sped\nrelu.cu --route host\n"
              "damaged.fatbin --signature 'float f(float)' --arch 90\nrelu.cu --arch 80\n"
              "'[](float x) { return x + __LINE__ + sizeof(__FILE__); }' --arch 90\n");
  const Result run = graft.run("warm list.txt");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "built 2 kernels; already cached: 0\n");
  EXPECT_THAT(run.err, HasSubstr("list.txt:1: bad.cu for sm_90: bad.cu does not compile: line 2 [CompileFailed]"));
  EXPECT_THAT(run.err, HasSubstr("list.txt:3: missing.cu for sm_90: cannot read the callback file"));
  EXPECT_THAT(run.err, HasSubstr("list.txt:4: "));
  EXPECT_THAT(run.err, HasSubstr("list.txt:5: "));
  EXPECT_THAT(run.err, HasSubstr("list.txt:6: damaged.fatbin for sm_90: "));
  EXPECT_THAT(run.err, HasSubstr("list.txt:8: "));
  EXPECT_THAT(run.err, HasSubstr("cannot be stored in the cache on disk, because "));
  EXPECT_THAT(run.err, HasSubstr("graft: 6 of 8 failed\n"));
  EXPECT_LT(run.err.find("list.txt:3"), run.err.find("list.txt:4")) << "the errors must be in the order of the lines";

  const json object = warm_json(graft, "list.txt");
  EXPECT_EQ(object.at("were_there"), 2);
  EXPECT_EQ(object.at("failed"), 6);
  EXPECT_EQ(object.at("kernels").at(0).at("error").at("code"), "CompileFailed");
  EXPECT_EQ(object.at("kernels").at(1).at("name").get<std::string>().size(), 32u);
}

TEST(Warm, CompiledFilesAndPacks) {
  const Program graft;
  const Callback gain = Callback::source("extern \"C\" __device__ float gain(float x) { return 3 * x; }");
  const auto write = [&](const char* name, PrecompileFormat format) {
    graft.write(name, base::as_text(gain.precompile({Architecture(75)}, format)));
  };
  write("gain.ltoir", PrecompileFormat::LtoIr);
  write("gain.graft", PrecompileFormat::Pack);
  graft.write("list.txt",
              "gain.ltoir --signature 'extern \"C\" __device__ float gain(float)' --arch 80,90\n"
              "gain.graft --arch 90\n");
  const Result run = graft.run("warm list.txt");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "built 3 kernels; already cached: 0\n");
}

// Paths in a list are relative to the list's folder, wherever the program is started. The list may also come from a
// pipe.
// No tool makes a pack's kernel for views otherwise, so it is used whatever tools there are.
TEST(Warm, KernelsForViewsOfPacksNeedNoTools) {
  const Program graft;
  graft.write("relu.cu", kRelu);
  ASSERT_EQ(graft.run("precompile relu.cu --arch 75 -o relu.pack").exit_code, 0);
  graft.write("list.txt", "relu.pack --arch 90 --shapes strided\n");
  EXPECT_EQ(graft.run("warm list.txt").out, "built 2 kernels; already cached: 0\n");
  EXPECT_EQ(graft.run("warm list.txt", "GRAFT_CUDA_PATH=/nowhere").out, "built 0 kernels; already cached: 2\n");
  EXPECT_THAT(graft.run("cache explain relu.pack --arch 90 --shapes strided").out,
              testing::AllOf(HasSubstr("kernel 2 of 2"), HasSubstr("shapes=strided")));
  EXPECT_THAT(graft.run("inspect relu.pack --arch 90 --shapes 'transposed 1'").err, HasSubstr("Give --shapes strided"));
}

TEST(Warm, FilesLieBesideTheList) {
  const Program graft;
  std::filesystem::create_directory(graft.path("kernels"));
  graft.write("kernels/relu.cu", kRelu);
  graft.write("kernels/list.txt", "relu.cu --arch 90\n");
  EXPECT_EQ(graft.run("warm kernels/list.txt").exit_code, 0);
  EXPECT_EQ(graft.shell("cd kernels; echo relu.cu | graft warm - --arch 80").out,
            "built 1 kernel; already cached: 0\n");
  EXPECT_THAT(graft.run("warm nowhere.txt").err, HasSubstr("[FileUnreadable]"));
  EXPECT_EQ(graft.shell("graft warm - </dev/null").out, "built 0 kernels; already cached: 0\n");
}

TEST(Warm, OnOneAndOnManyProcesses) {
  const Program graft;
  std::string list;
  for (int i = 0; i < 6; ++i) list += "'[](float x) { return x + " + std::to_string(i % 5) + "; }' --arch 90\n";
  graft.write("list.txt", list);
  for (const char* jobs : {"1", "3"}) {
    const json object =
        warm_json(graft, std::string("list.txt -j ") + jobs, std::string("GRAFT_CACHE_DIR=$PWD/cache") + jobs);
    EXPECT_EQ(object.at("built"), 5);
    EXPECT_EQ(object.at("were_there"), 1) << "the first and the last line ask for the same kernel";
  }
}

TEST(Warm, WhatCannotBeKeptIsAnError) {
  const Program graft;
  graft.write("list.txt", "'[](float x) { return x; }' --arch 75,80,90\n");
  for (const char* environment :
       {"GRAFT_CACHE=read-only", "GRAFT_CACHE=forbid-compiling", "HOME= GRAFT_CACHE_DIR= XDG_CACHE_HOME="}) {
    const Result run = graft.run("warm list.txt", environment);
    EXPECT_EQ(run.exit_code, 1) << environment;
    EXPECT_EQ(run.out, "") << environment;
    EXPECT_THAT(run.err, HasSubstr("What to do: ")) << environment;
  }
  EXPECT_EQ(graft.run("warm list.txt", "GRAFT_CACHE=off").exit_code, 0)
      << "GRAFT_CACHE=off must not affect `graft warm`";

  std::filesystem::create_directory(graft.path("open"));
  std::filesystem::permissions(graft.path("open"), std::filesystem::perms::all);
  const Result open = graft.run("warm list.txt", "GRAFT_CACHE_DIR=$PWD/open");
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_THAT(open.err, HasSubstr("was built, but cannot be stored in the cache: cache: "));

  const Result full = graft.run("warm list.txt", "GRAFT_CACHE_DIR=$PWD/small GRAFT_CACHE_MAX_BYTES=2000");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("did not fit into the cache")) << full.out;
}

}  // namespace
}  // namespace graft::test
