// Uses graft with a driver 535 (CUDA 12.2), which is a test double that runs nothing (support/fake_driver.hpp): which
// toolkit is taken, how a kernel is prepared without cuFuncLoad, and what `graft doctor` says. No test has run with a
// real driver of CUDA 12.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/fake_driver.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/driver_timing.hpp"

namespace graft::test {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSource = "__device__ float f(float x) { return 3 * x; }";
const fs::path kOther = GRAFT_OTHER_TOOLKITS;

class OldDriver : public ::testing::Test {
 protected:
  // Returns a folder with the libraries of the wheels in the folder `wheels` of kOther.
  static std::string cuda(const std::string& wheels) { return (kOther / wheels).string(); }

  void SetUp() override {
    if (!fs::exists(kOther / "cuda12.4/nvidia")) GTEST_SKIP() << "the other toolkits are missing in " << kOther;
    fake_driver_calls().clear();
  }
};

TEST(OldDriverItself, IsTheTestDouble) {
  std::string why;
  const toolchain::Driver* driver = toolchain::Driver::find(why);
  ASSERT_NE(driver, nullptr) << why;
  EXPECT_EQ(driver->version().text(), "12.2");
  EXPECT_EQ(driver->api().cuFuncLoad, nullptr);
  EXPECT_THAT(driver->path(), HasSubstr(GRAFT_FAKE_DRIVER_FOLDER));
}

TEST(OldDriverItself, HasAllFunctionsForMeasuring) {
  std::string why;
  EXPECT_NE(toolchain::TimingFunctions::find(why), nullptr) << why;
}

TEST_F(OldDriver, PreparesAKernelWithoutCuFuncLoad) {
  Engine engine({.cuda_path = cuda("cuda12.4"), .host_compiler = {}});
  const Transform transform = Transform::create(engine, kSource);
  EXPECT_EQ(transform.report().kernel.architecture, Architecture(90));
  EXPECT_THAT(fake_driver_calls(), ElementsAre("cuLibraryLoadData", "cuKernelGetFunction", "cuFuncGetAttribute"));
}

TEST_F(OldDriver, NoToolkitOf13IsTaken) {
  const Program graft;
  const auto doctor = [&](const std::string& environment) {
    return json::parse(
        graft.run("doctor --json", "LD_LIBRARY_PATH=" GRAFT_FAKE_DRIVER_FOLDER " GRAFT_CUDA_PATH= " + environment).out);
  };
  const json without = doctor("CUDA_HOME= CUDA_PATH= VIRTUAL_ENV= CONDA_PREFIX=");
  EXPECT_EQ(without.at("driver").at("cuda"), "12.2");
  for (const json& other : without.at("toolkit").at("not_taken")) {
    if (!other.at("cuda").get<std::string>().starts_with("13.")) continue;
    EXPECT_EQ(other.at("why"), "newer than CUDA 12, the newest that the driver runs");
  }
  EXPECT_FALSE(without.at("makes_gpu_kernels").get<bool>());

  const json with_tools = doctor("GRAFT_CUDA_PATH=" + cuda("cuda12.4"));
  EXPECT_EQ(with_tools.at("toolkit").at("nvrtc").at("version"), "12.4");
  EXPECT_EQ(with_tools.at("fits").at(0).at("text"),
            "the driver, for CUDA 12.2, loads kernels of the tools' CUDA 12.4, but compiles no PTX of it");
  EXPECT_TRUE(with_tools.at("makes_gpu_kernels").get<bool>());

  const json named = doctor("GRAFT_CUDA_PATH=" + cuda("cuda13"));
  EXPECT_FALSE(named.at("fits").at(0).at("fits").get<bool>());
  EXPECT_THAT(named.at("fits").at(0).at("text").get<std::string>(),
              AllOf(HasSubstr("the driver, for CUDA 12.2, loads no kernel that tools of CUDA 13."),
                    HasSubstr("use tools of CUDA 12")));
}

}  // namespace
}  // namespace graft::test
