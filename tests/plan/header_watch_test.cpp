// Tests HeaderWatch, which examines headers before and after a build. It must object to caching the kernel if a header
// may have changed while the kernel was built.
#include "plan/header_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>

#include "support/headers.hpp"

namespace graft::plan {
namespace {

namespace fs = std::filesystem;

class HeaderWatchTest : public testing::Test {
 protected:
  HeaderWatchTest() {
    folder_.make_folder("first");
    folder_.write("second/a.h", "#include \"b.h\"\n");
    folder_.write("second/b.h", "int b;\n");
    folder_.write("target.h", "int t;\n");
    folder_.write("same.h", "int t;\n");
    folder_.link("second/linked.h", "../target.h");
    test::let_headers_age();
  }

  HeaderScan scan() const {
    const HeaderWorld world = {
        .read = [](const std::string& path) { return base::read_seen_file(path, kLargestHeader); },
        .working_folder = [this] { return working_folder_; }};
    return scan_headers(std::vector<UserText>{{"#include \"a.h\"\n#include <linked.h>\n"}},
                        {.include_paths = {folder_.path("first"), folder_.path("second")}}, world);
  }

  std::string objection_to(const std::function<void()>& edit) {
    const HeaderScan before = scan();
    const HeaderWatch watch(before, temporary_);
    edit();
    return watch.objection(scan());
  }

  test::HeaderFolder folder_;
  std::string working_folder_ = folder_.path("first");
  std::string temporary_ = "/nonexistent";
};

TEST_F(HeaderWatchTest, HasNoneWhereNothingMoves) {
  EXPECT_EQ(objection_to([] {}), "");
  EXPECT_EQ(objection_to([&] { folder_.write("third/a.h", ""); }), "");
}

TEST_F(HeaderWatchTest, NamesWhatChanged) {
  const std::string a = "the header " + folder_.path("second/a.h");
  const std::string b = "the header " + folder_.path("second/b.h");
  EXPECT_EQ(objection_to([&] { folder_.write("second/b.h", "int c;\n"); }), b + " changed while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { folder_.write("second/b.h", "int c;\n"); }), b + " changed while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { fs::remove(folder_.path("second/b.h")); }), b + " vanished while the kernel was built");
  folder_.write("second/b.h", "int c;\n");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { folder_.write("first/a.h", ""); }),
            "the header " + folder_.path("first/a.h") + " appeared while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { folder_.write("second/a.h", ""); }), a + " changed while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { folder_.link("second/linked.h", "../same.h"); }),
            "the header " + folder_.path("second/linked.h") + " changed while the kernel was built");
}

TEST_F(HeaderWatchTest, NamesWhatWasPutBack) {
  EXPECT_EQ(objection_to([&] {
              folder_.write("first/a.h", "");
              fs::remove(folder_.path("first/a.h"));
            }),
            folder_.path("first") + " changed while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] {
              folder_.link("second/linked.h", "../same.h");
              folder_.link("second/linked.h", "../target.h");
            }),
            folder_.path("second/linked.h") + " changed while the kernel was built");
  test::let_headers_age();
  EXPECT_EQ(objection_to([&] { fs::last_write_time(folder_.path("second/b.h"), fs::file_time_type()); }),
            "the header " + folder_.path("second/b.h") + " changed while the kernel was built");
}

// Returns a copy of the scan whose start time is `nanoseconds` after the last change of its newest header.
HeaderScan begun_after_newest(HeaderScan scan, std::int64_t nanoseconds) {
  scan.begun = {};
  for (const HeaderLook& look : scan.looks) scan.begun = std::max<base::FileTime>(scan.begun, look.file.changed);
  scan.begun.nanoseconds += nanoseconds;
  scan.begun.seconds += scan.begun.nanoseconds / 1'000'000'000;
  scan.begun.nanoseconds %= 1'000'000'000;
  return scan;
}

TEST_F(HeaderWatchTest, TrustsNoYoungFile) {
  folder_.write("second/b.h", "int d;\n");
  const HeaderScan young = begun_after_newest(scan(), 20'000'000);
  EXPECT_EQ(HeaderWatch(young, temporary_).objection(young),
            "the header " + folder_.path("second/b.h") +
                " was changed less than 20 ms before the build (2 s if file times are whole seconds)");
  const HeaderScan old = begun_after_newest(scan(), 20'000'001);
  EXPECT_EQ(HeaderWatch(old, temporary_).objection(old), "");
}

TEST_F(HeaderWatchTest, TrustsNoYoungLink) {
  folder_.link("second/linked.h", "../target.h");
  const HeaderScan young = begun_after_newest(scan(), 20'000'001);
  EXPECT_EQ(HeaderWatch(young, temporary_).objection(young),
            "the link " + folder_.path("second/linked.h") + " was changed less than 20 ms before the build");
  test::let_headers_age();
  EXPECT_EQ(objection_to([] {}), "");
}

TEST_F(HeaderWatchTest, TrustsWholeSecondsLater) {
  HeaderScan before = scan();
  for (HeaderLook& look : before.looks) look.file.changed = {before.begun.seconds - 1, 0};
  const HeaderWatch watch(before, temporary_);
  EXPECT_NE(watch.objection(before).find("was changed less than"), std::string::npos);
  for (HeaderLook& look : before.looks) look.file.changed = {before.begun.seconds - 3, 0};
  EXPECT_EQ(watch.objection(before), "");
  for (HeaderLook& look : before.looks) look.file.changed = {before.begun.seconds - 1, 1};
  EXPECT_EQ(watch.objection(before), "");
  before.begun = {before.begun.seconds, 1'000'000};
  for (HeaderLook& look : before.looks) look.file.changed = {before.begun.seconds - 1, 990'000'000};
  EXPECT_NE(watch.objection(before).find("was changed less than"), std::string::npos);
}

// A header's time may lie in the future if the file system's clock is ahead of this machine's clock. Such a time must
// not prevent caching for hours.
TEST_F(HeaderWatchTest, ATimeInTheFutureTellsNothing) {
  HeaderScan before = scan();
  for (HeaderLook& look : before.looks) look.file.changed = {before.begun.seconds + 1000, 1};
  EXPECT_EQ(HeaderWatch(before, temporary_).objection(before), "");
}

TEST_F(HeaderWatchTest, SeesTheProcessLeaveItsFolder) {
  EXPECT_EQ(objection_to([&] { working_folder_ = folder_.path(); }),
            "the process changed its working folder while the kernel was built");
}

TEST_F(HeaderWatchTest, TheFolderForTemporaryFilesMayChange) {
  temporary_ = folder_.path("first");
  EXPECT_EQ(objection_to([&] { folder_.write("first/other", ""); }), "");
}

}  // namespace
}  // namespace graft::plan
