#include "support/sweep.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.hpp"
#include "support/environment.hpp"

namespace graft::test {
namespace {

class SweepStamps : public testing::Test {
 protected:
  std::filesystem::path only_stamp() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return files == std::filesystem::directory_iterator() ? std::filesystem::path() : files->path();
  }

  base::TemporaryFolder folder_;
  EnvironmentVariable stamps_{"GRAFT_SWEEP_STAMPS", folder_.path().string()};
  EnvironmentVariable usual_{"GRAFT_ALL_ARCHITECTURES"};
};

TEST_F(SweepStamps, ASweepThatPassedHasPassedBefore) {
  EXPECT_FALSE(Sweep().passed_before());
  EXPECT_EQ(only_stamp().filename(), "SweepStamps.ASweepThatPassedHasPassedBefore");
  EXPECT_TRUE(Sweep().passed_before());
}

TEST_F(SweepStamps, TheStampNamesTheTools) {
  static_cast<void>(Sweep());
  const std::string stamp = base::read_file(only_stamp()).value();
  for (const char* tool : {"sources: ", "\nNVRTC: libnvrtc.so.", "\nnvJitLink: libnvJitLink.so.", "\nhost compiler: "})
    EXPECT_NE(stamp.find(tool), std::string::npos) << stamp;
}

TEST_F(SweepStamps, OtherInputsAreSweptAgain) {
  static_cast<void>(Sweep());
  std::ofstream(only_stamp(), std::ios::app) << "another tool\n";
  EXPECT_FALSE(Sweep().passed_before());
}

TEST_F(SweepStamps, ALongRunIgnoresStamps) {
  static_cast<void>(Sweep());
  const EnvironmentVariable all("GRAFT_ALL_ARCHITECTURES", "1");
  EXPECT_FALSE(Sweep().passed_before());
}

TEST_F(SweepStamps, WithoutAFolderNothingIsWritten) {
  const EnvironmentVariable unset("GRAFT_SWEEP_STAMPS");
  static_cast<void>(Sweep());
  EXPECT_EQ(only_stamp(), "");
  EXPECT_FALSE(Sweep().passed_before());
}

// The stamp is written when the sweep ends, so a sweep that throws leaves none.
TEST_F(SweepStamps, ASweepThatThrowsHasNotPassed) {
  try {
    const Sweep sweep;
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(only_stamp(), "");
}

}  // namespace
}  // namespace graft::test
