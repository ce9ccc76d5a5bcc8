// Tests `graft bench` on the CPU route, and its refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"
#include "toolchain/driver.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRelu = "'__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }'";

json measured(const std::string& words) {
  const Result run = Program().run("bench " + words + " --route host --samples 3 --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? json::parse(run.out) : json();
}

TEST(Bench, ACallbackOnTheCpu) {
  const json result = measured(std::string(kRelu) + " --count 1024 --count 100001");
  EXPECT_EQ(result.at("unit"), "elements");
  EXPECT_THAT(result.at("place"), HasSubstr("CPU"));
  ASSERT_EQ(result.at("rows").size(), 2u);
  for (const json& row : result.at("rows")) {
    EXPECT_EQ(row.at("bytes").get<std::uint64_t>(), 8 * row.at("count").get<std::uint64_t>());
    EXPECT_GT(row.at("gb_per_s").get<double>(), 0);
    EXPECT_GT(row.at("copy_gb_per_s").get<double>(), 0);
    EXPECT_NEAR(row.at("gb_per_s").get<double>(),
                row.at("bytes").get<double>() / row.at("time").at("median_us").get<double>() * 1e-3,
                1e-6 * row.at("gb_per_s").get<double>());
    EXPECT_NEAR(row.at("share_of_copy").get<double>(),
                row.at("gb_per_s").get<double>() / row.at("copy_gb_per_s").get<double>(), 1e-9);
  }
  ASSERT_EQ(result.at("reports").size(), 1u);
  EXPECT_EQ(result.at("reports")[0].at("route"), "host");
  EXPECT_FALSE(result.at("reports")[0].at("steps").empty());
  EXPECT_FALSE(result.at("is_compared").get<bool>());
  EXPECT_TRUE(result.at("problems").empty());
}

TEST(Bench, ATableWithAPlot) {
  const Result run =
      Program().run("bench " + std::string(kRelu) + " --count 1024 --count 4096 --samples 2 --route host --plot");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("float(float), host, on the CPU, one thread\n"));
  EXPECT_THAT(run.out, HasSubstr("          1,024     8.0 KiB"));
  EXPECT_THAT(run.out, HasSubstr("copy GB/s"));
  EXPECT_THAT(run.out, HasSubstr("create "));
  EXPECT_THAT(run.out, HasSubstr("GB/s; # "));
  const Result without = Program().run("bench " + std::string(kRelu) + " --count 1024 --samples 2 --route host");
  EXPECT_THAT(without.out, Not(HasSubstr("GB/s; # "))) << "standard output is no terminal";
}

TEST(Bench, FormulasFilesAndStates) {
  EXPECT_EQ(measured("-e 'f32 x; f32 a => a * max(x, 0)' --state a=2 --count 1000").at("rows").size(), 1u);
  EXPECT_EQ(measured("-e 'f32 x => a * max(x, 0) + b' --state a=2,b=1 --count 1000").at("rows").size(), 1u);
  const Program graft;
  graft.write("axpy.cu",
              "struct Scale { float a; };\n"
              "__device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }\n");
  const Result run = graft.run("bench axpy.cu --state a=2.5 --count 5000 --samples 2 --route host --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("rows")[0].at("bytes"), 60'000);
  EXPECT_THAT(graft.run("bench axpy.cu --count 5000 --route host").err, HasSubstr("is missing"));
}

TEST(Bench, FftsOnTheCpu) {
  const json complex = measured("--fft 60 --count 1 --count 7");
  EXPECT_EQ(complex.at("unit"), "FFTs");
  EXPECT_EQ(complex.at("title"), "FFT of 60 points");
  ASSERT_EQ(complex.at("rows").size(), 2u);
  EXPECT_EQ(complex.at("rows")[1].at("bytes"), 7 * 60 * 16);
  EXPECT_EQ(measured("--fft 64 --kind real --count 3").at("rows")[0].at("bytes"), 3 * (64 * 4 + 33 * 8));
  EXPECT_EQ(measured("--fft 64 --kind real --directions inverse --count 3").at("rows")[0].at("bytes"),
            3 * (64 * 4 + 33 * 8));
  EXPECT_EQ(measured("--fft 8x16 --storage f16 --count 5").at("rows")[0].at("bytes"), 5 * 128 * 8);
  EXPECT_EQ(measured("--fft 64 --load '__device__ float2 f(short x) { return make_float2(x, 0); }' --count 2")
                .at("rows")[0]
                .at("bytes"),
            2 * 64 * (2 + 8));
}

TEST(Bench, RefusesWhatItCannotMeasure) {
  const Program graft;
  EXPECT_EQ(graft.run("bench").exit_code, 2);
  EXPECT_EQ(graft.run("bench --fft 64 --directions both --route host").exit_code, 2);
  EXPECT_EQ(graft.run("bench " + std::string(kRelu) + " --count 0 --route host").exit_code, 2);
  EXPECT_EQ(graft.run("bench " + std::string(kRelu) + " --samples 0 --route host").exit_code, 2);
  const Result no_arrays = graft.run(
      "bench 'struct S { int* p; }; __device__ void f(graft::Index i, const S& s) { s.p[i] = 0; }' --route host "
      "--state hex:0000000000000000");
  EXPECT_EQ(no_arrays.exit_code, 1);
  EXPECT_THAT(no_arrays.err, HasSubstr("no arrays"));
  const Result too_many = graft.run("bench " + std::string(kRelu) + " --count 1000000000000 --route host");
  EXPECT_EQ(too_many.exit_code, 1);
  EXPECT_THAT(too_many.err, HasSubstr("Measure fewer (--count)"));
}

TEST(Bench, WithoutAGpuTheMessageNamesTheCpuRoute) {
  std::string why;
  if (toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "this machine has a GPU";
  const Result run = Program().run("bench " + std::string(kRelu));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("[NoDevice]"));
  EXPECT_THAT(run.err, HasSubstr("--route host"));
}

}  // namespace
}  // namespace graft::test
