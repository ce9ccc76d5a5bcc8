// Tests how a run of nvdisasm ends. Shell scripts stand for nvdisasm, because the real one cannot be made to fail.
#include "toolchain/disassembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "support/environment.hpp"

namespace graft::toolchain {
namespace {

namespace fs = std::filesystem;
using graft::test::EnvironmentVariable;
using testing::HasSubstr;
using testing::StartsWith;
using End = Disassembly::End;

constexpr std::string_view kCubin = "the bytes of a cubin";

class DisassemblerTest : public testing::Test {
 protected:
  // Returns a program with this text.
  Disassembler program(const std::string& text) const {
    const fs::path file = folder_.path() / "nvdisasm";
    EXPECT_TRUE(base::write_file(file, base::as_bytes(text)));
    fs::permissions(file, fs::perms::owner_all);
    const EnvironmentVariable variable("GRAFT_NVDISASM", file.string());
    std::string why;
    return Disassembler::find(why).value();
  }
  Disassembly by(const std::string& text) const { return program(text).disassemble(base::as_bytes(kCubin)); }

  base::TemporaryFolder folder_;
};

TEST_F(DisassemblerTest, GivesWhatTheProgramWrites) {
  const Disassembly made = by("#!/bin/sh\necho \"$1\"; cat \"$2\"");
  EXPECT_EQ(made.end, End::Done);
  EXPECT_EQ(made.text, "-c\nthe bytes of a cubin");
}

TEST_F(DisassemblerTest, ARefusalHasTheProgramsWords) {
  const Disassembly refused = by("#!/bin/sh\necho 'nvdisasm fatal: unknown SM'; exit 1");
  EXPECT_EQ(refused.end, End::Refused);
  EXPECT_THAT(refused.text, StartsWith("nvdisasm fatal: unknown SM\n"));
  const Disassembly crashed = by("#!/bin/sh\nkill -SEGV $$");
  EXPECT_EQ(crashed.end, End::Refused);
  EXPECT_THAT(crashed.text, HasSubstr("was ended by signal 11"));
}

TEST_F(DisassemblerTest, WhatIsNoProgramIsNotStarted) {
  const Disassembly made = by("no program");
  EXPECT_EQ(made.end, End::NotStarted);
  EXPECT_THAT(made.text, HasSubstr("/nvdisasm: Exec format error"));
}

TEST_F(DisassemblerTest, WhatTheSystemAndTimeStopIsToldApart) {
  const Disassembly killed = by("#!/bin/sh\necho code; kill -KILL $$");
  EXPECT_EQ(killed.end, End::Stopped);
  EXPECT_THAT(killed.text, HasSubstr("/nvdisasm was ended by signal 9"));
  EXPECT_EQ(killed.text.find("code"), killed.text.npos);

  const Disassembly slow =
      program("#!/bin/sh\nexec sleep 100").disassemble(base::as_bytes(kCubin), std::chrono::milliseconds(200));
  EXPECT_EQ(slow.end, End::Stopped);
  EXPECT_THAT(slow.text, HasSubstr("took more than 0.2 seconds"));

  const Disassembler reader = program("#!/bin/sh\ncat \"$2\"");
  const EnvironmentVariable parent("TMPDIR", "/proc/no/such/folder");
  const Disassembly homeless = reader.disassemble(base::as_bytes(kCubin));
  EXPECT_EQ(homeless.end, End::Stopped);
  EXPECT_EQ(homeless.text, "cannot make a temporary folder in /proc/no/such/folder: No such file or directory");
}

TEST_F(DisassemblerTest, ACubinThatCannotBeWrittenIsToldApart) {
  const Disassembler reader = program("#!/bin/sh\ncat \"$2\"");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Disassembly made = reader.disassemble(base::as_bytes(kCubin));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(made.end, End::Stopped);
  EXPECT_THAT(made.text, HasSubstr("/kernel.cubin: File too large"));
}

}  // namespace
}  // namespace graft::toolchain
