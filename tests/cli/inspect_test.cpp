// Tests `graft inspect` for every kind of file that the command reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "cli/program.hpp"
#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "support/packs.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAxpy = R"(struct Scale { float a; };
__device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }
)";

TEST(Inspect, SignatureOfASource) {
  const Program graft;
  graft.write("axpy.cu", kAxpy);
  const Result run = graft.run("inspect axpy.cu");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "axpy.cu: CUDA C++ source, 107 bytes\n"
            "float(float, float, const Scale&)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  input 1: float (float, 4 bytes aligned to 4)\n"
            "  state: const Scale& (4-byte class aligned to 4, 4 bytes aligned to 4)\n"
            "  output 0: float (float, 4 bytes aligned to 4)\n");
}

TEST(Inspect, KernelForAnArchitecture) {
  const Program graft;
  graft.write("axpy.cu", kAxpy);
  const Result text = graft.run("inspect axpy.cu --arch 90");
  EXPECT_THAT(text.out, HasSubstr("program for sm_90"));
  EXPECT_THAT(text.out, HasSubstr("callback inlined"));
  const Result run = graft.run("inspect axpy.cu --arch 80 --json");
  const json object = json::parse(run.out);
  EXPECT_EQ(object.at("kind"), "CUDA C++ source");
  EXPECT_EQ(object.at("report").at("architecture"), "sm_80");
  EXPECT_EQ(object.at("report").at("kernel"), "graft_transform_axpy");
  EXPECT_EQ(object.at("signature").at("inputs").size(), 2u);
  EXPECT_EQ(object.at("signature").at("state").at("size"), 4);
  EXPECT_TRUE(object.at("report").at("inlined").get<bool>());
}

TEST(Inspect, TypesOfTheArraysMakeTheInstance) {
  const Program graft;
  graft.write("mix.cu",
              "template <class T> __device__ T mix(T a, T b, float t) { return a + t * (b - a); }\n"
              "template <class T> __device__ T twice(T x) { return 2 * x; }\n");
  const auto signature = [&](const std::string& words) {
    const Result run = graft.run("inspect " + words + " --json");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.exit_code == 0 ? json::parse(run.out).at("signature").at("text").get<std::string>() : run.err;
  };
  EXPECT_EQ(signature("mix.cu --entry mix --types 'f64, f64, f32'"), "double(double, double, float)");
  EXPECT_EQ(signature("mix.cu --entry twice --types i32 --arch 90"), "int(int)");
  EXPECT_EQ(signature("'[](auto x) { return x * x; }' --types f16"), "__half(__half)");
  EXPECT_THAT(graft.run("inspect mix.cu --entry mix --types f32").err,
              HasSubstr("takes 3 inputs, and 1 type was given"));
  EXPECT_THAT(graft.run("inspect mix.cu --entry mix --types 'f32, f64, f32'").err,
              AllOf(HasSubstr("`mix` in mix.cu has no instance for (float, double, float)"),
                    HasSubstr("name the instance with --entry: \"mix<float>\"")));
  EXPECT_THAT(graft.run("inspect mix.cu --entry mix").err, HasSubstr("give the arrays' types: --types f32."));
  EXPECT_THAT(graft.run("inspect mix.cu --entry mix --types 'f32); ('").err, HasSubstr("is no name of a type"));
  EXPECT_THAT(graft.run("inspect 'f32 x => 2 * x' --types f32").err, HasSubstr("types of its variables in front"));
  EXPECT_THAT(graft.run("inspect --fft 64 --types f32 --arch 90").err, HasSubstr("--types is for the arrays"));
}

// Only the build shows that `real` is float.
TEST(Inspect, TypesThatTheTextHidesAreComparedAfterTheBuild) {
  const Program graft;
  graft.write("aliased.cu", "using real = float;\n__device__ real aliased(real x) { return x; }\n");
  const std::string message = "aliased.cu has the signature float(float), and the types (double) were given";
  EXPECT_THAT(graft.run("inspect aliased.cu --entry aliased --types f64").err, HasSubstr(message));
  EXPECT_EQ(graft.run("inspect aliased.cu --types f32").exit_code, 0);
  EXPECT_THAT(graft.run("precompile aliased.cu --types f64 --arch 75 -o out.graft").err, HasSubstr(message));
  EXPECT_NE(graft.shell("test -e out.graft").exit_code, 0);
}

