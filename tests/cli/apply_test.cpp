// Tests `graft apply` on the host route. It must read and write real .npy files, and refuse wrong requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"

namespace graft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Apply : public testing::Test {
 protected:
  // Runs `graft apply`, expects success without any printed text, and returns the bytes of the output file.
  std::string apply(const std::string& words) {
    const Result run = graft.run("apply " + words + " --route host --out c.npy");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "");
    return graft.read("c.npy");
  }
  std::string refusal(const std::string& words, const std::string& environment = "") {
    const Result run = graft.run("apply " + words + " --out c.npy", environment);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(graft.has("c.npy"));
    return run.err;
  }
  template <class T>
  void array(const std::string& name, const std::string& descr, const std::vector<T>& values,
             const std::string& shape = "") {
    graft.write(name, npy(descr, shape.empty() ? "(" + std::to_string(values.size()) + ",)" : shape, raw(values)));
  }

  Program graft;
};

TEST_F(Apply, AFileOverAnArray) {
  graft.write("relu.cu", "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n");
  array<float>("a.npy", "'<f4'", {1, -2, 3, -4, 5, -6}, "(2, 3)");
  const std::string c = apply("relu.cu --in a.npy");
  EXPECT_THAT(c, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_THAT(elements<float>(c), ElementsAre(1, 0, 3, 0, 5, 0));
}

TEST_F(Apply, AFormulaTakesItsParametersByName) {
  array<float>("a.npy", "'<f4'", {-1, 2, 3});
  const std::string line = "-e 'f32 x; f32 a, b => a * max(x, 0) + b' --in a.npy --state ";
  EXPECT_THAT(elements<float>(apply(line + "a=2,b=0.5")), ElementsAre(0.5f, 4.5f, 6.5f));
  EXPECT_THAT(elements<float>(apply(line + "b=1,a=10")), ElementsAre(1, 21, 31));
  const Result unknown = graft.run("apply " + line + "a=2,c=1 --route host --out d.npy");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("a (float), b (float)"));
}

TEST_F(Apply, AFormulaTakesNumbersForNamesThatHaveNoType) {
  array<float>("a.npy", "'<f4'", {-1, 2, 3});
  array<std::int32_t>("n.npy", "'<i4'", {7, -8});
  const auto floats = [&](const std::string& formula, const std::string& state) {
    return elements<float>(apply("-e 'f32 x => " + formula + "' --in a.npy --state '" + state + "'"));
  };
  EXPECT_THAT(floats("a*x + b", "a=2,b=0.5"), ElementsAre(-1.5f, 4.5f, 6.5f));
  EXPECT_THAT(floats("a*x + b", " b = -0.5 , a = +2 "), ElementsAre(-2.5f, 3.5f, 5.5f));
  // Expressions of numbers are computed once, as those of literals: in f32, the difference would be 0.
  EXPECT_THAT(floats("x * (a - b)", "a=100000001,b=100000000"), ElementsAre(-1, 2, 3));
  EXPECT_THAT(floats("x * (a / b)", "a=1,b=4"), ElementsAre(-0.25f, 0.5f, 0.75f));
  EXPECT_THAT(floats("x if a else -x", "a=false"), ElementsAre(1, -2, -3));
  EXPECT_THAT(floats("min(x, a)", "a=-inf"), testing::Each(-std::numeric_limits<float>::infinity()));
  EXPECT_THAT(floats("cos(a) * x", "a=pi"), ElementsAre(1, -2, -3));
  EXPECT_THAT(floats("let t = 2 * a; t * x + a", "a=1"), ElementsAre(-1, 5, 7));
  EXPECT_THAT(floats("max * max(x, 0)", "max=2"), ElementsAre(0, 4, 6));
  // An integer stays one beside integers.
  EXPECT_THAT(elements<std::int32_t>(apply("-e 'i32 n => n // a' --in n.npy --state a=2")), ElementsAre(3, -4));
  // Beside parameters that have types.
  const std::string line = "-e 'f32 x; f64 c, f32 d => f32(c) * x + a + d' --in a.npy --state ";
  EXPECT_THAT(elements<float>(apply(line + "a=0.5,c=2,d=10")), ElementsAre(8.5f, 14.5f, 16.5f));
  EXPECT_THAT(
      elements<float>(apply("-e 'f32 x; f64 c, i8 k => f32(c) * x + a * x + k' --in a.npy --state k=1,a=1,c=2")),
      ElementsAre(-2, 7, 10));
}

