// Tests `graft reduce` on the host route, and reductions in the commands that build kernels ahead of time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "engine/job_kernels.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class ReduceCommand : public testing::Test {
 protected:
  void SetUp() override {
    graft.write("add.cu", "__device__ float add(float a, float b) { return a + b; }\n");
    graft.write("scale.cu",
                "struct Scale { float a; };\n"
                "__device__ float scale(float x, const Scale& s) { return s.a * x; }\n");
    array<float>("m.npy", "'<f4'", {1, 2, 3, 4, 5, 6}, "(2, 3)");
  }

  // Runs `graft reduce`, expects success without any printed text, and returns the bytes of the output file.
  std::string reduce(const std::string& words) {
    const Result run = graft.run("reduce " + words + " --route host --out y.npy");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "");
    return graft.read("y.npy");
  }
  std::string refusal(const std::string& words, int exit_code = 1) {
    const Result run = graft.run("reduce " + words + " --route host --out none.npy");
    EXPECT_EQ(run.exit_code, exit_code);
    EXPECT_FALSE(graft.has("none.npy"));
    return run.err;
  }
  template <class T>
  void array(const std::string& name, const std::string& descr, const std::vector<T>& values,
             const std::string& shape) {
    graft.write(name, npy(descr, shape, raw(values)));
  }

  Program graft;
};

TEST_F(ReduceCommand, AllAxesMakeOneValue) {
  const std::string y = reduce("--combine add.cu --in m.npy");
  EXPECT_THAT(y, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (), }"));
  EXPECT_THAT(elements<float>(y), ElementsAre(21));
  EXPECT_THAT(reduce("--combine add.cu --in m.npy --keepdims"), HasSubstr("'shape': (1, 1), }"));
}

TEST_F(ReduceCommand, AxesAreThoseOfNumPy) {
  EXPECT_THAT(elements<float>(reduce("--combine add.cu --in m.npy --axis 0")), ElementsAre(5, 7, 9));
  EXPECT_THAT(elements<float>(reduce("--combine add.cu --in m.npy --axis -1")), ElementsAre(6, 15));
  EXPECT_THAT(reduce("--combine add.cu --in m.npy --axis 1 --keepdims"), HasSubstr("'shape': (2, 1), }"));
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  array<float>("c.npy", "'<f4'", values, "(2, 3, 4)");
  EXPECT_THAT(elements<float>(reduce("--combine add.cu --in c.npy --axis 0 --axis 2")), ElementsAre(60, 92, 124));
  const std::string outer = reduce("--combine add.cu --in c.npy --axis 1");
  EXPECT_THAT(outer, HasSubstr("'shape': (2, 4), }"));
  EXPECT_THAT(elements<float>(outer), ElementsAre(12, 15, 18, 21, 48, 51, 54, 57));
}

TEST_F(ReduceCommand, MapFinishAndState) {
  EXPECT_THAT(elements<float>(reduce("--map scale.cu --combine add.cu --state a=2.5 --in m.npy --axis 1")),
              ElementsAre(15, 37.5));
  EXPECT_THAT(elements<double>(reduce("--combine add.cu --finish '[](float a) { return 1.0 / a; }' --in m.npy")),
              ElementsAre(1.0 / 21));
  EXPECT_THAT(elements<float>(reduce("--map '[](float x, float y) { return x * y; }' --combine add.cu "
                                     "--in m.npy --in m.npy --axis 1")),
              ElementsAre(14, 77));
  array<float>("e.npy", "'<f4'", {}, "(0, 2)");
  EXPECT_THAT(elements<float>(reduce("--combine add.cu --initial f32=7 --in e.npy --axis 0")), ElementsAre(7, 7));
}