TEST(Inspect, TextInPlaceOfAFile) {
  const Result run = Program().run("inspect '[](double x) { return 2 * x; }' --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("signature").at("text"), "double(double)");
}

TEST(Inspect, OptionsReachTheCompiler) {
  const Program graft;
  std::filesystem::create_directory(graft.path("headers"));
  graft.write("headers/kind.h", "using Kind = TYPE;");
  graft.write(
      "two.cu",
      "#include \"kind.h\"\n__device__ Kind one(Kind x) { return x; }\n__device__ Kind two(Kind x) { return one(x); }");
  const Result missing = graft.run("inspect two.cu -I headers -DTYPE=short");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.out, "");
  EXPECT_THAT(missing.err, HasSubstr("[AmbiguousEntry]"));
  const Result run = graft.run("inspect two.cu --include headers --define TYPE=short --entry two");
  EXPECT_THAT(run.out, HasSubstr("short(short)")) << run.err;
  const Result program =
      graft.run("inspect two.cu -I headers -D TYPE=int --entry two --arch 90 --route program --json");
  EXPECT_EQ(json::parse(program.out).at("report").at("route"), "program") << program.err;
}

TEST(Inspect, CompileErrorsHaveTheUsersLines) {
  const Program graft;
  graft.write("bad.cu", "__device__ float f(float x)\n{ return y; }\n");
  const Result run = graft.run("inspect bad.cu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("bad.cu does not compile: line 2 [CompileFailed]"));
  EXPECT_THAT(run.err, HasSubstr("What to do: "));
}

TEST(Inspect, HostRoute) {
  const Result run = Program().run("inspect '[](int x) { return x; }' --route host --json");
  EXPECT_EQ(json::parse(run.out).at("report").at("route"), "host") << run.err;
}

TEST(Inspect, Ptx) {
  const Program graft;
  graft.write("f.ptx",
              ".version 8.0\n.target sm_75\n.address_size 64\n"
              ".visible .func (.param .b32 r) triple(.param .b32 p) {\n.reg .f32 %f<3>;\nld.param.f32 %f1, [p];\n"
              "mul.f32 %f2, %f1, 0f40400000;\nst.param.f32 [r], %f2;\nret;\n}\n");
  const Result run = graft.run("inspect f.ptx --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object.at("kind"), "PTX");
  EXPECT_EQ(object.at("functions"), json::array({"triple"}));
  EXPECT_EQ(object.at("images").at(0).at("architecture"), "sm_75");
  EXPECT_FALSE(object.contains("report"));
  const Result kernel = graft.run("inspect f.ptx --arch 90 --signature 'extern \"C\" __device__ float triple(float)'");
  EXPECT_THAT(kernel.out, HasSubstr("ptx for sm_90")) << kernel.err;
}

TEST(Inspect, ACubin) {
  const Program graft;
  const Image image = build("[](float x) { return x; }", Architecture(80));
  graft.write("k.cubin", base::as_text(image.bytes()));
  const Result run = graft.run("inspect k.cubin");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("cubin for sm_80"));
}

TEST(Inspect, APack) {
  const base::Bytes code(100, std::byte{7});
  const auto bytes = families::write_pack(pack_of(relu_kernel(code)));
  ASSERT_TRUE(bytes);
  const Program graft;
  graft.write("relu.graft", base::as_text(*bytes));
  const Result text = graft.run("inspect relu.graft");
  EXPECT_THAT(text.out, HasSubstr("entry relu (_Z4reluf)"));
  EXPECT_THAT(text.out, HasSubstr("float(float)\n"));
  EXPECT_THAT(text.out, HasSubstr("cubin for sm_90, 100 bytes"));
  EXPECT_THAT(text.out, HasSubstr("made by NVRTC 13.0"));
  const json object = json::parse(graft.run("inspect relu.graft --json").out);
  EXPECT_EQ(object.at("images").size(), 2u);
  EXPECT_EQ(object.at("signature").at("text"), "float(float)");

  graft.write("cut.graft", base::as_text(*bytes).substr(0, bytes->size() - 1));
  const Result cut = graft.run("inspect cut.graft");
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_EQ(cut.out, "");
  EXPECT_THAT(cut.err, HasSubstr("[ImageRefused]"));
}

// graft itself makes packs of one job.
TEST(Inspect, APackOfSeveralJobs) {
  const base::Bytes scale = Callback("__device__ float scale(float x) { return 2 * x; }").precompile({75});
  const base::Bytes fft = precompile({.length = 8, .directions = FftDirections::Forward}, {}, {75});
  const base::Bytes both =
      *families::write_pack({{families::read_pack(scale)->jobs.at(0), families::read_pack(fft)->jobs.at(0)}});
  const Program graft;
  graft.write("both.graft", base::as_text(both));
  const Result text = graft.run("inspect both.graft");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("both.graft: pack of 2 jobs, "));
  EXPECT_THAT(text.out, HasSubstr("\nscale\n  entry scale "));
  EXPECT_THAT(text.out, HasSubstr("\nan FFT of 8 points\nkernel 1 of 1, forward, 8 points"));
  const json object = json::parse(graft.run("inspect both.graft --json").out);
  EXPECT_EQ(object.at("kind"), "pack of 2 jobs");
  EXPECT_EQ(object.at("jobs").at(0).at("job"), "scale");
  EXPECT_EQ(object.at("jobs").at(0).at("kernel"), "graft_transform_scale");
  EXPECT_EQ(object.at("jobs").at(1).at("job"), "an FFT of 8 points");
  EXPECT_EQ(object.at("jobs").at(1).at("packs").size(), 1u);
  EXPECT_THAT(graft.run("inspect both.graft --arch 75").err, HasSubstr("is a pack of 2 jobs, not of a callback"));
}