TEST_F(Apply, ANumberThatAFormulaCannotTakeIsNamed) {
  array<float>("a.npy", "'<f4'", {1, 2, 3});
  const auto refused = [&](const std::string& formula, const std::string& state) {
    return refusal("-e '" + formula + "' --route host --in a.npy --state '" + state + "'");
  };
  EXPECT_THAT(refused("f32 x => a * x", "aa=2"), HasSubstr("the formula has no parameter `aa`. Did you mean `a`?"));
  EXPECT_THAT(refused("f32 x => a * x", "a=2,zz=3"), HasSubstr("the formula has no parameter `zz`."));
  EXPECT_THAT(refused("f32 x => a * x", "a=2,a=3"), HasSubstr("the state gives `a` twice"));
  EXPECT_THAT(refused("f32 x => a * x", "a=2,x=3"), HasSubstr("the formula has no parameter `x`."));
  for (const char* value : {"", "2x", "1+1", "x", "1;2", "{1,2}", "--2", "1e999", "0x10", "\xff"})
    EXPECT_THAT(refused("f32 x => a * x", std::string("a=") + value), HasSubstr("is no number for `a`")) << value;
  EXPECT_THAT(refused("f32 x => a * x", "a=1e300"), HasSubstr("f32 does not hold"));
  EXPECT_THAT(refused("f32 x => a * y", "a=2"), HasSubstr("`y` is not known here"));
  EXPECT_THAT(refused("f32 x => a * b * x", "a=2"), HasSubstr("`b` is not known here"));
  EXPECT_THAT(refused("f32 x => x // (a // b)", "a=2,b=0"), HasSubstr("divides an integer by zero"));
  EXPECT_THAT(refused("f32 x; f32 c => a * x + c", "a=2"), HasSubstr("the state gives no value for c"));
  EXPECT_THAT(refused("f32 x; f32 c => a * x + c", "a=2,3"), HasSubstr("the state gives `3` without a name"));
  EXPECT_THAT(refused("f32 x => a * x", "2"), HasSubstr("`a` is not known here"));
  EXPECT_THAT(refused("f32 x => a * x", "hex:00"), HasSubstr("`a` is not known here"));
}

