// Tests `graft precompile`, and that the other commands can use its output files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "engine/job_kernels.hpp"
#include "families/fft/job.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kGain = "__device__ float gain(float x) { return 3 * x; }\n";

struct Precompile : testing::Test {
  Program graft;
  void SetUp() override { graft.write("gain.cu", kGain); }

  void succeed(const std::string& words) {
    const Result run = graft.run("precompile " + words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "");
  }
  json inspected(const std::string& words) {
    const Result run = graft.run("inspect --json " + words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out, nullptr, false);
  }
};

TEST_F(Precompile, MakesPacksThatInspectReads) {
  succeed("gain.cu --arch 75,90 -o gain.graft");
  const json plain = inspected("gain.graft");
  EXPECT_EQ(plain.at("kind"), "pack");
  EXPECT_EQ(plain.at("entry"), "gain");
  EXPECT_EQ(plain.at("signature").at("text"), "float(float)");
  std::string images;
  for (const json& image : plain.at("images"))
    images += image.at("kind").get<std::string>() + " " + image.at("architecture").get<std::string>() + "; ";
  EXPECT_EQ(images, "ltoir sm_75; ltoir sm_90; program sm_75; callback-ptx sm_75; adapter-ptx sm_75; ");
  for (const char* route : {"lto", "program", "ptx", "indirect"})
    EXPECT_EQ(inspected(std::string("gain.graft --arch 120 --route ") + route).at("report").at("route"), route);
}

TEST_F(Precompile, PutsFinishedKernelsInWhenAsked) {
  succeed("gain.cu --arch 80 --arch 90a --cubin -o gain.graft");
  const json report = inspected("gain.graft --arch 90a").at("report");
  EXPECT_THAT(report.at("notes").dump(),
              HasSubstr("the pack holds this kernel for sm_90a: nothing was compiled or linked"));
}

TEST_F(Precompile, MakesWhatOtherLinkersTake) {
  struct Row {
    const char* format;
    const char* kind;
    const char* route;
  };
  for (const Row& row : {Row{"ltoir", "LTO-IR", "lto"}, Row{"ptx", "PTX", "ptx"}, Row{"cubin", "cubin", "ptx"}}) {
    SCOPED_TRACE(row.format);
    succeed(std::string("gain.cu --arch 90 --format ") + row.format + " -o gain.out");
    const json object = inspected("gain.out --arch 90 --signature 'float gain(float)'");
    EXPECT_EQ(object.at("kind"), row.kind);
    EXPECT_EQ(object.at("report").at("route"), row.route);
  }
}

