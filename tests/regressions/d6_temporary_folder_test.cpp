// D6: a killed process left the host route's temporary folder behind, and nothing ever removed it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuild = "inspect '[](float x) { return 3 * x; }' --route host";

// Runs programs with a TMPDIR of their own. The fake compiler kills the program that starts it.
class D6 : public testing::Test {
 protected:
  D6() {
    fs::create_directory(graft_.path("tmp"));
    graft_.write("killer",
                 "#!/bin/sh\ncase \"$*\" in *--version*) echo killer 1;; *) kill -$SIGNAL $PPID; sleep 1;; esac\n");
    fs::permissions(graft_.path("killer"), fs::perms::owner_all);
  }
  std::size_t left() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(graft_.path("tmp")), fs::directory_iterator()));
  }

  Program graft_;
};

TEST_F(D6, WhatAKilledProcessLeftIsRemovedByTheNext) {
  for (const char* signal : {"INT", "TERM", "HUP", "KILL"}) {
    SCOPED_TRACE(signal);
    const std::string environment = "TMPDIR=$PWD/tmp SIGNAL=" + std::string(signal);
    EXPECT_NE(graft_.run(kBuild, environment + " GRAFT_CXX=$PWD/killer").exit_code, 0);
    EXPECT_EQ(left(), 1u);
    const Result next = graft_.run(kBuild, environment);
    EXPECT_EQ(next.exit_code, 0) << next.err;
    EXPECT_EQ(left(), 0u);
  }
}

}  // namespace
}  // namespace graft::test