TEST(Inspect, ThePackOfAnFft) {
  const Program graft;
  graft.write("fft.graft", base::as_text(precompile({.length = 8}, {}, {75})));
  graft.write("old.graft", base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/pack_2_set.graft").value());
  for (const char* file : {"fft.graft", "old.graft"}) {
    const Result text = graft.run(std::string("inspect ") + file);
    EXPECT_THAT(text.out, HasSubstr(": pack of an FFT, ")) << text.err;
    EXPECT_THAT(text.out, HasSubstr("\nkernel 1 of 1, inverse, "));
    EXPECT_THAT(text.out, HasSubstr("  program for sm_75, "));
    const json object = json::parse(graft.run(std::string("inspect --json ") + file).out);
    EXPECT_EQ(object.at("kind"), "pack of an FFT");
    EXPECT_EQ(object.at("packs").size(), 2u);
  }
}

TEST(Inspect, ThePackOfARealFftSaysWhatItComputes) {
  const Program graft;
  const FftPlan plan = {.length = 64, .scaling = FftScaling::ByLength, .kind = FftKind::Real};
  graft.write("real.graft", base::as_text(precompile(plan, {}, {90})));
  const std::string text = graft.run("inspect real.graft").out;
  EXPECT_THAT(text, HasSubstr("\nkernel 1 of 1, forward, a real FFT of 64 numbers, scaling by_length, 32 points, f32"));
  EXPECT_THAT(text, HasSubstr("\nkernel 1 of 1, inverse, a real FFT of 64 numbers, scaling by_length, 32 points, f32"));
  const json packs = json::parse(graft.run("inspect --json real.graft").out).at("packs");
  ASSERT_EQ(packs.size(), 2u);
  for (const json& pack : packs) {
    const json& request = pack.at("request");
    EXPECT_EQ(request.at("length"), "64");
    EXPECT_EQ(request.at("kind"), "real");
    EXPECT_EQ(request.at("scaling"), "by_length");
  }
  EXPECT_EQ(packs.at(0).at("request").at("is_inverse"), "false");
  EXPECT_EQ(packs.at(1).at("request").at("is_inverse"), "true");
}

TEST(Inspect, CallbacksOfCufftsShapeHaveArraysOfTheirOwn) {
  const Result run = Program().run(
      "inspect --fft 64 --kind real --directions forward --arch 90 --load "
      "'__device__ float load(void* data, size_t i, void*, void*) { return ((float*)data)[i]; }'");
  EXPECT_THAT(run.out, HasSubstr("real FFT of 64 numbers, 1 kernel\n")) << run.err;
  EXPECT_THAT(run.out, HasSubstr("input 0: float (any array: the callback accesses it itself)"));
}

TEST(Inspect, MistakesOfFftsNameOptions) {
  const Program graft;
  graft.write("two.cu", "__device__ float2 f(float2 z) { return z; }\n__device__ float2 g(float2 z) { return z; }\n");
  const auto error = [&](const std::string& options) { return graft.run("inspect --arch 90 --fft " + options).err; };
  EXPECT_THAT(error("16 --kind real --load '[](float x) { return x; }'"),
              testing::AllOf(HasSubstr("and --directions asks for both"),
                             HasSubstr("with --inverse-load and --inverse-store, or give --directions forward or "
                                       "--directions inverse")));
  EXPECT_THAT(error("16 --directions inverse --between two.cu --between-entry f"), HasSubstr("Leave --directions out"));
  EXPECT_THAT(error("16 --directions forward --inverse-load two.cu --inverse-load-entry f"),
              testing::AllOf(HasSubstr("--inverse-load and --inverse-store are the callbacks of a second direction"),
                             HasSubstr("with --load, --between and --store")));
  EXPECT_THAT(error("16 --precision f64 --storage f16"), HasSubstr("Use --precision f32"));
  EXPECT_THAT(error("16 --storage-in f16 --load two.cu --load-entry f"),
              HasSubstr("Leave --storage and --storage-in out"));
  EXPECT_THAT(error("16 --load two.cu --store two.cu --store-entry f"), HasSubstr("(--load-entry, --store-entry"));
  EXPECT_THAT(error("16381x8"), HasSubstr("dimension 0 of --fft has 16381 points"));
  for (const char* options : {"16 --kind real --load '[](float x) { return x; }'", "16 --precision f64 --storage f16",
                              "16 --directions inverse --between two.cu --between-entry f", "16381x8", "20011x8",
                              "8x74 --between two.cu --between-entry f", "16 --load '[](float x) { return x; }'"}) {
    const std::string text = error(options);
    EXPECT_THAT(text, HasSubstr("graft: "));
    EXPECT_EQ(text.find("Fft"), text.npos) << text;
  }
}

TEST(Inspect, WhatIsNothingIsRefused) {
  const Program graft;
  graft.write("noise", std::string("\x01\x02\x00\xff", 4));
  graft.write("empty", "");
  for (const char* file : {"noise", "empty"}) {
    const Result run = graft.run(std::string("inspect ") + file);
    EXPECT_EQ(run.exit_code, 1) << file;
    EXPECT_THAT(run.err, HasSubstr("[ImageRefused]")) << file;
    EXPECT_EQ(run.out, "");
  }
  const Result none = graft.run("inspect missing.cu");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("[FileUnreadable]"));
  EXPECT_THAT(none.err, Not(HasSubstr("formula")));
}