TEST_F(Precompile, TakesSeveralSourcesIntoAFolder) {
  graft.write("half.cu", "__device__ float half_of(float x) { return x / 2; }\n");
  const Result run = graft.shell("mkdir packs; graft precompile gain.cu half.cu --arch 75 -o packs --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("files").at(1).at("file"), "packs/half.graft");
  EXPECT_EQ(inspected("packs/gain.graft").at("entry"), "gain");
  EXPECT_EQ(inspected("packs/half.graft").at("entry"), "half_of");
}

TEST_F(Precompile, SeveralEntriesAreOnePack) {
  graft.write("library.cu",
              "namespace math { __device__ float relu(float x) { return x > 0 ? x : 0; } }\n"
              "struct Gain { float factor; };\n"
              "__device__ float gain(float x, const Gain& g) { return g.factor * x; }\n"
              "template <class T> __device__ T scale(T x) { return 3 * x; }\n");
  const std::string several = "precompile library.cu --arch 75,90 --entry relu --entry gain ";
  const Result run = graft.run(
      several + "--entry 'scale<float>' --entry 'scale< float >' --entry 'scale<double>' -o all.graft --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("files").at(0).at("entries").size(), 5u);
  const Result text = graft.run("inspect all.graft");
  EXPECT_THAT(text.out, HasSubstr("all.graft: pack of 4 callbacks, "));
  EXPECT_THAT(text.out, HasSubstr("\nmath::relu\n  entry math::relu ("));
  EXPECT_THAT(text.out, HasSubstr("\nscale<double>\n  entry scale<double> ("));
  const json object = inspected("all.graft");
  std::string signatures;
  for (const json& job : object.at("jobs"))
    signatures += job.at("entry").get<std::string>() + ": " + job.at("signature").at("text").get<std::string>() + "; ";
  EXPECT_EQ(signatures,
            "math::relu: float(float); gain: float(float, const Gain&); scale<float>: float(float); "
            "scale<double>: double(double); ");
  EXPECT_EQ(inspected("all.graft --arch 90 --entry 'scale< double >'").at("report").at("kernel"),
            "graft_transform_scale_double");

  const Result none = graft.run("inspect all.graft --arch 90");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("all.graft holds 4 callbacks: math::relu, gain, scale<float>, scale<double>"));
  EXPECT_THAT(none.err, HasSubstr("Name one of them with --entry: \"math::relu\"."));
  const Result absent = graft.run("inspect all.graft --arch 90 --entry rleu");
  EXPECT_THAT(absent.err, HasSubstr("all.graft has no callback `rleu`; it holds math::relu, gain, "));
  EXPECT_THAT(absent.err, HasSubstr("Did you mean `math::relu`? Name the callback with --entry."));
}

TEST_F(Precompile, InstancesAreChosenByTheTemplatesName) {
  graft.write("scale.cu",
              "template <class T> __device__ T scale(T x) { return 3 * x; }\n"
              "template <class T> __device__ T half_of(T x) { return x / 2; }\n");
  succeed("scale.cu --entry scale --types f32 --arch 75 -o one.graft");
  EXPECT_EQ(inspected("one.graft --entry scale --arch 75").at("entry"), "scale");
  succeed("scale.cu --entry scale --entry half_of --types f64 --arch 75 -o two.graft");
  for (const char* entry : {"scale", "half_of"}) {
    const json report = inspected(std::string("two.graft --arch 75 --entry ") + entry).at("report");
    EXPECT_EQ(report.at("kernel"), std::string("graft_transform_") + entry);
    EXPECT_EQ(report.at("signature").at("text"), "double(double)");
  }
}

TEST_F(Precompile, SeveralEntriesThatCannotBeAreRefused) {
  const auto expect = [&](const std::string& words, const std::string& message, int exit_code) {
    const Result run = graft.run("precompile " + words);
    EXPECT_EQ(run.exit_code, exit_code) << words;
    EXPECT_THAT(run.err, HasSubstr(message)) << words;
    EXPECT_NE(graft.shell("test -e out.graft").exit_code, 0) << words;
  };
  expect("gain.cu --arch 75 --entry gain --entry absent -o out.graft", "gain.cu has no function `absent`", 1);
  expect("gain.cu --arch 75 --entry gain --entry '' -o out.graft", "--entry", 2);
  expect("gain.cu --arch 75 --entry gain --entry gain2 --format ptx -o out.graft",
         "several callbacks cannot be precompiled to the format PTX", 1);
  expect("--fft 8 --arch 75 --entry a --entry b -o out.graft", "several --entry are for a pack of callbacks", 2);
  EXPECT_EQ(graft.run("precompile gain.cu --arch 75 --entry gain --entry ::gain -o out.graft").err, "");
  EXPECT_EQ(inspected("out.graft").at("entry"), "gain");
}

TEST_F(Precompile, OptionsReachTheCompilerAndStayInThePack) {
  graft.write("several.cu",
              "__device__ float a(float x) { return x; }\n__device__ float b(float x) { return x * x + FACTOR; }\n");
  succeed("several.cu --arch 75 --entry b -D FACTOR=3 --no-contraction --max-registers 64 -o b.graft");
  EXPECT_EQ(inspected("b.graft --arch 90").at("report").at("kernel"), "graft_transform_b");
  EXPECT_THAT(graft.run("inspect b.graft --arch 90 --fast-math").err,
              HasSubstr("built with floating_point.fast_math off, but this request asks for fast_math on"));
}

TEST_F(Precompile, ThreadWordsNeedTheOption) {
  graft.write("lane.cu", "__device__ float f(float x) {\n  return x + threadIdx.x;\n}\n");
  const Result refused = graft.run("precompile lane.cu --arch 75 -o lane.graft");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("lane.cu(2): `threadIdx` in a callback"));
  EXPECT_THAT(refused.err, HasSubstr("--allow-thread-words"));
  succeed("lane.cu --arch 75 --allow-thread-words -o lane.graft");
  EXPECT_THAT(graft.run("inspect lane.graft --arch 90").out, HasSubstr("`threadIdx` in a callback"));
}

