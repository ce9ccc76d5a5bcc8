// Tests the commands on kernels of the user's own: precompile --kernel and --for, and inspect.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

class OwnKernels : public testing::Test {
 protected:
  OwnKernels() {
    graft.write("metric.h", "#pragma once\nstruct Metric { float delta; };\n");
    graft.write("l1.cu", "__device__ float l1(float a, float b) { return fabsf(a - b); }\n");
    graft.write("l2.cu",
                "#include \"metric.h\"\n"
                "__device__ float zero(float a, float b) { return 0; }\n"
                "__device__ float l2(float a, float b, const Metric& m) { return (a - b) * m.delta; }\n");
    graft.write("knn.cu", R"(
#include "metric.h"
__device__ float metric(float a, float b, const Metric& s);
__device__ bool filter(int id);
extern __device__ const bool has_filter;
extern __device__ const int tile;
template <class T> __global__ void knn(const T* q, T* out, int n, const __grid_constant__ Metric s) {
  T sum = 0;
  for (int i = 0; i < tile; ++i)
    if (!has_filter || filter(i)) sum += metric(q[i], q[n], s);
  out[threadIdx.x] = sum;
}
)");
  }

  // Makes knn.graft.
  Result precompile(const std::string& more) {
    return graft.run(
        "precompile --kernel knn.cu --kernel-entry 'knn<float>' --optional-slot filter=has_filter --constant tile=4,8 "
        "--header metric.h --arch 75,90 -o knn.graft " +
        more);
  }

  Program graft;
};

TEST_F(OwnKernels, ArePrecompiledAndInspected) {
  const Result made = precompile("--slot metric=l2.cu --slot-entry metric=l2 --cubin");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string text = graft.run("inspect knn.graft").out;
  EXPECT_THAT(text, HasSubstr("pack of 2 jobs"));
  EXPECT_THAT(text,
              HasSubstr("  kernel knn<float>, parameters of 8, 8, 4, 4 bytes: const float*, float*, int, Metric\n"));
  EXPECT_THAT(text, HasSubstr("  slot metric(float, float, const Metric&)\n"));
  EXPECT_THAT(text, HasSubstr("  slot filter(int)\n"));
  EXPECT_THAT(text, HasSubstr("  constant tile, 4 bytes\n"));
  EXPECT_THAT(text, HasSubstr("cubin for sm_90"));
  EXPECT_THAT(text, HasSubstr("for the slot metric(float, float, const Metric&): l2 in l2.cu\n"));
  EXPECT_THAT(graft.run("inspect knn.graft --arch 90").out, HasSubstr("the finished kernel of knn.graft"));
  const auto json = nlohmann::json::parse(graft.run("inspect knn.graft --json").out);
  EXPECT_EQ(json["jobs"][0]["packs"][0]["entries"][0]["name"], "knn<float>");

  const KernelCode code = KernelCode::file(graft.path("knn.graft"));
  EXPECT_TRUE(build(code, {}, 90).report().inlined());
}

TEST_F(OwnKernels, CallbacksAreCompiledForSlots) {
  ASSERT_EQ(precompile("").exit_code, 0);
  for (const char* kernel : {"knn.graft", "knn.cu --kernel-entry 'knn<float>'"}) {
    const Result made = graft.run(std::string("precompile --kernel ") + kernel +
                                  " --header metric.h --for metric=l1.cu --arch 75 -o l1.graft --depfile l1.d");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(graft.read("l1.d"), HasSubstr("l1.cu"));
    EXPECT_THAT(graft.run("inspect l1.graft").out, HasSubstr("for the slot metric(float, float, const Metric&): l1"));
    const Image image =
        build(KernelCode::file(graft.path("knn.graft")), {{"metric", Callback::file(graft.path("l1.graft"))}}, 90);
    EXPECT_TRUE(image.report().inlined());
  }
}

TEST_F(OwnKernels, SourcesAreInspected) {
  const Result shape = graft.run("inspect --kernel knn.cu --kernel-entry 'knn<float>'");
  EXPECT_EQ(shape.exit_code, 0) << shape.err;
  EXPECT_THAT(shape.out, HasSubstr("  slot metric(float, float, const Metric&)\n"));
  const Result filled = graft.run(
      "inspect --kernel knn.cu --kernel-entry 'knn<float>' --slot metric=l1.cu --optional-slot filter=has_filter "
      "--constant tile=4 --arch 90");
  EXPECT_THAT(filled.out, HasSubstr("metric(float, float, const Metric&): l1 in l1.cu, inlined"));
}

TEST_F(OwnKernels, MistakesAreExplained) {
  struct Row {
    const char* command;
    const char* words;
  };
  for (const auto& [command, words] : {
           Row{"precompile --kernel knn.cu --arch 75 -o x.graft", "knn.cu has no kernel"},
           {"precompile --kernel knn.cu --kernel-entry 'knn<float>' --for metrik=l1.cu --arch 75 -o x.graft",
            "has no slot metrik"},
           {"precompile --kernel knn.cu --entry 'knn<float>' --arch 75 -o x.graft", "Name a kernel by --kernel-entry"},
           {"precompile --kernel knn.cu --slot l1.cu --arch 75 -o x.graft", "is no pair"},
           {"precompile --kernel none.cu --arch 75 -o x.graft", "cannot read the kernel file none.cu"},
           {"precompile l1.cu --slot metric=l1.cu --arch 75 -o x.graft", "--slot requires --kernel"},
           {"precompile --kernel knn.cu --kernel-entry 'knn<float>' --constant tile=four --arch 75 -o x.graft",
            "four is no value of the constant tile"},
           {"precompile --kernel knn.cu --kernel-entry 'knn<float>' --inlining metric=alway --arch 75 -o x.graft",
            "`always`"},
           {"precompile --kernel knn.cu --kernel-entry 'knn<float>' --cubin --arch 75 -o x.graft",
            "nothing defines them"},
           {"precompile --kernel knn.cu --kernel-entry 'knn<float>' --format ptx --arch 75 -o x.graft",
            "cannot be precompiled to the format PTX"},
       }) {
    const Result run = graft.run(command);
    EXPECT_NE(run.exit_code, 0) << command;
    EXPECT_THAT(run.err, HasSubstr(words)) << command;
  }
}

}  // namespace
}  // namespace graft::test