TEST(Inspect, CallbacksOfAnFftHaveEntriesOfTheirOwn) {
  const Program graft;
  graft.write("two.cu",
              "__device__ float2 twice(float2 z) { z.x *= 2; return z; }\n"
              "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }\n");
  EXPECT_THAT(graft.run("inspect --fft 8 --load two.cu --entry twice --arch 90").out, HasSubstr("float2(float2)"));
  EXPECT_THAT(
      graft.run("inspect --fft 8 --load two.cu --load-entry twice --store two.cu --store-entry power --arch 90").out,
      HasSubstr("float(float2)"));
  const Result both = graft.run("inspect --fft 8 --load two.cu --store two.cu --entry twice --arch 90");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.err, HasSubstr("--load-entry"));
  EXPECT_THAT(graft.run("inspect --fft 8 --store two.cu --load-entry twice --arch 90").err, HasSubstr("does not have"));
}

TEST(Inspect, KernelsForViewsAreNamedByTheirShapes) {
  const Program graft;
  graft.write("add.cu", "__device__ float add(float x, float y) { return x + y; }\n");
  const std::string text = graft.run("inspect add.cu --arch 90 --shapes strided --shapes 'transposed 2'").out;
  for (const char* words : {"for arrays of any shape: strided", "for arrays of any shape: transposed 2"})
    EXPECT_THAT(text, HasSubstr(words));
  // On the host, one kernel serves every shape.
  EXPECT_THAT(graft.run("inspect add.cu --arch 90 --route host --shapes strided --json").out, HasSubstr("\"reports\""));
  const std::pair<const char*, const char*> mistakes[] = {
      {"add.cu --arch 90 --shapes sideways", "`sideways` names no kernel for views"},
      {"add.cu --arch 90 --shapes 'transposed 4'", "not all of these inputs of the callback can be in tiles"},
      {"add.cu --shapes strided", "--shapes requires --arch"},
      {"--fft 8 --arch 90 --shapes strided", "excludes"},
      {"--fft 8 --combine add.cu --arch 90", "excludes"},
  };
  for (const auto& [words, problem] : mistakes) {
    const Result run = graft.run(std::string("inspect ") + words);
    EXPECT_NE(run.exit_code, 0) << words;
    EXPECT_THAT(run.err, HasSubstr(problem));
  }
}