TEST_F(Precompile, PacksAreAppliedWhereThereIsAGpu) {
  succeed("gain.cu --arch 75 -o gain.graft");
  graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, -2, 3})));
  const Result run = graft.run("apply gain.graft --in a.npy --out b.npy --route host");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("host: gain.graft is not source"));
}

TEST_F(Precompile, OptionsOfAnFftReachItsPlan) {
  const auto plan_of = [&](const std::string& words) {
    succeed("--fft 8 --arch 90 -o fft.graft " + words);
    const std::string pack = graft.read("fft.graft");
    return families::fft::plan_of(engine::JobKernels::of_pack("fft", base::as_bytes(pack), 1).job());
  };
  const FftPlan usual = plan_of("");
  EXPECT_EQ(usual.length, 8);
  EXPECT_EQ(usual.precision, FftPrecision::F32);
  EXPECT_EQ(usual.directions, FftDirections::Both);
  EXPECT_EQ(usual.scaling, FftScaling::None);
  EXPECT_FALSE(usual.has_strides || usual.has_long_arrays);
  EXPECT_TRUE(usual.shape.empty());
  EXPECT_EQ(usual.storage_in, FftStorage::Same);
  const FftPlan of_halves = plan_of("--storage f16 --storage-out bf16");
  EXPECT_EQ(of_halves.storage_in, FftStorage::F16);
  EXPECT_EQ(of_halves.storage_out, FftStorage::BF16);
  succeed("--fft 12x20 --arch 90 -o fft.graft --directions forward");
  const std::string pack = graft.read("fft.graft");
  const FftPlan of_plane = families::fft::plan_of(engine::JobKernels::of_pack("fft", base::as_bytes(pack), 1).job());
  EXPECT_EQ(of_plane.shape, (std::vector<std::int64_t>{12, 20}));
  EXPECT_EQ(of_plane.length, 0);
  EXPECT_THAT(graft.run("inspect fft.graft").out, HasSubstr("12x20 points"));
  for (const char* wrong : {"12x", "x12", "12x0", "12xx3", "1e3", "12X20"})
    EXPECT_THAT(graft.run(std::string("precompile --arch 90 -o no.graft --fft ") + wrong).err,
                HasSubstr("is no length of an FFT"));
  EXPECT_THAT(graft.run("precompile --arch 90 -o no.graft --fft 2x2x2x2").err, HasSubstr("has 4 dimensions"));
  EXPECT_THAT(graft.run("precompile --arch 90 -o no.graft --fft 999999999").err,
              HasSubstr("longest one has 134217728"));
  const FftPlan chosen = plan_of("--precision f64 --directions inverse --scaling unitary --strides");
  EXPECT_EQ(chosen.precision, FftPrecision::F64);
  EXPECT_EQ(chosen.directions, FftDirections::Inverse);
  EXPECT_EQ(chosen.scaling, FftScaling::Unitary);
  EXPECT_TRUE(chosen.has_strides);
  EXPECT_FALSE(chosen.has_long_arrays);
  const FftPlan other = plan_of("--directions forward --scaling by-length --long-arrays");
  EXPECT_EQ(other.directions, FftDirections::Forward);
  EXPECT_EQ(other.scaling, FftScaling::ByLength);
  EXPECT_FALSE(other.has_strides);
  EXPECT_TRUE(other.has_long_arrays);
}