TEST_F(Apply, ShapesAlignAtTheRight) {
  array<float>("a.npy", "'<f4'", {1, 2, 3, 4, 5, 6}, "(2, 3)");
  array<float>("row.npy", "'<f4'", {10, 20, 30});
  array<float>("column.npy", "'<f4'", {100, 200}, "(2, 1)");
  array<float>("one.npy", "'<f4'", {7}, "()");
  const std::string sum = "'[](float x, float y) { return x + y; }' ";
  EXPECT_THAT(elements<float>(apply(sum + "--in a.npy --in row.npy")), ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(elements<float>(apply(sum + "--in one.npy --in a.npy")), ElementsAre(8, 9, 10, 11, 12, 13));
  const std::string outer = apply(sum + "--in column.npy --in row.npy");
  EXPECT_THAT(outer, HasSubstr("'shape': (2, 3), }"));
  EXPECT_THAT(elements<float>(outer), ElementsAre(110, 120, 130, 210, 220, 230));
  array<float>("none.npy", "'<f4'", {}, "(0, 3)");
  EXPECT_THAT(apply(sum + "--in row.npy --in none.npy"), HasSubstr("'shape': (0, 3), }"));
}

TEST_F(Apply, FortranOrderBecomesCOrder) {
  graft.write("f.npy", npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
                                       raw(std::vector<float>{1, 4, 2, 5, 3, 6})));
  const std::string c = apply("'[](float x) { return 2 * x; }' --in f.npy");
  EXPECT_THAT(c, HasSubstr("'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_THAT(elements<float>(c), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(Apply, SeveralInputsOutputsAndAState) {
  array<float>("a.npy", "'<f4'", {1, 2, 3});
  array<float>("b.npy", "'<f4'", {10, 20, 30});
  const std::string c = apply(
      "'__device__ float f(float x, float y, double& sum, const float& a) { sum = x + y; return a * x + y; }' "
      "--in a.npy --in b.npy --state 2.5 --out d.npy");
  // The command line has --out d.npy before --out c.npy. The first output is the return value, which goes to d.npy.
  EXPECT_THAT(elements<float>(graft.read("d.npy")), ElementsAre(12.5f, 25, 37.5f));
  EXPECT_THAT(elements<double>(c), ElementsAre(11, 22, 33));
}

// Without graft::Bit in the callback, a file of bools is an array of bools; with it, the same file is a mask.
TEST_F(Apply, MasksAreFilesOfBools) {
  array<float>("x.npy", "'<f4'", {4, -1, 9, 16});
  array<std::uint8_t>("valid.npy", "'|b1'", {1, 1, 0, 1});
  EXPECT_THAT(refusal("'__device__ graft::Bit f(graft::Bit b) { return !b; }' --in x.npy --route host"),
              HasSubstr("holds '<f4'"));
  const std::string c = apply(
      "'__device__ graft::Bit root(float x, graft::Bit is_valid, float& y) { y = sqrtf(x); return is_valid && x >= 0; "
      "}'"
      " --in x.npy --in valid.npy --out mask.npy");
  const std::string mask = graft.read("mask.npy");
  EXPECT_THAT(mask, HasSubstr("'descr': '|b1'"));
  EXPECT_THAT(elements<std::uint8_t>(mask), ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(elements<float>(c)[3], 4);
  apply("'__device__ void flip(graft::InOut<graft::Bit> b) { b = !b; }' --in valid.npy");
  EXPECT_THAT(elements<std::uint8_t>(graft.read("c.npy")), ElementsAre(0, 0, 1, 0));
}

// Two outputs with the same file are refused because the second would overwrite the first.
TEST_F(Apply, TwoOutputsOfOneFileAreRefused) {
  array<float>("a.npy", "'<f4'", {1, 2, 3});
  graft.shell("ln -s c.npy link.npy; mkdir sub");
  const std::string words =
      "apply '__device__ void f(float x, float& a, float& b) { a = x; b = 2 * x; }' --in a.npy --route host";
  for (const char* outputs : {" --out c.npy --out c.npy", " --out c.npy --out ./c.npy", " --out link.npy --out c.npy",
                              " --out sub/../c.npy --out c.npy"}) {
    const Result run = graft.run(words + outputs);
    EXPECT_EQ(run.exit_code, 2) << outputs;
    EXPECT_THAT(run.err, HasSubstr("for two outputs: give each a file of its own")) << outputs;
    EXPECT_FALSE(graft.has("c.npy"));
  }
  EXPECT_EQ(graft.run(words + " --out /dev/null --out /dev/null").exit_code, 0);
}

TEST_F(Apply, StructsKeepTheirFields) {
  array<std::uint8_t>("a.npy", "[('r', '|u1'), ('g', '|u1'), ('b', '|u1')]", {1, 2, 3, 4, 5, 6}, "(2,)");
  const std::string c = apply(
      "'struct RGB { unsigned char r, g, b; }; __device__ RGB swap(RGB p) { return {p.b, p.g, p.r}; }' --in a.npy");
  EXPECT_THAT(c, HasSubstr("'descr': [('r', '|u1'), ('g', '|u1'), ('b', '|u1')]"));
  EXPECT_THAT(elements<std::uint8_t>(c), ElementsAre(3, 2, 1, 6, 5, 4));
}

TEST_F(Apply, ComplexNumbers) {
  using Complex = std::complex<float>;
  array<Complex>("a.npy", "'<c8'", {{1, 2}, {3, -4}});
  const std::string c = apply("'__device__ float2 conjugate(float2 z) { return make_float2(z.x, -z.y); }' --in a.npy");
  EXPECT_THAT(c, HasSubstr("'<c8'"));
  EXPECT_THAT(elements<Complex>(c), ElementsAre(Complex(1, -2), Complex(3, 4)));
}

TEST_F(Apply, HalvesBoolsAndWideIntegers) {
  array<std::uint16_t>("h.npy", "'<f2'", {0x3c00, 0xc000});  // 1, -2
  const std::string halves = apply(
      "'#include <cuda_fp16.h>\n__device__ __half twice(__half x) { return __float2half(2 * __half2float(x)); }' "
      "--in h.npy");
  EXPECT_THAT(elements<std::uint16_t>(halves), ElementsAre(0x4000, 0xc400));
  array<std::uint8_t>("b.npy", "'|b1'", {0, 1});
  EXPECT_THAT(elements<std::uint8_t>(apply("'[](bool x) { return !x; }' --in b.npy")), ElementsAre(1, 0));
  array<std::int64_t>("i.npy", "'<i8'", {1ll << 40});
  EXPECT_THAT(elements<std::int64_t>(apply("'[](long long x) { return x + 1; }' --in i.npy")),
              ElementsAre((1ll << 40) + 1));
}

TEST_F(Apply, InPlaceNoElementsAndNoDimensions) {
  array<int>("c.npy", "'<i4'", {1, 2});
  EXPECT_THAT(elements<int>(apply("'[](int x) { return x + 1; }' --in c.npy")), ElementsAre(2, 3));
  array<int>("a.npy", "'<i4'", {}, "(0, 7)");
  EXPECT_THAT(apply("'[](int x) { return x + 1; }' --in a.npy"), HasSubstr("'shape': (0, 7), }"));
  array<int>("a.npy", "'<i4'", {41}, "()");
  EXPECT_THAT(elements<int>(apply("'[](int x) { return x + 1; }' --in a.npy")), ElementsAre(42));
}

// An array of a graft::InOut parameter has its old values from --in, in the order of the parameters, and its new values
// go to --out. The file of the old values changes only if --out names it.
TEST_F(Apply, InOutArrays) {
  array<float>("x.npy", "'<f4'", {1, 2, 3});
  array<float>("v.npy", "'<f4'", {10, 20, 30});
  const std::string callback =
      "'__device__ double f(graft::InOut<float> x, float v) { x += v; return -x; }' --in x.npy --in v.npy --out ";
  EXPECT_THAT(elements<float>(apply(callback + "d.npy")), ElementsAre(11, 22, 33));
  EXPECT_THAT(elements<double>(graft.read("d.npy")), ElementsAre(-11, -22, -33));
  EXPECT_THAT(elements<float>(graft.read("x.npy")), ElementsAre(1, 2, 3));
  EXPECT_EQ(graft.run("apply " + callback + "d.npy --out x.npy --route host").exit_code, 0);
  EXPECT_THAT(elements<float>(graft.read("x.npy")), ElementsAre(11, 22, 33));
  graft.shell("rm c.npy");
  EXPECT_THAT(refusal("'__device__ void f(graft::InOut<float> x, float v) { x += v; }' --in x.npy --route host"),
              HasSubstr("takes 2 input arrays, and was given 1"));
}

TEST_F(Apply, WithoutInputs) {
  const std::string c = apply("'__device__ int number(graft::Index i) { return 3 * static_cast<int>(i); }' --count 4");
  EXPECT_THAT(c, HasSubstr("'shape': (4,), }"));
  EXPECT_THAT(elements<int>(c), ElementsAre(0, 3, 6, 9));
}

TEST_F(Apply, Json) {
  array<int>("a.npy", "'<i4'", {1, 2, 3, 4}, "(2, 2)");
  const Result run = graft.run("apply '[](int x) { return x; }' --in a.npy --out c.npy --route host --json");
  const nlohmann::json object = nlohmann::json::parse(run.out);
  EXPECT_EQ(object.at("count"), 4);
  EXPECT_EQ(object.at("outputs").at(0).at("shape"), nlohmann::json::array({2, 2}));
  EXPECT_EQ(object.at("report").at("route"), "host");
}

// ---- refused requests ----

constexpr const char* kSum = "'[](float x, float y) { return x + y; }' --route host ";

TEST_F(Apply, WithoutADeviceTheMessageNamesTheHostRoute) {
  array<float>("a.npy", "'<f4'", {1});
  // On a machine with a driver, this variable hides all devices from graft.
  const std::string words = refusal("'[](float x) { return x; }' --in a.npy", "CUDA_VISIBLE_DEVICES=-1");
  EXPECT_THAT(words, HasSubstr("no GPU can be used"));
  EXPECT_THAT(words, HasSubstr("--route host, which works here"));
  EXPECT_THAT(words, HasSubstr("[NoDevice]"));
}

TEST_F(Apply, CountsAndNumbers) {
  array<float>("a.npy", "'<f4'", {1, 2, 3});
  array<float>("b.npy", "'<f4'", {1, 2});
  EXPECT_THAT(refusal(std::string(kSum) + "--in a.npy --in b.npy"),
              HasSubstr("a.npy has the shape (3,), and b.npy has (2,), which does not align"));
  array<float>("m.npy", "'<f4'", {1, 2, 3, 4, 5, 6}, "(2, 3)");
  array<float>("n.npy", "'<f4'", {1, 2, 3, 4, 5, 6}, "(3, 2)");
  EXPECT_THAT(refusal(std::string(kSum) + "--in m.npy --in n.npy"), HasSubstr("(2, 3), and n.npy has (3, 2)"));
  EXPECT_THAT(refusal(std::string(kSum) + "--in a.npy"), HasSubstr("takes 2 input arrays, and was given 1"));
  EXPECT_THAT(refusal(std::string(kSum) + "--in a.npy --in a.npy --out d.npy"),
              HasSubstr("takes 1 output arrays, and was given 2"));
}

TEST_F(Apply, Types) {
  array<double>("a.npy", "'<f8'", {1});
  array<int>("i.npy", "'<i4'", {1});
  const std::string identity = "'[](float x) { return x; }' --route host ";
  EXPECT_THAT(refusal(identity + "--in a.npy"), HasSubstr("a.npy holds '<f8' (8 bytes each), and input 0 of the "
                                                          "callback is float (4 bytes)"));
  EXPECT_THAT(refusal(identity + "--in i.npy"), HasSubstr("i.npy holds '<i4'"));
  array<float>("big.npy", "'>f4'", {1});
  EXPECT_THAT(refusal(identity + "--in big.npy"), HasSubstr("big-endian"));
  graft.write("cut.npy", npy("'<f4'", "(9,)", "1234"));
  EXPECT_THAT(refusal(identity + "--in cut.npy"), HasSubstr("declares 36 bytes of data, but the file has 4"));
  EXPECT_THAT(refusal(identity + "--in none.npy"), HasSubstr("[FileUnreadable]"));
  EXPECT_THAT(refusal(identity + "--in ."), HasSubstr("it is a folder"));
}

TEST_F(Apply, CallbacksThatMoveTheirOwnData) {
  array<float>("a.npy", "'<f4'", {1});
  EXPECT_THAT(refusal("'__device__ float load(void* data, unsigned long long offset, void* info, void* shared) "
                      "{ return static_cast<float*>(data)[offset]; }' --route host --in a.npy"),
              HasSubstr("load or store callback, which loads or stores its data itself"));
}

TEST_F(Apply, States) {
  array<float>("a.npy", "'<f4'", {1});
  const std::string scale = "'__device__ float f(float x, const float& a) { return a * x; }' --route host --in a.npy ";
  EXPECT_THAT(refusal(scale), HasSubstr("is missing"));
  EXPECT_THAT(refusal(scale + "--state hex:00"), HasSubstr("has 4 bytes, and 1 were given"));
  EXPECT_THAT(refusal(scale + "--state x"), HasSubstr("`x` is not a valid value"));
  EXPECT_THAT(refusal("'[](float x) { return x; }' --route host --in a.npy --state 1"), HasSubstr("has no state"));
}

TEST_F(Apply, AnOutputThatCannotBeWrittenLeavesNothing) {
  array<float>("a.npy", "'<f4'", {1});
  const Result run = graft.run("apply '[](float x) { return x; }' --route host --in a.npy --out none/c.npy");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("none/c.npy: it cannot be written"));
  std::filesystem::create_directory(graft.path("c.npy"));
  const Result onto_folder = graft.run("apply '[](float x) { return x; }' --route host --in a.npy --out c.npy");
  EXPECT_EQ(onto_folder.exit_code, 1);
  EXPECT_EQ(graft.files(), 4u);  // a.npy, c.npy, .out and .err; graft left no temporary file
}

}  // namespace
}  // namespace graft::test
