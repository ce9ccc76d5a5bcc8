// A sweep is a test that tries many inputs and takes long. Sweeps that passed before with the same sources and the same
// tools need not run again:
//
//     TEST(Macros, MeetNoWordOfGraft) {
//       const Sweep sweep;
//       if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
//
// The environment variable GRAFT_SWEEP_STAMPS names a folder that has a file for each sweep, its stamp: the hash of the
// sources and the versions of the tools with which the sweep last passed. Without this variable, and with
// GRAFT_ALL_ARCHITECTURES=1, all sweeps run.
#pragma once

#include <filesystem>
#include <string>

namespace graft::test {

class Sweep {
 public:
  static constexpr const char* kPassedBefore =
      "this sweep passed before with the same sources and tools (GRAFT_SWEEP_STAMPS)";

  // Reads the stamp of the running test.
  Sweep();
  // Writes the stamp if the test has not failed.
  ~Sweep();
  Sweep(const Sweep&) = delete;  // the copy would write the stamp before the test has ended
  Sweep& operator=(const Sweep&) = delete;

  bool passed_before() const { return passed_before_; }

 private:
  std::filesystem::path stamp_;  // empty if no stamps are asked for
  std::string inputs_;
  bool passed_before_ = false;
};

}  // namespace graft::test