TEST_F(Precompile, SaysWhatIsWrong) {
  struct Row {
    const char* words;
    int exit_code;
    const char* error;
  };
  graft.write("broken.cu", "__device__ float f(float x) { return y; }\n");
  graft.write("damaged.graft", "\x89GRAFT\r\n");
  for (const Row& row : {
           Row{"gain.cu -o x", 2, "--arch is required"},
           Row{"gain.cu --arch 90", 2, "--output is required"},
           Row{"gain.cu --arch 90 --format exe -o x", 2, "--format"},
           Row{"gain.cu --arch 90 --format ptx --cubin -o x", 2, "--cubin puts finished kernels into a pack"},
           Row{"gain.cu --arch soon -o x", 2, "\"soon\" is not a GPU architecture"},
           Row{"gain.cu --arch 75,90 --format ptx -o x", 1, "PTX is for one architecture, but 2 are given"},
           Row{"gain.cu gain.cu --arch 90 -o x", 1, "x is not a folder, and several sources are given"},
           Row{"gain.cu gain.cu --arch 90 -o .", 1, "two of the sources would be written to ./gain.graft"},
           Row{"broken.cu --arch 90 -o x", 1, "broken.cu(1): error: identifier \"y\" is undefined"},
           Row{"damaged.graft --arch 90 -o x", 1, "damaged.graft"},
           Row{"absent.cu --arch 90 -o x", 1, "cannot read the callback file absent.cu"},
           Row{"gain.cu --arch 90 -o no/such/folder/x", 1, "it cannot be written"},
       }) {
    SCOPED_TRACE(row.words);
    const Result run = graft.run(std::string("precompile ") + row.words);
    EXPECT_EQ(run.exit_code, row.exit_code);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(row.error));
    EXPECT_FALSE(graft.has("x"));
  }
}

TEST_F(Precompile, LinksFunctionsThatWereCompiledElsewhere) {
  graft.write("caller.cu",
              "__device__ float gain(float);\n__device__ float twice(float x) { return gain(x) + gain(x); }\n");
  succeed("gain.cu --arch 75 --format ltoir -o gain.ltoir");
  succeed("gain.cu --arch 75 --format ptx -o gain.ptx");
  const json report = inspected("caller.cu --entry twice --arch 75 --link gain.ltoir").at("report");
  EXPECT_EQ(report.at("route"), "lto");
  EXPECT_TRUE(report.at("inlined").get<bool>());
  // The linker keeps the callback's own function beside PTX, so the report lists both.
  const json called = inspected("caller.cu --entry twice --arch 75 --link gain.ptx").at("report");
  EXPECT_THAT(called.at("remaining_calls").get<std::vector<std::string>>(), testing::Contains("gain(float)"));
  succeed("caller.cu --entry twice --arch 75 --link gain.ltoir -o caller.graft");
  EXPECT_TRUE(inspected("caller.graft --arch 90").at("report").at("inlined").get<bool>());
  const Result missing = graft.run("inspect caller.cu --entry twice --arch 75");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("`gain(float)` is called, and nothing defines it"));
  const Result source = graft.run("inspect caller.cu --entry twice --arch 75 --link gain.cu");
  EXPECT_THAT(source.err, HasSubstr("gain.cu is source: only LTO-IR, fatbins, PTX and objects can be linked"));
  const Result nowhere = graft.run("inspect caller.cu --entry twice --arch 75 --link absent.a");
  EXPECT_THAT(nowhere.err, HasSubstr("[FileUnreadable]"));
}

TEST_F(Precompile, PassesOptionsToTheCompiler) {
  graft.write("spare.cu", "float f(float x) { int spare; return x; }\n");
  const std::string device = " --compiler-option=--device-as-default-execution-space ";
  const json report = inspected("spare.cu --arch 75" + device).at("report");
  EXPECT_THAT(report.at("compiler_log").get<std::string>(), HasSubstr("spare"));
  const json quiet = inspected("spare.cu --arch 75 --compiler-option=-w" + device).at("report");
  EXPECT_EQ(quiet.at("compiler_log"), "");
  EXPECT_EQ(quiet.at("compiler_options"), json::array({"--device-as-default-execution-space", "--disable-warnings"}));
  succeed("spare.cu --arch 75 --compiler-option=-w" + device + "-o spare.graft");
  EXPECT_EQ(inspected("spare.graft").at("compiler_options"), quiet.at("compiler_options"));
  EXPECT_EQ(inspected("spare.graft --arch 90").at("report").at("compiler_options"), quiet.at("compiler_options"));
  const Result refused = graft.run("inspect spare.cu --arch 75 --compiler-option=--maxrregcount=32");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("Set --max-registers."));
}

}  // namespace
}  // namespace graft::test