TEST_F(ReduceCommand, ReadyMade) {
  array<std::int8_t>("b.npy", "'|i1'", {100, 100, -3, 0, 100, 7}, "(2, 3)");
  const std::string sums = reduce("--combine sum --in b.npy --axis 1");
  EXPECT_THAT(sums, HasSubstr("'<i8'"));
  EXPECT_THAT(elements<std::int64_t>(sums), ElementsAre(197, 107));
  EXPECT_THAT(elements<std::int64_t>(reduce("--combine argmax --in b.npy --axis 1")), ElementsAre(0, 1));
  EXPECT_THAT(elements<std::int64_t>(reduce("--combine argmin --in b.npy")), ElementsAre(2));
  EXPECT_THAT(elements<std::int8_t>(reduce("--combine max --in b.npy --axis 0")), ElementsAre(100, 100, 7));
  EXPECT_THAT(elements<std::uint8_t>(reduce("--combine all --in b.npy --axis 1")), ElementsAre(1, 0));
  EXPECT_THAT(elements<double>(reduce("--combine mean --in b.npy")), ElementsAre(testing::DoubleNear(304 / 6.0, 1e-9)));
  EXPECT_THAT(elements<float>(reduce("--combine variance --in m.npy --axis 1")),
              ElementsAre(testing::FloatNear(2 / 3.0F, 1e-6F), testing::FloatNear(2 / 3.0F, 1e-6F)));
  using Complex = std::complex<float>;
  array<Complex>("z.npy", "'<c8'", {{1, 2}, {3, -1}}, "(2,)");
  EXPECT_THAT(elements<Complex>(reduce("--combine product --in z.npy")), ElementsAre(Complex(5, 5)));
  array<float>("none.npy_", "'<f4'", {}, "(0, 2)");
  EXPECT_THAT(elements<float>(reduce("--combine sum --in none.npy_ --axis 0")), ElementsAre(0, 0));
}

TEST_F(ReduceCommand, MistakesAreRefused) {
  EXPECT_THAT(refusal("--combine add.cu --in m.npy --axis 2"), HasSubstr("no axis 2: the arrays have 2 dimensions"));
  EXPECT_THAT(refusal("--combine add.cu --in m.npy --axis 1 --axis -1"), HasSubstr("is given twice"));
  EXPECT_THAT(refusal("--combine summ --in m.npy"), HasSubstr("Did you mean `sum`?"));
  EXPECT_THAT(refusal("--combine sum --map scale.cu --in m.npy"), HasSubstr("Leave --map out"));
  EXPECT_THAT(refusal("--combine add.cu --state 2 --in m.npy"), HasSubstr("neither map nor finish has a state"));
  EXPECT_THAT(refusal("--combine add.cu --map scale.cu --in m.npy"), HasSubstr("Give the state with --state."));
  EXPECT_THAT(refusal("--combine add.cu --in m.npy --in m.npy"), HasSubstr("takes 1 input arrays, and was given 2"));
  EXPECT_THAT(refusal("--combine add.cu --initial f32 --in m.npy", 2), HasSubstr("write f32=0"));
  EXPECT_THAT(refusal("--combine add.cu --initial f64=0 --in m.npy"), HasSubstr("another type than --initial"));
  EXPECT_THAT(refusal("--combine add.cu", 2), HasSubstr("--in"));
  EXPECT_THAT(refusal("--in m.npy", 2), HasSubstr("--combine"));
  array<std::int32_t>("i.npy", "'<i4'", {1, 2}, "(2,)");
  EXPECT_THAT(refusal("--combine add.cu --in i.npy"), HasSubstr("graft reduce converts nothing"));
  array<float>("none.npy_", "'<f4'", {}, "(0, 2)");
  EXPECT_THAT(refusal("--combine max --in none.npy_ --axis 0"), HasSubstr("or give --initial"));
  EXPECT_THAT(refusal("--combine add.cu --map '__device__ float f(float x, float& y) { y = x; return x; }' --in m.npy"),
              HasSubstr("stores elements of map"));
}

TEST_F(ReduceCommand, ReductionsAreBuiltAheadOfTime) {
  const Result packed =
      graft.run("precompile --combine add.cu --map scale.cu --reduce-kernel all --arch 75 -o r.graft");
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  const std::string pack = graft.read("r.graft");
  EXPECT_EQ(engine::JobKernels::of_pack("reduce", base::as_bytes(pack), 0).job().methods.size(), 8U);
  EXPECT_THAT(graft.run("inspect r.graft").out, HasSubstr("pack of a reduction"));
  EXPECT_THAT(graft.run("inspect --combine add.cu --reduce-kernel columns").out, HasSubstr("reduction, 2 kernels"));
  graft.write("list.txt", "--combine add.cu --reduce-kernel short --arch 80\n");
  EXPECT_THAT(graft.run("warm list.txt").out, HasSubstr("built 2 kernels; already cached: 0"));
  EXPECT_THAT(graft.run("warm list.txt").out, HasSubstr("built 0 kernels; already cached: 2"));
  EXPECT_THAT(graft.run("precompile --combine add.cu --reduce-kernel rows --arch 75 -o x.graft").err,
              HasSubstr("kernel of reductions"));
}

}  // namespace
}  // namespace graft::test