TEST(Inspect, ALambdaNeedsNoParentheses) {
  EXPECT_THAT(Program().run("inspect '[] { return 7; }'").out, HasSubstr("int()"));
}

TEST(Inspect, AFormulaIsToldHowToBecomeACallback) {
  const Program graft;
  const Result short_one = graft.run("inspect 'x > 0 ? x : 0'");
  EXPECT_EQ(short_one.exit_code, 1);
  EXPECT_THAT(short_one.err, HasSubstr("write a function around it: '[](float x) { return x > 0 ? x : 0; }'"));
  const Result with_call = graft.run("inspect 'sqrt(x) + 1'");
  EXPECT_EQ(with_call.exit_code, 1);
  EXPECT_THAT(with_call.err, HasSubstr("[NoSuchEntry]"));
  EXPECT_THAT(with_call.err, HasSubstr("`[](float x) { return sqrt(x) + 1; }`"));
  EXPECT_THAT(graft.run("inspect --fft 8 --load 'x*2'").err, HasSubstr("'[](float x) { return x*2; }'"));
}

TEST(Inspect, AFormulaWithItsVariablesIsACallback) {
  const Program graft;
  const Result run = graft.run("inspect 'f32 x; f32 a => a * max(x, 0)' --arch 90");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("float(float, const graft_values&)"));
  EXPECT_THAT(run.out, HasSubstr("| **i32** |"));
  EXPECT_EQ(graft.run("inspect -e 'f32 x; f32 a => a * max(x, 0)' --arch 90").exit_code, 0);
  const Result wrong = graft.run("inspect -e 'f32 x => x + foo(x)'");
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("column 14: `foo` is not known here; did you mean `floor`?"));
  EXPECT_THAT(graft.run("inspect -e 'x + 1'").err, HasSubstr("the variables are missing"));
  EXPECT_NE(graft.run("inspect -e '=> 1' relu.cu").exit_code, 0);
  EXPECT_EQ(graft.run("inspect --fft 8 --load 'i16 x => complex(x, 0)' --arch 90").exit_code, 0);
}

}  // namespace
}  // namespace graft::test
